//! Samples of a program with a known time: one message from one rank to another.

use panto_machine::Model;
use panto_sim::program::{Channel, ChannelKind, Code, Op, PackedOp, SendMode};

use super::*;
use crate::case::CaseOptions;

const MODEL: &str = r#"
[network]
topology = "complete"
processors = 2
switching = "packet"
link = { latency = "1ms", bandwidth = "1MB/s" }
[send]
standard = "buffered"
[intervals]
"network.link.latency" = "0.8ms..1.25ms"
"network.link.bandwidth" = "0.99MB/s..1.01MB/s"
"#;

fn program(bytes: u64) -> Program {
    let code =
        |acts: &[Op]| Code { ops: acts.iter().map(|&act| PackedOp::from(act)).collect(), ..Code::default() };
    Program {
        codes: vec![
            code(&[Op::Send { mode: SendMode::Standard, channel: 0, bytes }, Op::End]),
            code(&[Op::Receive { channel: 0 }, Op::End]),
        ],
        ranks: 2,
        channels: vec![Channel { from: 0, to: 1, match_key: 0, kind: ChannelKind::PointToPoint }],
        ..Program::default()
    }
}

fn model(sets: &[String]) -> Result<Model, Error> {
    Ok(Model::parse(MODEL, "my.toml", sets)?)
}

fn samples(bytes: u64, count: usize, seed: u64, threads: usize) -> Result<Option<Samples>, Error> {
    let (program, intervals) = (program(bytes), model(&[])?.intervals().to_vec());
    let figures: Vec<Figure> = intervals.iter().map(Figure::from).collect();
    let sampling = Sampling { program: &program, figures: &figures, count, seed, threads };
    let case = |values: &[f64]| {
        let sets: Vec<String> =
            intervals.iter().zip(values).map(|(interval, value)| interval.set(*value)).collect();
        Case::new(model(&sets)?, 2, &CaseOptions::default())
    };
    sampling.run(case, |_| Ok(None), &AtomicBool::new(false), || {})
}

#[test]
fn a_latency_alone_gives_its_own_interval() {
    let samples = samples(0, 4000, 1, 2).unwrap().unwrap();
    let (low, high) = samples.interval();
    assert!((samples.median() / 1e-3 - 1.0).abs() < 0.01, "{}", samples.median());
    assert!((low / 0.8e-3 - 1.0).abs() < 0.02 && (high / 1.25e-3 - 1.0).abs() < 0.02, "{low} {high}");
    assert_eq!(samples.shares[0].key, "network.link.latency");
    assert!(samples.shares[0].share > 0.95 && samples.shares[1].share < 0.01, "{:?}", samples.shares);
}

/// 100 ms at the link's bandwidth, known to 1%, and a latency of 1 ms: standard deviations of about
/// 0.51 ms and 0.11 ms.
#[test]
fn a_long_message_depends_on_the_bandwidth() {
    let samples = samples(100_000, 2000, 1, 2).unwrap().unwrap();
    let shares: Vec<(&str, f64)> =
        samples.shares.iter().map(|part| (part.key.as_str(), part.share)).collect();
    assert_eq!(shares[0].0, "network.link.bandwidth");
    assert!((shares[0].1 - 0.95).abs() < 0.03 && (shares[1].1 - 0.05).abs() < 0.03, "{shares:?}");
}

#[test]
fn samples_depend_on_the_seed_and_not_on_threads() {
    let of = |seed, threads| samples(0, LEAST, seed, threads).unwrap().unwrap();
    assert_eq!(of(1, 1), of(1, 3));
    assert_ne!(of(1, 1), of(2, 1));
}

#[test]
fn too_few_samples_are_rejected() {
    assert!(samples(0, 3, 1, 1).unwrap_err().to_string().contains("at least 40"));
}
