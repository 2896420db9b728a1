//! The built-in machines reproduce the figures of their sources.

use panto_schedule::Collective;
use panto_units::Time;

use crate::{Machine, Model, Network, Protocol, builtin};

fn load(name: &str) -> Machine {
    Machine::load(name, &[]).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The time from the call of send to the end of the receive, when both are ready.
fn one_way(machine: &Machine, to: u32, bytes: u64) -> Time {
    let Network { overheads, .. } = &machine.network;
    let network = &machine.network;
    let mut time =
        network.send_overhead(bytes) + network.between(0, to, bytes) + network.receive_overhead(bytes);
    if let Protocol::Handshake { above } = machine.protocol
        && bytes > above
    {
        for _ in ["request", "grant"] {
            time = time + overheads.control + machine.network.between(0, to, 0);
        }
    }
    time
}

/// Asserts equality up to the rounding of three terms to a picosecond each.
#[track_caller]
fn is(time: Time, micros: f64) {
    let picos = (micros * 1e6).round();
    assert!((time.as_picos() as f64 - picos).abs() <= 3.0, "{} ps and {picos} ps", time.as_picos());
}

#[test]
fn ipsc860() {
    let machine = load("ipsc860");
    for bytes in [0, 1, 17, 99, 100] {
        is(one_way(&machine, 1, bytes), 79.0 + 0.63 * bytes as f64);
    }
    // The published line is the least-squares fit through these; see `panto reproduce ipsc860`.
    let pieces = [(101, 143.0, 0.4285), (2048, 143.0, 0.4285), (2049, 123.0, 0.4285), (4096, 123.0, 0.4285)];
    for (bytes, startup, byte) in pieces.into_iter().chain([4097, 65_536].map(|n| (n, 240.4, 0.3958))) {
        is(one_way(&machine, 1, bytes), startup + byte * bytes as f64);
        is(one_way(&machine, 3, bytes) - one_way(&machine, 1, bytes), 24.999_999);
        is(one_way(&machine, 15, bytes) - one_way(&machine, 7, bytes), 24.999_999);
    }
}

#[test]
fn cm5() {
    let machine = load("cm5");
    assert_eq!(machine.protocol, Protocol::Synchronous);
    for bytes in [0, 16, 496, 4080, 9968] {
        is(one_way(&machine, 1, bytes), 88.0 + 0.126 * bytes as f64);
    }
    for bytes in [1, 15, 17, 1000, 9999] {
        is(one_way(&machine, 3, bytes), 126.0 + 0.45 * (bytes - 1) as f64);
    }
    // A lone message feels its distance beyond path length 3.
    let machine = Machine::load("cm5", &["network.widths=[1,2,4,16,64]".into()]).unwrap();
    is(one_way(&machine, 16, 9968), 88.0 + 0.126 * 9968.0);
    for far in [64, 256] {
        is(one_way(&machine, far, 9968), 88.0 + 9968.0 / 7.1);
    }
    assert!(machine.networks.contains_key(&Collective::Barrier));
    assert!(machine.networks[&Collective::Reduce].flow_rates.is_empty());
}

#[test]
fn sp2_and_ethernet() {
    for bytes in [0, 1, 1500, 1501, 100_000] {
        is(one_way(&load("sp2"), 3, bytes), 39.0 + 0.026_864 * bytes as f64);
        is(one_way(&load("ethernet10"), 7, bytes), 1449.848 + 1.008_644 * bytes as f64);
    }
}

#[test]
fn loggops() {
    let machine = load("loggops");
    assert_eq!(machine.protocol, Protocol::Eager { limit: 65_535 });
    for bytes in [1, 2, 1_000, 65_535] {
        // o + L + (n - 1) G + o, in microseconds.
        is(one_way(&machine, 5, bytes), 1.5 + 2.5 + (bytes - 1) as f64 * 0.006 + 1.5);
    }
    is(machine.network.between(0, 1, 0), 2.5);
}

#[test]
fn every_figure_has_a_source() {
    for machine in builtin::all() {
        let model = Model::load(machine.name, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(model.machine().name, machine.name);
        assert!(!model.machine().about.is_empty());
        for figure in model.figures() {
            assert!(figure.sourced, "{}: {} = {}", machine.name, figure.key, figure.value);
        }
    }
}

#[test]
fn every_file_is_built_in_and_every_source_has_a_figure() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../machines");
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(builtin::find(name).is_some(), "{name}");
        let model = Model::load(path.to_str().unwrap(), &[]).unwrap();
        let keys: Vec<String> = model.figures().into_iter().map(|figure| figure.key).collect();
        for source in model.sources.iter().flat_map(|sources| sources.keys()) {
            let below = format!("{source}.");
            assert!(keys.iter().any(|key| key == source || key.starts_with(&below)), "{name}: {source}");
        }
    }
}
