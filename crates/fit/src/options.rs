//! Options and input of a fit.

use panto_machine::Model;
use panto_results::{Manifest, Record};

/// Results of one launch of a measuring program.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// How it was measured.
    pub manifest: &'a Manifest,
    /// Its records.
    pub records: &'a [Record],
}

/// Options of a fit.
#[derive(Debug, Clone, Default)]
pub struct FitOptions {
    /// Name of the machine; `fitted` by default.
    pub name: Option<String>,
    /// A model with the same topology and switching; nothing else is taken from it. Without it they
    /// come from the manifests' machine if that is built in, or from the placement of ranks.
    pub like: Option<Model>,
}
