//! Ctrl-C and SIGTERM.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::failure::{Failure, INTERRUPTED};

/// Returns a flag that the first Ctrl-C sets, so that the run ends after the current step; the
/// second ends the process. MPI launchers forward Ctrl-C as SIGTERM.
pub fn listen() -> Result<Arc<AtomicBool>, Failure> {
    let interrupt = Arc::default();
    let failed = |error| Failure::Run(format!("cannot install a handler for Ctrl-C: {error}"));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), Arc::clone(&interrupt))
            .map_err(failed)?;
        flag::register(signal, Arc::clone(&interrupt)).map_err(failed)?;
    }
    Ok(interrupt)
}
