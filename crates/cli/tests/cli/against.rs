//! `panto bench --against` prints a model's value beside each measured one.

use serde_json::Value;

use super::{line, stderr, succeeds};

const ECHO: &str = "bench comet/echo --on ipsc860 --ranks 4 --hops 1 --sizes 0,1K,64K";

fn points(text: &str) -> Vec<Value> {
    let document: Value = serde_json::from_str(text).expect("JSON");
    document["points"].as_array().expect("points").clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_simulated_machine_is_exactly_as_its_model_says() {
    let text = succeeds(&line(&format!("{ECHO} --against ipsc860")));
    let head = text.lines().find(|line| line.contains("residual") && line.contains("model"));
    assert!(head.is_some_and(|head| head.contains("size")), "{text}");
    assert_eq!(text.matches(" 0.0%").count(), 5, "{text}");
    let summary = "comet/echo against ipsc860: median residual 0.0% over 3 points, worst 0.0% (";
    assert!(text.lines().any(|line| line.starts_with(summary)), "{text}");
}

#[test]
fn a_changed_model_is_off_by_what_was_changed() {
    let changed = "link.bandwidth=1.4MB/s";
    let beside =
        points(&succeeds(&line(&format!("{ECHO} --against ipsc860 --against-set {changed} -f json"))));
    let alone = points(&succeeds(&line(&format!("{ECHO} --set {changed} -f json"))));
    assert_eq!(beside.len(), 3);
    for (beside, alone) in beside.iter().zip(&alone) {
        assert_eq!(beside["params"], alone["params"]);
        let (model, truth) = (number(&beside["expected"]["time_ns"]), number(&alone["summary"]["median_ns"]));
        assert!((model - truth).abs() < 1e-6 * truth, "{beside}");
        let residual = model / number(&beside["summary"]["median_ns"]) - 1.0;
        assert!((number(&beside["residual"]) - residual).abs() < 1e-12, "{beside}");
    }
    // Half the bandwidth nearly doubles the time of a large message and leaves that of an empty
    // one.
    assert!(
        number(&beside[0]["residual"]).abs() < 0.01 && number(&beside[2]["residual"]) > 0.8,
        "{beside:?}"
    );
}

#[test]
fn a_saved_run_shows_the_model_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("run.jsonl");
    let quick =
        "bench comet/echo comet/barrier --on threads --ranks 2 --sizes 0,1K -t 1s --against ethernet10";
    let shown = succeeds(&line(&format!("{quick} -o {}", file.display())));
    let again = succeeds(&line(&format!("info {}", file.display())));
    for kernel in ["comet/echo", "comet/barrier"] {
        let summary = shown.lines().find(|line| line.starts_with(&format!("{kernel} against ethernet10: ")));
        assert!(again.contains(summary.expect("a summary")), "{again}");
    }
    let csv = succeeds(&line(&format!("info {} --format csv", file.display())));
    assert!(csv.lines().next().is_some_and(|head| head.contains(",model,model_ns,residual,")), "{csv}");
    assert!(csv.lines().skip(1).all(|row| row.contains(",ethernet10,")), "{csv}");
    let json: Value =
        serde_json::from_str(&succeeds(&line(&format!("info {} -f json", file.display())))).expect("JSON");
    assert_eq!(json["against"][0]["model"], "ethernet10");
}

#[test]
fn without_a_model_there_are_no_expectations() {
    let plain = succeeds(&line(ECHO));
    assert!(!plain.contains("residual") && !plain.contains("against"), "{plain}");
    let csv = succeeds(&line(&format!("{ECHO} -f csv")));
    assert!(csv.lines().next().is_some_and(|head| !head.contains("model")), "{csv}");
}

#[test]
fn a_model_that_is_not_there_or_too_small_is_named() {
    let refused = |arguments: &str, words: &[&str]| {
        let output = line(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        let said = stderr(&output);
        assert!(words.iter().all(|word| said.contains(word)), "{arguments}: {said}");
    };
    refused(&format!("{ECHO} --against nowhere"), &["`--against nowhere`", "ipsc860", "model file"]);
    refused(&format!("{ECHO} --against-set link.latency=1us"), &["--against <MODEL>"]);
    refused(&format!("{ECHO} --against ipsc860 --against-set link.speed=1"), &["link.speed"]);
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("two.toml");
    let two = "[network]\ntopology = \"ring\"\nprocessors = 2\nswitching = \"packet\"\nlink = { latency = \"1us\", bandwidth = \"1GB/s\" }\n";
    std::fs::write(&file, two).expect("a file");
    refused(&format!("{ECHO} --against {}", file.display()), &["2 processors", "4 ranks"]);
}
