//! A comparison for programs: JSON and CSV.

use std::collections::BTreeSet;

use panto_compare::{Comparison, Key, Pair};
use panto_units::trim_zeros;
use serde::Serialize;

use super::comparison_summary;
use crate::table::{Column, Table};

const FIGURES: [&str; 13] = [
    "verdict",
    "basis",
    "ratio",
    "low",
    "high",
    "p",
    "old_median_ns",
    "new_median_ns",
    "old_samples",
    "new_samples",
    "old_launches",
    "new_launches",
    "counterpart",
];

/// Returns one JSON object: the whole comparison, and its summary in sentences. Times are in
/// nanoseconds.
///
/// # Panics
/// Never: all keys are strings, and values that are not finite become `null`.
pub fn comparison_json(comparison: &Comparison) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        summary: Vec<String>,
        #[serde(flatten)]
        comparison: &'a Comparison,
    }
    let document = Document { summary: comparison_summary(comparison), comparison };
    serde_json::to_string_pretty(&document).expect("all names are strings")
}

/// Returns one row per point, the most important first, then those that only one run has
/// (`only-old`, `only-new`).
pub fn comparison_csv(comparison: &Comparison) -> String {
    let Comparison { points, only_old, only_new, .. } = comparison;
    let keys = || points.iter().map(|pair| &pair.key).chain(only_old).chain(only_new);
    let params: BTreeSet<&str> = keys().flat_map(|key| key.params.keys().map(String::as_str)).collect();
    let heads = ["kernel", "ranks", "algorithm", "machine"].into_iter().chain(params.iter().copied());
    let mut table = Table::new(heads.chain(FIGURES).map(Column::text));
    for pair in points {
        table.row(place(&pair.key, &params).chain(figures(pair)));
    }
    let alone = [(only_old, "only-old"), (only_new, "only-new")];
    for (key, word) in alone.into_iter().flat_map(|(keys, word)| keys.iter().map(move |key| (key, word))) {
        let rest = (1..FIGURES.len()).map(|_| String::new());
        table.row(place(key, &params).chain(std::iter::once(word.to_owned())).chain(rest));
    }
    table.to_csv()
}

fn place<'a>(key: &'a Key, params: &'a BTreeSet<&str>) -> impl Iterator<Item = String> + 'a {
    let ranks = key.ranks.map(|ranks| ranks.to_string()).unwrap_or_default();
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let values = params.iter().map(|name| key.params.get(*name).map(ToString::to_string).unwrap_or_default());
    [key.kernel.clone(), ranks, text(&key.algorithm), text(&key.machine)].into_iter().chain(values)
}

fn figures(pair: &Pair) -> [String; FIGURES.len()] {
    let number = |value: Option<f64>, digits: usize| {
        value.map(|value| trim_zeros(&format!("{value:.digits$}")).to_owned()).unwrap_or_default()
    };
    [
        pair.verdict.to_string(),
        pair.basis.to_string(),
        number(pair.ratio, 6),
        number(pair.low, 6),
        number(pair.high, 6),
        pair.p.map(|p| format!("{p:e}")).unwrap_or_default(),
        number(Some(pair.old.median_ns), 3),
        number(Some(pair.new.median_ns), 3),
        pair.old.samples.to_string(),
        pair.new.samples.to_string(),
        pair.old.launches.to_string(),
        pair.new.launches.to_string(),
        pair.counterpart.as_ref().map(ToString::to_string).unwrap_or_default(),
    ]
}
