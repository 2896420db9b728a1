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

/// Machines with a year were built; at least twenty of them, and their figures are sourced.
#[test]
fn the_atlas_is_sourced_and_says_what_is_assumed() {
    let models = builtin::all().iter().map(|machine| Model::load(machine.name, &[]).unwrap());
    let (real, other): (Vec<Model>, Vec<Model>) = models.partition(|model| model.year().is_some());
    assert!(real.len() >= 30, "{} machines", real.len());
    assert!(real.is_sorted_by_key(Model::year), "the oldest first");
    assert!(other.iter().all(|model| model.groups() == ["illustrative"]));
    for model in real.iter().chain(&other) {
        let name = &model.machine().name;
        for figure in model.figures() {
            let begins = figure.source.starts_with("assumed") || figure.source.starts_with("illustrative");
            assert!(!begins || figure.assumed, "{name}: list {} as assumed", figure.key);
            let mentions = ["assumed", "illustrative"].iter().any(|word| figure.source.contains(word));
            assert!(!figure.assumed || mentions || model.year().is_none(), "{name}: {}", figure.key);
        }
    }
    // What messages cost has an interval, which holds the figure; the seeds' machines have exact
    // equations instead.
    let seeds = ["ipsc860", "cm5", "sp2", "ethernet10"];
    for model in real.iter().filter(|model| !seeds.contains(&model.machine().name.as_str())) {
        let keys: Vec<&str> = model.intervals().iter().map(|interval| interval.key.as_str()).collect();
        let has = |part: &str| keys.iter().any(|key| key.starts_with(part));
        for part in ["network.link", "network.overhead.send", "network.overhead.receive"] {
            assert!(has(part), "{}: {part} has no interval", model.machine().name);
        }
    }
}

#[test]
fn the_atlas_has_the_published_one_way_times() {
    // Machine, microseconds of an empty message to a neighbour.
    let published = [
        ("ncube2", 154.0),
        ("delta", 77.0),
        ("t3d", 21.0),
        ("paragon", 29.0),
        ("cs2", 83.0),
        ("now", 2.9 + 5.0 + 2.9),
        ("tcp10g", 20.0),
        ("bgl", 4.0),
        ("redstorm", 7.97),
        ("bgp", 3.0),
        ("xe6", 1.4),
        ("usnic40g", 1.93),
        ("fdr", 1.59),
        ("omnipath", 1.1),
        ("summit", 1.1),
        ("efa", 15.0),
        ("hdr", 1.2),
        ("ndr", 1.6),
    ];
    for (name, micros) in published {
        is(one_way(&load(name), 1, 0), micros);
    }
    // Blue Gene/P: 10us to the farthest of 73,728 nodes, within the rounding of the hop.
    let bgp = Machine::load("bgp", &["network.dims=[72,32,32]".into()]).unwrap();
    let farthest = one_way(&bgp, 36 * 1024 + 16 * 32 + 16, 0).as_secs() * 1e6;
    assert!((farthest - 10.0).abs() < 0.05, "{farthest}us");
    // FDR: the times of the published table at the ends of its lines, without the handshake.
    is(one_way(&load("fdr"), 1, 16384), 0.695 * 2.0 + 0.2 + 16384.0 * 0.000_38);
}

#[test]
fn groups_name_machines() {
    assert!(builtin::group("modern").unwrap().contains(&"frontier"));
    assert!(builtin::group("ethernet").unwrap().contains(&"efa"));
    assert_eq!(builtin::group("bluegene").unwrap(), ["bgl", "bgp", "bgq"]);
    assert!(!builtin::group("real").unwrap().contains(&"infiniband"));
    let historic = builtin::group("historic").unwrap();
    assert!(historic.iter().all(|name| Model::load(name, &[]).unwrap().year().unwrap() < 2000));
    let modern = builtin::group("modern").unwrap();
    assert!(modern.iter().all(|name| Model::load(name, &[]).unwrap().year().unwrap() >= 2014));
    let error = builtin::group("moden").unwrap_err().to_string();
    assert!(error.contains("`@moden`, did you mean `modern`?") && error.contains("@historic"), "{error}");
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
