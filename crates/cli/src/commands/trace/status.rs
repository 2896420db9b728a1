//! What was recorded so far, in the last line of the terminal, below the program's own output.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::Scope;
use std::time::{Duration, Instant};

use panto_trace::{RankTrace, Trace};
use rustix::termios::tcgetwinsize;

use super::{outcome, say};
use crate::out;

/// Programs that end sooner need no status.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often it changes.
const PACE: Duration = Duration::from_millis(500);

/// Looking takes at most this part of the time: the program needs the cores.
const SHARE: u32 = 50;

/// Shows what the ranks have written.
pub struct Status {
    ranks: PathBuf,
}

impl Status {
    /// For the files of the ranks in a folder.
    pub fn new(ranks: PathBuf) -> Self {
        Self { ranks }
    }

    /// Shows it until the answer is dropped; in a pipe nothing.
    pub fn watch<'scope, 'env>(&'env self, scope: &'scope Scope<'scope, 'env>) -> Option<Sender<()>> {
        if out::is_mute() || !std::io::stderr().is_terminal() {
            return None;
        }
        let (end, ended) = channel();
        scope.spawn(move || {
            let start = Instant::now();
            let mut line = BottomLine::default();
            let mut pause = PATIENCE;
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let look = Instant::now();
                line.show(&format!("panto: {}, {}s", self.text(), start.elapsed().as_secs()));
                pause = PACE.max(look.elapsed() * SHARE);
            }
            line.clear();
        });
        Some(end)
    }

    fn text(&self) -> String {
        let Ok(trace) = Trace::open(&self.ranks) else { return "no rank yet".to_owned() };
        let events = trace.ranks().iter().map(RankTrace::events_count).sum();
        let bytes = outcome::sizes(&self.ranks).iter().map(|(_, bytes)| bytes).sum();
        say::totals(trace.ranks().len(), events, bytes)
    }
}

/// The last line of the terminal. The program's output scrolls above it, so that neither disturbs the other.
#[derive(Default)]
struct BottomLine {
    /// The terminal's height that is arranged for.
    rows: Option<u16>,
}

/// Escape sequences of terminals (ECMA-48, and DEC's for the cursor and the region that scrolls).
const DOWN: &str = "\x1bD";
const UP: &str = "\x1b[1A";
const SAVE: &str = "\x1b7";
const RESTORE: &str = "\x1b8";
const CLEAR_LINE: &str = "\x1b[2K";
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
            // Down and up: so the cursor is not in the last line when that is taken from the region.
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

/// In one piece: the program writes to the same terminal.
fn put(sequence: &str) {
    let mut terminal = std::io::stderr().lock();
    let _ = terminal.write_all(sequence.as_bytes()).and_then(|()| terminal.flush());
}
