//! Ranks as threads of one process: nothing to install, and a real message layer all the same.
//!
//! Small messages are copied into the receiver's `ring`; large ones stay where they are until the receiver
//! copies them once, straight from the sender's buffer to its own (`offer`). Ranks that have nothing to do
//! sleep, and a deadlock is found and named (`shared`).

mod affinity;
mod endpoint;
mod listener;
mod matching;
mod offer;
mod packet;
mod patience;
mod receiving;
mod ring;
mod sending;
mod shared;
mod waiting;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

pub use affinity::cores;
pub(crate) use affinity::leave_the_ranks_core;
pub use endpoint::{Endpoint, Handle};

use crate::error::Error;
use crate::outcome::{Stopped, first_cause, panic_text};
use crate::transport::Transport;
use crate::world::World;
use shared::Shared;

/// A world of threads.
#[derive(Debug, Clone)]
pub struct Threads {
    /// Messages up to this size are copied and do not wait for the receiver.
    pub eager_limit: usize,
    /// Pin rank n to the n-th core, round robin.
    pub pin: bool,
    /// Bytes of stack for each rank.
    pub stack: usize,
}

impl Default for Threads {
    fn default() -> Self {
        Self { eager_limit: ring::CELL, pin: false, stack: 512 << 10 }
    }
}

/// More threads than this and the system, not Panto, would say no, in worse words.
const MOST_RANKS: usize = 8_192;

impl World for Threads {
    type Endpoint = Endpoint;

    fn most_ranks(&self) -> usize {
        MOST_RANKS
    }

    fn run<R, E, F>(&self, ranks: usize, body: F) -> Result<Vec<R>, E>
    where
        R: Send,
        E: From<Error> + Display + Send,
        F: Fn(&Endpoint) -> Result<R, E> + Sync,
    {
        if ranks == 0 || ranks > MOST_RANKS {
            return Err(Error::Start(format!("{ranks} ranks: threads can be 1 to {MOST_RANKS}")).into());
        }
        let shared = Arc::new(Shared::new(ranks, self.eager_limit, cores().into()));
        let start = Start { world: self, shared: &shared, body: &body };
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..ranks).map(|rank| start.spawn(scope, rank)).collect();
            threads.into_iter().map(|thread| thread.and_then(|thread| join(thread, &shared))).collect()
        });
        first_cause(outcomes, shared.failure().cloned())
    }
}

struct Start<'a, F> {
    world: &'a Threads,
    shared: &'a Arc<Shared>,
    body: &'a F,
}

type Joined<'scope, R, E> = std::thread::ScopedJoinHandle<'scope, Result<R, Stopped<E>>>;

impl<'a, F> Start<'a, F> {
    fn spawn<'scope, R, E>(
        &self,
        scope: &'scope std::thread::Scope<'scope, 'a>,
        rank: usize,
    ) -> Result<Joined<'scope, R, E>, Stopped<E>>
    where
        R: Send + 'scope,
        E: Display + Send + 'scope,
        F: Fn(&Endpoint) -> Result<R, E> + Sync,
    {
        let (shared, body, pin) = (Arc::clone(self.shared), self.body, self.world.pin);
        let builder = std::thread::Builder::new().name(format!("rank {rank}")).stack_size(self.world.stack);
        let spawned = builder.spawn_scoped(scope, move || {
            if pin {
                affinity::pin(rank, &shared.cores).map_err(|error| Stopped::World(shared.fail(error)))?;
            }
            run_rank(rank, &shared, body)
        });
        spawned.map_err(|error| {
            let text = format!("cannot start rank {rank} as a thread: {error}; use fewer ranks");
            Stopped::World(self.shared.fail(Error::Start(text)))
        })
    }
}

fn run_rank<R, E, F>(rank: usize, shared: &Arc<Shared>, body: &F) -> Result<R, Stopped<E>>
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
            // The world may have failed before, and this error be only its echo; or another rank was faster.
            let echo = shared.failure().is_some();
            let cause = endpoint.abort(&error.to_string());
            let first = !echo && matches!(cause, Error::Aborted { rank: first, .. } if first == rank);
            Err(if first { Stopped::Failed(error) } else { Stopped::World(cause) })
        }
        Err(panic) => {
            Err(Stopped::World(endpoint.abort(&format!("it panicked: {}", panic_text(panic.as_ref())))))
        }
    };
    shared.leave(rank);
    result
}

fn join<R, E>(thread: Joined<'_, R, E>, shared: &Shared) -> Result<R, Stopped<E>> {
    thread.join().unwrap_or_else(|panic| {
        let text = format!("a rank ended outside its body: {}", panic_text(panic.as_ref()));
        Err(Stopped::World(shared.fail(Error::Start(text))))
    })
}
