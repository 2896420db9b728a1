//! Waiting for the real MPI in a job whose ranks outnumber the cores.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::Mutex;
use std::time::Duration;

use super::data::mpi;
use super::{WATCH, leave, leave_if_over};

/// Polls before a waiting rank sleeps instead of yielding: other ranks of the same core run then.
/// In a large job most of them wait as well.
fn yields(ranks: u32) -> u32 {
    (400 / ranks.max(1)).clamp(4, 100)
}

/// The first sleep between two polls, and the longest one in a job of up to 16 ranks.
const SLEEP: (Duration, Duration) = (Duration::from_micros(20), Duration::from_micros(200));

/// Returns the longest sleep between two polls: all ranks together poll no more often than 16.
fn longest_sleep(ranks: u32) -> Duration {
    SLEEP.1 * (ranks / 16).max(1)
}

/// Waits until something is ready, and lets other ranks have the core. A message from another rank
/// wakes it, see [`sent`]; what becomes ready without one is found by polling.
pub fn until(mut is_ready: impl FnMut() -> bool) {
    let Some(watch) = WATCH.get() else { leave() };
    for _ in 0..yields(watch.ranks()) {
        if is_ready() {
            return;
        }
        std::thread::yield_now();
    }
    let (mut sleep, longest) = (SLEEP.0, longest_sleep(watch.ranks()));
    while !watch.pause(sleep, &mut is_ready) {
        leave_if_over();
        sleep = (sleep * 2).min(longest);
    }
}

/// The members of communicators, as ranks of `MPI_COMM_WORLD`, by handle. A handle may be used
/// again for others: then a rank is woken in vain, or finds its message by polling.
static MEMBERS: Mutex<BTreeMap<usize, Vec<c_int>>> = Mutex::new(BTreeMap::new());

/// Communicators whose members are kept.
const MAX_KNOWN: usize = 1_024;

/// Notifies a rank of a communicator that something was sent to it.
pub fn sent(to: usize, comm: usize) {
    let Some(watch) = WATCH.get() else { return };
    let comm = mpi().handle(comm);
    if comm == mpi().constants.comm_world {
        return watch.sent(to as u32);
    }
    let Ok(mut known) = MEMBERS.lock() else { return };
    if known.len() > MAX_KNOWN {
        known.clear();
    }
    let members = known.entry(comm).or_insert_with(|| mpi().members(comm, mpi().remote_size(comm).is_some()));
    if let Some(rank) = members.get(to).and_then(|rank| u32::try_from(*rank).ok()) {
        watch.sent(rank);
    }
}
