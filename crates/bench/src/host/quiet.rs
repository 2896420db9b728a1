//! Waiting for a quiet machine.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::load::{HostLoad, HostMeter};

/// Share of others and of steal time up to which a machine is quiet.
const QUIET: f64 = 0.05;
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(500);

/// Waits until the host of this process is quiet, for `limit` at most or until interrupted. `ranks`
/// are the processes of the run, which do not count; `busy` receives the load at each look. Returns
/// whether the host is quiet, or cannot be observed.
pub fn wait_for_quiet(
    ranks: Option<Vec<u32>>,
    limit: Duration,
    interrupt: &AtomicBool,
    mut busy: impl FnMut(&HostLoad),
) -> bool {
    let (mut meter, start) = (HostMeter::start(ranks), Instant::now());
    loop {
        std::thread::sleep(LOOK.min(limit));
        let Some(load) = meter.lap() else { return true };
        if load.steal <= QUIET && load.others.is_none_or(|part| part <= QUIET) {
            return true;
        }
        busy(&load);
        if start.elapsed() >= limit || interrupt.load(Ordering::Relaxed) {
            return false;
        }
    }
}
