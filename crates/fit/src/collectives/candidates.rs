//! Times of each algorithm on the fitted machine.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use panto_bench::scenario::Form;
use panto_bench::{Kernel, comet};
use panto_machine::Machine;
use panto_results::scenario::CollectiveCall;
use panto_results::{Clock, Manifest, Point, Record, param};
use panto_schedule::{Algorithm, Collective, Problem, algorithms, rules};
use panto_transport::World;

use crate::observations::seconds;
use crate::simulation::Simulation;

/// Seconds by point.
pub(super) type Times = BTreeMap<Point, f64>;

/// All algorithms of a collective, on the fitted machine.
pub(super) struct Candidates {
    simulation: Simulation,
    algorithms: Vec<Algorithm>,
}

/// Variant of a broadcast without a closing barrier.
const OPEN: &str = "open";
/// Variant of a broadcast that a barrier closes.
const CLOSED: &str = "barrier";

/// Bytes of a double. `scenario/only` reduces doubles where the size is a multiple of it, else
/// bytes.
const DOUBLE: usize = size_of::<f64>();

/// Returns the collective of a point, apart from a closing barrier, and the bytes of its elements.
pub(super) fn problem(kernel: Kernel, point: &Point) -> Option<(Problem, usize)> {
    let open = if point.text(param::VARIANT) == CLOSED {
        point.clone().with_text(param::VARIANT, OPEN)
    } else {
        point.clone()
    };
    collective_alone(kernel, &open)
}

/// Returns the collective of a point that consists of nothing else.
fn collective_alone(kernel: Kernel, point: &Point) -> Option<(Problem, usize)> {
    if kernel == Kernel::ScenarioOnly { collective_of_call(point) } else { kernel.collective(point) }
}

/// Returns the collective of a point of `scenario/only`. Collectives with unequal blocks have no
/// rules, and a non-blocking call may use another algorithm than a blocking one.
fn collective_of_call(point: &Point) -> Option<(Problem, usize)> {
    let call: CollectiveCall = point.text(param::COLLECTIVE).parse().ok()?;
    if point.text(param::CALL) == Form::NonBlocking.to_string() {
        return None;
    }
    let bytes = point.number(param::BYTES).unwrap_or(0) as usize;
    let element = if call.reduces() && bytes.is_multiple_of(DOUBLE) { DOUBLE } else { 1 };
    Some((
        Problem { collective: call.plain()?, ranks: point.ranks, root: 0, count: bytes / element },
        element,
    ))
}

impl Candidates {
    pub(super) fn new(machine: Arc<Machine>, manifests: &[Manifest], collective: Collective) -> Self {
        // Algorithms with a parameter are tried with the values that libraries use.
        let tables = [rules::mpich(), rules::openmpi()];
        let used = tables.into_iter().flat_map(rules::Table::rows).filter(|row| row.collective == collective);
        let mut all = algorithms(collective).to_vec();
        for algorithm in used.map(|row| row.algorithm) {
            if !all.contains(&algorithm) {
                all.push(algorithm);
            }
        }
        Self { simulation: Simulation::new(machine, manifests), algorithms: all }
    }

    /// Returns the time of each algorithm at the points of these records.
    pub(super) fn predict(&self, kernel: Kernel, records: &[&Record]) -> Vec<(Algorithm, Times)> {
        self.algorithms
            .iter()
            .map(|algorithm| (*algorithm, self.times(kernel, *algorithm, records)))
            .collect()
    }

    fn times(&self, kernel: Kernel, algorithm: Algorithm, records: &[&Record]) -> Times {
        let mut times = Times::new();
        let mut rest: Vec<&Record> = Vec::new();
        for record in records {
            match collective_alone(kernel, &record.point)
                .filter(|_| record.metric.clock == Clock::FirstToLast)
            {
                Some((problem, element)) => {
                    if let Ok((_, time)) = self.simulation.world.expand(&problem, element, Some(algorithm)) {
                        times.insert(record.point.clone(), time.as_secs());
                    }
                }
                None => rest.push(record),
            }
        }
        times.extend(self.run(kernel, algorithm, &rest));
        times
    }

    /// Runs the kernel itself: repetitions timed on the root take another time than a single
    /// collective.
    fn run(&self, kernel: Kernel, algorithm: Algorithm, records: &[&Record]) -> Times {
        let mut variants: HashMap<bool, Vec<&Point>> = HashMap::new();
        for record in records {
            variants.entry(record.point.text(param::VARIANT) == CLOSED).or_default().push(&record.point);
        }
        let mut times = Times::new();
        for (closed, points) in variants {
            let (closing_barrier, algorithm) = (closed, Some(algorithm));
            let options = comet::Options { closing_barrier, algorithm, ..comet::Options::default() };
            let settings = self.simulation.settings(&points).with_options(options);
            let seen = self.simulation.run(kernel, &settings);
            times.extend(seen.into_iter().filter_map(|(point, record)| Some((point, seconds(&record)?))));
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_bench::scenario::operation::Implementation;

    /// The simulation of a candidate takes what `scenario/only` measures: the same data, from the
    /// first start to the last end, with an idle network.
    #[test]
    fn candidates_take_what_the_kernel_measures() {
        let machine = Arc::new(Machine::load("infiniband", &[]).unwrap());
        for collective in Collective::ALL {
            let candidates = Candidates::new(Arc::clone(&machine), &[], collective);
            for algorithm in candidates.algorithms.clone() {
                let mut settings = candidates.simulation.settings(&[&Point::new(6)]);
                settings.sizes = Some(vec![8, 1_001, 40_000]);
                let options = settings.options.get_mut::<panto_bench::scenario::Options>();
                options.calls = Some(vec![CollectiveCall::Plain(collective)]);
                options.implementations = Some(vec![Implementation::Algorithm(algorithm)]);
                let seen = candidates.simulation.run(Kernel::ScenarioOnly, &settings);
                assert!(!seen.is_empty(), "{collective} by {algorithm}");
                let records: Vec<&Record> = seen.values().collect();
                let expected = candidates.times(Kernel::ScenarioOnly, algorithm, &records);
                for record in records {
                    let (measured, expected) = (seconds(record).unwrap(), expected[&record.point]);
                    assert!(
                        (measured - expected).abs() < 0.6e-12,
                        "{algorithm}: {} {measured} {expected}",
                        record.point
                    );
                }
            }
        }
    }

    #[test]
    fn calls_without_rules_are_no_candidates() {
        let point = |call: &str| Point::new(4).with_text(param::COLLECTIVE, call).with(param::BYTES, 24);
        let of = |point: &Point| problem(Kernel::ScenarioOnly, point);
        assert_eq!(of(&point("alltoallv")), None);
        assert_eq!(of(&point("scan").with_text(param::CALL, "non-blocking")), None);
        assert_eq!(of(&point("nonsense")), None);
        let (scan, element) = of(&point("scan")).unwrap();
        assert_eq!((scan.count, element), (3, 8));
    }
}
