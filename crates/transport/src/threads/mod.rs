//! Ranks as threads of one process: a message layer in shared memory, so kernels run without an MPI
//! library.
//!
//! Each rank has an *inbox* that the others write to:
//!
//! - `ring`: a multi-producer, single-consumer ring buffer of 64 slots. A sender draws a *ticket*
//!   with one atomic increment; the ticket is its place in the receiver's order and names a slot. A
//!   message of up to 39 bytes travels inside the slot's cache line, one of up to 4 KiB in the
//!   slot's *eager cell*, 4 KiB of its own, and a longer copy on the heap. If the slot is still
//!   occupied, because the receiver is 64 messages behind, the message goes to an overflow map
//!   under its ticket, so a copying send never blocks.
//! - `rendezvous`: messages of standard and ready sends above the eager limit to another rank, and
//!   of all synchronous sends, stay in the sender's buffer. Only a reference travels through the
//!   ring; the matching receive copies the bytes once, from buffer to buffer. From 32 KiB on, a
//!   sender that is polling copies pieces, too; one that sleeps or computes is not woken for it.
//! - `matching`: the receiver takes tickets in order and matches messages with posted receives. It
//!   alone does so, hence no locks.
//! - `backoff` and `shared`: a rank that waits spins, then yields, then parks its thread. `shared`
//!   has the sleep protocol with its correctness argument, and the detection of deadlocks that
//!   follows from it.
//! - `handlers`: message handlers, which run when a message arrives and not when it is received
//!   (requirement C19), on threads of their own.
//!
//! Order: messages from one rank to another have increasing tickets whatever their protocol, and
//! the receiver takes tickets in order, so messages do not overtake each other. Messages for a
//! handler do not enter the ring; those for one handler are in order among themselves.
//!
//! Cost: an eager message of up to 39 bytes takes one atomic increment on the senders' shared line,
//! one store of the slot and one transfer of its cache line to the receiver's core, and loads three
//! flags that rarely change (whether the run has failed, whether the receiver has handlers, and its
//! `asleep`); no locks, system calls or allocations while both ranks run, the receiver keeps up and
//! the receive is posted.

mod affinity;
mod backoff;
mod endpoint;
mod handlers;
mod matching;
mod packet;
mod receiving;
mod rendezvous;
mod ring;
mod sending;
mod shared;
mod waiting;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

pub use affinity::cores;
pub(crate) use affinity::reset_affinity;
pub use endpoint::{Endpoint, Handle};

use crate::error::Error;
use crate::outcome::{RankFailure, first_failure, panic_text};
use crate::transport::Transport;
use crate::world::World;
use shared::Shared;

/// Whether rank n is pinned to the n-th core that the process may use. Hardware threads that share
/// a core with an earlier one come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pin {
    /// Where there are several ranks and a core for each. Ranks that the system puts on one core
    /// pass messages a hundred times more slowly than others.
    Auto,
    /// Always, round robin.
    Always,
    /// Never: ranks run where the system puts them.
    #[default]
    Never,
}

