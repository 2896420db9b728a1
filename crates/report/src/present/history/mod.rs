//! History of an implementation over its versions: table, sentences, figures, JSON and CSV (S9).

mod export;
mod figure;

use panto_compare::{Change, History, Series, Value, Verdict, Version};
use panto_units::time;

use super::{date, param, phrases};
use crate::table::{Column, Table};

pub use export::{history_csv, history_json};
pub use figure::history_figures;

/// Upper limit of versions in the table; the last ones are shown.
const MAX_VERSIONS: usize = 8;

/// Returns a row per point and a column per version: the median, and the change from the previous
/// version. At most `most` points, those with the largest changes first.
pub fn history_table(history: &History, most: usize) -> Table {
    let first = history.versions.len().saturating_sub(MAX_VERSIONS);
    let shown = || history.versions.iter().enumerate().skip(first);
    let heads = shown().flat_map(|(place, version)| {
        [Column::right(name(version, place)), Column::text(if place == first { "" } else { "change" })]
    });
    let mut table = Table::new([Column::text("kernel"), Column::text("point")].into_iter().chain(heads));
    let (series, shared) = (by_weight(history), shared(history));
    for one in series.iter().take(most) {
        let cells =
            shown().flat_map(|(place, _)| cells(one.values.iter().find(|value| value.version == place)));
        table.row([phrases::one_line(&one.key.kernel), point(one, &shared)].into_iter().chain(cells));
    }
    let caption: Vec<String> = [
        (first > 0).then(|| format!("last {MAX_VERSIONS} of {} versions", history.versions.len())),
        (series.len() > most)
            .then(|| format!("{most} of {} points, the largest changes first", series.len())),
        (!shared.is_empty()).then(|| format!("all points: {}", parameters_text(shared))),
    ]
    .into_iter()
    .flatten()
    .collect();
    if caption.is_empty() { table } else { table.caption(caption.join("; ")) }
}

/// Returns what each version changed, and how far the last is from the first.
pub fn history_summary(history: &History) -> Vec<String> {
    let step = |(place, version): (usize, &Version)| {
        let changes: Vec<&Change> = history.series.iter().filter_map(|one| change_at(one, place)).collect();
        format!("{}: {}", name(version, place), counts(&changes))
    };
    let mut lines: Vec<String> = history.versions.iter().enumerate().skip(1).map(step).collect();
    let overall: Vec<&Change> = history.series.iter().filter_map(|one| one.overall.as_ref()).collect();
    if !overall.is_empty() {
        lines.push(format!("last against first: {}", counts(&overall)));
    }
    if history.versions.len() == 1 {
        lines.push("only one version: nothing to compare; add another with --append and --label".into());
    }
    lines
}

fn change_at(series: &Series, version: usize) -> Option<&Change> {
    series.values.iter().find(|value| value.version == version)?.change.as_ref()
}

/// Formats counts of verdicts:
/// `3 slower (up to 1.21x the time), 2 faster, 10 same, 1 inconclusive`.
fn counts(changes: &[&Change]) -> String {
    if changes.is_empty() {
        return "no point was measured in an earlier version".into();
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
    let all = [Verdict::Slower, Verdict::Faster, Verdict::Same, Verdict::Inconclusive];
    all.into_iter().filter_map(one).collect::<Vec<_>>().join(", ")
}

/// Returns the series sorted by their largest significant change.
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
    let change = value.change.as_ref().map(change_text).unwrap_or_default();
    [time(value.side.median_ns * 1e-9), change]
}

/// Formats a change: `slower +12%`, `same`.
fn change_text(change: &Change) -> String {
    let by = change.ratio.map(|ratio| format!(" {:+.1}%", 100.0 * (ratio - 1.0)));
    match change.verdict {
        Verdict::Slower | Verdict::Faster => format!("{}{}", change.verdict, by.unwrap_or_default()),
        Verdict::Same | Verdict::Inconclusive => change.verdict.to_string(),
    }
}

/// Returns the label of a version, or the date of its measurement.
fn name(version: &Version, place: usize) -> String {
    let label = version.label.as_deref().map(phrases::one_line);
    label.unwrap_or_else(|| format!("#{} {}", place + 1, date::utc(version.started)))
}

/// Parameters with their names.
type Parameters<'a> = Vec<(&'a str, panto_results::Value)>;

/// Returns the parameters that all points have in common, if there are several points.
fn shared(history: &History) -> Parameters<'_> {
    let [first, others @ ..] = &history.series[..] else { return Vec::new() };
    if others.is_empty() {
        return Vec::new();
    }
    let mut shared = first.key.parameters();
    shared.retain(|one| others.iter().all(|series| series.key.parameters().contains(one)));
    shared
}

fn point(series: &Series, shared: &[(&str, panto_results::Value)]) -> String {
    let mut own = series.key.parameters();
    own.retain(|one| !shared.contains(one));
    parameters_text(own)
}

fn parameters_text(parameters: Parameters) -> String {
    let text = parameters.into_iter().map(|(name, value)| param::phrase(name, Some(&value)));
    phrases::one_line(&text.collect::<Vec<_>>().join(", "))
}
