//! The cost that the scenario engine adds to an operation: `cargo bench -p panto-bench`.
//!
//! A thousand barriers in a row are run as a scenario and as a bare loop, in turn. The difference
//! per barrier is the cost of actions, rotating buffers and the measuring loop. It should stay
//! below 20 ns.

use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use panto_bench::scenario::{Options, Scenario};
use panto_bench::{Effort, Kernel, Observer, Settings, run};
use panto_results::Record;
use panto_schedule::{Collective, Problem};
use panto_transport::threads::Threads;
use panto_transport::{AlgorithmChoice, Buffers, Error, NO_REDUCTION, PreparedCollective, World};

const RANKS: usize = 2;
const BARRIERS: u32 = 1_000;
const ROUNDS: usize = 200;
/// Number of measurements of each; they alternate, so that a change of the machine's speed affects
/// both.
const TURNS: usize = 7;

fn main() {
    let mut differences: Vec<f64> = (0..TURNS).map(|_| turn()).collect();
    differences.sort_by(f64::total_cmp);
    println!(
        "residual: {:+.1} ns a barrier (median of {TURNS} turns; at most 20 ns is wanted)",
        differences[TURNS / 2]
    );
}

fn turn() -> f64 {
    let (scenario, bare) = (as_scenario(), bare());
    println!(
        "{BARRIERS} barriers of {RANKS} ranks: {scenario:.1} ns each as a scenario, {bare:.1} ns in a bare loop"
    );
    scenario - bare
}

struct Keep(Option<Record>);

impl Observer for Keep {
    fn kernel(&mut self, _kernel: Kernel, _points: usize) -> panto_bench::Result<()> {
        Ok(())
    }

    fn record(&mut self, record: &Record) -> panto_bench::Result<()> {
        self.0 = Some(record.clone());
        Ok(())
    }
}

/// Returns the nanoseconds of a barrier inside a scenario.
fn as_scenario() -> f64 {
    let text = format!(
        "[[participants]]\nwho = \"all\"\ndo = [\"start\", \"{BARRIERS} times\", [\"issue\", \"sync\"], \"stop\"]"
    );
    let own = vec![Scenario::parse(&text, Path::new("barriers.toml"), None).expect("a scenario")];
    let calls = Some(vec!["barrier".parse().expect("a collective")]);
    let settings = Settings {
        ranks: vec![RANKS],
        effort: Effort { min_samples: ROUNDS, max_samples: ROUNDS, ..Effort::default() },
        ..Settings::default()
    }
    .with_options(Options { own, calls, ..Options::default() });
    let mut keep = Keep(None);
    run(&Threads::default(), &[Kernel::ScenarioOwn], &settings, &AtomicBool::new(false), &mut keep)
        .expect("it runs");
    let summary = keep.0.and_then(|record| record.summary()).expect("samples");
    summary.median / f64::from(BARRIERS)
}

/// Returns the nanoseconds of a barrier in a bare loop.
fn bare() -> f64 {
    let all = Threads::default().run(RANKS, |transport| {
        let problem = Problem { collective: Collective::Barrier, ranks: RANKS, root: 0, count: 0 };
        let mut barrier = PreparedCollective::new(transport, problem, 1, AlgorithmChoice::Library)?;
        let mut nanos = Vec::new();
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for repetition in 0..BARRIERS {
                black_box(repetition);
                barrier.run(
                    transport,
                    Buffers { input: &[], output: &mut [], element: 1, combine: NO_REDUCTION },
                )?;
            }
            nanos.push(start.elapsed().as_nanos() as f64 / f64::from(BARRIERS));
        }
        nanos.sort_by(f64::total_cmp);
        Ok::<_, Error>(nanos[ROUNDS / 2])
    });
    all.expect("it runs")[0]
}
