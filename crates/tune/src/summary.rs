//! What a tuning found, in the form of a file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::tuning::Tuning;

/// What a tuning found: `tuning.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The library, or the simulated machine.
    pub library: String,
    /// Whether the times were simulated.
    pub is_simulated: bool,
    /// The number of nodes of the job.
    pub nodes: usize,
    /// The variables that make a program use the files; empty if nothing changes.
    pub environment: BTreeMap<String, String>,
    /// The choices.
    #[serde(flatten)]
    pub tuning: Tuning,
}
