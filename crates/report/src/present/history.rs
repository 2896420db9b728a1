//! An implementation over its versions: a table, sentences, graphs, and the same for programs (S9).

mod export;
mod figure;

use panto_compare::{Change, History, Series, Value, Verdict, Version};
use panto_units::time;

use super::{date, param, words};
use crate::table::{Column, Table};

pub use export::{history_csv, history_json};
pub use figure::history_figures;

/// More versions do not fit beside each other; the last ones are shown.
const MOST_VERSIONS: usize = 8;

/// A row for each point, a column for each version: the median, and what it is against the version before. At most `most`
/// points, those with the largest changes first.
pub fn history_table(history: &History, most: usize) -> Table {
    let first = history.versions.len().saturating_sub(MOST_VERSIONS);
    let shown = || history.versions.iter().enumerate().skip(first);
    let heads = shown().flat_map(|(place, version)| {
        [
            Column::right(name(version, place)),
            Column::text(if place == first { "" } else { "against before" }),
        ]
    });
    let mut table = Table::new([Column::text("kernel"), Column::text("point")].into_iter().chain(heads));
    let (series, shared) = (by_weight(history), shared(history));
    for one in series.iter().take(most) {
        let cells =
            shown().flat_map(|(place, _)| cells(one.values.iter().find(|value| value.version == place)));
        table.row([words::printable(&one.key.kernel), point(one, &shared)].into_iter().chain(cells));
    }
    let caption: Vec<String> = [
        (first > 0).then(|| format!("the last {MOST_VERSIONS} of {} versions", history.versions.len())),
        (series.len() > most)
            .then(|| format!("{most} of {} points, the largest changes first", series.len())),
        (!shared.is_empty()).then(|| format!("all points: {}", in_words(shared))),
    ]
    .into_iter()
    .flatten()
    .collect();
    if caption.is_empty() { table } else { table.caption(caption.join("; ")) }
}

/// What each version changed, and how far the last is from the first.
pub fn history_in_words(history: &History) -> Vec<String> {
    let step = |(place, version): (usize, &Version)| {
        let changes: Vec<&Change> = history.series.iter().filter_map(|one| change_at(one, place)).collect();
        format!("{}: {}", name(version, place), counts(&changes))
    };
    let mut lines: Vec<String> = history.versions.iter().enumerate().skip(1).map(step).collect();
    let overall: Vec<&Change> = history.series.iter().filter_map(|one| one.overall.as_ref()).collect();
    if !overall.is_empty() {
        lines.push(format!("the last against the first: {}", counts(&overall)));
    }
    if history.versions.len() == 1 {
        lines.push(
            "one version: nothing to compare it with yet; add another with --append and --label".into(),
        );
    }
    lines
}

fn change_at(series: &Series, version: usize) -> Option<&Change> {
    series.values.iter().find(|value| value.version == version)?.change.as_ref()
}

/// `3 slower (up to 1.21x), 2 faster, 10 same, 1 cannot tell`.
fn counts(changes: &[&Change]) -> String {
    if changes.is_empty() {
        return "no point was measured before".into();
    }
    let most = |verdict: Verdict| {
        let of = changes.iter().filter(|change| change.verdict == verdict).filter_map(|change| change.ratio);
        of.max_by(|a, b| a.ln().abs().total_cmp(&b.ln().abs()))
    };
    let one = |verdict: Verdict| {
        let count = changes.iter().filter(|change| change.verdict == verdict).count();
        let far = most(verdict).filter(|_| matches!(verdict, Verdict::Slower | Verdict::Faster));
        let far = far.map(|ratio| format!(" (up to {ratio:.2}x the time)")).unwrap_or_default();
        (count > 0).then(|| format!("{count} {verdict}{far}"))
    };
    let all = [Verdict::Slower, Verdict::Faster, Verdict::Same, Verdict::CannotTell];
    all.into_iter().filter_map(one).collect::<Vec<_>>().join(", ")
}

/// Those with the largest change that is certain first, then the others in their order.
fn by_weight(history: &History) -> Vec<&Series> {
    let mut series: Vec<&Series> = history.series.iter().collect();
    series.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    series
}

fn weight(series: &Series) -> f64 {
    let certain = |change: &&Change| matches!(change.verdict, Verdict::Slower | Verdict::Faster);
    let changes = series.values.iter().filter_map(|value| value.change.as_ref()).chain(&series.overall);
    let sizes = changes.filter(certain).filter_map(|change| change.ratio).map(|ratio| ratio.ln().abs());
    sizes.fold(0.0, f64::max)
}

fn cells(value: Option<&Value>) -> [String; 2] {
    let Some(value) = value else { return ["-".into(), String::new()] };
    let change = value.change.as_ref().map(said).unwrap_or_default();
    [time(value.side.median_ns * 1e-9), change]
}

/// `slower +12%`, `same`.
fn said(change: &Change) -> String {
    let by = change.ratio.map(|ratio| format!(" {:+.1}%", 100.0 * (ratio - 1.0)));
    match change.verdict {
        Verdict::Slower | Verdict::Faster => format!("{}{}", change.verdict, by.unwrap_or_default()),
        Verdict::Same | Verdict::CannotTell => change.verdict.to_string(),
    }
}

/// What the user calls it, or when it was measured.
fn name(version: &Version, place: usize) -> String {
    let label = version.label.as_deref().map(words::printable);
    label.unwrap_or_else(|| format!("#{} {}", place + 1, date::utc(version.started)))
}

/// Parameters by their names.
type Parameters<'a> = Vec<(&'a str, panto_bench::Value)>;

/// What all points have in common, if there are several; it need not be said of each.
fn shared(history: &History) -> Parameters<'_> {
    let [first, others @ ..] = &history.series[..] else { return Vec::new() };
    if others.is_empty() {
        return Vec::new();
    }
    let mut shared = first.key.parameters();
    shared.retain(|one| others.iter().all(|series| series.key.parameters().contains(one)));
    shared
}

fn point(series: &Series, shared: &[(&str, panto_bench::Value)]) -> String {
    let mut own = series.key.parameters();
    own.retain(|one| !shared.contains(one));
    in_words(own)
}

fn in_words(parameters: Parameters) -> String {
    let text = parameters.into_iter().map(|(name, value)| param::phrase(name, Some(&value)));
    words::printable(&text.collect::<Vec<_>>().join(", "))
}
