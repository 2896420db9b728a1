//! Distribution of curves over charts, since more than a handful cannot be distinguished in one.

use panto_results::Value;

use super::super::group::{Curve, Group};
use super::super::param::{header, label, phrase, place};

/// Upper limit of curves per chart: more cannot be distinguished.
const MAX_CURVES: usize = 8;
/// Upper limit of charts per figure.
const MAX_PANELS: usize = 6;

/// The curves of one chart.
pub(super) struct Panel<'a> {
    /// Value that all its curves have in common, if there are other panels.
    pub common_value: Option<String>,
    pub curves: Vec<NamedCurve<'a>>,
    /// Note on what is omitted.
    pub note: Option<String>,
}

/// A curve with its name.
pub(super) struct NamedCurve<'a> {
    pub name: String,
    pub curve: Curve<'a>,
}

/// Puts all curves into one chart, if they can be distinguished there. Otherwise returns a chart
/// per value of the parameter with the most values, thinned evenly if these are too many.
pub(super) fn panels<'a>(group: &Group<'a>) -> Vec<Panel<'a>> {
    let names = group.curve_names();
    let curves = group.curves(&names);
    if curves.len() <= MAX_CURVES || names.len() < 2 {
        return vec![panel(&names, curves, None)];
    }
    let split = (0..names.len()).max_by_key(|&index| values(&curves, names[index], index).len()).unwrap_or(0);
    split_by(&names, split, curves)
}

fn split_by<'a>(names: &[&str], split: usize, curves: Vec<Curve<'a>>) -> Vec<Panel<'a>> {
    let all = values(&curves, names[split], split);
    let chosen = thinned(all.clone(), MAX_PANELS);
    let left_out = (chosen.len() < all.len())
        .then(|| format!("Showing {} of {} values of {}.", chosen.len(), all.len(), header(names[split])));
    let mut curves = curves;
    let mut panels: Vec<Panel> = Vec::new();
    for value in chosen {
        let (inside, rest) = curves.into_iter().partition(|curve| curve.key[split] == value);
        curves = rest;
        panels.push(panel(names, inside, Some((split, value))));
    }
    if let Some(last) = panels.last_mut() {
        last.note = last.note.take().or(left_out);
    }
    panels
}

fn panel<'a>(names: &[&str], curves: Vec<Curve<'a>>, split: Option<(usize, Option<Value>)>) -> Panel<'a> {
    let all = curves.len();
    let curves = thinned(curves, MAX_CURVES);
    let note = (curves.len() < all).then(|| format!("Showing {} of {all} curves.", curves.len()));
    let without = split.as_ref().map(|(index, _)| *index);
    Panel {
        common_value: split.map(|(index, value)| phrase(names[index], value.as_ref())),
        curves: curves.into_iter().map(|curve| named(names, without, curve)).collect(),
        note,
    }
}

fn named<'a>(names: &[&str], without: Option<usize>, curve: Curve<'a>) -> NamedCurve<'a> {
    let parts = names.iter().zip(&curve.key).enumerate().filter(|(index, _)| Some(*index) != without);
    let phrases: Vec<String> = parts.map(|(_, (name, value))| label(name, value.as_ref())).collect();
    let name = if phrases.is_empty() { "median".into() } else { phrases.join(", ") };
    NamedCurve { name, curve }
}

fn values(curves: &[Curve], name: &str, index: usize) -> Vec<Option<Value>> {
    let mut values: Vec<_> = curves.iter().map(|curve| place(name, curve.key[index].clone())).collect();
    values.sort();
    values.dedup();
    values.into_iter().map(|(_, value)| value).collect()
}

/// Returns at most `most` of the items, evenly spaced from the first to the last.
pub(in crate::present) fn thinned<T>(items: Vec<T>, most: usize) -> Vec<T> {
    let last = items.len().saturating_sub(1);
    if items.len() <= most {
        return items;
    }
    let wanted: Vec<usize> = (0..most).map(|i| (i * last + (most - 1) / 2) / (most - 1)).collect();
    items.into_iter().enumerate().filter(|(index, _)| wanted.contains(index)).map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::thinned;

    #[test]
    fn thinning_keeps_both_ends() {
        assert_eq!(thinned((0..3).collect(), 4), [0, 1, 2]);
        assert_eq!(thinned((0..10).collect(), 4), [0, 3, 6, 9]);
        assert_eq!(thinned((0..9).collect::<Vec<_>>(), 8).len(), 8);
        assert!(thinned(Vec::<u8>::new(), 4).is_empty());
    }
}
