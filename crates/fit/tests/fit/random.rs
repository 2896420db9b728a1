//! Random machines are recovered from a noise-free clock: overheads, links, hops, protocols, gaps.

use std::fmt::Write as _;

use panto_bench::Settings;
use panto_machine::{Machine, Model};
use panto_random::SplitMix64;

use crate::support::{Apart, CALIBRATION, distances, fitted, measure, quick, sizes};

/// Returns a random model. Pieces end at measured sizes and cover at least three of them: fewer do
/// not determine a line with a residual.
pub fn model(seed: u64) -> Model {
    let mut rng = SplitMix64::new(seed);
    let mut pick = |words: &[&str]| words[(rng.unit() * words.len() as f64) as usize].to_owned();
    let topology = pick(&[
        "topology = \"complete\"\nprocessors = 4",
        "topology = \"ring\"\nprocessors = 7",
        "topology = \"hypercube\"\ndimensions = 3",
        "topology = \"star\"\nprocessors = 4",
        "topology = \"mesh\"\ndims = [3, 3]",
    ]);
    let switching = pick(&["flow", "cut-through", "circuit", "packet", "wormhole\"\nflit-size = \"32B"]);
    let protocol = pick(&[
        "standard = \"buffered\"",
        "standard = \"synchronous\"",
        "standard = \"eager\"\nlimit = \"1500B\"",
        "standard = \"eager\"\nlimit = \"65535B\"",
    ]);
    let up_to = pick(&["64B", "512B", "8KiB"]);
    let mut between = |low: f64, high: f64| low + (high - low) * rng.unit();
    let mut text = format!("name = \"random-{seed}\"\n[network]\n{topology}\nswitching = \"{switching}\"\n");
    let has_header = !switching.starts_with("packet") && !switching.starts_with("wormhole");
    if has_header {
        let _ = writeln!(text, "hop = \"{:.3}us\"", between(0.05, 3.0));
    }
    let _ = writeln!(
        text,
        "local = {{ latency = \"{:.3}us\", per-byte = \"{:.4}ns\" }}",
        between(0.0, 1.0),
        between(0.01, 5.0)
    );
    let latency = between(0.1, 5.0);
    let rate = between(0.04, 40.0);
    let _ = writeln!(text, "[network.link]\nlatency = \"{latency:.3}us\"\nper-byte = \"{rate:.4}ns\"");
    // A gap longer than a round trip would hide everything else in an echo.
    let gap = latency * between(0.0, 1.9);
    let _ = writeln!(
        text,
        "[network.overhead]\nimmediate = \"{:.3}us\"\ncontrol = \"{:.3}us\"\ngap = \"{gap:.3}us\"",
        between(0.0, 0.3),
        between(0.0, 4.0)
    );
    for side in ["send", "receive"] {
        let (near, far) = (between(0.1, 4.0), between(0.1, 4.0));
        let (cheap, dear) = (between(0.01, 1.0), between(0.01, 4.0));
        let _ = writeln!(
            text,
            "[network.overhead.{side}]\nlatency = \"{far:.3}us\"\nper-byte = \"{cheap:.4}ns\"\npieces = [{{ up-to = \"{up_to}\", latency = \
             \"{near:.3}us\", per-byte = \"{dear:.4}ns\" }}]"
        );
    }
    let copies = between(0.0, 1.0) < 0.5;
    let _ = writeln!(
        text,
        "[send]\n{protocol}\n[processor]\ncopy = \"{:.4}ns\"\nstrided = \"{:.3}ns\"\nreduce = \"{:.4}ns\"\ndaxpy = \"{:.3}ns\"\ncopies-unexpected = {copies}",
        between(0.05, 20.0),
        between(0.5, 200.0),
        between(0.05, 20.0),
        between(0.5, 200.0)
    );
    Model::parse(&text, "random", &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Returns the nanoseconds of short messages in a row: a gap is visible only where it exceeds their
/// cost.
fn row(machine: &Machine, ranks: usize) -> f64 {
    let few = |settings: &mut Settings| settings.sizes = Some(vec![8]);
    let records = measure(machine, &["calibrate/gap"], ranks, few);
    let longest = records.iter().max_by_key(|record| record.point.number("messages")).unwrap();
    longest.summary().unwrap().median
}

#[test]
fn random_machines_are_recovered() {
    for seed in 0..16 {
        let model = model(seed);
        let machine = model.machine();
        let ranks = machine.processors();
        let records = measure(machine, &CALIBRATION, ranks, quick);
        let (fit, found) = fitted(&model, &records, ranks);
        assert_eq!(found.protocol, machine.protocol, "{seed}");
        assert_eq!(found.processor.copies_unexpected, machine.processor.copies_unexpected, "{seed}");
        let apart = Apart::new(machine, &found, sizes(&records));
        apart.one_way(&distances(machine, ranks)).overheads().rates().within(0.005, &fit.model);
        // With one distance the time of a hop cannot be separated from the link's start-up.
        if distances(machine, ranks).len() > 1 || distances(machine, ranks) == [1] {
            let (real, own) = (row(machine, ranks), row(&found, ranks));
            assert!((own / real - 1.0).abs() < 0.02, "{seed}: {own} ns instead of {real} ns\n{}", fit.model);
        }
    }
}
