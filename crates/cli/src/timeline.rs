//! The timeline that a command shows: a file, or the measured one of a trace.

use std::path::{Path, PathBuf};

use panto_container::TemporaryFolder;
use panto_measured::{Doubts, MeasuredRun};
use panto_trace::Trace;
use panto_units::{grouped, percent, time};

use crate::failure::Failure;
use crate::print;

/// The share of the time between calls without a core from which on it is mentioned.
const MENTIONED_WITHOUT_CORE: f64 = 0.05;

/// A timeline file. One that was made from a trace is removed on drop.
pub struct TimelineFile {
    path: PathBuf,
    _folder: Option<TemporaryFolder>,
}

impl TimelineFile {
    /// Returns the timeline in a file; if that is a trace, the timeline of the measured run.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        if !Trace::recognises(path) {
            return Ok(Self { path: path.to_owned(), _folder: None });
        }
        let folder = TemporaryFolder::create()
            .map_err(|error| Failure::Run(format!("cannot create a temporary folder: {error}")))?;
        // It has the name of the trace, under which it is shown.
        let target = folder.path().join(path.file_name().unwrap_or(path.as_os_str()));
        write(path, &target)?;
        Ok(Self { path: target, _folder: Some(folder) })
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Writes the timeline of the measured run of a trace. Prints what it does not show as it was.
pub fn write(trace: &Path, target: &Path) -> Result<MeasuredRun, Failure> {
    let run = panto_measured::write(&Trace::open(trace)?, target)?;
    for note in notes(&run.doubts) {
        print::note(format_args!("panto: {}: {note}", trace.display()));
    }
    Ok(run)
}

fn notes(doubts: &Doubts) -> Vec<String> {
    let mut notes = Vec::new();
    if doubts.has_threads {
        notes.push("calls of several threads of a rank are shown one after the other".to_owned());
    }
    if doubts.reversed > 0 {
        let reason =
            if doubts.has_threads { "calls of threads that overlap" } else { "clocks that disagree" };
        notes.push(format!(
            "{} messages were received up to {} before they were sent, by {reason}; they are drawn as if sent when they were received",
            grouped(doubts.reversed),
            time(doubts.worst.as_secs())
        ));
    }
    if doubts.hosts > 1 {
        notes.push(match doubts.host_error {
            Some(error) => format!(
                "the clocks of {} hosts were compared by their messages, to within {}",
                doubts.hosts,
                time(error.as_secs())
            ),
            None => format!(
                "the clocks of {} hosts are as the system set them: messages did not go both ways",
                doubts.hosts
            ),
        });
    }
    if doubts.unmatched > 0 {
        notes.push(format!(
            "{} messages are not drawn: the trace has one end only",
            grouped(doubts.unmatched)
        ));
    }
    if doubts.unknown > 0 {
        notes.push(format!(
            "{} operations are shown without their messages: the trace does not name the partner",
            grouped(doubts.unknown)
        ));
    }
    let share = doubts.without_core.as_secs() / doubts.between_calls.as_secs().max(f64::MIN_POSITIVE);
    if share >= MENTIONED_WITHOUT_CORE {
        notes.push(format!(
            "between calls ranks were without a core for {} of the time, which is shown as computation",
            percent(100.0 * share)
        ));
    }
    notes
}
