//! What each algorithm would take on the fitted machine.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::measure::Clock;
use panto_bench::results::{Manifest, Record};
use panto_bench::{Effort, Kernel, Observer, Point, Settings, param, run};
use panto_machine::Machine;
use panto_schedule::{Algorithm, Collective, Problem, algorithms, rules};
use panto_transport::World;
use panto_transport::simulated::{Model, Simulated};

/// Times by point.
pub(super) type Times = BTreeMap<Point, f64>;

/// All algorithms that could be behind a collective, on the fitted machine.
pub(super) struct Candidates {
    world: Simulated,
    algorithms: Vec<Algorithm>,
}

/// How a broadcast that a barrier closes, and one without, are called.
const OPEN: &str = "open";
const CLOSED: &str = "barrier";

/// Rarely does a sample differ from another on a virtual clock; a second one shows it.
const SAMPLES: (usize, usize) = (2, 4);

/// The collective that a point is, apart from a barrier behind it.
pub(super) fn problem(kernel: Kernel, point: &Point) -> Option<(Problem, usize)> {
    let open = if point.text(param::VARIANT) == CLOSED {
        point.clone().with_text(param::VARIANT, OPEN)
    } else {
        point.clone()
    };
    kernel.collective(&open)
}

impl Candidates {
    pub(super) fn new(machine: Arc<Machine>, manifests: &[Manifest], collective: Collective) -> Self {
        let is_fast =
            |manifest: &Manifest| manifest.machine.as_ref().is_some_and(|machine| machine.network == "fast");
        let model = if manifests.iter().any(is_fast) { Model::Fast } else { Model::Traffic };
        // Those with a number come with the numbers that libraries use.
        let tables = [rules::mpich(), rules::openmpi()];
        let used = tables.into_iter().flat_map(rules::Table::rows).filter(|row| row.collective == collective);
        let mut all = algorithms(collective).to_vec();
        for algorithm in used.map(|row| row.algorithm) {
            if !all.contains(&algorithm) {
                all.push(algorithm);
            }
        }
        Self { world: Simulated::new(machine, model), algorithms: all }
    }

    /// What each algorithm takes at the points of these records, which are of one kernel.
    pub(super) fn predict(&mut self, records: &[&Record]) -> Vec<(Algorithm, Times)> {
        self.algorithms.iter().map(|algorithm| (*algorithm, self.times(*algorithm, records))).collect()
    }

    fn times(&self, algorithm: Algorithm, records: &[&Record]) -> Times {
        let Some(kernel) = records.first().and_then(|record| record.kernel.parse::<Kernel>().ok()) else {
            return Times::new();
        };
        let mut times = Times::new();
        let mut rest: Vec<&Record> = Vec::new();
        for record in records {
            match kernel.collective(&record.point).filter(|_| record.metric.clock == Clock::FirstToLast) {
                Some((problem, element)) => {
                    if let Ok((_, time)) = self.world.expand(&problem, element, Some(algorithm)) {
                        times.insert(record.point.clone(), time.as_secs());
                    }
                }
                None => rest.push(record),
            }
        }
        times.extend(self.run(kernel, algorithm, &rest));
        times
    }

    /// Runs the kernel itself: what is timed on the root, again and again, is not what a single collective takes.
    fn run(&self, kernel: Kernel, algorithm: Algorithm, records: &[&Record]) -> Times {
        let mut variants: HashMap<bool, Vec<&Point>> = HashMap::new();
        for record in records {
            variants.entry(record.point.text(param::VARIANT) == CLOSED).or_default().push(&record.point);
        }
        let mut seen = Seen::default();
        for (closed, points) in variants {
            let settings = self.settings(&points, closed, algorithm);
            // A machine that is too small for the ranks gives no times; then no algorithm explains anything.
            let _ = run(&self.world, &[kernel], &settings, &AtomicBool::new(false), &mut seen);
        }
        seen.0
    }

    fn settings(&self, points: &[&Point], closed: bool, algorithm: Algorithm) -> Settings {
        let numbers = |name: &str| {
            let mut all: Vec<u64> = points.iter().filter_map(|point| point.number(name)).collect();
            all.sort_unstable();
            all.dedup();
            (!all.is_empty()).then_some(all)
        };
        let mut ranks: Vec<usize> = points.iter().map(|point| point.ranks).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let largest = ranks.last().copied().unwrap_or(1);
        let effort = Effort { budget: Duration::from_secs(600), ..Effort::default() }.on_virtual_clock();
        Settings {
            ranks,
            ranks_given: true,
            sizes: numbers(param::BYTES),
            lengths: numbers(param::LENGTH),
            shape: Some(self.world.shape(largest)),
            machine: Some(self.world.machine().name.clone()),
            most_programs: self.world.most_ranks(),
            closing_barrier: closed,
            algorithm: Some(algorithm),
            effort: Effort { min_samples: SAMPLES.0, max_samples: SAMPLES.1, ..effort },
            ..Settings::default()
        }
    }
}

/// Keeps times.
#[derive(Default)]
struct Seen(Times);

impl Observer for Seen {
    fn kernel(&mut self, _kernel: Kernel, _points: usize) -> panto_bench::Result<()> {
        Ok(())
    }

    fn record(&mut self, record: &Record) -> panto_bench::Result<()> {
        if let Some(seconds) = crate::observe::seconds(record) {
            self.0.insert(record.point.clone(), seconds);
        }
        Ok(())
    }
}
