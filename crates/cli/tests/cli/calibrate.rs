//! `panto calibrate` recovers a simulated machine, and writes a model of the real one.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use panto_machine::{Machine, one_way};
use panto_schedule::{Algorithm, Collective, Problem};
use serde_json::Value;

use super::{command, line, panto, stderr, stdout, succeeds};

/// Calibrates a simulated machine into a file, and returns the JSON output.
fn calibrated(on: &str, options: &str, path: &Path) -> Value {
    let words = format!("calibrate --on {on} --format json {options} -o");
    let output = panto(words.split_whitespace().map(Into::into).chain([path.as_os_str().to_owned()]));
    serde_json::from_str(&succeeds(&output)).expect("JSON")
}

fn load(name: &str) -> Machine {
    Machine::load(name, &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the largest relative difference of the message times of two machines between neighbours,
/// over many sizes.
fn apart(real: &Machine, found: &Machine) -> f64 {
    let sizes = (0..22).flat_map(|power| [1_u64 << power, (1 << power) + (1 << power) / 3]);
    let links = real.network.topology.distance(0, 1);
    let time = |machine: &Machine, bytes| one_way(&machine.network, machine.protocol, bytes, links).as_secs();
    sizes.map(|bytes| (time(found, bytes) / time(real, bytes) - 1.0).abs()).fold(0.0, f64::max)
}

/// Without noise the machine is recovered: its message times, its eager limit to the byte, and its
/// processor.
#[test]
fn a_simulated_machine_comes_back() {
    let folder = tempfile::tempdir().expect("a directory");
    for name in ["infiniband", "ipsc860", "sp2"] {
        let path = folder.path().join(format!("{name}.toml"));
        calibrated(name, "-n 4", &path);
        let (real, found) = (load(name), load(path.to_str().expect("text")));
        assert!(apart(&real, &found) < 0.02, "{name}: {}", apart(&real, &found));
        assert_eq!(found.protocol, real.protocol, "{name}");
        let daxpy = found.processor.daxpy.as_secs() / real.processor.daxpy.as_secs();
        assert!((daxpy - 1.0).abs() < 0.02, "{name}: {daxpy}");
    }
}

/// With a noisy clock (2 %, and outliers now and then) the machine is recovered within 5 %.
#[test]
fn noise_and_outliers_do_no_harm() {
    let folder = tempfile::tempdir().expect("a directory");
    for (name, seed) in [("infiniband", 1), ("ethernet10g", 2), ("loggops", 3)] {
        let path = folder.path().join(format!("{name}.toml"));
        let run = calibrated(name, &format!("-n 4 --clock-noise 2% --seed {seed}"), &path);
        let (real, found) = (load(name), load(path.to_str().expect("text")));
        assert!(apart(&real, &found) < 0.05, "{name}: {}\n{run:#}", apart(&real, &found));
    }
}

/// Programs can be simulated on the model that was written.
#[test]
fn kernels_run_on_the_model_as_on_the_machine() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("again.toml");
    calibrated("infiniband", "-n 2 --name again", &path);
    let echo = |on: &str| -> Vec<f64> {
        let words = format!("bench echo --ranks 2 --sizes 0,1K,64K,1M --format json --on {on}");
        let run: Value = serde_json::from_str(&succeeds(&line(&words))).expect("JSON");
        let points = run["points"].as_array().expect("a list");
        points.iter().filter_map(|point| point["summary"]["median_ns"].as_f64()).collect()
    };
    let (real, found) = (echo("infiniband"), echo(path.to_str().expect("text")));
    // Four sizes, each to the rank itself and to the other rank.
    assert_eq!((real.len(), found.len()), (8, 8));
    for (real, found) in real.iter().zip(&found) {
        assert!((found / real - 1.0).abs() < 0.02, "{found} instead of {real}");
    }
}

/// Calibrating this machine takes some seconds and gives a model with a source for its figures, a
/// table, and the next command.
#[test]
fn threads_are_calibrated() {
    let folder = tempfile::tempdir().expect("a directory");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (model, results, plots) = (file("here.toml"), file("all.jsonl"), file("plots"));
    let words = format!("calibrate --quick -t 4s -n 2 -o {model} --results {results} --plot {plots}");
    // Other tests may disturb it, so that the model is poor.
    let text = succeeds(&line(&format!("{words} --force")));
    for word in ["Quality of the model", "Calibrated", "95%", "panto simulate", &model] {
        assert!(text.contains(word), "no `{word}` in {text}");
    }
    let found = load(&model);
    assert!(found.processors() >= 2 && !found.sources.is_empty());
    assert!(succeeds(&line(&format!("machines show {model}"))).contains("complete"));
    assert!(succeeds(&line(&format!("info {results}"))).contains("calibrate/overhead"));
    assert!(Path::new(&plots).join("calibrate-gap.svg").exists());
    let again = line(&words);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("--force"), "{}", stderr(&again));
}

/// With `--collectives` the model contains the algorithm of each collective.
#[test]
fn collectives_are_calibrated_with_the_rest() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("mine.toml");
    let hidden = "--set collectives.algorithm.allreduce=ring --set collectives.algorithm.scan=linear";
    let run = calibrated("infiniband", &format!("-n 8 --collectives {hidden}"), &path);
    let found = load(path.to_str().expect("text"));
    let choose = |collective| found.algorithm(&Problem { collective, ranks: 8, root: 0, count: 64 << 10 }, 1);
    assert_eq!(choose(Collective::Allreduce), Algorithm::Ring, "{run:#}");
    assert_eq!(choose(Collective::Scan), Algorithm::Linear, "{run:#}");
    let notes = run["notes"].as_array().expect("a list");
    let rules = notes.iter().filter(|note| note.as_str().is_some_and(|note| note.contains("median error")));
    assert_eq!(rules.count(), Collective::ALL.len(), "{run:#}");
}

/// Invalid options are rejected before anything is measured.
#[test]
fn slips_are_named() {
    for (words, wanted) in [
        ("calibrate --on nowhere", "unknown world"),
        ("calibrate -n 1", "needs at least 2 ranks"),
        ("calibrate --clock-noise 2%", "--clock-noise applies to simulated machines only"),
        ("calibrate --on sp2 --clock-noise much", "is not between 0% and 25%"),
        ("calibrate -o same --results same", "name the same file"),
        ("calibrate -o /nowhere/model.toml", "cannot write"),
    ] {
        let output = line(words);
        assert_eq!(output.status.code(), Some(2), "{words}: {}", stderr(&output));
        assert!(stderr(&output).contains(wanted), "{words}: {}", stderr(&output));
    }
}

/// Ctrl-C ends the run soon, and the file contains what was measured until then.
#[test]
fn ctrl_c_keeps_what_was_measured() {
    let folder = tempfile::tempdir().expect("a directory");
    let results = folder.path().join("all.jsonl");
    let child = command()
        .args("calibrate -n 2 -t 60s --results".split_whitespace())
        .arg(&results)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let lines = || std::fs::read_to_string(&results).map_or(0, |text| text.lines().count());
    while lines() < 4 {
        std::thread::sleep(Duration::from_millis(50));
    }
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}{}", stdout(&output), stderr(&output));
    let info = line(&format!("info {}", results.display()));
    assert!(succeeds(&info).contains("comet/echo"));
}
