//! Figures of a kernel of any suite.

use panto_results::{Manifest, Record};

use super::{figure, is_scenario, is_swap, scenario_figures, swap_figures};
use crate::chart::Figure;

/// Returns one figure per kernel; in the suite `swap` one per experiment, in the suite `scenario`
/// one per collective. Each has a name for its file.
pub fn figures(kernel: &str, records: &[Record], manifest: Option<&Manifest>) -> Vec<(String, Figure)> {
    if is_swap(kernel) {
        return swap_figures(records, manifest);
    }
    if is_scenario(kernel) {
        return scenario_figures(kernel, records, manifest);
    }
    vec![(kernel.to_owned(), figure(kernel, records, manifest))]
}
