//! Algorithms that compete for the same collective (M6, M7).

use panto_results::{Metric, Point, Record, param};
use panto_schedule::{Algorithm, Collective, Problem, schedule};
use panto_transport::{AlgorithmChoice, PreparedCollective, Transport};

use super::Options;
use crate::error::Result;
use crate::measure::{Lab, Operation, Timing};
use crate::settings::Settings;

/// Root of broadcasts.
pub(super) const ROOT: usize = 0;
/// Name of the message layer's own algorithm.
pub(super) const LIBRARY: &str = "library";

/// Returns the paper's short name: its readers know `lib` rather than `linear`.
pub(super) fn short_name(algorithm: Algorithm) -> String {
    match algorithm {
        Algorithm::Linear => "lib".into(),
        Algorithm::RecursiveHalving => "reb".into(),
        Algorithm::SegmentedHalving { segments } => format!("reb:{segments}"),
        other => other.to_string(),
    }
}

fn candidate_name(choice: AlgorithmChoice) -> String {
    match choice {
        AlgorithmChoice::Library => LIBRARY.into(),
        AlgorithmChoice::Algorithm(algorithm) => short_name(algorithm),
    }
}

/// Returns the algorithm of a point.
fn choice(point: &Point) -> Result<AlgorithmChoice> {
    match point.text(param::VARIANT) {
        LIBRARY => Ok(AlgorithmChoice::Library),
        name => Ok(AlgorithmChoice::Algorithm(name.parse()?)),
    }
}

/// Returns the candidates: the default ones and the message layer's own, or those that the user
/// named and that support this collective.
pub(super) fn candidates(
    usual: &[Algorithm],
    collective: Collective,
    settings: &Settings,
) -> Result<Vec<String>> {
    let options = settings.options.get::<Options>();
    let named = &options.candidates;
    let usual = usual.iter().copied().map(AlgorithmChoice::Algorithm).chain([AlgorithmChoice::Library]);
    let all: Vec<AlgorithmChoice> = if named.is_empty() { usual.collect() } else { named.clone() };
    let serving: Vec<String> = all
        .iter()
        .copied()
        .filter(|choice| serves(*choice, collective).is_ok())
        .map(candidate_name)
        .collect();
    if serving.is_empty() {
        // The error lists the algorithms that support it.
        all.iter().try_for_each(|choice| serves(*choice, collective))?;
    }
    Ok(serving)
}

fn serves(choice: AlgorithmChoice, collective: Collective) -> Result<()> {
    let smallest = Problem { collective, ranks: 2, root: ROOT, count: 1 };
    match choice {
        AlgorithmChoice::Library => Ok(()),
        AlgorithmChoice::Algorithm(algorithm) => Ok(schedule(&smallest, algorithm).map(drop)?),
    }
}

/// Returns the points of a contest: each number of ranks by each size by each candidate at that
/// size.
pub(super) fn points(
    settings: &Settings,
    sizes: &[u64],
    names: &[String],
    takes_part: impl Fn(&str, u64) -> bool,
) -> Vec<Point> {
    let mut points = Vec::new();
    for ranks in settings.rank_sweep().into_iter().filter(|&ranks| ranks > 1) {
        for &bytes in sizes {
            let point = Point::new(ranks).with(param::BYTES, bytes);
            let takes_part = names.iter().filter(|name| takes_part(name, bytes));
            points.extend(takes_part.map(|name| point.clone().with_text(param::VARIANT, name)));
        }
    }
    points
}

/// A collective that is ready to be measured, or the reason why it is not.
pub(super) enum Candidate {
    Ready(PreparedCollective),
    /// The message layer uses the algorithm of this candidate.
    SameAs(String),
}

/// Returns the candidate of this point. `names` are all candidates there.
pub(super) fn candidate<T: Transport>(
    lab: &Lab<'_, T>,
    point: &Point,
    problem: Problem,
    names: &[String],
) -> Result<Candidate> {
    let choice = choice(point)?;
    let prepared = PreparedCollective::new(lab.transport, problem, 1, choice)?;
    let chosen = prepared.algorithm().map(short_name).filter(|_| choice == AlgorithmChoice::Library);
    Ok(match chosen.filter(|name| names.contains(name)) {
        Some(name) => Candidate::SameAs(name),
        None => Candidate::Ready(prepared),
    })
}

/// Returns the record of a candidate that duplicates another: it is not measured twice.
pub(super) fn same<T: Transport>(
    lab: &Lab<'_, T>,
    kernel: &str,
    point: &Point,
    name: &str,
) -> Option<Record> {
    let why = format!("the message layer's own is {name} here");
    lab.is_root().then(|| Record::absent(kernel, point, why))
}

/// Measures from the first start to the last end, one at a time: repetitions would overlap and hide
/// the time of one.
pub(super) fn measure<T: Transport>(
    lab: &mut Lab<'_, T>,
    kernel: &str,
    point: &Point,
    (moved, algorithm): (u64, String),
    operation: &mut impl Operation,
) -> Result<Option<Record>> {
    let samples = lab.measure(Timing::single(Metric::first_to_last()), operation)?;
    Ok(samples.map(|samples| Record {
        moved: Some(moved),
        algorithm: Some(algorithm),
        ..Record::new(kernel, point, samples)
    }))
}

/// Returns the algorithm, or `library` for the message layer's own.
pub(super) fn name(prepared: &PreparedCollective) -> String {
    prepared.algorithm().map_or_else(|| LIBRARY.into(), |algorithm| algorithm.to_string())
}
