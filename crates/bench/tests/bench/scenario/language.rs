//! The language of scenarios: what is accepted, and what is refused before anything runs.

use panto_bench::scenario::{Form, Instruction, Scenario, Variable, builtin, describe};
use panto_transport::Time;

use super::{all_do, parse, script, values};

const LATE: &str = r#"
name = "mine"
about = "one is late"

[operation.sum]
collective = "allreduce"
bytes = "1KiB"

[operation.all]
call = "non-blocking"
root = 1

[[participants]]
who = [3, "first"]
do = ["start", "delay(20us)", "issue(sum)", "sync(sum)", "issue(all)", "comp($computation)", "sync(all)", "stop"]

[[participants]]
who = "others"
do = [
    "start", "issue(sum)", "sync(sum)",
    "issue(all)", "sync(all)", "stop",
]
"#;

#[test]
fn a_file_assigns_actions_to_participants() {
    let mine = parse(LATE).unwrap();
    assert_eq!((mine.name.as_str(), mine.about.as_str(), mine.issues()), ("mine", "one is late", 2));
    assert!(mine.uses(Variable::Size) && mine.uses(Variable::Collective) && mine.uses(Variable::Computation));
    assert!(!mine.uses(Variable::Delay) && !mine.uses(Variable::Late) && mine.computes_beside());
    let script = script(&mine, 5).unwrap();
    let micros = |micros: u64| Time::from_nanos(micros * 1_000);
    let late = [
        Instruction::Start,
        Instruction::Delay(micros(20)),
        Instruction::Issue(0),
        Instruction::Sync(0),
        Instruction::Issue(1),
        Instruction::Comp(micros(50)),
        Instruction::Sync(1),
        Instruction::Stop,
    ];
    let others = [
        Instruction::Start,
        Instruction::Issue(0),
        Instruction::Sync(0),
        Instruction::Issue(1),
        Instruction::Sync(1),
        Instruction::Stop,
    ];
    assert_eq!(script.instructions(0), late);
    assert_eq!(script.instructions(3), late);
    for rank in [1, 2, 4] {
        assert_eq!(script.instructions(rank), others);
    }
    let [sum, all] = script.operations[..] else { panic!("two operations") };
    assert_eq!((sum.call.name(), sum.bytes, sum.root, sum.form), ("allreduce", 1024, 0, Form::Blocking));
    assert_eq!((all.call.name(), all.bytes, all.root, all.form), ("allreduce", 8, 1, Form::NonBlocking));
    assert_eq!(script.form(), None);
}

#[test]
fn shorthand_is_equivalent() {
    let words = describe(&parse(LATE).unwrap());
    assert_eq!(
        words,
        [
            "3, the first: start, wait for 20.0us, issue sum, wait for sum, issue all, compute for $computation, wait for all, stop",
            "all others: start, issue sum, wait for sum, issue all, wait for all, stop",
            "sum is allreduce of 1KiB",
            "all is $collective of $size, root 1, non-blocking",
        ]
    );
}

