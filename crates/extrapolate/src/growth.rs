//! Growth with the number of ranks: `c0 + c1 P^a (log2 P)^b`, the performance model normal form
//! with one term (Calotoiu, Hoefler, Poke, Wolf: Using automated performance modeling to find
//! scalability bugs in complex codes, SC 2013), chosen by cross-validation.

use std::fmt;

/// A function of the number of ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    constant: f64,
    factor: f64,
    term: Term,
    /// How far it misses points that it was not fitted to, relative to them; none with fewer than
    /// three points.
    pub error: Option<f64>,
}

/// The term that grows or shrinks.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Term {
    power: f64,
    logs: i32,
}

impl Term {
    const NONE: Self = Self { power: 0.0, logs: 0 };

    /// Returns the terms that are tried, the most common first. A few points would fit many laws
    /// with two parameters.
    fn tried(points: usize, two_parameters: bool) -> Vec<Self> {
        let common = [-1.0, 1.0].map(|power| Self { power, logs: 0 });
        let logarithm = [Self { power: 0.0, logs: 1 }];
        let roots = [-0.5, -2.0 / 3.0, 0.5, 2.0 / 3.0].map(|power| Self { power, logs: 0 });
        let rare = [-1.0 / 3.0, 1.0 / 3.0, -2.0, 1.5, 2.0].map(|power| Self { power, logs: 0 });
        let mut all: Vec<Self> = common.into_iter().chain(logarithm).collect();
        if !two_parameters || points >= ENOUGH_POINTS {
            all.extend(roots);
        }
        if points >= ENOUGH_POINTS {
            all.extend(rare);
            all.push(Self { power: 1.0, logs: 1 });
        }
        all
    }

    fn at(self, ranks: f64) -> f64 {
        ranks.powf(self.power) * ranks.log2().powi(self.logs)
    }
}

/// Points from which on all laws are tried.
const ENOUGH_POINTS: usize = 5;
/// How much better a model must predict than a simpler one, to be preferred.
const GAIN: f64 = 0.7;
/// The most that a growing law may miss: a wrong one would exceed everything else with many ranks.
const MOST_GROWING_ERROR: f64 = 0.1;
/// Errors below this share are noise: a simpler model is preferred.
const NOISE: f64 = 0.01;

impl Growth {
    /// Returns the value for a number of ranks, at least 0.
    pub fn at(&self, ranks: u32) -> f64 {
        let varying = if self.factor == 0.0 { 0.0 } else { self.factor * self.term.at(ranks.into()) };
        (self.constant + varying).max(0.0)
    }

    /// Fits values by number of ranks: the simplest of the models that predict well what they were
    /// not fitted to. With two points a model has one parameter, with one it is constant.
    pub fn fit(points: &[(u32, f64)]) -> Self {
        let mut best = Self::constant(points);
        for two_parameters in [false, true] {
            if points.len() < 2 + usize::from(two_parameters) {
                break;
            }
            for term in Term::tried(points.len(), two_parameters) {
                let Some(model) = Self::validated(points, term, two_parameters) else { continue };
                let (own, other) = (model.misfit(points), best.misfit(points));
                let is_growing = model.at(1 << 20) > model.at(1 << 10);
                let is_sure = !is_growing || own < MOST_GROWING_ERROR;
                if own < other * GAIN && other > NOISE && is_sure {
                    best = model;
                }
            }
        }
        best
    }

    fn constant(points: &[(u32, f64)]) -> Self {
        let mean = |points: &[(u32, f64)]| {
            points.iter().map(|(_, value)| value).sum::<f64>() / points.len().max(1) as f64
        };
        let of = |points: &[(u32, f64)]| Self {
            constant: mean(points),
            factor: 0.0,
            term: Term::NONE,
            error: None,
        };
        Self { error: cross_validate(points, |rest| Some(of(rest))), ..of(points) }
    }

    fn validated(points: &[(u32, f64)], term: Term, two_parameters: bool) -> Option<Self> {
        let fit = |points: &[(u32, f64)]| {
            if two_parameters && points.len() > 1 {
                Self::line(points, term)
            } else {
                Self::multiple(points, term)
            }
        };
        let model = fit(points)?;
        Some(Self { error: cross_validate(points, fit), ..model })
    }

