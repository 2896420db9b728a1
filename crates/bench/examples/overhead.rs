//! The error of the measuring loop: `cargo run --release -p panto-bench --example overhead`.
//!
//! An operation that does nothing should take zero time, and one of known length exactly that.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::AtomicBool;

use panto_bench::measure::{Lab, Operation, Timing};
use panto_bench::{Effort, Settings};
use panto_results::Metric;
use panto_stats::Summary;
use panto_transport::threads::Threads;
use panto_transport::{Error, Result, World};

struct Nothing;

impl Operation for Nothing {
    fn run(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A fixed number of loop iterations, which takes the same time however it is measured.
struct Turns(u32);

impl Operation for Turns {
    fn run(&mut self) -> Result<()> {
        for turn in 0..self.0 {
            black_box(turn);
            spin_loop();
        }
        Ok(())
    }
}

fn main() -> Result<()> {
    println!("an empty operation, batched      {}", measure(Timing::batched(Metric::on(0)), || Nothing)?);
    println!("an empty operation, one a sample {}", measure(Timing::single(Metric::on(0)), || Nothing)?);
    // The long batch is the reference: thousands of runs between two readings of the clock.
    let long = measure(Timing::batched(Metric::on(0)), || Turns(100))?;
    let single = measure(Timing::single(Metric::on(0)), || Turns(100))?;
    println!("a short loop, batched            {long}");
    println!("a short loop, one a sample       {single}");
    Ok(())
}

fn measure<O: Operation>(timing: Timing, operation: impl Fn() -> O + Sync) -> Result<String> {
    let settings =
        Settings { effort: Effort { max_samples: 500, ..Effort::default() }, ..Settings::default() };
    let interrupt = AtomicBool::new(false);
    let all = Threads::default().run(2, |transport| {
        let mut lab = Lab::new(transport, &settings, &interrupt)?;
        Ok::<_, Error>(lab.measure(timing, &mut operation())?.map(|samples| samples.nanos))
    })?;
    let nanos = all.into_iter().flatten().next().unwrap_or_default();
    let summary = Summary::of(&nanos).map_err(|error| Error::Buffers(error.to_string()))?;
    Ok(format!(
        "{:7.2} ns (95% interval {:.2} to {:.2}, n = {})",
        summary.median, summary.interval.low, summary.interval.high, summary.n
    ))
}
