//! User-supplied collectives on the command line.

use crate::compiled::Compiled;
use crate::{panto, stderr, stdout, succeeds};

const BROADCASTS: &str = "bench scenario/only --collective bcast --ranks 3 --from 3 --sizes 1000 --samples 5";

fn bench(implementations: &[String]) -> std::process::Output {
    let words = BROADCASTS.split_whitespace().map(str::to_owned);
    panto(words.chain(["--impl".into(), implementations.join(",")]))
}

/// An implementation that crashes becomes a row of the table, and the others are measured.
#[test]
fn a_crash_is_a_row_of_the_table() {
    let (tree, bad) = (Compiled::tree(), Compiled::bad());
    let text = succeeds(&bench(&["binomial".into(), tree.named("tree"), bad.named("crashes")]));
    let crash = format!("crashed: signal 11 (SIGSEGV) in {}", bad.named("crashes"));
    for words in ["binomial", &tree.named("tree"), &crash] {
        assert!(text.contains(words), "{words} is missing: {text}");
    }
}

/// Libraries that cannot be loaded are reported before anything is measured.
#[test]
fn a_library_that_is_not_there_is_a_mistake_of_the_user() {
    for (name, words) in [
        ("./no-such.so:mine", "./no-such.so: no such file"),
        ("./no-such.so", "has no implementation name"),
        ("no-such-algorithm", "valid names: linear"),
    ] {
        let output = bench(&["library".into(), name.into()]);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{name}: {}", stderr(&output));
        assert!(stdout(&output).is_empty(), "{name}");
    }
}