impl Pin {
    /// Returns whether this many ranks are pinned on this many cores.
    pub fn applies(self, ranks: usize, cores: usize) -> bool {
        match self {
            Self::Auto => (2..=cores).contains(&ranks),
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// A world of ranks that are threads of this process.
#[derive(Debug, Clone)]
pub struct Threads {
    /// The eager limit in bytes: longer messages are sent by rendezvous. The default is the size of
    /// an eager cell; above it eager messages are copied to the heap.
    pub eager_limit: usize,
    /// Whether ranks are pinned to cores.
    pub pin: Pin,
    /// Stack size of each rank in bytes.
    pub stack: usize,
}

impl Default for Threads {
    fn default() -> Self {
        Self { eager_limit: ring::CELL, pin: Pin::Never, stack: 512 << 10 }
    }
}

/// Maximum number of ranks. Above this, thread creation fails on common systems, with a less
/// helpful message.
const MAX_RANKS: usize = 8_192;

impl World for Threads {
    type Endpoint = Endpoint;

    fn max_ranks(&self) -> usize {
        MAX_RANKS
    }

    fn run<R, E, F>(&self, ranks: usize, body: F) -> Result<Vec<R>, E>
    where
        R: Send,
        E: From<Error> + Display + Send,
        F: Fn(&Endpoint) -> Result<R, E> + Sync,
    {
        if ranks == 0 || ranks > MAX_RANKS {
            return Err(
                Error::Start(format!("{ranks} ranks: a world of threads runs 1 to {MAX_RANKS}")).into()
            );
        }
        let shared = Arc::new(Shared::new(ranks, self.eager_limit, cores().into()));
        let pinned = self.pin.applies(ranks, shared.cores.len());
        let pins = if pinned { affinity::in_pinning_order(&shared.cores) } else { Vec::new() };
        let start = Spawner { stack: self.stack, pins: &pins, shared: &shared, body: &body };
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..ranks).map(|rank| start.spawn(scope, rank)).collect();
            threads.into_iter().map(|thread| thread.and_then(|thread| join(thread, &shared))).collect()
        });
        first_failure(outcomes, shared.failure().cloned())
    }
}

struct Spawner<'a, F> {
    stack: usize,
    /// The cores to which ranks are pinned; empty if they are not.
    pins: &'a [usize],
    shared: &'a Arc<Shared>,
    body: &'a F,
}

type RankThread<'scope, R, E> = std::thread::ScopedJoinHandle<'scope, Result<R, RankFailure<E>>>;

impl<'a, F> Spawner<'a, F> {
    fn spawn<'scope, R, E>(
        &self,
        scope: &'scope std::thread::Scope<'scope, 'a>,
        rank: usize,
    ) -> Result<RankThread<'scope, R, E>, RankFailure<E>>
    where
        R: Send + 'scope,
        E: Display + Send + 'scope,
        F: Fn(&Endpoint) -> Result<R, E> + Sync,
    {
        let (shared, body, pins) = (Arc::clone(self.shared), self.body, self.pins);
        let builder = std::thread::Builder::new().name(format!("rank {rank}")).stack_size(self.stack);
        let spawned = builder.spawn_scoped(scope, move || {
            if !pins.is_empty() {
                affinity::pin(rank, pins).map_err(|error| RankFailure::World(shared.fail(error)))?;
            }
            run_rank(rank, &shared, body)
        });
        spawned.map_err(|error| {
            let text = format!("cannot start the thread of rank {rank}: {error}; use fewer ranks");
            RankFailure::World(self.shared.fail(Error::Start(text)))
        })
    }
}

fn run_rank<R, E, F>(rank: usize, shared: &Arc<Shared>, body: &F) -> Result<R, RankFailure<E>>
where
    E: Display,
    F: Fn(&Endpoint) -> Result<R, E>,
{
    shared.enter(rank);
    let endpoint = Endpoint::new(rank, Arc::clone(shared));
    let outcome = catch_unwind(AssertUnwindSafe(|| body(&endpoint)));
    let result = match outcome {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(error)) => {
            // The world may have failed before, and this error only be a consequence; or another
            // rank may have failed first.
            let echo = shared.failure().is_some();
            let cause = endpoint.abort(&error.to_string());
            let first = !echo && matches!(cause, Error::Aborted { rank: first, .. } if first == rank);
            Err(if first { RankFailure::Own(error) } else { RankFailure::World(cause) })
        }
        Err(panic) => {
            Err(RankFailure::World(endpoint.abort(&format!("panicked: {}", panic_text(panic.as_ref())))))
        }
    };
    shared.leave(rank);
    result
}

fn join<R, E>(thread: RankThread<'_, R, E>, shared: &Shared) -> Result<R, RankFailure<E>> {
    thread.join().unwrap_or_else(|panic| {
        let text = format!("a rank panicked outside its body: {}", panic_text(panic.as_ref()));
        Err(RankFailure::World(shared.fail(Error::Start(text))))
    })
}
