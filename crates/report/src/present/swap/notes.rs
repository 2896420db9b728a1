//! Notes on discrepancies between time definitions (T6), and on cold caches (T4).

use panto_findings::swap::discrepancies;
use panto_results::swap::figure;
use panto_results::{Record, param};
use panto_stats::median;
use panto_units::{bytes, percent, time};

/// Returns the notes that apply.
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
        percent(100.0 * worst.excess),
        point.text(param::PROTOCOL),
        point.text(param::LOOP),
        point.text(param::CACHE_MODE),
        bytes(point.number(param::BYTES).unwrap_or(0)),
        bytes(point.number(param::VOLUME).unwrap_or(0)),
    ))
}

/// Returns the read time of evicted cache lines against warm ones; where it is not longer, caches
/// were not cold.
fn cold(records: &[&Record]) -> Option<String> {
    let all = |name| -> Vec<f64> {
        records.iter().filter_map(|record| record.figures.get(name).copied()).collect()
    };
    let (warm, evicted) = (all(figure::WARM_LINE), all(figure::EVICTED_LINE));
    let (usual_warm, usual_evicted) = (median(&warm).ok()?, median(&evicted).ok()?);
    let in_vain = warm.iter().zip(&evicted).filter(|(warm, evicted)| evicted <= warm).count();
    let read = format!(
        "cold caches verified: reading an evicted cache line takes {}, a warm one {}",
        time(usual_evicted * 1e-9),
        time(usual_warm * 1e-9)
    );
    Some(match in_vain {
        0 => read,
        _ => {
            format!(
                "{read}; at {in_vain} of {} points it was no slower, so their caches were not cold",
                warm.len()
            )
        }
    })
}
