//! What was fastest, as rules that a simulator or another run can follow.

use std::collections::{BTreeMap, BTreeSet};

use panto_schedule::rules::{ParseError, Row, Table, mpich};
use panto_schedule::{Algorithm, Collective, algorithms};
use panto_transport::Time;

use super::collectives::context;
use super::{Round, SCENARIOS, rounds};
use crate::error::{Error, Result};
use crate::kernel::Kernel;
use crate::measure::Samples;
use crate::point::{Point, Value, param};
use crate::results::Record;
use crate::scenario::SUITE;
use crate::scenario::operation::Call;
use crate::settings::Settings;

/// Rules that follow from measurements, and what a reader should know of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choices {
    /// Rules for every collective: the measured ones first of all, then those of the table that was given.
    pub table: Table,
    /// The collectives that were measured.
    pub measured: Vec<Collective>,
    /// Where the rules are less than they look.
    pub notes: Vec<String>,
}

/// The rules that choose the fastest of our algorithms for each collective of the suite `scenario`. What was not measured is
/// chosen as `base` does.
///
/// Between two sizes, or two numbers of ranks, with different winners the limit is their geometric mean. Where several cannot be told apart, the one
/// that was best at the size before stays.
pub fn choices(records: &[Record], base: &Table) -> Result<Choices> {
    let mut contexts: BTreeMap<Collective, BTreeMap<_, Vec<&Record>>> = BTreeMap::new();
    let is_part = |record: &&Record| record.kernel.starts_with(SCENARIOS) && record.wrong.is_none();
    for record in records.iter().filter(is_part) {
        // Collectives with unequal blocks have names of their own, and no rules.
        let Ok(Call::Plain(collective)) = record.point.text(param::COLLECTIVE).parse() else { continue };
        let context = (record.kernel.as_str(), record.machine.as_deref(), without_names(&record.point));
        contexts.entry(collective).or_default().entry(context).or_default().push(record);
    }
    let mut rules = Vec::new();
    let mut notes = Vec::new();
    for (collective, mut contexts) in contexts {
        if !contexts.keys().all(|(_, _, context)| is_for_comparison(context)) {
            contexts.retain(|(_, _, context), _| !is_for_comparison(context));
        }
        if contexts.len() > 1 {
            return Err(several(collective, contexts.len()));
        }
        let Some((_, records)) = contexts.pop_first() else { continue };
        let chosen = of_collective(collective, &rounds(&records, param::IMPLEMENTATION), &mut notes);
        rules.extend(chosen);
    }
    let measured: BTreeSet<Collective> = rules.iter().map(|row: &Row| row.collective).collect();
    if measured.is_empty() {
        return Err(Error::usage(
            "there is no algorithm of Panto's own, so there is nothing to choose; name some: panto bench scenario/only --collective \
             bcast --impl binomial,chain:8,scatter-allgather",
        ));
    }
    let wrong = |error: ParseError| Error::usage(format!("the rules contradict each other: {error}"));
    Ok(Choices { table: base.with(&rules).map_err(wrong)?, measured: measured.into_iter().collect(), notes })
}

/// Will there be rules when these kernels have been measured? What [`choices`] would refuse then is refused before.
pub fn can_choose(kernels: &[Kernel], settings: &Settings) -> Result<()> {
    let mut records = Vec::new();
    for kernel in kernels.iter().filter(|kernel| kernel.about().suite == SUITE) {
        let points = kernel.points(&settings.with_least_ranks(kernel.about().least_ranks), &[])?;
        let name = kernel.to_string();
        let record = |point: &Point| Record::new(&name, point, Samples::exact(Time::from_nanos(1)));
        records.extend(points.iter().map(record));
    }
    choices(&records, mpich()).map(drop)
}

fn without_names(point: &Point) -> BTreeMap<String, Value> {
    let mut context = context(point);
    context.remove(param::IMPLEMENTATION);
    context
}