#[test]
fn an_operation_blocks_unless_actions_precede_its_end() {
    let form = |actions: &str| script(&all_do(actions), 2).unwrap().form();
    assert_eq!(form(r#""start", "issue", "sync", "stop""#), Some(Form::Blocking));
    assert_eq!(form(r#""start", "issue", "comp(1us)", "sync", "stop""#), Some(Form::NonBlocking));
    // CRESTA's scenario 3 with a blocking call has no overlap, and is the baseline for those that
    // have.
    let overlap = all_do(r#""start", "issue", "comp(1us)", "sync", "stop""#);
    let blocking = panto_bench::scenario::Values { form: Some(Form::Blocking), ..values(2) };
    assert_eq!(panto_bench::scenario::Script::new(&overlap, blocking).unwrap().form(), Some(Form::Blocking));
}

/// Operations that are never issued are not swept over.
#[test]
fn computation_alone_has_no_collective() {
    let alone = all_do(r#""start", "comp($computation)", "stop""#);
    assert!(alone.uses(Variable::Computation) && !alone.computes_beside());
    assert!(!alone.uses(Variable::Collective) && !alone.uses(Variable::Size));
    assert_eq!(script(&alone, 2).unwrap().instructions(1).len(), 3);
}

#[test]
fn repeated_actions_are_expanded() {
    let scenario = all_do(r#""start", "3 times", ["issue", "2 times", ["comp(1us)"], "sync"], "stop""#);
    assert_eq!(script(&scenario, 2).unwrap().instructions(1).len(), 2 + 3 * 4);
    assert_eq!(scenario.issues(), 3);
}

#[test]
fn every_builtin_is_valid_and_describes_itself() {
    for builtin in builtin::all() {
        let scenario = match Scenario::load(builtin.name, None) {
            Err(error) => {
                assert!(builtin.name == "arrival" && error.to_string().contains("--trace"), "{error}");
                continue;
            }
            Ok(scenario) => scenario,
        };
        assert_eq!(scenario.name, builtin.name);
        assert!(!scenario.about.is_empty() && !describe(&scenario).is_empty());
        for ranks in [2, 3, 8, 100] {
            script(&scenario, ranks).unwrap();
        }
    }
    assert!(
        describe(&Scenario::look("arrival").unwrap())[0].contains("the lateness of its rank in the trace")
    );
    let error = Scenario::load("stagered", None).unwrap_err().to_string();
    assert!(error.contains("unknown scenario `stagered`; use only, delay, overlap, staggered"), "{error}");
}

/// Each case is a file, the line of its error, and words of the message, which names a remedy.
#[test]
fn errors_name_their_line() {
    let group = |actions: &str| format!("[[participants]]\nwho = \"all\"\ndo = [{actions}]\n");
    let cases = [
        ("name = ", 1, "not TOML"),
        ("name = \"x\"\n", 1, "no participants"),
        ("nmae = \"x\"\n", 1, "a scenario has no `nmae`; it has name, about"),
        ("name = 3\n", 1, "`name` is a text"),
        ("[operation]\na = 1\n", 2, "described as [operation.NAME]"),
        ("\n[operation.a]\ncollective = \"bcats\"\n", 3, "unknown collective `bcats`; use barrier, bcast"),
        ("[operation.a]\nbytes = \"12 parsecs\"\n", 2, "a size is written as 64KiB"),
        ("[operation.a]\nroot = \"even\"\n", 2, "a root is first, last, $late or a number"),
        ("[operation.a]\ncall = \"lazy\"\n", 2, "`blocking` or `non-blocking`"),
        ("[[participants]]\nwho = \"all\"\n", 1, "missing `do`"),
        ("[[participants]]\ndo = [\"start\"]\n", 1, "missing `who`"),
        ("[[participants]]\nwho = \"unknown\"\ndo = []\n", 2, "use all, first, last, others"),
        ("[[participants]]\nwho = \"3..1\"\ndo = []\n", 2, "use `1..3`"),
        (&group(r#""issue", "sync", "stop""#), 3, "put `start` before this"),
        (&group(""), 2, "missing `start`"),
        (&group("\n\"start\",\n\"issue\",\n\"sync\",\n"), 6, "missing `stop`"),
        (&group(r#""start", "start", "stop""#), 3, "`start` comes twice"),
        (&group("\"start\",\n\"stop\",\n\"stop\""), 5, "`stop` comes twice"),
        (&group("\"stop\",\n\"start\""), 3, "`stop` comes before `start`"),
        (&group("\"start\", \"stop\",\n\"issue\""), 4, "put `stop` last"),
        (&group("\"start\",\n\"sync\", \"stop\""), 4, "`sync` without an issue"),
        (&group("\"start\",\n\"issue\", \"stop\""), 4, "`issue` is never waited for; add `sync`"),
        (&group("\"start\", \"issue\",\n\"issue\", \"sync\", \"stop\""), 4, "in flight since line 3"),
        (&group(r#""start", "2 times", ["issue"], "stop""#), 3, "as many operations in flight as it found"),
        (&group(r#""start", "2 times", ["stop"]"#), 3, "cannot be repeated"),
        (&group(r#""start", "0 times", ["issue"], "stop""#), 3, "a whole number from 1 on"),
        (&group(r#""start", "9 times", "stop""#), 3, "must be followed by a list"),
        (&group(r#""start", "1000000 times", ["issue", "sync"], "stop""#), 2, "more than 100000 actions"),
        (&group(r#""start", "issue(a)", "sync(a)", "stop""#), 3, "unknown operation `a`; none is defined"),
        (
            &group(r#""start", "dealy(3us)", "stop""#),
            3,
            "unknown action `dealy(3us)`; use start, stop, delay",
        ),
        (&group(r#""start", "delay(3us", "stop""#), 3, "no closing parenthesis"),
        (&group(r#""start", "delay()", "stop""#), 3, "a time is written as 50us"),
        (&group(r#""start", "delay(bell, 3us)", "stop""#), 3, "use linear, random, exponential, straggler"),
        (&group(r#""start", "delay(1us, 2us, 3us)", "stop""#), 3, "takes a time"),
        (&group(r#""start", "delay(trace, no-such.panto)", "stop""#), 3, "no-such.panto"),
        (&group(r#""start", "delay(trace, $trace)", "stop""#), 3, "--trace app.panto"),
        (&group(r#""start", "load(8)", "stop""#), 3, "a size and a peer"),
        (&group(r#""start", "load(8, elsewhere)", "stop""#), 3, "use next, previous or across"),
        (&group(r#""start", "load(8, next, 0)", "stop""#), 3, "a number from 1 to 1000"),
        (&group(r#""start(3)", "stop""#), 3, "takes no arguments"),
        (&group("7"), 3, "an action is a text"),
    ];
    for (text, line, words) in cases {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.starts_with(&format!("test.toml, line {line}: ")), "{text}\n{error}");
        assert!(error.contains(words), "{text}\n{error}");
    }
}

const TWO: &str = "
[operation.a]
[operation.b]

[[participants]]
who = WHO
do = [FIRST]

[[participants]]
who = \"others\"
do = [SECOND]
";

/// Actions that are valid for one participant may be inconsistent with others.
#[test]
fn participants_must_be_consistent() {
    let good = "\"start\", \"issue(a)\", \"sync(a)\", \"stop\"";
    let blocks = TWO.replace("[operation.a]", "[operation.a]\ncall = \"blocking\"");
    let case = |text: &str, who: &str, first: &str, second: &str| {
        let text = text.replace("WHO", who).replace("FIRST", first).replace("SECOND", second);
        parse(&text).and_then(|scenario| script(&scenario, 4).map(drop)).map_err(|error| error.to_string())
    };
    assert_eq!(case(TWO, "0", good, good), Ok(()));
    let other = "\"start\", \"issue(b)\", \"sync(b)\", \"stop\"";
    let both = "\"start\", \"issue(a)\", \"issue(b)\", \"sync(a)\", \"sync(b)\", \"stop\"";
    let crossed = "\"start\", \"issue(a)\", \"issue(b)\", \"sync(b)\", \"sync(a)\", \"stop\"";
    let fewer = "\"start\", \"stop\"";
    let loaded = "\"start\", \"load(8, next)\", \"issue(a)\", \"sync(a)\", \"stop\"";
    let delayed = "\"start\", \"issue(a)\", \"delay(1us)\", \"sync(a)\", \"stop\"";
    for (text, who, first, second, line, words) in [
        (TWO, "0", good, other, 11, "come to `issue(b)` where those of line 6 come to `issue(a)`"),
        (TWO, "0", both, crossed, 11, "this would deadlock"),
        (TWO, "0", good, fewer, 10, "come to nothing more where"),
        (
            TWO,
            "4",
            good,
            good,
            6,
            "participant 4 is out of range: 4 participants are numbered 0 to 3; use --ranks 5 or more",
        ),
        (TWO, "\"2..7\"", good, good, 6, "participant 7 is out of range"),
        (TWO, "\"others\"", good, good, 10, "`others` is used twice"),
        (TWO, "0", loaded, good, 7, "the load of participant 0 goes to 1, which expects no such load"),
        (&blocks, "0", delayed, delayed, 8, "which blocks"),
    ] {
        let error = case(text, who, first, second).expect_err(words);
        assert!(error.starts_with(&format!("test.toml, line {line}: ")) && error.contains(words), "{error}");
    }
    let twice = TWO.replace("\"others\"", "\"odd\"");
    let error = case(&twice, "1", good, good).unwrap_err();
    assert!(error.contains("line 10: participant 1 is named here and in line 6"), "{error}");
    let error = case(&twice, "0", good, good).unwrap_err();
    assert!(error.contains("participant 2 is in no group"), "{error}");
}
