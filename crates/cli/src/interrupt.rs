//! Signals: Ctrl-C, SIGTERM, SIGHUP and SIGXFSZ.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::{Handle, Signals};

use crate::failure::{Failure, INTERRUPTED};
use crate::print;

/// Returns a flag that the first Ctrl-C sets, so that the run ends after the current step; the
/// second ends the process. MPI launchers forward Ctrl-C as SIGTERM.
pub fn listen() -> Result<Arc<AtomicBool>, Failure> {
    let interrupt = Arc::default();
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), Arc::clone(&interrupt))
            .map_err(|error| not_installed(&error))?;
        flag::register(signal, Arc::clone(&interrupt)).map_err(|error| not_installed(&error))?;
    }
    Ok(interrupt)
}

/// How long a run may take to end after Ctrl-C.
const GRACE: Duration = Duration::from_millis(800);

/// A run that can be interrupted between its steps. If it has not ended [`GRACE`] after Ctrl-C, the
/// process ends without it. Dropping this ends the watch.
///
/// The watching thread sleeps until there is a signal: it must not disturb what is measured.
pub struct Watch {
    signals: Handle,
    has_ended: Arc<AtomicBool>,
}

impl Watch {
    /// Watches a run.
    pub fn new() -> Result<Self, Failure> {
        let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(|error| not_installed(&error))?;
        let watch = Self { signals: signals.handle(), has_ended: Arc::default() };
        let has_ended = Arc::clone(&watch.has_ended);
        std::thread::spawn(move || {
            if signals.forever().next().is_none() {
                return;
            }
            std::thread::sleep(GRACE);
            if !has_ended.load(Ordering::Relaxed) {
                print::note("panto: stopped in the middle of a point; the points before it are kept");
                panto_container::remove_unfinished_and_exit(i32::from(INTERRUPTED));
            }
        });
        Ok(watch)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
        self.signals.close();
    }
}

/// From now on a signal ends this process with 128 + n, as it does by default, but without leaving
/// unfinished output files. For commands that only read files and write others.
pub fn end_without_leftovers() -> Result<(), Failure> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(|error| not_installed(&error))?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            panto_container::remove_unfinished_and_exit(128 + signal);
        }
    });
    Ok(())
}

/// From now on, a file that exceeds the limit of the shell (`ulimit -f`) is an error of writing. By
/// default the signal ends the process, which would leave unfinished files.
pub fn report_file_size_limit() {
    // Without the handler the default remains.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

fn not_installed(error: &std::io::Error) -> Failure {
    Failure::Run(format!("cannot install a handler for Ctrl-C: {error}"))
}
