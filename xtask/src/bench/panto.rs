//! Panto's side of the comparison.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::mpi::Mpi;
use super::{SIZES, Times, pingpong};
use crate::failure::{Failure, Result};
use crate::shell;

const KERNEL: &str = "comet/echo";

/// Builds the release binary and returns its path.
pub fn build() -> Result<PathBuf> {
    shell::stream(&mut shell::cargo("build --release --package panto"))?;
    let metadata = shell::capture(&mut shell::cargo("metadata --no-deps --format-version 1"))?;
    let metadata: Value = serde_json::from_str(&metadata)
        .map_err(|error| Failure::failed(format!("`cargo metadata` printed no JSON: {error}")))?;
    let folder = metadata["target_directory"]
        .as_str()
        .ok_or_else(|| Failure::failed("`cargo metadata` names no target_directory"))?;
    Ok(Path::new(folder).join("release").join("panto"))
}

/// Measures once, on two threads.
pub fn measure(program: &Path) -> Result<Times> {
    let mut command = Command::new(program);
    run(command.args(["bench", KERNEL, "--ranks", "2", "--hops", "1", "--pin"]))
}

/// Measures once, on two ranks of an MPI, with as many samples of each size as the ping-pong in C
/// takes.
pub fn measure_on(mpi: &Mpi, program: &Path) -> Result<Times> {
    let samples = pingpong::BATCHES.to_string();
    run(mpi.command(program).args(["bench", KERNEL, "--precision", "1e-6", "--max-samples", &samples]))
}

fn run(command: &mut Command) -> Result<Times> {
    let sizes: Vec<String> = SIZES.iter().map(|(bytes, _)| bytes.to_string()).collect();
    let printed = shell::capture(command.args(["--format", "json", "--sizes"]).arg(sizes.join(",")))?;
    parse(&printed).ok_or_else(|| Failure::failed(format!("panto printed unexpected JSON:\n{printed}")))
}

/// Returns the medians in
/// `{"points": [{"kernel", "params": {"bytes", ...}, "summary": {"median_ns"}}]}`.
fn parse(printed: &str) -> Option<Times> {
    let results: Value = serde_json::from_str(printed).ok()?;
    let points = results["points"].as_array()?;
    let fits = |point: &Value, bytes: u64| {
        point["kernel"] == KERNEL && point["params"]["bytes"] == bytes && is_between_two(&point["params"])
    };
    let time = |bytes| points.iter().find(|point| fits(point, bytes))?["summary"]["median_ns"].as_f64();
    SIZES.iter().map(|(bytes, _)| time(*bytes)).collect()
}

/// Returns whether a point is between two ranks: threads record hops, MPI a distance; messages of a
/// rank to itself do not count.
fn is_between_two(params: &Value) -> bool {
    params["hops"] == 1 || params["distance"].as_str().is_some_and(|distance| distance != "itself")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(bytes: u64, nanos: f64) -> String {
        format!(
            r#"{{"kernel":"comet/echo","params":{{"bytes":{bytes},"hops":1}},"summary":{{"median_ns":{nanos}}}}}"#
        )
    }

    #[test]
    fn points_are_found_in_any_order() {
        let points = [point(1 << 20, 4.5), point(8, 1.5), point(1024, 2.5), point(65536, 3.5)].join(",");
        assert_eq!(parse(&format!(r#"{{"points":[{points}]}}"#)), Some(vec![1.5, 2.5, 3.5, 4.5]));
    }

    #[test]
    fn messages_to_oneself_do_not_count() {
        let point = |bytes: u64, distance: &str, nanos: f64| {
            format!(
                r#"{{"kernel":"comet/echo","params":{{"bytes":{bytes},"distance":"{distance}"}},"summary":{{"median_ns":{nanos}}}}}"#
            )
        };
        let both = |bytes| [point(bytes, "itself", 0.5), point(bytes, "core-complex", 1.5)].join(",");
        let points = SIZES.iter().map(|(bytes, _)| both(*bytes)).collect::<Vec<_>>().join(",");
        assert_eq!(parse(&format!(r#"{{"points":[{points}]}}"#)), Some(vec![1.5; 4]));
    }

    #[test]
    fn a_missing_point_is_noticed() {
        assert_eq!(parse(&format!(r#"{{"points":[{}]}}"#, point(8, 1.5))), None);
        assert_eq!(parse("no JSON"), None);
    }
}
