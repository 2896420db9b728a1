//! The bars of a sweep over things that are not numbers, such as machines: the fastest first.

use std::path::Path;

use panto_predict::sweep::Row;
use panto_units::{significant, time};

use super::{SweepOrder, chosen, named, split};
use crate::chart::{Bar, Bars};

/// The most bars of a chart.
const MOST: usize = 60;

/// Returns a ranked chart of bars with the time of each setting, its bounds, what limits it and
/// what it costs.
pub fn sweep_bars(trace: &Path, ranks: u32, rows: &[Row]) -> Bars {
    let (varied, fixed) = split(rows);
    let mut ranked = rows.to_vec();
    SweepOrder::Time.sort(&mut ranked);
    let name = |row: &Row| match &varied[..] {
        [only] => row.variant.get(only).unwrap_or("-").to_owned(),
        _ => chosen(&varied, row),
    };
    let bar = |row: &Row| {
        let figures = row.outcome.as_ref().ok()?;
        let found = row.assessment.as_ref();
        let cost = row.cost.map(|cost| format!("cost {}", significant(cost, 3)));
        let label: Vec<String> = [time(figures.time)].into_iter().chain(cost).collect();
        Some(Bar {
            name: name(row),
            value: figures.time,
            interval: found.map(|found| (found.low, found.high)),
            kind: found.map_or_else(String::new, |found| found.limit().to_string()),
            label: label.join(", "),
        })
    };
    let bars: Vec<Bar> = ranked.iter().filter_map(bar).collect();
    let same = fixed.iter().filter_map(|parameter| Some(named(parameter, rows.first()?)));
    let about = [format!("{}, {ranks} ranks", trace.display())].into_iter().chain(same);
    let failed = rows.len() - bars.len();
    let mut notes = Vec::new();
    if bars.iter().any(|bar| bar.interval.is_some()) {
        notes.push(
            "Whiskers: every figure of the machine at the faster, or at the slower end of its interval."
                .to_owned(),
        );
    }
    if failed > 0 {
        notes.push(format!("{failed} settings failed and have no bar."));
    }
    if bars.len() > MOST {
        notes.push(format!("The first {MOST} of {} settings.", bars.len()));
    }
    Bars {
        title: "Predicted time, the shortest first".into(),
        subtitle: about.collect::<Vec<_>>().join("; "),
        kinds: "limited by".into(),
        bars: bars.into_iter().take(MOST).collect(),
        notes,
    }
}
