//! `panto bench cm5`: message sets, and contests between algorithms.

use serde_json::Value;

use super::{command, line, panto, stderr, stdout, succeeds};

/// Asserts exit code 2, and that the error message contains these words.
fn refused(set: &str, more: &str, words: &[&str]) {
    let output = panto(["bench", "message-set", "--set", set].into_iter().chain(more.split_whitespace()));
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{set}: {message}");
    assert!(output.stdout.is_empty(), "{set} printed something");
    for word in words {
        assert!(message.contains(word), "{set}: no `{word}` in: {message}");
    }
}

#[test]
fn wrong_sets_are_named_with_what_is_allowed() {
    refused("(0,1),(9,2)", "--ranks 8", &["rank 9", "0 to 7", "--ranks 10"]);
    refused("(0,1),(2,2)", "", &["rank 2 sends to itself"]);
    refused("(0,1),(2,3),(0,1)", "", &["(0,1) twice"]);
    refused("(0,1", "", &["(0,1", "(0,1),(2,3)", "maximum-8", "KEY=VALUE"]);
    refused("triple", "", &["triple", "double-4"]);
    refused("(0,70000)", "--on cm5 --ranks 8", &["rank 70000", "0 to 7"]);
    let output = line("bench echo --set (0,1)");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cm5/message-set"), "{}", stderr(&output));
    let output = line("bench cm5/broadcast --segments 1,2");
    assert!(output.status.code() == Some(2) && stderr(&output).contains("2 or more"), "{}", stderr(&output));
}

/// On threads without `--ranks`, the message set determines the number of ranks.
#[test]
fn a_set_is_timed_against_its_simple_send() {
    let arguments = ["bench", "message-set", "--set", "(0,1),(2,3)", "--sizes", "16,4K", "-t", "1s"];
    let printed = succeeds(&panto(arguments));
    assert!(printed.contains("4 ranks"), "{printed}");
    let printed = succeeds(&panto(arguments.into_iter().chain(["--on", "cm5"])));
    for words in ["(0,1),(2,3) against (0,1), 4KiB: time added", "bandwidth of a message lost"] {
        assert!(printed.contains(words), "no `{words}` in: {printed}");
    }
}

#[test]
fn a_model_is_still_changed_by_set() {
    let shown = |more: &str| -> Value {
        let text = format!("bench simple-send --on cm5 --ranks 4 --sizes 0 --format json {more}");
        serde_json::from_str(&succeeds(&line(&text))).expect("JSON")
    };
    let time = |shown: &Value| shown["points"][0]["summary"]["median_ns"].as_f64().expect("a time");
    let (usual, slower) = (time(&shown("")), time(&shown("--set network.hop=10us")));
    assert!((usual - 88_000.0).abs() < 1.0 && slower > usual, "{usual} and {slower}");
    let output = line("bench simple-send --set network.hop=10us");
    assert!(output.status.code() == Some(2) && stderr(&output).contains("simulated"), "{}", stderr(&output));
}

/// The fastest algorithm by size and ranks, as a table and as a chart, with the crossovers.
#[test]
fn the_winner_is_a_table_and_a_picture() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = command()
        .args("bench cm5/exchange cm5/broadcast --on cm5 --ranks 4,32 --sizes 0,64,2K,16K --candidates lex,pex,rex,lib,reb,reb:4 --plot".split(' '))
        .arg(directory.path())
        .output()
        .expect("the binary starts");
    let printed = succeeds(&output);
    for words in [
        "the fastest complete exchange",
        "the fastest broadcast",
        "the best number of segments of reb",
        "32 ranks",
    ] {
        assert!(printed.contains(words), "no `{words}` in: {printed}");
    }
    assert!(printed.contains("rex is faster below these bytes, pex above"), "{printed}");
    let picture = directory.path().join("cm5-exchange-fastest-complete-exchange-cm5.svg");
    let picture = std::fs::read_to_string(&picture).expect("written");
    assert!(
        picture.starts_with("<svg") && picture.contains(">rex<") && picture.contains(">16KiB<"),
        "{picture}"
    );
}

#[test]
fn the_suite_is_listed() {
    let listed = stdout(&line("bench --list"));
    for name in ["cm5/message-set", "cm5/simple-send", "cm5/path-length", "cm5/exchange", "cm5/broadcast"] {
        assert!(listed.contains(name), "{listed}");
    }
}
