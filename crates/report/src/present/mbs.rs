//! Output in the format of CRESTA's collectives microbenchmark suite (S8), for scripts and gnuplot
//! files that read it.

use std::collections::BTreeMap;

use panto_results::{Point, Record, duration, kernel, param};
use panto_stats::Summary;

use super::phrases;

const HEADER: &str = "Data  ranks  average (us)  min (us)  max (us)  stdDev (us)";

/// Returns a table per collective of the suite `scenario` and context: implementation, delay,
/// computation. A row is a size and a number of participants, and times are microseconds to
/// completion (S7), as in that suite.
pub fn mbs(records: &[Record]) -> String {
    let mut tables: BTreeMap<String, Vec<&Record>> = BTreeMap::new();
    // A delay of 0 is scenario 1, which has its own table.
    let is_shown = |record: &&Record| {
        record.suite() == kernel::scenario::SUITE && record.point.number(param::DELAY) != Some(0)
    };
    for record in records.iter().filter(is_shown) {
        tables.entry(title(&record.point)).or_default().push(record);
    }
    if tables.is_empty() {
        return "# no records of the suite `scenario`; see `panto bench scenario --help`\n".into();
    }
    let table = |(title, mut records): (String, Vec<&Record>)| {
        records.sort_by_key(|record| (size(&record.point), record.point.ranks));
        let rows: String = records.into_iter().map(row).collect();
        format!("{}:\n{HEADER}\n{rows}\n", phrases::one_line(&title))
    };
    tables.into_iter().map(table).collect()
}

/// Returns the title of a table: `Broadcast`, and the point's context.
fn title(point: &Point) -> String {
    let name = match point.text(param::COLLECTIVE) {
        "bcast" => "Broadcast".to_owned(),
        "allgather" => "AllGather".to_owned(),
        "allreduce" => "AllReduce".to_owned(),
        "" => "Scenario".to_owned(),
        other => phrases::capitalised(other),
    };
    let duration = |name: &str| point.number(name).map(duration);
    let text = |name: &str| Some(point.text(name)).filter(|text| !text.is_empty());
    let rest = [
        text(param::SCENARIO).map(str::to_owned),
        text(param::IMPLEMENTATION).filter(|name| *name != "library").map(str::to_owned),
        text(param::CALL).filter(|call| *call != "blocking").map(str::to_owned),
        duration(param::DELAY).map(|delay| format!("delay {delay}")),
        text(param::LATE).map(|who| format!("participant {} late", counted_from_one(who))),
        duration(param::COMPUTATION).map(|computation| format!("computation {computation}")),
        text(param::PROGRESS).map(|how| format!("progress {how}")),
    ];
    std::iter::once(name).chain(rest.into_iter().flatten()).collect::<Vec<_>>().join(", ")
}

/// Converts a participant's number to CRESTA's, which starts at 1.
fn counted_from_one(who: &str) -> String {
    who.parse::<u64>().map_or_else(|_| who.to_owned(), |number| number.saturating_add(1).to_string())
}

fn size(point: &Point) -> u64 {
    point.number(param::BYTES).unwrap_or(0)
}

fn row(record: &Record) -> String {
    let (size, ranks) = (size(&record.point), record.point.ranks);
    let Some(Summary { mean, min, max, .. }) = record.summary() else {
        let why = record.absent.as_deref().unwrap_or("not measured");
        return format!("# {size} {ranks} {}\n", phrases::one_line(why));
    };
    let deviation = deviation(&record.samples_ns, mean);
    let [mean, min, max, deviation] = [mean, min, max, deviation].map(|nanos| format!("{:.6}", nanos * 1e-3));
    let wrong =
        record.wrong.as_ref().map(|what| format!("  # {}", phrases::one_line(what))).unwrap_or_default();
    format!("{size:<5} {ranks:<6} {mean:<13} {min:<9} {max:<9} {deviation}{wrong}\n")
}

/// Returns the sample standard deviation; 0 for a single sample.
fn deviation(samples: &[f64], mean: f64) -> f64 {
    if samples.len() < 2 {
        return 0.0;
    }
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    (squares / (samples.len() - 1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use panto_results::Samples;
    use panto_units::Time;

    use super::*;

    fn record(ranks: usize, bytes: u64, nanos: &[f64]) -> Record {
        let point = Point::new(ranks).with_text(param::COLLECTIVE, "bcast").with(param::BYTES, bytes);
        let point = point.with_text(param::IMPLEMENTATION, "library").with_text(param::CALL, "blocking");
        Record::new("scenario/only", &point, Samples { nanos: nanos.to_vec(), ..Samples::exact(Time::ZERO) })
    }

    #[test]
    fn a_table_has_cresta_s_format() {
        let records = [record(4, 512, &[1_000.0, 3_000.0]), record(2, 512, &[500.0])];
        assert_eq!(
            mbs(&records),
            "Broadcast:\nData  ranks  average (us)  min (us)  max (us)  stdDev (us)\n\
             512   2      0.500000      0.500000  0.500000  0.000000\n\
             512   4      2.000000      1.000000  3.000000  1.414214\n\n"
        );
        let absent = Record::absent("scenario/only", &records[0].point, "no such\nthing");
        assert!(mbs(&[absent]).contains("# 512 4 no such thing\n"), "{}", mbs(&records));
    }

    #[test]
    fn contexts_have_tables_of_their_own() {
        let late = |record: Record, who: &str| {
            let point = record.point.with(param::DELAY, 50_000).with_text(param::LATE, who);
            Record { kernel: "scenario/delay".into(), point, ..record }
        };
        let one = || record(4, 8, &[1.0]);
        let text = mbs(&[one(), late(one(), "last"), late(one(), "2")]);
        for title in ["", ", delay 50us, participant last late", ", delay 50us, participant 3 late"] {
            assert!(text.contains(&format!("Broadcast{title}:\n")), "no `{title}` in {text}");
        }
    }
}
