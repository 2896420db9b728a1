//! Jobs on several hosts: network namespaces connected by links with a limited rate. Messages are
//! sent over TCP.

mod calibrate;

use panto_testkit::jobs::network;
use panto_transport::mpi::FINALIZE_TIMEOUT;
use std::path::Path;

use serde_json::Value;

use crate::job::{JobOutput, until};
use crate::measuring::{LIMIT, Measuring};
use crate::mpis::{self, Mpi};
use crate::read_back;
use network::{BURST, Network, RATE};

/// Runs a line on all hosts with its results in a file, and returns the lines of the file and the
/// output.
fn measured(network: &Network, mpi: &Mpi, ranks: usize, line: &str, path: &Path) -> (Vec<Value>, String) {
    let ended = network.job(mpi, ranks).words(line).arg("-o").arg(path).run();
    let table = complete(&ended).to_owned();
    let text = std::fs::read_to_string(path).expect("written");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    // The records of all passes follow those of the first.
    (lines.filter(|line| line["provisional"] != true).collect(), table)
}

/// Asserts success and returns the output. Over TCP, `MPI_Finalize` of MPICH 4.0 sometimes does not
/// return, even in a program that does nothing else. Panto then exits and reports that the results
/// are complete, but Hydra treats that as a failure.
fn complete(ended: &JobOutput) -> &str {
    if ended.stderr.contains(FINALIZE_TIMEOUT) { &ended.stdout } else { ended.succeeds() }
}

/// Four ranks on two hosts: the file has their placement and the measured distance.
fn echo_across_hosts(mpi: &Mpi) {
    let Some(network) = Network::new(2).filter(|_| mpi.is_installed()) else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run.jsonl");
    let (lines, table) = measured(&network, mpi, 2, "bench echo --sizes 8,1M -t 6s", &path);
    assert_placement(&lines[0], &network);
    let records: Vec<&Value> = lines.iter().filter(|line| line["kernel"] == "comet/echo").collect();
    let near = records.iter().map(|record| distance_of(record)).find(|distance| is_within_a_host(distance));
    let near = near.unwrap_or_else(|| panic!("nothing within a host in {records:#?}"));
    for distance in [near, "network"] {
        assert!(table.contains(distance), "no {distance} in {table}");
        assert!(read_back(&path).contains(distance), "no {distance} when read back");
    }
    assert!(records.iter().all(|record| record["clock_error_ns"].as_f64() > Some(0.0)), "{records:#?}");
    let far: Vec<_> = records.iter().filter(|record| distance_of(record) == "network").collect();
    assert_eq!(far.len(), 2, "{records:#?}");
    for record in far {
        assert_limited(record);
    }
}

/// The layout of ranks is a parameter: the first two ranks are on one host, or on two.
#[test]
fn ranks_are_laid_out_over_hosts() {
    let mpi = mpis::MPICH;
    let Some(network) = Network::new(2).filter(|_| mpi.is_installed()) else { return };
    let (first, second) = (network.names()[0], network.names()[1]);
    for (layout, expected) in
        [("cyclic", [first, second, first, second]), ("3,2,1,0", [second, second, first, first])]
    {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("run.jsonl");
        let line = format!("bench barrier -t 1s --layout {layout}");
        let (lines, _) = measured(&network, &mpi, 2, &line, &path);
        let placement = lines[0]["placement"].as_array().expect("a list");
        let hosts: Vec<&str> = placement.iter().filter_map(|rank| rank["host"].as_str()).collect();
        assert_eq!(hosts, expected, "{layout}");
        assert_eq!(lines[0]["layout"], *layout);
        let nodes: Vec<u64> = placement.iter().filter_map(|rank| rank["node"].as_u64()).collect();
        assert_eq!(nodes[0], 0, "{layout}: {nodes:?}");
    }
}

fn distance_of(record: &Value) -> &str {
    record["params"]["distance"].as_str().unwrap_or_default()
}

/// Returns whether a distance is within a host; which of the two applies depends on the machine's
/// caches.
fn is_within_a_host(distance: &str) -> bool {
    ["core-complex", "node"].contains(&distance)
}

