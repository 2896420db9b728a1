//! The verdict on a run: how far its figures can be believed.

use panto_results::Record;
use panto_results::quality::{Grade, RunQuality, run_quality};

use super::phrases;
use crate::html::{Block, Tone};

/// Returns the verdict with its first reason, further reasons, and what to do about it.
pub fn verdict_lines(quality: &RunQuality) -> Vec<String> {
    let mut reasons = quality.reasons.iter().map(String::as_str);
    let verdict = format!("Quality {}: {}.", quality.grade, reasons.next().unwrap_or_default());
    let others = reasons.map(|reason| format!("{}.", phrases::capitalised(reason)));
    let withheld = (quality.grade == Grade::Poor).then_some(WITHHELD);
    let ends = [withheld, quality.remedy()].into_iter().flatten().map(str::to_owned);
    std::iter::once(verdict).chain(others).chain(ends).collect()
}

const WITHHELD: &str = "No figures are derived from points that are poor.";

/// Returns the verdict as a banner of a page; `None` if nothing was measured.
pub(super) fn verdict_banner(records: &[Record]) -> Option<Block> {
    let quality = run_quality(records)?;
    let tone = match quality.grade {
        Grade::Good => Tone::Good,
        Grade::Fair => Tone::Fair,
        Grade::Poor => Tone::Poor,
    };
    Some(Block::Banner { tone, lines: verdict_lines(&quality) })
}

/// Returns whether the figures of a run are withheld.
pub fn is_poor(records: &[Record]) -> bool {
    run_quality(records).is_some_and(|quality| quality.grade == Grade::Poor)
}
