//! The suite `scenario` on the command line.

use serde_json::Value;

use super::{line, panto, stderr, succeeds};

/// Returns the points of a run on a simulated machine.
fn points(rest: &str) -> Vec<Value> {
    let text = succeeds(&line(&format!("bench {rest} --on cm5 --ranks 8 --format json")));
    let value: Value = serde_json::from_str(&text).expect("JSON");
    value["points"].as_array().expect("points").clone()
}

#[test]
fn scenario_1_sweeps_over_participants_and_implementations() {
    let rest = "scenario/only --collective bcast,barrier --impl library,binomial --sizes 8,4K";
    let all = points(rest);
    // Participants are 2, 4 and 8. A barrier has no size, and it may lack a binomial
    // implementation.
    let of = |name: &str| all.iter().filter(|point| point["params"]["collective"] == name).count();
    assert_eq!(of("bcast"), 3 * 2 * 2);
    assert!(of("barrier") >= 3);
    let text = succeeds(&line(&format!("bench {rest} --on cm5 --ranks 8 --from 8")));
    for words in ["scenario/only: a collective alone", "first start to last end", "binomial", "bcast"] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
}

#[test]
fn delays_and_computations_are_shown_as_times() {
    let text = succeeds(&line(
        "bench scenario/delay --collective bcast --sizes 8 --late first,last --delays 1us..4us --on cm5 --ranks 4",
    ));
    for words in ["delay", "0ns", "1us", "2us", "4us", "first", "last"] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    let all = points(
        "scenario/overlap --collective allreduce --sizes 8 --computations 10us --progress none,helper",
    );
    // Every computation is measured beside a run without it.
    let computations: Vec<_> = all.iter().map(|point| point["params"]["computation"].as_u64()).collect();
    assert_eq!(computations.len(), 4, "{all:?}");
    assert_eq!(computations.iter().filter(|computation| **computation == Some(10_000)).count(), 2, "{all:?}");
}

const MINE: &str = r#"
name = "mine"
about = "two wait for the others"

[[participants]]
who = "0..1"
do = ["start", "issue", "sync", "stop"]

[[participants]]
who = "others"
do = ["start", "delay(30us)", "issue", "sync", "stop"]
"#;

#[test]
fn a_file_of_ones_own_is_drawn_and_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, MINE).expect("writable");
    let text = succeeds(&panto(["info".as_ref(), file.as_os_str()]));
    for words in [
        "mine: two wait for the others",
        "0 to 1: start, issue the operation, wait for the operation, stop",
        "all others: start, wait for 30.0us, issue",
        "swept over: $collective (--collective), $size (--sizes)",
        "0..1  |====",
        "2..3  |....",
    ] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    let path = file.to_str().expect("a path");
    let all = points(&format!(
        "scenario/own --scenario {path},staggered --collective gather --sizes 8 --delays 5us"
    ));
    let names: Vec<&str> = all.iter().filter_map(|point| point["params"]["scenario"].as_str()).collect();
    assert!(names.contains(&"mine") && names.contains(&"staggered"), "{names:?}");
    std::fs::write(&file, MINE.replace(", \"stop\"]", "]")).expect("writable");
    for command in ["info", "bench scenario/own --on cm5 --scenario"] {
        let output = line(&format!("{command} {path}"));
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("mine.toml, line 7: missing `stop`"), "{}", stderr(&output));
    }
}

/// Values that are too large, and files that are not text, are rejected.
#[test]
fn sizes_in_a_file_must_fit_into_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("huge.toml");
    let group = |more: &str| {
        format!("[[participants]]\nwho = \"all\"\ndo = [\"start\", {more}\"issue\", \"sync\", \"stop\"]\n")
    };
    let operation = format!("[operation.a]\nbytes = \"999TiB\"\n{}", group(""));
    let load = group("\"load(999TiB, next)\", ");
    let cases: [(&[u8], &str); 3] = [
        (operation.as_bytes(), "of memory"),
        (load.as_bytes(), "of memory"),
        (b"name = \"\xff\"", "line 1: this is not text in UTF-8"),
    ];
    for (bytes, words) in cases {
        std::fs::write(&file, bytes).expect("writable");
        let output = line(&format!("bench scenario/own --scenario {} --collective bcast", file.display()));
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(words), "no `{words}` in {}", stderr(&output));
    }
}

/// Implementations that do not support a collective are skipped with a note.
#[test]
fn skipped_implementations_are_reported() {
    let output = line(
        "bench scenario/only --collective bcast,allreduce --impl library,ring --sizes 8 --from 4 --ranks 4 --on cm5",
    );
    succeeds(&output);
    assert!(
        stderr(&output).contains("skipped: ring does not implement broadcast; use linear"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn what_cannot_be_is_named_with_a_remedy() {
    for (rest, words) in [
        ("scenario/own", "--scenario my.toml"),
        ("scenario/own --scenario stagered", "unknown scenario `stagered`; use only, delay"),
        ("scenario/own --scenario arrival", "--trace app.panto"),
        ("scenario/own --scenario no/such.toml", "cannot read no/such.toml"),
        ("scenario/only --collective bcats", "unknown collective `bcats`"),
        ("scenario/only --collective bcast --impl pex", "binomial"),
        (
            "scenario/delay --late 9 --collective bcast",
            "participant 9 is out of range: 4 participants are numbered 0 to 3",
        ),
        ("scenario/delay --delays 5us..1us", "ends before it begins"),
        ("scenario/overlap --progress magic", "use none, poll or helper"),
        ("scenario/only --call sometimes", "`blocking` or `non-blocking`"),
        ("scenario/only --from 9", "--from 9"),
        ("scenario/only --scenario staggered", "--scenario applies to the kernel scenario/own only"),
        ("scenario/delay --delays -5us", "`-5us` is not a time"),
        ("scenario/only --collective bcast --rules x", "--impl binomial"),
        (
            "scenario/delay --delays 1us,9us --collective bcast --impl linear,binomial --rules x",
            "broadcast was measured in 2 scenarios",
        ),
        ("scenario/only --repetitions 5", "--samples 5"),
    ] {
        let output = line(&format!("bench {rest} --on cm5 --ranks 4"));
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{rest}: {text}");
        assert!(text.contains(words), "{rest}: no `{words}` in {text}");
    }
}
