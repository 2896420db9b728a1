//! What is in files does not control the terminal: neither names nor what errors quote.

use std::fs;
use std::process::Output;

use super::{panto, stderr, stdout, stencil};

const EVIL: &str = "\u{1b}]0;title\u{7}\u{9b}2J\u{202e}gnp.\r";

fn is_harmless(output: &Output) {
    for bytes in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(bytes);
        let found = text.chars().find(|c| !matches!(c, '\n' | '\t') && panto_units::is_control(*c));
        assert_eq!(found, None, "in {text:?}");
    }
}

#[test]
fn names_from_files_are_printed_without_control_characters() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let escaped = panto_units::printable(EVIL);
    let model = format!("name = \"x{escaped}\"\nabout = \"y{escaped}\"\nbase = \"cm5\"\n");
    fs::write(path("evil.toml"), model).expect("writable");
    stencil::write(folder.path(), 2, 10);
    let (model, trace, timeline) = (path("evil.toml"), path("stencil.panto"), path("t.ptl"));
    let results = path("r.jsonl");
    let label = format!("label {EVIL}");
    let runs: &[&[&str]] = &[
        &["info", &model],
        &["info", &model, "--format", "json"],
        &["info", &model, "--format", "csv"],
        &["simulate", &trace, "-m", &model, "--timeline", &timeline],
        &["simulate", &trace, "-m", &model, "--format", "json"],
        &["info", &timeline],
        &["info", &timeline, "--format", "json"],
        &["bench", "echo", "--on", &model, "--ranks", "2", "--sizes", "8", "--label", &label, "-o", &results],
        &["info", &results],
        &["info", &results, "--format", "json"],
        &["compare", &results, &results],
        &["machines", &model],
    ];
    for words in runs {
        let output = panto(words.iter().copied());
        is_harmless(&output);
        assert!(output.status.code().is_some_and(|code| code <= 2), "{words:?}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&panto(["info", &timeline, "--format", "json"]))).expect("JSON");
    let facts = json["facts"].as_object().expect("facts");
    let machine = facts.values().filter_map(|value| value.as_str()).find(|value| value.contains(']'));
    assert!(machine.is_some_and(|name| name.contains(EVIL)), "escapes stand for what they escape: {facts:?}");
}

#[test]
fn errors_quote_files_without_control_characters() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text, command) in [
        ("a.toml", format!("[network]\ntopology = \"{EVIL}\"\n"), "info"),
        ("b.toml", "[network]\n\"x\\u001b[2J\" = 1\n".to_owned(), "info"),
        ("c.jsonl", format!("{{\"{EVIL}\": 1}}\n"), "info"),
        ("d.goal", format!("num_ranks 1\nrank 0 {{\nl1: {EVIL}calc 1\n}}\n"), "info"),
        ("e.toml", format!("kind = \"scenario\"\nname = \"{EVIL}\"\n"), "info"),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("writable");
        let output = panto([command, path.to_str().expect("UTF-8")]);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", stdout(&output));
        assert!(!stderr(&output).is_empty());
        is_harmless(&output);
    }
}
