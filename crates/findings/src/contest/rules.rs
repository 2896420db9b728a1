//! Rules that choose the fastest measured algorithm, for a simulator or another run.

use std::collections::{BTreeMap, BTreeSet};

use panto_results::scenario::CollectiveCall;
use panto_results::{Error, Point, Record, Result, Value, kernel, param};
use panto_schedule::rules::{ParseError, Row, Table};
use panto_schedule::{Algorithm, Collective, algorithms};

use super::collectives::context;
use super::{Round, rounds};

/// Rules that follow from measurements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choices {
    /// The rules: those of the measured collectives first, then those of the base table.
    pub table: Table,
    /// The collectives that were measured.
    pub measured: Vec<Collective>,
    /// Limitations of the rules, one sentence each.
    pub notes: Vec<String>,
}

/// Returns rules that choose the fastest of Panto's algorithms for each collective of the suite
/// `scenario`. Collectives that were not measured keep the rules of `base`.
///
/// Between two sizes, or two numbers of ranks, with different winners the limit is their geometric
/// mean. Where several are tied, the winner of the size before is kept.
pub fn choices(records: &[Record], base: &Table) -> Result<Choices> {
    let mut contexts: BTreeMap<Collective, BTreeMap<_, Vec<&Record>>> = BTreeMap::new();
    let is_part = |record: &&Record| record.suite() == kernel::scenario::SUITE && record.wrong.is_none();
    for record in records.iter().filter(is_part) {
        // Rules do not cover collectives with blocks of unequal length.
        let Ok(CollectiveCall::Plain(collective)) = record.point.text(param::COLLECTIVE).parse() else {
            continue;
        };
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
            "no algorithm of Panto was measured, so there is nothing to choose from; name some with --impl, such as `panto \
             bench scenario/only --collective bcast --impl binomial,chain:8,scatter-allgather`",
        ));
    }
    let wrong = |error: ParseError| Error::usage(format!("the rules contradict each other: {error}"));
    Ok(Choices { table: base.with(&rules).map_err(wrong)?, measured: measured.into_iter().collect(), notes })
}

fn without_names(point: &Point) -> BTreeMap<String, Value> {
    let mut context = context(point);
    context.remove(param::IMPLEMENTATION);
    context
}

/// Returns whether the points of this context are the baseline of others: without delay or
/// computation.
fn is_for_comparison(context: &BTreeMap<String, Value>) -> bool {
    [param::DELAY, param::COMPUTATION].iter().any(|name| context.get(*name) == Some(&Value::Number(0)))
}

fn several(collective: Collective, contexts: usize) -> Error {
    Error::usage(format!(
        "{collective} was measured in {contexts} scenarios (delays, computations, blocking or not), and rules depend on ranks \
         and sizes only; measure one scenario, such as --delays 100us or `scenario/only`"
    ))
}

/// Returns the rules of one collective: for each number of ranks, limits of the size.
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
            "{collective}: at {foreign} of {} points an implementation that is not one of Panto's algorithms was fastest (such \
             as the library's own); the rules name the fastest algorithm instead",
            rounds.len()
        ));
    }
    let bands = planes.into_iter().map(|(ranks, sizes)| (ranks, of_sizes(&sizes, &serves)));
    let mut bands: Vec<(usize, Vec<(u64, Algorithm)>)> = bands.filter(|(_, band)| !band.is_empty()).collect();
    // Merge equal neighbours into one band that extends to the larger number of ranks.
    bands.dedup_by(|next, band| {
        let is_same = next.1 == band.1;
        if is_same {
            band.0 = next.0;
        }
        is_same
    });
    rows(collective, &bands)
}

/// Returns the size in bytes from which each algorithm is chosen, ascending from 0.
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

/// Converts bands to rows. The first matching row decides, so each needs upper limits only.
fn rows(collective: Collective, bands: &[(usize, Vec<(u64, Algorithm)>)]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (place, (ranks, sizes)) in bands.iter().enumerate() {
        let most_ranks = bands.get(place + 1).map(|next| middle(*ranks as u64, next.0 as u64) as usize - 1);
        for (place, (_, algorithm)) in sizes.iter().enumerate() {
            let below = sizes.get(place + 1).map(|(from, _)| (*from as usize).saturating_sub(1));
            let mut row = Row::always(collective, *algorithm);
            row.ranks = 0..=most_ranks.unwrap_or(usize::MAX);
            // Bytes that each rank contributes or receives; for most collectives the size itself.
            row.block = 0..=below.unwrap_or(usize::MAX);
            row.note = format!("measured with {ranks} ranks");
            rows.push(row);
        }
    }
    rows
}

/// Returns the smallest number that is nearer to `large` than to `small` on a logarithmic scale.
pub fn middle(small: u64, large: u64) -> u64 {
    let middle = ((small.max(1) as f64) * (large as f64)).sqrt();
    (middle.ceil() as u64).clamp(small + 1, large.max(small + 1))
}

#[cfg(test)]
mod tests {
    use panto_results::Samples;
    use panto_schedule::rules::mpich;
    use panto_units::Time;

    use super::*;

    fn record(implementation: &str, ranks: usize, bytes: u64, nanos: f64) -> Record {
        let point = Point::new(ranks)
            .with_text(param::COLLECTIVE, "bcast")
            .with_text(param::IMPLEMENTATION, implementation)
            .with(param::BYTES, bytes);
        let nanos = (0..10).map(|i| nanos * (1.0 + 0.001 * f64::from(i))).collect();
        Record::new("scenario/only", &point, Samples { nanos, ..Samples::exact(Time::ZERO) })
    }

    /// Returns records in which binomial is fastest for small messages and a chain for large ones,
    /// from a size that grows with the ranks.
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
        // The library was fastest everywhere, which no rule can express.
        assert!(found.notes[0].starts_with("broadcast: at 8 of 8 points"), "{:?}", found.notes);
        let others = |table: &Table| {
            let others = table.rows().filter(|row| row.collective != Collective::Broadcast);
            others.map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(others(&found.table), others(mpich()));
    }

    #[test]
    fn a_tie_keeps_the_algorithm() {
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
    fn rules_cover_one_scenario() {
        let mut records = measured();
        let with_delay = |record: &Record, nanos: u64| {
            let point = record.point.clone().with(param::DELAY, nanos);
            Record { point, ..record.clone() }
        };
        let delayed = |record: &Record| with_delay(record, 1000);
        let mut late: Vec<Record> = records.iter().map(delayed).collect();
        records.extend(late.clone());
        let error = choices(&records, mpich()).expect_err("two scenarios").to_string();
        assert!(error.contains("in 2 scenarios"), "{error}");
        // The baseline of a scenario is not a scenario of its own.
        late.push(with_delay(&record("chain:4", 4, 64, 1.0), 0));
        let found = choices(&late, mpich()).expect("one scenario");
        assert_eq!(found.table.choose(Collective::Broadcast, 4, 64).to_string(), "binomial");
        let error = choices(&[record("library", 4, 8, 1.0)], mpich()).expect_err("no algorithm").to_string();
        assert!(error.contains("--impl"), "{error}");
    }
}
