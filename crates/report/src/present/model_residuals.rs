//! Compares a model with measurements.

use std::collections::BTreeSet;

use panto_results::Record;
use panto_stats::{Goodness, Residual};
use serde::Serialize;

use super::group::{Group, groups};
use super::notation::Notation;
use super::phrases;
use crate::table::Column;

/// How far a model is from the measurements of one kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelResidual {
    /// Name of the kernel.
    pub kernel: String,
    /// Name of the model's machine.
    pub model: String,
    /// Number of points with both values.
    pub points: usize,
    /// Median of the absolute residuals, as a fraction of the measured times.
    pub median: f64,
    /// Largest residual, signed: negative if the model predicts too little.
    pub worst: f64,
    /// The point with the largest residual.
    pub worst_at: String,
}

impl std::fmt::Display for ModelResidual {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kernel, model, points, .. } = self;
        let (kernel, model) = (phrases::one_line(kernel), phrases::one_line(model));
        let plural = if *points == 1 { "" } else { "s" };
        write!(
            f,
            "{kernel} against {model}: median residual {} over {points} point{plural}, worst {} ({})",
            percent(self.median).trim_start_matches('+'),
            percent(self.worst),
            phrases::one_line(&self.worst_at)
        )
    }
}

/// Returns the residuals of models kernel by kernel; empty if no record has a model's value.
pub fn model_residuals(records: &[Record]) -> Vec<ModelResidual> {
    let of_group = |group: &Group| {
        let models: BTreeSet<&str> = group.records.iter().filter_map(|r| model_of(r)).collect();
        models.into_iter().filter_map(|model| model_residual(group, model)).collect::<Vec<_>>()
    };
    groups(records).iter().flat_map(of_group).collect()
}

fn model_of(record: &Record) -> Option<&str> {
    record.expected.as_ref().map(|expected| expected.machine.as_str())
}

fn model_residual(group: &Group, model: &str) -> Option<ModelResidual> {
    let here: Vec<&Record> = group.records.iter().copied().filter(|r| model_of(r) == Some(model)).collect();
    let known: Vec<(&Record, Residual)> =
        here.into_iter().filter_map(|r| Some((r, residual_of(r)?))).collect();
    let goodness = Goodness::from_residuals(known.iter().map(|(_, residual)| *residual).collect()).ok()?;
    let size = |residual: &Residual| residual.relative().abs();
    let worst = known.iter().max_by(|a, b| size(&a.1).total_cmp(&size(&b.1)))?;
    Some(ModelResidual {
        kernel: group.kernel.to_owned(),
        model: model.to_owned(),
        points: known.len(),
        median: goodness.median,
        worst: worst.1.relative(),
        worst_at: worst.0.point.to_string(),
    })
}

/// Returns both values, where the residual is defined.
fn residual_of(record: &Record) -> Option<Residual> {
    record.residual()?;
    let predicted = record.expected.as_ref()?.time_ns;
    Some(Residual { x: 0.0, measured: record.summary()?.median, predicted })
}

/// Returns two columns with their cells, if any of the records has a model's value.
pub(super) fn columns(records: &[&Record], notation: &Notation) -> Vec<(Column, Vec<String>)> {
    let time = |record: &&Record| record.expected.as_ref().map(|expected| expected.time_ns * 1e-9);
    let times: Vec<Option<f64>> = records.iter().map(time).collect();
    if times.iter().all(Option::is_none) {
        return Vec::new();
    }
    let cells = times.iter().map(|time| time.map_or("-".into(), |time| notation.cell(time))).collect();
    let residual = |record: &&Record| record.residual().map_or("-".into(), percent);
    vec![
        (notation.column("model"), cells),
        (Column::right("residual"), records.iter().map(residual).collect()),
    ]
}

/// Formats a residual as `+3.1%`; without a sign for zero.
fn percent(residual: f64) -> String {
    let percent = 100.0 * residual;
    match percent.abs() {
        0.0..0.05 => "0.0%".into(),
        0.05..1000.0 => format!("{percent:+.1}%"),
        _ => format!("{percent:+.0}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_have_a_sign_unless_zero() {
        let all = [0.031, -0.2, 0.0001, -0.0001, 12.0].map(percent);
        assert_eq!(all, ["+3.1%", "-20.0%", "0.0%", "0.0%", "+1200%"]);
    }
}
