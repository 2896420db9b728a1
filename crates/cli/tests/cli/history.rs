//! `panto history`: results over versions, and the changes that are statistically certain (S9).

use std::path::Path;
use std::process::Stdio;

use super::{command, line, stderr, stdout, succeeds};

/// Appends one version: an echo on a simulated machine whose times are exact.
fn version(file: &Path, label: &str, more: &str) {
    let bench = "bench comet/echo --on sp2 --ranks 2 --hops 1 --sizes 8,64K --append";
    succeeds(&line(&format!("{bench} --label {label} {more} -o {}", file.display())));
}

#[test]
fn versions_are_flagged_and_drawn() {
    let directory = tempfile::tempdir().expect("a directory");
    let (file, plot) = (directory.path().join("h.jsonl"), directory.path().join("h.svg"));
    version(&file, "v1", "");
    version(&file, "v2", "--set link.latency=1ms");
    version(&file, "v3", "--set link.latency=1ms");
    let shown = line(&format!("history {} --plot {}", file.display(), plot.display()));
    let text = succeeds(&shown);
    for word in [
        "all points: 2 ranks, 1 hop, machine sp2",
        "v1",
        "v2",
        "v3",
        "v2: 2 slower",
        "v3: 2 same",
        "last against first: 2 slower",
    ] {
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
    let drawn = std::fs::read_to_string(plot).expect("drawn");
    assert!(["v1", "v2", "v3"].iter().all(|name| drawn.contains(&format!(">{name}<"))), "{drawn}");
    // The newest version is not slower than the one before, so the command succeeds.
    succeeds(&line(&format!("history {} --fail-on-slower", file.display())));
    version(&file, "v4", "--set link.latency=2ms");
    let fails = line(&format!("history {} --fail-on-slower --format json", file.display()));
    assert_eq!(fails.status.code(), Some(3), "{}", stderr(&fails));
    let document: serde_json::Value = serde_json::from_str(&stdout(&fails)).expect("JSON");
    assert_eq!(document["versions"][3]["label"], "v4");
    assert_eq!(document["series"][0]["values"][3]["change"]["verdict"], "slower");
    let csv = succeeds(&line(&format!("history {} --format csv", file.display())));
    assert_eq!(csv.lines().count(), 1 + 2 * 4, "{csv}");
}

#[test]
fn files_without_a_history_are_rejected() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("h.jsonl");
    version(&file, "v1", "");
    let wrong = line(&format!("history {} --kernel comet/nothing", file.display()));
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("it has comet/echo"), "{}", stderr(&wrong));
    assert_eq!(line("history no-such-file.jsonl").status.code(), Some(2));
}

/// Runs that append to one file at the same time keep their points and labels.
#[test]
fn launches_at_the_same_time_keep_their_labels() {
    let folder = tempfile::tempdir().expect("a directory");
    let file = folder.path().join("h.jsonl");
    let words = "bench comet/echo --on sp2 --ranks 2 --hops 1 --sizes 0..64K --append";
    let start = |label: &str| {
        let mut command = command();
        command.args(words.split_whitespace()).args(["--label", label, "-o"]).arg(&file);
        command.stdout(Stdio::null()).spawn().expect("the binary starts")
    };
    let runs = ["a", "b", "c"].map(start);
    for mut run in runs {
        assert!(run.wait().expect("it ends").success());
    }
    let results = panto_results::read(&file).expect("a sound file");
    let mut launches: Vec<(String, usize)> = results
        .launches()
        .map(|(manifest, records)| (manifest.label.clone().expect("a label"), records.len()))
        .collect();
    launches.sort();
    let points = launches[0].1;
    assert!(points > 5);
    assert_eq!(launches, ["a", "b", "c"].map(|label| (label.to_owned(), points)));
    assert!(!results.is_incomplete());
}
