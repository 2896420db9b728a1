//! The rules that choose the algorithms of collectives.

use std::fs;

use panto_schedule::{Algorithm, Collective, Problem, algorithms};

use super::{LEAST, model, refused, strings};
use crate::{Machine, Model, Rules};

fn with(rules: &str) -> String {
    format!("{LEAST}[collectives]\nrules = \"{rules}\"\n")
}

fn broadcast(machine: &Machine) -> Algorithm {
    machine.algorithm(&Problem { collective: Collective::Broadcast, ranks: 4, root: 0, count: 10_000 }, 1)
}

#[test]
fn built_in_rules_have_names() {
    for rules in Rules::NAMED {
        assert_eq!(model(&with(&rules.to_string())).machine().collectives.rules, rules);
    }
    let set = |text: &str| Model::parse(LEAST, "m.toml", &strings(&[text])).unwrap().into_machine();
    assert_eq!(broadcast(&set("collectives.rules=mpich")), Algorithm::Binomial);
    assert_eq!(broadcast(&set("collectives.rules=openmpi")), Algorithm::Linear);
    assert_eq!(
        broadcast(&Machine::load("loggops", &strings(&["collectives.rules=puppet"])).unwrap()),
        Algorithm::Linear
    );
}

#[test]
fn a_file_of_rules_is_relative_to_the_model() {
    let directory = tempfile::tempdir().unwrap();
    let rest = Collective::ALL.into_iter().skip(1);
    let rest: Vec<String> = rest.map(|other| format!("{other} {}", algorithms(other)[0])).collect();
    let rest = rest.join("\n");
    fs::write(
        directory.path().join("mine.rules"),
        format!("broadcast chain:3 ranks<5\nbroadcast binary\n{rest}"),
    )
    .unwrap();
    fs::write(directory.path().join("bad.rules"), "broadcast linear\nreduce linar\n").unwrap();
    fs::write(directory.path().join("short.rules"), "broadcast linear\n").unwrap();
    let path = directory.path().join("m.toml");
    let load = |rules: &str| {
        fs::write(&path, with(rules)).unwrap();
        Machine::load(path.to_str().unwrap(), &[])
    };
    let machine = load("mine.rules").unwrap();
    assert_eq!(machine.collectives.rules.to_string(), "mine.rules");
    assert_eq!(broadcast(&machine), Algorithm::Chain { segments: 3 });
    let error = |rules: &str| load(rules).unwrap_err().to_string();
    let location = |file: &str| directory.path().join(file).display().to_string();
    let expected = format!("{}:2: unknown algorithm \"linar\"; valid names:", location("bad.rules"));
    assert!(error("bad.rules").starts_with(&expected), "{}", error("bad.rules"));
    let expected =
        format!("{}: no rule for reduce; add a last one without conditions", location("short.rules"));
    assert!(error("short.rules").starts_with(&expected), "{}", error("short.rules"));
}

#[test]
fn unknown_rules_are_errors() {
    let expected = "m.toml:7: `collectives.rules`: found \"mpitch\", expected one of mpich, openmpi, puppet, or an existing \
                    file of rules, did you mean `mpich`?";
    assert_eq!(refused(&with("mpitch")), expected);
    assert!(refused(&with("")).contains("expected one of mpich"));
    assert!(refused(&with(&"x".repeat(100_000))).len() < 300);
}
