//! A machine that was fitted.

use std::path::{Path, PathBuf};

use panto_stats::Interval;
use serde::Serialize;

use crate::error::Error;

/// A machine that was fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The model file, as `Model::load` reads it.
    pub model: String,
    /// A file of rules that the model names, to be written beside it; none if no rules were found.
    pub rules: Option<RuleFile>,
    /// What was found, each with its interval.
    pub parameters: Vec<Parameter>,
    /// The fitted curves over the points.
    pub curves: Vec<Curve>,
    /// What was assumed, left out, or is worth knowing.
    pub notes: Vec<String>,
}

/// A file that belongs to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFile {
    /// Its name, without a folder.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// A figure that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parameter {
    /// The key in the model file, such as `network.link.latency`; a word such as `n_1/2` where the model has none.
    pub key: String,
    /// Its value.
    pub value: f64,
    /// In which unit.
    pub unit: Unit,
    /// Where it lies with 95 % confidence; none where it is exact or nothing can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// How it was found.
    pub method: String,
}

/// The unit of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Seconds for each byte.
    SecondsPerByte,
    /// Bytes a second.
    BytesPerSecond,
    /// Bytes.
    Bytes,
    /// A plain number.
    Number,
}

/// A fitted curve over its points.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// What it is, in words.
    pub label: String,
    /// What was measured, by ascending size.
    pub points: Vec<Observed>,
    /// The largest size of each piece but the last.
    pub breaks: Vec<u64>,
}

/// A measured point beside what the model says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Observed {
    /// Bytes.
    pub bytes: u64,
    /// Seconds that were measured.
    pub measured: f64,
    /// Seconds that the fitted machine takes.
    pub fitted: f64,
}

impl Observed {
    /// By how much the model is off, relative to what was measured.
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
    /// Writes the model, and its rules beside it. The answer names the files.
    pub fn save(&self, path: &Path) -> Result<Vec<PathBuf>, Error> {
        let write = |path: PathBuf, text: &str| {
            std::fs::write(&path, text)
                .map_err(|error| Error::new(format!("cannot write {}: {error}", path.display())))?;
            Ok(path)
        };
        let beside = |rules: &RuleFile| (path.with_file_name(&rules.name), rules.text.clone());
        let files =
            [(path.to_path_buf(), self.model.clone())].into_iter().chain(self.rules.as_ref().map(beside));
        files.map(|(path, text)| write(path, &text)).collect()
    }
}
