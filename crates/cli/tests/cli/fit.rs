//! `panto fit` turns results into a model that other commands accept.

use std::path::{Path, PathBuf};

use super::{line, stderr, stdout, succeeds};

/// Measures the calibration suite on a small simulated machine.
fn calibrated(directory: &Path) -> PathBuf {
    let path = directory.join("run.jsonl");
    let kernels =
        "bench comet/echo calibrate/overhead calibrate/gap calibrate/eager calibrate/rates comet/barrier";
    let sizes = "0,1,8,16,64,90,101,128,200,512,1K,3000,8K,16K,20000,32K,64K";
    let bench = format!("{kernels} --on ipsc860 --ranks 8 --sizes {sizes} -o {}", path.display());
    succeeds(&line(&bench));
    path
}

#[test]
fn results_become_a_machine() {
    let directory = tempfile::tempdir().expect("a directory");
    let (run, model, plots) =
        (calibrated(directory.path()), directory.path().join("mine.toml"), directory.path().join("plots"));
    let fit = line(&format!("fit {} -o {} --plot {}", run.display(), model.display(), plots.display()));
    let text = succeeds(&fit);
    for word in [
        "network.hop",
        "8.33us",
        "network.overhead.send",
        "r_inf",
        "n_1/2",
        "worst residual",
        "note: topology and switching",
    ] {
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
    let written = std::fs::read_to_string(&model).expect("a model");
    for word in ["name = \"mine\"", "standard = \"handshake\"", "above = \"100B\"", "[sources]"] {
        assert!(written.contains(word), "no `{word}` in:\n{written}");
    }
    assert!(plots.join("fit-one-way-1-hop.svg").exists());
    // An echo takes the same time on the machine and on its fitted model.
    let echo = |machine: &str| {
        let bench =
            format!("bench comet/echo --on {machine} --ranks 8 --hops 1,3 --sizes 0,64,1K,64K --format json");
        let value: serde_json::Value = serde_json::from_str(&succeeds(&line(&bench))).expect("JSON");
        let points = value["points"].as_array().expect("points").clone();
        points
            .iter()
            .map(|point| point["summary"]["median_ns"].as_f64().expect("a time"))
            .collect::<Vec<f64>>()
    };
    let (real, found) = (echo("ipsc860"), echo(&model.display().to_string()));
    assert_eq!((real.len(), found.len()), (8, 8));
    assert!(
        real.iter().zip(&found).all(|(real, found)| (found / real - 1.0).abs() < 1e-4),
        "{real:?} {found:?}"
    );
    let again = line(&format!("fit {} -o {}", run.display(), model.display()));
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("--force"), "{}", stderr(&again));
    succeeds(&line(&format!("fit {} -o {} --force --name other", run.display(), model.display())));
    assert!(std::fs::read_to_string(&model).expect("a model").starts_with("name = \"other\""));
}

/// Collectives of the suite `scenario` become rules; plug-in implementations are ignored.
#[test]
fn collectives_become_rules() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str| directory.path().join(name).display().to_string();
    let (run, collectives, model) = (calibrated(directory.path()), file("c.jsonl"), file("mine.toml"));
    let bench = "bench scenario/only --on ipsc860 --ranks 8 --sizes 8,1K,32K --impl library,linear";
    succeeds(&line(&format!("{bench} -o {collectives}")));
    let text = succeeds(&line(&format!("fit {} {collectives} -o {model}", run.display())));
    for name in ["barrier", "broadcast", "alltoall", "reduce-scatter", "exscan"] {
        assert!(text.contains(&format!("note: {name}: ")), "no {name} in:\n{text}");
    }
    // All collectives take the same time on the machine and on its fitted model.
    let times = |machine: &str| -> Vec<f64> {
        let bench = format!("bench scenario/only --on {machine} --ranks 8 --sizes 8,1K,32K --format json");
        let value: serde_json::Value = serde_json::from_str(&succeeds(&line(&bench))).expect("JSON");
        let points = value["points"].as_array().expect("points").clone();
        points.iter().filter_map(|point| point["summary"]["median_ns"].as_f64()).collect()
    };
    let (real, found) = (times("ipsc860"), times(&model));
    assert!(real.len() == found.len() && real.len() > 100, "{} and {} points", real.len(), found.len());
    let off = |(real, found): (&f64, &f64)| (found / real - 1.0).abs();
    let worst = real.iter().zip(&found).map(off).fold(0.0, f64::max);
    assert!(worst < 0.02, "off by {worst}");
}

