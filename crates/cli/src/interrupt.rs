//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::failure::{Failure, INTERRUPTED};

/// Set by the first Ctrl-C, for the run to end after what is at hand; the second ends the program. Launchers of MPI pass it on as another
/// signal.
pub fn listen() -> Result<Arc<AtomicBool>, Failure> {
    let interrupt = Arc::default();
    let failed = |error| Failure::Run(format!("cannot listen to Ctrl-C: {error}"));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), Arc::clone(&interrupt))
            .map_err(failed)?;
        flag::register(signal, Arc::clone(&interrupt)).map_err(failed)?;
    }
    Ok(interrupt)
}
