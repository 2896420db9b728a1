//! Times a sweep of 100 settings over a trace of a million events:
//! `cargo bench -p panto-predict --bench sweep`, or with `-- 20 1` for 20 settings on one core.

use panto_testkit::stencil;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use panto_predict::sweep::{Axis, Parameter, Sweep, product};
use panto_sim::replay::Options;
use panto_trace::{RankTrace, Trace};

/// 64 ranks on a torus of 8 x 8.
const SIDE: u32 = 8;
const EVENTS: u64 = 1_000_000;
/// Calls of a rank per round of the stencil.
const CALLS: u64 = 10;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse().ok());
    let (settings, threads) = (numbers.next().unwrap_or(100), numbers.next().unwrap_or(2));
    let folder = tempfile::tempdir().expect("a folder for the trace");
    let rounds = EVENTS.div_ceil(u64::from(SIDE * SIDE) * CALLS);
    let path = stencil::write(folder.path(), SIDE, rounds);

    let start = Instant::now();
    let trace = Trace::open(&path).expect("the trace is sound");
    let events: u64 = trace.ranks().iter().map(RankTrace::events_count).sum();
    let latencies = Axis { parameter: Parameter::Figure("link.latency".into()), values: values(settings) };
    let axes = [Axis::single(Parameter::Machine, "infiniband"), latencies];
    let variants = product(&axes).expect("a grid");
    let sweep = Sweep::new(&trace, Options::default(), 1, variants, threads).expect("settings that can be");
    let checked = start.elapsed().as_secs_f64();
    let all: Vec<usize> = (0..sweep.len()).collect();
    let programs = sweep.programs(&all, threads).expect("a trace that can be simulated");
    let replayed = start.elapsed().as_secs_f64();
    let mut times = Vec::new();
    let outcome = sweep.run(&programs, &all, threads, &AtomicBool::new(false), |_, outcome| {
        times.push(outcome?.time);
        Ok::<(), panto_predict::Error>(())
    });
    let whole = start.elapsed().as_secs_f64();
    outcome.expect("all settings can be simulated");
    println!(
        "{} settings over {events} events on {threads} threads: {whole:.2} s ({checked:.2} s to check them, {:.2} s to replay, \
         {:.2} s to run: {:.1} ns per event); predicted {:.4} to {:.4} s",
        times.len(),
        replayed - checked,
        whole - replayed,
        (whole - replayed) * 1e9 * threads as f64 / (events as f64 * times.len() as f64),
        times.iter().copied().fold(f64::INFINITY, f64::min),
        times.iter().copied().fold(0.0, f64::max),
    );
}

/// Returns `count` latencies.
fn values(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("{}ns", 100 * number)).collect()
}