#[test]
fn json_has_the_model_and_all_points() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = calibrated(directory.path());
    let output = line(&format!("fit {} --format json", run.display()));
    let value: serde_json::Value = serde_json::from_str(&succeeds(&output)).expect("JSON");
    assert!(value["model"].as_str().expect("a text").contains("[network.link]"));
    let keys: Vec<&str> = value["parameters"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["key"].as_str())
        .collect();
    assert!(keys.contains(&"network.hop") && keys.contains(&"L"), "{keys:?}");
    assert!(value["curves"][0]["points"].as_array().expect("a list").len() > 10);
}

#[test]
fn missing_measurements_are_reported_with_the_command() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str, bench: &str| {
        let path = directory.path().join(name);
        succeeds(&line(&format!("bench {bench} -o {}", path.display())));
        path.display().to_string()
    };
    let one = file("one.jsonl", "comet/echo --on sp2 --ranks 2 --sizes 64");
    let none = file("none.jsonl", "comet/barrier --on sp2 --ranks 2");
    let other = file("other.jsonl", "comet/echo --on cm5 --ranks 2 --sizes 0,64,1K");
    let newer = directory.path().join("newer.jsonl");
    let text = std::fs::read_to_string(&one).expect("results").replacen("\"format\":1", "\"format\":99", 1);
    std::fs::write(&newer, text).expect("written");
    let cases = [
        (one.clone(), "all messages of comet/echo have 64B"),
        (none, "panto calibrate"),
        (format!("{one} {other}"), "different machines"),
        (newer.display().to_string(), "newer"),
        (format!("{one} -o {one}"), "would be overwritten"),
        (format!("{one} --like nowhere.toml"), "nowhere.toml"),
    ];
    for (arguments, word) in cases {
        let output = line(&format!("fit {arguments}"));
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", stdout(&output));
        assert!(stderr(&output).contains(word), "no `{word}` in:\n{}", stderr(&output));
    }
}

/// The output of other benchmarks becomes a model in one command.
#[test]
fn output_of_osu_and_imb_becomes_a_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    for (file, empty_us, tolerance) in [("imb-fdr.txt", 1.59, 0.15), ("osu.txt", 0.0, f64::INFINITY)] {
        let model = folder.path().join("fitted.toml");
        let input = data.join(file);
        let output = line(&format!("fit {} -o {} --force", input.display(), model.display()));
        assert!(output.status.success(), "{file}: {}", stderr(&output));
        let machine = panto_machine::Machine::load(model.to_str().expect("a name"), &[]).expect("a model");
        let time =
            |bytes| panto_machine::one_way(&machine.network, machine.protocol, bytes, 1).as_secs() * 1e6;
        assert!((time(0) - empty_us).abs() < tolerance * empty_us.max(1.0), "{file}: {}us", time(0));
        assert!(time(262_144) > time(1_024) && time(1_024) >= time(0), "{file}");
    }
    // The published time of the largest message is within the residuals of the fit.
    let input = data.join("imb-fdr.txt");
    let output = line(&format!("fit {} --format json", input.display()));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(found.to_string().contains("262144"), "{found}");
    let wrong = folder.path().join("bw.txt");
    let table = "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n1        2.5\n2        5.0\n";
    std::fs::write(&wrong, table).expect("a file");
    let output = line(&format!("fit {}", wrong.display()));
    assert!(stderr(&output).contains("no one-way times of messages"), "{}", stderr(&output));
}