/// Points without the delay or the computation of the others are measured to compare with.
fn is_for_comparison(context: &BTreeMap<String, Value>) -> bool {
    [param::DELAY, param::COMPUTATION].iter().any(|name| context.get(*name) == Some(&Value::Number(0)))
}

fn several(collective: Collective, contexts: usize) -> Error {
    Error::usage(format!(
        "there are {contexts} scenarios of {collective} (delays, computations, ways of calling), and rules know only ranks and \
         sizes; measure one of them, such as --delays 100us or `scenario/only`"
    ))
}

/// The rules of one collective: for each number of ranks, limits of the size.
fn of_collective(collective: Collective, rounds: &[Round], notes: &mut Vec<String>) -> Vec<Row> {
    let serving = algorithms(collective);
    let serves = |name: &str| {
        let algorithm = name.parse::<Algorithm>().ok();
        algorithm.filter(|algorithm| serving.iter().any(|other| other.is_kind_of(*algorithm)))
    };
    let mut planes: BTreeMap<usize, BTreeMap<u64, &Round>> = BTreeMap::new();
    for round in rounds {
        let bytes = round.point.number(param::BYTES).unwrap_or(0);
        planes.entry(round.point.ranks).or_default().insert(bytes, round);
    }
    let foreign = rounds.iter().filter(|round| serves(&round.fastest().name).is_none()).count();
    if foreign > 0 {
        notes.push(format!(
            "{collective}: at {foreign} of {} points something that is no algorithm of Panto's was fastest (such as the \
             library's own); the rules name the best algorithm instead",
            rounds.len()
        ));
    }
    let bands = planes.into_iter().map(|(ranks, sizes)| (ranks, of_sizes(&sizes, &serves)));
    let mut bands: Vec<(usize, Vec<(u64, Algorithm)>)> = bands.filter(|(_, band)| !band.is_empty()).collect();
    // Equal neighbours are one band that reaches as far as the larger of them.
    bands.dedup_by(|next, band| {
        let is_same = next.1 == band.1;
        if is_same {
            band.0 = next.0;
        }
        is_same
    });
    rows(collective, &bands)
}

/// From the smallest size on: the size from which an algorithm is best, limits between them already in the middle.
fn of_sizes(
    sizes: &BTreeMap<u64, &Round>,
    serves: &dyn Fn(&str) -> Option<Algorithm>,
) -> Vec<(u64, Algorithm)> {
    let mut chosen: Vec<(u64, Algorithm)> = Vec::new();
    let mut before = 0;
    for (&bytes, round) in sizes {
        let entries = round.entries.iter().filter(|entry| serves(&entry.name).is_some());
        let mut entries = entries.peekable();
        let Some(&fastest) = entries.peek() else { continue };
        let tied: Vec<Algorithm> = entries
            .filter(|entry| entry.is_tied_with(fastest))
            .filter_map(|entry| serves(&entry.name))
            .collect();
        let stays = chosen.last().is_some_and(|(_, last)| tied.contains(last));
        if !stays && let Some(algorithm) = serves(&fastest.name) {
            let from = if chosen.is_empty() { 0 } else { middle(before, bytes) };
            chosen.push((from, algorithm));
        }
        before = bytes;
    }
    chosen
}

/// The first match decides, so upper limits are enough; the last rule has none.
fn rows(collective: Collective, bands: &[(usize, Vec<(u64, Algorithm)>)]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (place, (ranks, sizes)) in bands.iter().enumerate() {
        let most_ranks = bands.get(place + 1).map(|next| middle(*ranks as u64, next.0 as u64) as usize - 1);
        for (place, (_, algorithm)) in sizes.iter().enumerate() {
            let below = sizes.get(place + 1).map(|(from, _)| (*from as usize).saturating_sub(1));
            let mut row = Row::always(collective, *algorithm);
            row.ranks = 0..=most_ranks.unwrap_or(usize::MAX);
            // What each rank brings or gets: for most collectives that is the size itself.
            row.block = 0..=below.unwrap_or(usize::MAX);
            row.note = format!("measured with {ranks} ranks");
            rows.push(row);
        }
    }
    rows
}

