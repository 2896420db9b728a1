//! The result of a fit.

use std::path::{Path, PathBuf};

use panto_results::quality::Grade;
use panto_stats::Interval;
use serde::Serialize;

use crate::error::Error;
use crate::quality::ModelQuality;

/// The result of a fit: the model file, its parameters, and how well it explains the points.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// Text of the model file, as `Model::load` reads it.
    pub model: String,
    /// File of collective rules that the model names, to be written beside it; `None` where the
    /// model needs none.
    pub rules: Option<RuleFile>,
    /// The fitted parameters, each with its interval.
    pub parameters: Vec<Parameter>,
    /// The fitted curves over the measured points.
    pub curves: Vec<Curve>,
    /// Assumptions, excluded points, and what to measure to do without them.
    pub notes: Vec<String>,
    /// How far the model can be believed; `None` for times of a virtual clock, which are exact.
    pub quality: Option<ModelQuality>,
}

/// A file that belongs to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFile {
    /// File name, without a directory.
    pub name: String,
    /// Contents of the file.
    pub text: String,
}

/// A fitted parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parameter {
    /// Key in the model file, such as `network.link.latency`; a symbol such as `n_1/2` where the
    /// model has no key.
    pub key: String,
    /// Value in `unit`.
    pub value: f64,
    /// Unit of the value.
    pub unit: Unit,
    /// The 95 % confidence interval; `None` where the value is exact or the interval is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// How the value was found.
    pub method: String,
}

/// The unit of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Seconds per byte.
    SecondsPerByte,
    /// Bytes per second.
    BytesPerSecond,
    /// Message size in bytes.
    Bytes,
    /// Dimensionless.
    Number,
}

/// A fitted curve over its points.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// What the curve is of.
    pub label: String,
    /// The measured points, by ascending size.
    pub points: Vec<FittedPoint>,
    /// The largest size of each piece but the last, in bytes.
    pub breaks: Vec<u64>,
}

/// A measured point beside the model's prediction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FittedPoint {
    /// Bytes.
    pub bytes: u64,
    /// Measured seconds.
    pub measured: f64,
    /// Predicted seconds.
    pub fitted: f64,
}

impl FittedPoint {
    /// Returns the residual relative to the measured time: `fitted / measured - 1`.
    pub fn residual(&self) -> f64 {
        if self.measured > 0.0 { self.fitted / self.measured - 1.0 } else { 0.0 }
    }
}

impl Parameter {
    pub(crate) fn new(key: &str, value: f64, unit: Unit, method: impl Into<String>) -> Self {
        Self { key: key.into(), value, unit, interval: None, method: method.into() }
    }

    pub(crate) fn within(self, interval: Interval) -> Self {
        let wide = interval.high > interval.low;
        Self { interval: wide.then_some((interval.low, interval.high)), ..self }
    }
}

impl Fitted {
    /// Returns whether the model is poor: no prediction should rest on it.
    pub fn is_poor(&self) -> bool {
        self.quality.as_ref().is_some_and(|quality| quality.grade == Grade::Poor)
    }

    /// Writes the model to `path` and its rules beside it. Returns the files written.
    pub fn save(&self, path: &Path) -> Result<Vec<PathBuf>, Error> {
        let write = |path: PathBuf, text: &str| match std::fs::write(&path, text) {
            Ok(()) => Ok(path),
            Err(error) => Err(Error::Write { path, error }),
        };
        let beside = |rules: &RuleFile| (path.with_file_name(&rules.name), rules.text.clone());
        let files =
            [(path.to_path_buf(), self.model.clone())].into_iter().chain(self.rules.as_ref().map(beside));
        files.map(|(path, text)| write(path, &text)).collect()
    }
}
