//! `panto simulate --samples`: the uncertainty of a prediction.

use std::path::Path;
use std::process::Output;

use crate::{command, stderr, stencil, succeeds};

fn simulate(folder: &Path, line: &str) -> Output {
    let arguments = ["simulate", "stencil.panto"].into_iter().chain(line.split_whitespace());
    command().args(arguments).current_dir(folder).output().expect("the binary starts")
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    stencil::write(folder.path(), 2, 10);
    let model = "base = \"infiniband\"\n[network]\nlink = { latency = \"1ms\", bandwidth = \"1GB/s\" }\n[intervals]\n\
                 \"network.link.latency\" = \"0.8ms..1.25ms\"\n\"network.link.bandwidth\" = \"0.9GB/s..1.1GB/s\"\n";
    std::fs::write(folder.path().join("my.toml"), model).expect("written");
    folder
}

#[test]
fn the_interval_and_what_it_comes_from_are_shown() {
    let folder = folder();
    let text = succeeds(&simulate(folder.path(), "--machine my.toml --samples 200"));
    assert!(text.contains("Uncertainty over 200 samples: median "), "{text}");
    let latency = text.find("network.link.latency").expect("the latency");
    assert!(latency < text.find("network.link.bandwidth").expect("the bandwidth"), "{text}");
    let json = |line: &str| -> serde_json::Value {
        serde_json::from_str(&succeeds(&simulate(folder.path(), line))).expect("JSON")
    };
    let one = json("--machine my.toml --samples 200 --format json");
    let number = |name: &str| one["samples"][name].as_f64().expect("a number");
    assert!(number("low_s") < number("median_s") && number("median_s") < number("high_s"), "{one}");
    assert!((number("low_s")..number("high_s")).contains(&one["time_s"].as_f64().expect("a time")), "{one}");
    assert_eq!(json("--machine my.toml --samples 200 --format json --seed 1")["samples"], one["samples"]);
    assert_ne!(json("--machine my.toml --samples 200 --format json --seed 2")["samples"], one["samples"]);
    assert!(json("--machine my.toml --format json")["samples"].is_null());
}

#[test]
fn a_model_without_intervals_says_so() {
    let folder = folder();
    for (words, says) in [
        ("--machine infiniband --samples 100", "has no intervals to draw from"),
        (
            "--machine my.toml --set link.latency=1us --set link.bandwidth=1GB/s --samples 100",
            "has no intervals to draw from",
        ),
        ("--machine my.toml --samples 3", "at least 40"),
        ("--machine my.toml --samples 1000001", "'--samples <N>': 1000001 is not in 0..=1000000"),
        ("--machine my.toml --samples 18446744073709551615", "is not in 0..=1000000"),
        ("--machine my.toml --speed 1.8..2.2", "only `panto simulate --samples` draws from"),
        ("--machine my.toml --speed 2.2..1.8 --samples 40", "use `1.8..2.2`"),
    ] {
        let output = simulate(folder.path(), words);
        assert_eq!(output.status.code(), Some(2), "{words}: {}", stderr(&output));
        assert!(stderr(&output).contains(says), "{words}: {}", stderr(&output));
    }
    // Sampling works with noise as the only uncertain parameter.
    succeeds(&simulate(folder.path(), "--machine infiniband --samples 40 --noise random:100us,1us"));
}

/// On a fast network the stencil takes as long as its slower processor, so the uncertain speed
/// determines the interval.
#[test]
fn a_speed_that_is_not_known_is_drawn() {
    let folder = folder();
    let line = "--machine infiniband --speed 1,0.4..0.625 --samples 2000 --format json";
    let json: serde_json::Value =
        serde_json::from_str(&succeeds(&simulate(folder.path(), line))).expect("JSON");
    let (samples, time) = (&json["samples"], json["time_s"].as_f64().expect("a time"));
    assert_eq!(samples["figures"][0]["figure"], "speed of processor 1");
    assert!(samples["figures"][0]["variance_share"].as_f64() > Some(0.95), "{samples}");
    let relative = |name: &str| samples[name].as_f64().expect("a number") / time;
    assert!((relative("low_s") - 0.8).abs() < 0.05 && (relative("high_s") - 1.25).abs() < 0.05, "{json}");
}
