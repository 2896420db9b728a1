//! The collectives that CoMet measures: broadcast, global reduction, barrier (C6-C8).

mod operation;

use panto_results::{Metric, Point, Record, kernel, param, variant};
use panto_schedule::{Algorithm, Collective, Problem, schedule};
use panto_transport::{AlgorithmChoice, PreparedCollective, Transport};

use super::Options;
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Lab, Timing};
use crate::pattern::LARGE;
use crate::settings::Settings;
use crate::sizes::message_sizes;
use operation::{BarrierOperation, BroadcastOperation, ReductionOperation};

/// Root of broadcasts, and the rank that is timed.
const ROOT: usize = 0;
/// Algorithm in a record whose choice only the message layer knows.
const LIBRARY: &str = "library";
const DOUBLE: usize = size_of::<f64>();

/// Largest default broadcast in bytes: larger than the thesis's pages, small enough for many ranks
/// on one machine.
const LARGEST_BROADCAST: u64 = 1 << 20;
const LARGEST_VECTOR: u64 = 1 << 17;

/// Broadcast by size and by number of ranks; a barrier closes the timed region unless the user
/// disables it.
#[derive(Debug, Clone, Copy)]
pub struct Broadcast;

/// Global sum of a vector of doubles by length and by number of ranks.
#[derive(Debug, Clone, Copy)]
pub struct Reduction;

/// Barrier by number of ranks, repeated back to back: the minimum is the least time that it can
/// take.
#[derive(Debug, Clone, Copy)]
pub struct Barrier;

impl Pattern for Broadcast {
    fn name(&self) -> &'static str {
        kernel::comet::BROADCAST
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let sizes = settings.sizes.clone().unwrap_or_else(|| message_sizes(LARGEST_BROADCAST, settings.seed));
        // A schedule without ranks has no closing barrier.
        let closed = settings.options.get::<Options>().closing_barrier && !settings.is_stackless();
        let variant = if closed { variant::CLOSED } else { variant::OPEN };
        let point =
            |ranks, bytes| Point::new(ranks).with(param::BYTES, bytes).with_text(param::VARIANT, variant);
        check_algorithm(Collective::Broadcast, settings)?;
        Ok(by_ranks(settings, &sizes, point))
    }

    fn collective(&self, point: &Point) -> Option<(Problem, usize)> {
        let count = point.get(param::BYTES);
        let open = point.text(param::VARIANT) == variant::OPEN;
        open.then_some((
            Problem { collective: Collective::Broadcast, ranks: point.ranks, root: ROOT, count },
            1,
        ))
    }

    fn algorithm(&self, settings: &Settings) -> Option<Algorithm> {
        algorithm(settings)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let (bytes, closed) = (point.get(param::BYTES), point.text(param::VARIANT) == variant::CLOSED);
        let problem = problem(Collective::Broadcast, lab.transport, bytes);
        let mut operation = BroadcastOperation {
            transport: lab.transport,
            broadcast: PreparedCollective::new(lab.transport, problem, 1, choice(lab.settings))?,
            closing: closed.then(|| barrier(lab.transport, AlgorithmChoice::Library)).transpose()?,
            data: vec![0; bytes],
            round: 0,
        };
        // Without the barrier the root may be done long before the last rank has the message. Large
        // ones are timed one by one, because the root rewrites its buffer between samples.
        let timing = match closed {
            true if bytes > LARGE => Timing::single(Metric::on(ROOT)),
            true => Timing::batched(Metric::on(ROOT)),
            false => Timing::single(Metric::first_to_last()),
        };
        let samples = lab.measure(timing, &mut operation)?;
        Ok(samples.map(|samples| Record {
            moved: Some(bytes as u64),
            algorithm: Some(name(&operation.broadcast)),
            ..Record::new(self.name(), point, samples)
        }))
    }
}

