//! How long a hundred settings take over a trace of a million events. `cargo bench -p panto-predict --bench sweep`, or `-- 20 1` for twenty
//! settings on one core.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use panto_predict::sweep::{Axis, Knob, Sweep, product};
use panto_sim::replay::Options;
use panto_trace::{RankTrace, Trace};

#[path = "../tests/support/stencil.rs"]
mod stencil;

/// 64 ranks on a torus of 8 x 8.
const SIDE: u32 = 8;
const EVENTS: u64 = 1_000_000;
/// Calls of a rank in a round of the stencil.
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
    let latencies = Axis { knob: Knob::Figure("link.latency".into()), values: values(settings) };
    let axes = [Axis::single(Knob::Machine, "infiniband"), latencies];
    let variants = product(&axes).expect("a grid");
    let sweep = Sweep::new(&trace, Options::default(), 1, variants, threads).expect("settings that can be");
    let looked = start.elapsed().as_secs_f64();
    let all: Vec<usize> = (0..sweep.len()).collect();
    let programs = sweep.programs(&all, threads).expect("a trace that can be simulated");
    let replayed = start.elapsed().as_secs_f64();
    let mut times = Vec::new();
    let outcome = sweep.run(&programs, &all, threads, &AtomicBool::new(false), |_, outcome| {
        times.push(outcome?.time);
        Ok::<(), String>(())
    });
    let whole = start.elapsed().as_secs_f64();
    outcome.expect("all settings can be simulated");
    println!(
        "{} settings over {events} events on {threads} threads: {whole:.2} s ({looked:.2} s to look at them, {:.2} s to replay, \
         {:.2} s to run: {:.1} ns an event); predicted {:.4} to {:.4} s",
        times.len(),
        replayed - looked,
        whole - replayed,
        (whole - replayed) * 1e9 * threads as f64 / (events as f64 * times.len() as f64),
        times.iter().copied().fold(f64::INFINITY, f64::min),
        times.iter().copied().fold(0.0, f64::max),
    );
}

/// So many latencies.
fn values(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("{}ns", 100 * number)).collect()
}