    /// The error in prediction, or that of the fit where there are too few points.
    fn misfit(&self, points: &[(u32, f64)]) -> f64 {
        self.error.unwrap_or_else(|| relative_error(points, |ranks| Some(self.at(ranks))).unwrap_or(1.0))
    }

    /// Fits a multiple of the term: the mean of the ratios.
    fn multiple(points: &[(u32, f64)], term: Term) -> Option<Self> {
        let ratios = points.iter().map(|(ranks, value)| value / term.at(f64::from(*ranks)));
        let factor = ratios.sum::<f64>() / points.len() as f64;
        factor.is_finite().then_some(Self { constant: 0.0, factor, term, error: None })
    }

    /// Fits a constant and a multiple of the term by least squares of relative errors.
    fn line(points: &[(u32, f64)], term: Term) -> Option<Self> {
        let [mut weights, mut xs, mut ys, mut squares, mut products] = [0.0; 5];
        for (ranks, value) in points {
            let (x, weight) = (term.at(f64::from(*ranks)), 1.0 / value.max(1.0).powi(2));
            weights += weight;
            xs += weight * x;
            ys += weight * value;
            squares += weight * x * x;
            products += weight * x * value;
        }
        let determinant = weights * squares - xs * xs;
        let factor = (weights * products - xs * ys) / determinant;
        let constant = (ys - factor * xs) / weights;
        let is_sound = factor.is_finite() && constant.is_finite() && constant >= 0.0 && factor >= 0.0;
        is_sound.then_some(Self { constant, factor, term, error: None })
    }
}

/// Returns the mean relative error at points that were left out of the fit; none with fewer than
/// three points.
fn cross_validate(points: &[(u32, f64)], fit: impl Fn(&[(u32, f64)]) -> Option<Growth>) -> Option<f64> {
    if points.len() < 3 {
        return None;
    }
    relative_error(points, |ranks| {
        let rest: Vec<(u32, f64)> = points.iter().copied().filter(|(other, _)| *other != ranks).collect();
        fit(&rest).map(|model| model.at(ranks))
    })
}

fn relative_error(points: &[(u32, f64)], predict: impl Fn(u32) -> Option<f64>) -> Option<f64> {
    let errors = points.iter().map(|(ranks, value)| {
        predict(*ranks).map(|predicted| (predicted - value).abs() / value.abs().max(1.0))
    });
    let errors: Vec<f64> = errors.collect::<Option<_>>()?;
    Some(errors.iter().sum::<f64>() / errors.len() as f64)
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.factor == 0.0 {
            return write!(f, "constant");
        }
        let power = match format!("{:.2}", self.term.power).as_str() {
            "0.00" => String::new(),
            "1.00" => "P".to_owned(),
            "-1.00" => "1/P".to_owned(),
            power => format!("P^{power}"),
        };
        let logs = if self.term.logs > 0 { "log P" } else { "" };
        let term = [power.as_str(), logs].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
        let constant = if self.constant > 0.0 { "c + " } else { "" };
        write!(f, "{constant}{}", term.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(of: impl Fn(f64) -> f64) -> Growth {
        Growth::fit(&[4, 8, 16].map(|ranks| (ranks, of(f64::from(ranks)))))
    }

    #[test]
    fn laws_are_recognised() {
        for (law, name) in [
            ((|_| 5e6) as fn(f64) -> f64, "constant"),
            (|p| 1e9 / p, "1/P"),
            (|p| 1e6 * p, "P"),
            (|p| 1e6 * p.log2(), "log P"),
            (|p| 1e8 / p.sqrt(), "P^-0.50"),
            (|p| 1e7 + 1e9 / p, "c + 1/P"),
        ] {
            let growth = grown(law);
            assert_eq!(growth.to_string(), name);
            let (expected, given) = (law(64.0), growth.at(64));
            assert!((given / expected - 1.0).abs() < 1e-6, "{name}: {given} instead of {expected}");
        }
    }

    #[test]
    fn noise_does_not_become_growth() {
        let growth = Growth::fit(&[(4, 1000.0), (8, 1006.0), (16, 997.0)]);
        assert_eq!(growth.to_string(), "constant");
    }

    #[test]
    fn one_point_is_constant() {
        assert_eq!(Growth::fit(&[(4, 100.0)]).to_string(), "constant");
        assert!(Growth::fit(&[]).at(64) < 1e-9);
    }
}
