//! `mpirun -n 2 panto calibrate` writes a model of the launcher's MPI.

use panto_machine::Machine;
use serde_json::Value;

use crate::{alone, mpis};

/// Simulates an echo on the model, and returns its medians in nanoseconds.
fn simulated_echo(model: &str) -> Vec<f64> {
    let output = alone(&format!("bench echo --on {model} --ranks 2 --sizes 0,1K,64K,1M --format json"));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let run: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let points = run["points"].as_array().expect("a list").clone();
    points.iter().filter_map(|point| point["summary"]["median_ns"].as_f64()).collect()
}

#[test]
fn two_ranks_make_a_model_that_simulates() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("machine.toml");
        let ended = mpi.job(2).words("calibrate --quick -t 6s --force --format json -o").arg(&path).run();
        let found: Value = serde_json::from_str(ended.succeeds()).expect("JSON");
        assert_eq!(found["transport"], "mpi", "{found:#}");
        let parameters = found["parameters"].as_array().expect("a list");
        assert!(
            !parameters.is_empty() && parameters.iter().all(|p| p["value"].as_f64().is_some()),
            "{found:#}"
        );
        let model = path.to_str().expect("text");
        let machine = Machine::load(model, &[]).unwrap_or_else(|error| panic!("{}: {error}", mpi.name));
        assert!(machine.processors() >= 2, "{}", mpi.name);
        let times = simulated_echo(model);
        assert!(times.len() >= 4 && times.iter().all(|nanos| nanos.is_finite() && *nanos > 0.0), "{times:?}");
    }
}

/// With more ranks than cores, calibration finishes, reports what it leaves out, and writes a
/// model.
#[test]
fn four_ranks_on_fewer_cores_end_as_well() {
    for mpi in [mpis::MPICH, mpis::OPEN_MPI].iter().filter(|mpi| mpi.is_installed()) {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("machine.toml");
        let line = "calibrate --quick -t 6s --force --largest 64K -o";
        let text = mpi.job(4).words(line).arg(&path).run().succeeds().to_owned();
        assert!(text.contains("Calibrated mpi"), "{}: {text}", mpi.name);
        assert_eq!(text.matches("Calibrated").count(), 1, "one process speaks for all: {text}");
        Machine::load(path.to_str().expect("text"), &[]).expect("a model");
    }
}
