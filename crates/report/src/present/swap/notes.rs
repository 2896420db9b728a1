//! What the figures do not say: times that differ (T6), and whether caches were cold (T4).

use panto_bench::param;
use panto_bench::results::Record;
use panto_bench::swap::{discrepancies, figure};
use panto_stats::median;
use panto_units::{bytes, percent, time};

/// Sentences, as far as there is something to say.
pub(super) fn notes(records: &[&Record]) -> Vec<String> {
    [differing(records), cold(records)].into_iter().flatten().collect()
}

fn differing(records: &[&Record]) -> Option<String> {
    let found = discrepancies(records);
    let worst = found.first()?;
    let measured = records.iter().filter(|record| !record.first_to_last_ns.is_empty()).count();
    let point = &worst.point;
    Some(format!(
        "the time from the first start to the last end differs from the longest over the ranks by more than 10% at {} of {measured} \
         points, by up to {} ({}, {}, {}, {} of {})",
        found.len(),
        percent(100.0 * worst.part),
        point.text(param::PROTOCOL),
        point.text(param::LOOP),
        point.text(param::WAY),
        bytes(point.number(param::BYTES).unwrap_or(0)),
        bytes(point.number(param::VOLUME).unwrap_or(0)),
    ))
}

/// How much slower evicted lines are read; where they are not, caches were not cold.
fn cold(records: &[&Record]) -> Option<String> {
    let all = |name| -> Vec<f64> {
        records.iter().filter_map(|record| record.figures.get(name).copied()).collect()
    };
    let (warm, evicted) = (all(figure::WARM_LINE), all(figure::EVICTED_LINE));
    let (usual_warm, usual_evicted) = (median(&warm).ok()?, median(&evicted).ok()?);
    let in_vain = warm.iter().zip(&evicted).filter(|(warm, evicted)| evicted <= warm).count();
    let read = format!(
        "cold caches were checked: an evicted line takes {} to read, a warm one {}",
        time(usual_evicted * 1e-9),
        time(usual_warm * 1e-9)
    );
    Some(match in_vain {
        0 => read,
        _ => {
            format!("{read}; at {in_vain} of {} points it was no slower, so those were not cold", warm.len())
        }
    })
}
