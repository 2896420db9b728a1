//! How far a fitted model can be believed.

use panto_results::Record;
use panto_results::quality::{Grade, run_quality};
use panto_stats::median;
use panto_units::percent;
use serde::Serialize;

use crate::fitted::{Curve, FittedPoint};

/// Median residual of a curve from which a model is fair, and from which it is poor.
const RESIDUAL: (f64, f64) = (0.1, 0.25);

/// The grade of a model, and why it is not better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelQuality {
    /// The grade.
    pub grade: Grade,
    /// What the points and the residuals say.
    pub reasons: Vec<String>,
}

impl ModelQuality {
    /// Returns the quality of a model with these curves over these records; `None` if nothing was
    /// measured, since simulated times are exact.
    pub(crate) fn new(records: &[Record], curves: &[Curve]) -> Option<Self> {
        let points = run_quality(records)?;
        let residuals: Vec<(Grade, String)> = curves.iter().take(1).filter_map(misfit).collect();
        let grade = residuals.iter().map(|(grade, _)| *grade).fold(points.grade, Grade::max);
        let of_points = (grade == Grade::Good || points.grade > Grade::Good).then_some(points.reasons);
        let reasons = residuals.into_iter().map(|(_, reason)| reason);
        Some(Self { grade, reasons: of_points.into_iter().flatten().chain(reasons).collect() })
    }

    /// Returns the verdict as a line, such as `poor: the passes differ by 40% at worst`.
    pub fn verdict(&self) -> String {
        format!("{}: {}", self.grade, self.reasons.join("; "))
    }
}

/// Returns what a curve that does not follow its points deserves.
fn misfit(curve: &Curve) -> Option<(Grade, String)> {
    let residuals: Vec<f64> = curve.points.iter().map(|point| FittedPoint::residual(point).abs()).collect();
    let usual = median(&residuals).ok()?;
    let grade = match usual {
        usual if usual > RESIDUAL.1 => Grade::Poor,
        usual if usual > RESIDUAL.0 => Grade::Fair,
        _ => return None,
    };
    Some((
        grade,
        format!("{}: half of the points are more than {} off the model", curve.label, percent(100.0 * usual)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_results::{Point, Samples, param};
    use panto_transport::Time;

    fn curve(factor: f64) -> Curve {
        let point = |bytes| FittedPoint { bytes, measured: 1e-6, fitted: 1e-6 * factor };
        Curve { label: "one way, 1 hop".into(), points: (0..9).map(point).collect(), breaks: vec![] }
    }

    fn record(bytes: u64) -> Record {
        let samples = Samples { nanos: vec![100.0; 30], ..Samples::exact(Time::ZERO) };
        Record::new("comet/echo", &Point::new(2).with(param::BYTES, bytes), samples)
    }

    #[test]
    fn points_and_residuals_decide() {
        let good: Vec<Record> = (0..20).map(record).collect();
        let grade = |records: &[Record], factor| ModelQuality::new(records, &[curve(factor)]).unwrap().grade;
        assert_eq!(grade(&good, 1.02), Grade::Good);
        assert_eq!(grade(&good, 1.2), Grade::Fair);
        assert_eq!(grade(&good, 1.5), Grade::Poor);
        let busy: Vec<Record> =
            good.iter().cloned().map(|record| Record { others: Some(0.5), ..record }).collect();
        assert_eq!(grade(&busy, 1.0), Grade::Poor);
        let simulated = Record { machine: Some("cm5".into()), ..record(8) };
        assert_eq!(ModelQuality::new(&[simulated], &[curve(9.0)]), None);
    }
}
