//! A status line with what was recorded so far, in the last row of the terminal below the program's
//! output.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use panto_launch::bytes_recorded;
use panto_trace::{RankTrace, Trace};
use rustix::termios::tcgetwinsize;

use super::notes;
use crate::print;

/// Delay of the first status line; shorter programs get none.
const DELAY: Duration = Duration::from_secs(1);

/// Time between two updates.
const INTERVAL: Duration = Duration::from_millis(500);

/// Reading the files takes at most one part in this many of the time, because the program needs the
/// cores.
const SHARE: u32 = 50;

/// The status line of a traced program.
pub struct Status {
    ranks: PathBuf,
}

impl Status {
    /// Returns the status of the ranks' files in a directory.
    pub fn new(ranks: PathBuf) -> Self {
        Self { ranks }
    }

    /// Shows the status until the sender is dropped, unless standard error is not a terminal.
    pub fn watch(&self, ended: &Receiver<()>) {
        if print::is_mute() || !std::io::stderr().is_terminal() {
            return;
        }
        let start = Instant::now();
        let mut line = BottomLine::default();
        let mut pause = DELAY;
        while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            let look = Instant::now();
            line.show(&format!("panto: {}, {}s", self.text(), start.elapsed().as_secs()));
            pause = INTERVAL.max(look.elapsed() * SHARE);
        }
        line.clear();
    }

    fn text(&self) -> String {
        let Ok(trace) = Trace::open(&self.ranks) else { return "waiting for MPI_Init".to_owned() };
        let events = trace.ranks().iter().map(RankTrace::events_count).sum();
        notes::totals(trace.ranks().len(), events, bytes_recorded(&self.ranks))
    }
}

/// The last row of the terminal. The program's output scrolls above it, by DEC's scrolling region.
#[derive(Default)]
struct BottomLine {
    /// The terminal's height for which the scrolling region is set.
    rows: Option<u16>,
}

// Escape sequences of terminals: ECMA-48, and DEC's for the cursor and the scrolling region.

/// Moves the cursor down, scrolling if needed.
const DOWN: &str = "\x1bD";
/// Moves the cursor up.
const UP: &str = "\x1b[1A";
/// Saves the cursor position.
const SAVE: &str = "\x1b7";
/// Restores the cursor position.
const RESTORE: &str = "\x1b8";
/// Clears the row of the cursor.
const CLEAR_LINE: &str = "\x1b[2K";
/// Resets the scrolling region to the whole screen.
const WHOLE: &str = "\x1b[r";

impl BottomLine {
    fn show(&mut self, text: &str) {
        let Ok(size) = tcgetwinsize(std::io::stderr()) else { return };
        let (rows, columns) = (size.ws_row, usize::from(size.ws_col));
        if rows < 3 {
            return;
        }
        let mut sequence = String::new();
        if self.rows != Some(rows) {
            self.rows = Some(rows);
            // Down and up: the cursor leaves the last row before that leaves the region.
            let _ = write!(sequence, "{DOWN}{UP}{SAVE}\x1b[1;{}r{RESTORE}", rows - 1);
        }
        let text: String = text.chars().take(columns.saturating_sub(1)).collect();
        let _ = write!(sequence, "{SAVE}\x1b[{rows};1H{CLEAR_LINE}{text}{RESTORE}");
        put(&sequence);
    }

    fn clear(&mut self) {
        if let Some(rows) = self.rows.take() {
            put(&format!("{SAVE}{WHOLE}\x1b[{rows};1H{CLEAR_LINE}{RESTORE}"));
        }
    }
}

/// Writes a sequence at once, because the program writes to the same terminal.
fn put(sequence: &str) {
    let mut terminal = std::io::stderr().lock();
    let _ = terminal.write_all(sequence.as_bytes()).and_then(|()| terminal.flush());
}
