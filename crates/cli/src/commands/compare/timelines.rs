//! Two timelines side by side: where the time of a predicted run differs from the measured one.

use std::path::Path;

use panto_measured::Differences;
use panto_report::present::{timeline_differences_csv, timeline_differences_json, timeline_differences_text};
use panto_timeline::Timeline;
use panto_trace::Trace;

use crate::failure::Failure;
use crate::format::Format;
use crate::print;
use crate::timeline::TimelineFile;

/// Functions that are printed without `--all`.
const MAX_FUNCTIONS: usize = 20;

/// Returns whether a file is a timeline, or a trace, which may have one.
pub fn is_run(path: &Path) -> bool {
    Timeline::recognises(path) || Trace::recognises(path)
}

/// Prints where two runs differ.
pub fn compare(old: &Path, new: &Path, format: Format, all: bool) -> Result<(), Failure> {
    let files = [TimelineFile::of(old)?, TimelineFile::of(new)?];
    let [first, second] = &files;
    let timelines = [Timeline::open(first.path())?, Timeline::open(second.path())?];
    for damage in timelines.iter().filter_map(Timeline::damage) {
        print::note(format_args!("panto: {damage}\nthe part before the damage is compared"));
    }
    let differences = Differences::of(&timelines[0], &timelines[1])?;
    let names = [old, new].map(|path| path.display().to_string());
    let most = if all { usize::MAX } else { MAX_FUNCTIONS };
    match format {
        Format::Json => print::line(timeline_differences_json(&differences)),
        Format::Csv => print::text(timeline_differences_csv(&differences)),
        _ => print::text(timeline_differences_text(&differences, [&names[0], &names[1]], most)),
    }
    Ok(())
}