/// Asserts that each host has two ranks, with its own name and number.
fn assert_placement(manifest: &Value, network: &Network) {
    let placement = manifest["placement"].as_array().expect("a list");
    let hosts: Vec<&str> = placement.iter().filter_map(|rank| rank["host"].as_str()).collect();
    let (first, second) = (network.names()[0], network.names()[1]);
    assert_eq!(hosts, [first, first, second, second], "{manifest:#}");
    let nodes: Vec<u64> = placement.iter().filter_map(|rank| rank["node"].as_u64()).collect();
    assert_eq!(nodes, [0, 0, 1, 1], "{manifest:#}");
}

/// Asserts that no message was faster than the link, which holds on a busy machine too.
fn assert_limited(record: &Value) {
    let bytes = record["params"]["bytes"].as_u64().expect("a size");
    let least = bytes.saturating_sub(2 * BURST) as f64 / RATE as f64 * 1e9;
    let samples = record["samples_ns"].as_array().expect("samples");
    assert!(samples.iter().all(|nanos| nanos.as_f64() >= Some(least)), "below {least} ns: {record:#}");
}

#[test]
fn mpich_tells_hosts_apart() {
    echo_across_hosts(&mpis::MPICH);
}

#[test]
fn open_mpi_tells_hosts_apart() {
    echo_across_hosts(&mpis::OPEN_MPI);
}

/// The suite runs on all hosts within a short time limit.
fn suite_across_hosts(mpi: &Mpi, hosts: usize, ranks: usize) {
    let Some(network) = Network::new(hosts).filter(|_| mpi.is_installed()) else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run.jsonl");
    let line = "bench comet -t 5s --sizes 8,4K --dims 16 --lengths 8 --loads 50";
    let (lines, _) = measured(&network, mpi, ranks, line, &path);
    for kernel in ["comet/echo", "comet/exchange", "comet/broadcast", "comet/reduction", "comet/barrier"] {
        assert!(lines.iter().any(|line| line["kernel"] == kernel), "no {kernel} in {lines:#?}");
    }
    assert!(read_back(&path).contains("comet/reduction"));
}

#[test]
fn the_suite_over_mpich_on_two_hosts() {
    suite_across_hosts(&mpis::MPICH, 2, 2);
}

#[test]
fn the_suite_over_mpich_on_three_hosts() {
    suite_across_hosts(&mpis::MPICH, 3, 1);
}

#[test]
fn the_suite_over_open_mpi_on_two_hosts() {
    suite_across_hosts(&mpis::OPEN_MPI, 2, 2);
}

#[test]
fn the_suite_over_open_mpi_on_three_hosts() {
    suite_across_hosts(&mpis::OPEN_MPI, 3, 1);
}

/// Returns the line that is JSON; Hydra may print others.
fn json(text: &str) -> &str {
    text.lines().find(|line| line.starts_with('{')).unwrap_or_else(|| panic!("no JSON in {text}"))
}

/// The MPI transport passes the conformance test over TCP.
fn conforms_across_hosts(mpi: &Mpi) {
    let Some(network) = Network::new(2).filter(|_| mpi.is_installed()) else { return };
    let ended = network.job(mpi, 2).words("info mpi --check --format json").run();
    let value: Value = serde_json::from_str(json(complete(&ended))).expect("JSON");
    assert_placement(&value, &network);
    assert!(value["check"]["passed"].as_u64() > Some(10), "{value:#}");
}

#[test]
fn mpich_conforms_across_hosts() {
    conforms_across_hosts(&mpis::MPICH);
}

#[test]
fn open_mpi_conforms_across_hosts() {
    conforms_across_hosts(&mpis::OPEN_MPI);
}

/// A host loses its network connection: no process dies, and no error is signalled. The ranks of
/// both sides time out, whatever the launcher does.
fn ends_without_a_cable(mpi: &Mpi) {
    let Some(network) = Network::new(2).filter(|_| mpi.is_installed()) else { return };
    let measuring = Measuring::start(network.job(mpi, 1), "--stall-time 5s");
    assert_eq!(measuring.job.processes("panto").len(), 2, "{}", mpi.name);
    network.disconnect(1);
    until("all ranks are gone", LIMIT, || measuring.job.processes("panto").is_empty());
    measuring.is_kept();
}

#[test]
fn ranks_of_mpich_do_not_outlive_the_network() {
    ends_without_a_cable(&mpis::MPICH);
}

#[test]
fn ranks_of_open_mpi_do_not_outlive_the_network() {
    ends_without_a_cable(&mpis::OPEN_MPI);
}
