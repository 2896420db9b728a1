//! How far measurements can be believed: a grade for each point and one for a run.
//!
//! Everything follows from the records, so a saved run has the grade that it had when it was
//! measured. Simulated times are exact and have no grade.

mod consistency;
mod point;
mod run;
mod trend;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use point::{Doubt, assess};
pub use run::{RunQuality, grade_of, point_doubts, run_quality, without_poor};

/// How far a figure can be believed, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// Undisturbed, or every disturbance was recognised and left out.
    Good,
    /// Disturbed, but the figure was found in several passes.
    Fair,
    /// No evidence: it may be off by any factor.
    Poor,
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Good => "good",
            Self::Fair => "fair",
            Self::Poor => "poor",
        })
    }
}
