//! `panto compare`: differences between two runs, and the exit code for CI jobs.

use std::path::{Path, PathBuf};
use std::process::Output;

use super::{line, quiet, stderr, stdout, succeeds};

/// Simulates an echo on a machine whose times are exact.
fn simulated(directory: &Path, name: &str, more: &str) -> PathBuf {
    let path = directory.join(name);
    let echo = "bench comet/echo --on sp2 --ranks 2 --hops 1 --sizes 8,1K,64K";
    succeeds(&line(&format!("{echo} {more} -o {}", path.display())));
    path
}

fn compare(old: &Path, new: &Path, more: &str) -> Output {
    line(&format!("compare {} {} {more}", old.display(), new.display()))
}

#[test]
fn a_slower_machine_fails_the_job() {
    let directory = tempfile::tempdir().expect("a directory");
    let old = simulated(directory.path(), "old.jsonl", "");
    let new = simulated(directory.path(), "new.jsonl", "--set link.latency=1ms");
    let slower = compare(&old, &new, "");
    assert_eq!(slower.status.code(), Some(3), "{}", stderr(&slower));
    let text = stdout(&slower);
    for word in
        ["3 of 3 points are slower, worst: comet/echo at 2 ranks, size 8B, 1 hop", "verdict: slower", "exact"]
    {
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
    // Overrides of the model are printed.
    assert!(text.contains("model overrides") && text.contains("link.latency=1ms"), "{text}");
    let faster = compare(&new, &old, "");
    assert!(succeeds(&faster).contains("no point is slower; 3 of 3 points are faster, best: comet/echo"));
    assert!(succeeds(&compare(&old, &old, "")).contains("verdict: same"));
}

#[test]
fn fail_on_selects_what_fails() {
    let directory = tempfile::tempdir().expect("a directory");
    let old = simulated(directory.path(), "old.jsonl", "");
    let new = simulated(directory.path(), "new.jsonl", "--set link.latency=1ms");
    for (from, to, more, code) in [
        (&old, &new, "--fail-on never", 0),
        (&old, &new, "--fail-on faster", 0),
        (&new, &old, "--fail-on slower,faster", 3),
        (&old, &new, "--threshold 1000%", 3),
        (&old, &old, "--fail-on missing,inconclusive", 0),
        (&old, &old, "--fail-on cannot-tell", 0),
    ] {
        assert_eq!(compare(from, to, more).status.code(), Some(code), "{more}");
    }
    let part = directory.path().join("part.jsonl");
    let lines = std::fs::read_to_string(&old).expect("text");
    std::fs::write(&part, lines.split_inclusive('\n').take(3).collect::<String>()).expect("written");
    let missing = compare(&old, &part, "--fail-on missing");
    assert_eq!(missing.status.code(), Some(3));
    assert!(stdout(&missing).contains("1 point is only in"), "{}", stdout(&missing));
}

#[test]
fn measured_times_are_the_same_as_themselves_in_every_format() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = quiet(directory.path());
    let text = succeeds(&compare(&run, &run, ""));
    assert!(text.contains("verdict: same") && text.contains("identical"), "{text}");
    let json: serde_json::Value =
        serde_json::from_str(&succeeds(&compare(&run, &run, "--format json"))).expect("JSON");
    assert_eq!((json["verdict"].as_str(), json["counts"]["same"].as_u64()), (Some("same"), Some(5)));
    assert!(json["points"].as_array().expect("points").iter().all(|point| point["ratio"] == 1.0));
    let csv = succeeds(&compare(&run, &run, "--format csv"));
    assert_eq!(csv.lines().count(), 1 + 5);
    assert!(csv.starts_with("kernel,ranks,algorithm,machine,bytes,hops,verdict,basis,ratio"), "{csv}");
    let only = succeeds(&compare(&run, &run, "--kernel barrier --format csv"));
    assert_eq!(only.lines().count(), 1 + 1);
}

/// Output in the layouts of OSU and Intel is read back, with the means of the measured samples.
#[test]
fn results_in_the_layouts_of_others_are_read_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = quiet(directory.path());
    for format in ["osu", "imb"] {
        let printed = directory.path().join(format);
        let text = succeeds(&line(&format!("info {} --format {format}", run.display())));
        std::fs::write(&printed, text).expect("written");
        // Times are printed with two decimals of a microsecond.
        let output = compare(&run, &printed, "--threshold 30% --format json");
        let json: serde_json::Value = serde_json::from_str(&succeeds(&output)).expect("JSON");
        assert_eq!(
            (json["counts"]["all"].as_u64(), json["counts"]["same"].as_u64()),
            (Some(5), Some(5)),
            "{json:#}"
        );
        let again = compare(&printed, &printed, "");
        assert!(succeeds(&again).contains("verdict: same"));
    }
}

#[test]
fn plots_in_a_file_or_a_directory() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = quiet(directory.path());
    let (file, plots) = (directory.path().join("all.svg"), directory.path().join("plots"));
    succeeds(&compare(&run, &run, &format!("--plot {}", file.display())));
    succeeds(&compare(&run, &run, &format!("--plot {}", plots.display())));
    for path in [file, plots.join("comet-echo.svg"), plots.join("comet-barrier.svg")] {
        let svg = std::fs::read_to_string(&path).expect("written");
        assert!(
            svg.starts_with("<svg")
                && svg.contains("new time / old time")
                && svg.contains("unchanged within 5%")
        );
    }
    let over = compare(&run, &run, &format!("--plot {}", run.display()));
    assert_eq!(over.status.code(), Some(2), "an input must not be written over");
}

#[test]
fn wrong_input_ends_with_two() {
    let directory = tempfile::tempdir().expect("a directory");
    let old = simulated(directory.path(), "old.jsonl", "");
    let barrier = directory.path().join("barrier.jsonl");
    succeeds(&line(&format!("bench barrier --on sp2 --ranks 2 -o {}", barrier.display())));
    let empty = directory.path().join("empty");
    std::fs::write(&empty, "").expect("written");
    for (new, more, words) in [
        (&barrier, "", vec!["no point in common", "comet/echo", "comet/barrier", "panto bench"]),
        (&empty, "", vec!["empty", "panto bench"]),
        (&directory.path().join("none"), "", vec!["cannot read", "none"]),
        (&old, "--threshold 5", vec!["5%"]),
        (&old, "--threshold -5%", vec!["invalid threshold"]),
        (&old, "--confidence 100%", vec!["invalid confidence"]),
        (&old, "--kernel comet/ecco", vec!["comet/ecco", "comet/echo"]),
    ] {
        let output = compare(&old, new, more);
        assert_eq!(output.status.code(), Some(2), "{more}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{more} printed something");
        for word in words {
            assert!(stderr(&output).contains(word), "{more}: no `{word}` in: {}", stderr(&output));
        }
    }
}