/// The first number that is nearer to the larger one, on a logarithmic scale.
fn middle(small: u64, large: u64) -> u64 {
    let middle = ((small.max(1) as f64) * (large as f64)).sqrt();
    (middle.ceil() as u64).clamp(small + 1, large.max(small + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(implementation: &str, ranks: usize, bytes: u64, nanos: f64) -> Record {
        let point = Point::new(ranks)
            .with_text(param::COLLECTIVE, "bcast")
            .with_text(param::IMPLEMENTATION, implementation)
            .with(param::BYTES, bytes);
        let nanos = (0..10).map(|i| nanos * (1.0 + 0.001 * f64::from(i))).collect();
        Record::new("scenario/only", &point, Samples { nanos, ..Samples::exact(Time::ZERO) })
    }

    /// Binomial is best for small messages, a chain for large ones, later the more ranks there are.
    fn measured() -> Vec<Record> {
        let mut records = Vec::new();
        for (ranks, limit) in [(4, 256), (16, 1024)] {
            for bytes in [64, 256, 1024, 4096] {
                let is_small = bytes < limit;
                records.push(record("binomial", ranks, bytes, if is_small { 10.0 } else { 30.0 }));
                records.push(record("chain:4", ranks, bytes, 20.0));
                records.push(record("library", ranks, bytes, 5.0));
            }
        }
        records
    }

    #[test]
    fn the_fastest_algorithm_is_chosen_where_it_was_measured() {
        let found = choices(&measured(), mpich()).expect("sound");
        assert_eq!(found.measured, [Collective::Broadcast]);
        let chosen = |ranks, bytes| found.table.choose(Collective::Broadcast, ranks, bytes).to_string();
        for (ranks, bytes, algorithm) in [
            (4, 64, "binomial"),
            (4, 127, "binomial"),
            (4, 128, "chain:4"),
            (4, 1 << 20, "chain:4"),
            (7, 256, "chain:4"),
            (8, 256, "binomial"),
            (16, 256, "binomial"),
            (1000, 4096, "chain:4"),
        ] {
            assert_eq!(chosen(ranks, bytes), algorithm, "{ranks} ranks, {bytes} bytes");
        }
        // The library was faster everywhere, and no rule can say so.
        assert!(found.notes[0].starts_with("broadcast: at 8 of 8 points"), "{:?}", found.notes);
        let others = |table: &Table| {
            let others = table.rows().filter(|row| row.collective != Collective::Broadcast);
            others.map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(others(&found.table), others(mpich()));
    }

    #[test]
    fn ties_change_nothing() {
        let records = [
            record("binomial", 4, 8, 10.0),
            record("chain:4", 4, 8, 20.0),
            record("binomial", 4, 64, 10.001),
            record("chain:4", 4, 64, 10.0),
        ];
        let found = choices(&records, mpich()).expect("sound");
        assert_eq!(found.table.choose(Collective::Broadcast, 4, 1 << 20).to_string(), "binomial");
    }

    #[test]
    fn rules_know_one_scenario() {
        let mut records = measured();
        let with_delay = |record: &Record, nanos: u64| {
            let point = record.point.clone().with(param::DELAY, nanos);
            Record { point, ..record.clone() }
        };
        let delayed = |record: &Record| with_delay(record, 1000);
        let mut late: Vec<Record> = records.iter().map(delayed).collect();
        records.extend(late.clone());
        let error = choices(&records, mpich()).expect_err("two scenarios").to_string();
        assert!(error.contains("2 scenarios"), "{error}");
        // What is measured beside it to compare with is no scenario of its own.
        late.push(with_delay(&record("chain:4", 4, 64, 1.0), 0));
        let found = choices(&late, mpich()).expect("one scenario");
        assert_eq!(found.table.choose(Collective::Broadcast, 4, 64).to_string(), "binomial");
        let error = choices(&[record("library", 4, 8, 1.0)], mpich()).expect_err("no algorithm").to_string();
        assert!(error.contains("--impl"), "{error}");
    }
}