impl Pattern for Reduction {
    fn name(&self) -> &'static str {
        kernel::comet::REDUCTION
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        let powers = || (0..).map(|power| 1_u64 << power).take_while(|&length| length <= LARGEST_VECTOR);
        let lengths = settings.lengths.clone().unwrap_or_else(|| powers().collect());
        check_algorithm(Collective::Allreduce, settings)?;
        Ok(by_ranks(settings, &lengths, |ranks, length| Point::new(ranks).with(param::LENGTH, length)))
    }

    fn collective(&self, point: &Point) -> Option<(Problem, usize)> {
        let count = point.get(param::LENGTH);
        Some((Problem { collective: Collective::Allreduce, ranks: point.ranks, root: ROOT, count }, DOUBLE))
    }

    fn algorithm(&self, settings: &Settings) -> Option<Algorithm> {
        algorithm(settings)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let length = point.get(param::LENGTH);
        let problem = problem(Collective::Allreduce, lab.transport, length);
        let mut operation = ReductionOperation {
            transport: lab.transport,
            reduction: PreparedCollective::new(lab.transport, problem, DOUBLE, choice(lab.settings))?,
            input: vec![0; length * DOUBLE],
            output: vec![0; length * DOUBLE],
            round: 0,
        };
        let samples = lab.measure(Timing::batched(Metric::on(ROOT)), &mut operation)?;
        Ok(samples.map(|samples| Record {
            moved: Some((length * DOUBLE) as u64),
            algorithm: Some(name(&operation.reduction)),
            ..Record::new(self.name(), point, samples)
        }))
    }
}

impl Pattern for Barrier {
    fn name(&self) -> &'static str {
        kernel::comet::BARRIER
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        check_algorithm(Collective::Barrier, settings)?;
        Ok(rank_counts(settings).into_iter().map(Point::new).collect())
    }

    fn collective(&self, point: &Point) -> Option<(Problem, usize)> {
        Some((Problem { collective: Collective::Barrier, ranks: point.ranks, root: ROOT, count: 0 }, 1))
    }

    fn algorithm(&self, settings: &Settings) -> Option<Algorithm> {
        algorithm(settings)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let barrier = barrier(lab.transport, choice(lab.settings))?;
        let mut operation = BarrierOperation { transport: lab.transport, barrier };
        let samples = lab.measure(Timing::batched(Metric::on(ROOT)), &mut operation)?;
        Ok(samples.map(|samples| Record {
            algorithm: Some(name(&operation.barrier)),
            verified: false,
            ..Record::new(self.name(), point, samples)
        }))
    }
}

/// Returns the algorithm that the user named.
fn algorithm(settings: &Settings) -> Option<Algorithm> {
    settings.options.get::<Options>().algorithm
}

fn choice(settings: &Settings) -> AlgorithmChoice {
    settings.options.get::<Options>().choice()
}

/// Checks, before anything is measured, that the algorithm that the user named supports this
/// collective.
fn check_algorithm(collective: Collective, settings: &Settings) -> Result<()> {
    let Some(algorithm) = algorithm(settings) else { return Ok(()) };
    let smallest = Problem { collective, ranks: 2, root: ROOT, count: 1 };
    schedule(&smallest, algorithm)?;
    Ok(())
}

/// Returns the numbers of ranks; a collective of one rank is none.
fn rank_counts(settings: &Settings) -> Vec<usize> {
    settings.rank_sweep().into_iter().filter(|&ranks| ranks > 1).collect()
}

fn by_ranks(settings: &Settings, values: &[u64], point: impl Fn(usize, u64) -> Point) -> Vec<Point> {
    let each = |ranks| values.iter().map(|&value| point(ranks, value)).collect::<Vec<_>>();
    rank_counts(settings).into_iter().flat_map(each).collect()
}

fn problem<T: Transport>(collective: Collective, transport: &T, count: usize) -> Problem {
    Problem { collective, ranks: transport.size(), root: ROOT, count }
}

fn barrier<T: Transport>(
    transport: &T,
    choice: AlgorithmChoice,
) -> panto_transport::Result<PreparedCollective> {
    PreparedCollective::new(transport, problem(Collective::Barrier, transport, 0), 1, choice)
}

/// Returns the algorithm, or `library` for the message layer's own collective.
fn name(prepared: &PreparedCollective) -> String {
    prepared.algorithm().map_or_else(|| LIBRARY.into(), |algorithm| algorithm.to_string())
}
