//! Algorithms that compete for the same collective (M6, M7).

use panto_schedule::{Algorithm, Collective, Problem, schedule};
use panto_transport::{Choice, Prepared, Transport};

use crate::error::Result;
use crate::measure::{Lab, Metric, Operation, Timing};
use crate::point::{Point, param};
use crate::results::Record;
use crate::settings::Settings;

/// The root of broadcasts.
pub(super) const ROOT: usize = 0;
/// The message layer's own way.
pub(super) const LIBRARY: &str = "library";

/// The paper's short names: `lib` says more to its readers than `linear`.
pub(super) fn short_name(algorithm: Algorithm) -> String {
    match algorithm {
        Algorithm::Linear => "lib".into(),
        Algorithm::RecursiveHalving => "reb".into(),
        Algorithm::SegmentedHalving { segments } => format!("reb:{segments}"),
        other => other.to_string(),
    }
}

fn candidate(choice: Choice) -> String {
    match choice {
        Choice::Library => LIBRARY.into(),
        Choice::Algorithm(algorithm) => short_name(algorithm),
    }
}

/// Who carries out the collective of a point.
fn choice(point: &Point) -> Result<Choice> {
    match point.text(param::VARIANT) {
        LIBRARY => Ok(Choice::Library),
        name => Ok(Choice::Algorithm(name.parse()?)),
    }
}

/// The candidates: the usual ones and the message layer's own, or those that the user named and that serve this collective.
pub(super) fn candidates(
    usual: &[Algorithm],
    collective: Collective,
    settings: &Settings,
) -> Result<Vec<String>> {
    let named = &settings.cm5.rivals;
    let usual = usual.iter().copied().map(Choice::Algorithm).chain([Choice::Library]);
    let all: Vec<Choice> = if named.is_empty() { usual.collect() } else { named.clone() };
    let serving: Vec<String> =
        all.iter().copied().filter(|choice| serves(*choice, collective).is_ok()).map(candidate).collect();
    if serving.is_empty() {
        // The error names those that serve.
        all.iter().try_for_each(|choice| serves(*choice, collective))?;
    }
    Ok(serving)
}

fn serves(choice: Choice, collective: Collective) -> Result<()> {
    let smallest = Problem { collective, ranks: 2, root: ROOT, count: 1 };
    match choice {
        Choice::Library => Ok(()),
        Choice::Algorithm(algorithm) => Ok(schedule(&smallest, algorithm).map(drop)?),
    }
}

/// The points of a contest: each number of ranks by each size by each candidate that takes part at that size.
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

/// A collective that is ready to be measured, or why it is not worth it.
pub(super) enum Entrant {
    Ready(Prepared),
    /// The message layer does the same as this candidate.
    SameAs(String),
}

/// What competes at this point. `names` are all candidates there.
pub(super) fn entrant<T: Transport>(
    lab: &Lab<'_, T>,
    point: &Point,
    problem: Problem,
    names: &[String],
) -> Result<Entrant> {
    let choice = choice(point)?;
    let prepared = Prepared::new(lab.transport, problem, 1, choice)?;
    let chosen = prepared.algorithm().map(short_name).filter(|_| choice == Choice::Library);
    Ok(match chosen.filter(|name| names.contains(name)) {
        Some(name) => Entrant::SameAs(name),
        None => Entrant::Ready(prepared),
    })
}

/// The record of a candidate that is another under a second name: its figure is not repeated.
pub(super) fn same<T: Transport>(
    lab: &Lab<'_, T>,
    kernel: &str,
    point: &Point,
    name: &str,
) -> Option<Record> {
    let why = format!("the message layer's own is {name} here");
    lab.is_root().then(|| Record::absent(kernel, point, why))
}

/// From the first start to the last end, one at a time: repetitions would overlap and hide what one takes.
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

/// The algorithm, or that it was the message layer's own.
pub(super) fn name(prepared: &Prepared) -> String {
    prepared.algorithm().map_or_else(|| LIBRARY.into(), |algorithm| algorithm.to_string())
}
