//! Files of 0.1 are read, and files of a newer version are refused by that reason
//! (`docs/compatibility.md`).
//!
//! The files were written by panto 0.1.0; those with `early` in their names have the form of its
//! first builds: lines without launch id and checksum, `traffic` instead of `sharing`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use panto_container::{Format, HEAD};

use super::{line, panto, stderr, succeeds};

fn of_0_1(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/0.1").join(name)
}

/// Runs a command on a file of 0.1 and returns its standard output.
fn read(words: &str, name: &str, options: &str) -> String {
    let file = of_0_1(name).into_os_string();
    let words = words.split_whitespace().map(Into::into).chain([file]);
    succeeds(&panto(words.chain(options.split_whitespace().map(Into::into))))
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn the_version_names_the_target_and_only_a_commit_beside_it() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(succeeds(&line("-V")), format!("panto {version}\n"));
    let long = succeeds(&line("--version"));
    let build = long.strip_prefix(&format!("panto {version} (")).and_then(|rest| rest.strip_suffix(")\n"));
    let mut parts = build.expect("a build in parentheses").rsplit(", ");
    assert!(parts.next().is_some_and(|target| target.contains("-linux-")), "{long}");
    let is_commit = |text: &str| text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(parts.all(is_commit), "{long}");
}

#[test]
fn results_of_0_1() {
    let directory = tempfile::tempdir().expect("a directory");
    for name in ["results.jsonl", "results-early.jsonl"] {
        let results = json(&read("info", name, "--format json"));
        assert_eq!(results["manifest"]["panto"], "0.1.0", "{name}");
        let points = results["points"].as_array().expect("points");
        let bytes: BTreeSet<_> =
            points.iter().filter_map(|point| point["params"]["bytes"].as_u64()).collect();
        assert_eq!(bytes, BTreeSet::from([8, 64, 1_024, 16_384, 262_144]), "{name}");
        assert!(points.iter().all(|point| point["summary"]["n"].as_u64().is_some_and(|n| n > 1)), "{name}");
        let model = directory.path().join("model.toml");
        read("fit", name, &format!("-o {}", model.display()));
        assert!(fs::read_to_string(&model).expect("a model").contains("topology = \"fat-tree\""), "{name}");
        fs::remove_file(model).expect("removed");
    }
}

#[test]
fn traces_and_timelines_of_0_1() {
    let summary = read("info", "trace.panto", "");
    assert!(summary.contains("2 ranks, 12 calls") && summary.contains("MPI_Isend         2"), "{summary}");
    let prediction = json(&read("simulate", "trace.panto", "-m infiniband --format json"));
    assert_eq!(prediction["computation_s"].as_f64(), Some(7.5e-6));
    assert!(read("info", "timeline.ptl", "").contains("timeline of 2 ranks, 10 states, 2 messages"));
}

#[test]
fn models_of_0_1() {
    for name in ["model.toml", "model-early.toml"] {
        let shown = read("machines show", name, "");
        assert!(shown.contains("network.link.latency    899.756ns"), "{name}: {shown}");
    }
    let early = of_0_1("model-early.toml");
    let prediction = read("simulate", "trace.panto", &format!("--format json -m {}", early.display()));
    assert_eq!(json(&prediction)["sharing"], "links", "`traffic = true` shares links");
}

/// What a newer version computes may differ, so rows of 0.1 are kept, not reused.
#[test]
fn sweeps_of_0_1_are_kept_and_computed_anew() {
    let directory = tempfile::tempdir().expect("a directory");
    for name in ["sweep.jsonl", "sweep-early.jsonl"] {
        let copy = directory.path().join(name);
        fs::copy(of_0_1(name), &copy).expect("a copy");
        let options = format!("-m infiniband --vary link.latency=1us,2us -o {}", copy.display());
        assert!(read("sweep", "trace.panto", &options).contains("fastest: link.latency 1us"));
        let (old, new) = (fs::read_to_string(of_0_1(name)), fs::read_to_string(&copy));
        let (old, new) = (old.expect("a file"), new.expect("a file"));
        assert!(new.starts_with(&old), "{name}: the rows of 0.1 are still there");
        assert_eq!(new.lines().count(), 4, "{name}: {new}");
    }
}

#[test]
fn newer_results_are_refused_by_that_reason() {
    let text = fs::read_to_string(of_0_1("results-early.jsonl")).expect("a file");
    refused(
        text.replacen("\"format\":1", "\"format\":2", 1).as_bytes(),
        "run.jsonl",
        "the file has format 2",
    );
}

#[test]
fn newer_traces_and_timelines_are_refused_by_that_reason() {
    let formats = [
        ("trace.panto", "trace", panto_trace::VERSION),
        ("timeline.ptl", "timeline", panto_timeline::VERSION),
    ];
    for (name, kind, version) in formats {
        let mut bytes = fs::read(of_0_1(name)).expect("a file");
        let magic = bytes[..8].try_into().expect("eight bytes");
        let newer = Format { magic, tail_magic: *b"unused..", version: version + 1 };
        bytes[..HEAD].copy_from_slice(&newer.head([1, 0, 2]));
        let reason = format!("reads versions up to {version}");
        refused(
            &bytes,
            name,
            &format!("version {} of the {kind} format, and this program {reason}", version + 1),
        );
    }
}

/// Asserts that `panto info` refuses this content, with this reason and the remedy.
fn refused(content: &[u8], name: &str, reason: &str) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(name);
    fs::write(&path, content).expect("a file");
    let output = panto(["info".as_ref(), path.as_os_str()]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains(reason) && message.contains("use a newer panto"), "{message}");
}

#[test]
fn a_key_that_only_a_newer_model_has_is_named_with_its_line() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("model.toml");
    let model = fs::read_to_string(of_0_1("model.toml")).expect("a file");
    fs::write(&path, format!("warp-factor = 9\n{model}")).expect("a file");
    let output = panto(["machines".as_ref(), "show".as_ref(), path.as_os_str()]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("model.toml:1: a model has no key `warp-factor`"), "{message}");
}
