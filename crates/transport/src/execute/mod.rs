//! Executes a program on any transport: its messages as they were, its computation as time.
//!
//! A [`Program`] is what the simulator runs. Executed on real ranks it checks a prediction without
//! the original application, and without a core per rank: a rank that sleeps instead of computing
//! occupies none. On a simulated machine the times equal those of the simulator, to the picosecond.

mod channel_tags;
mod executor;
mod local_work;
mod send_buffers;
mod timing;

use panto_sim::program::Program;

use channel_tags::ChannelTags;
pub use executor::Executor;
pub use local_work::Computation;
use local_work::LocalWork;
pub use timing::{Times, makespans, time};

use crate::error::Result;
use crate::transport::Transport;

/// A program that can be executed.
#[derive(Debug)]
pub struct Execution<'p> {
    program: &'p Program,
    channel_tags: ChannelTags,
}

impl<'p> Execution<'p> {
    /// Checks a program. The error says what in it cannot be executed.
    pub fn new(program: &'p Program) -> std::result::Result<Self, String> {
        if !program.helper_homes.is_empty() {
            return Err("it has non-blocking collectives, which can only be simulated".into());
        }
        if program.has_wildcards() {
            return Err("it has wildcard receives; use the recorded senders".into());
        }
        Ok(Self { program, channel_tags: ChannelTags::new(program)? })
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.program.ranks as usize
    }

    /// Executes one rank's operations. All ranks of the program must call this together.
    pub fn run<T: Transport>(&self, transport: &T, computation: Computation) -> Result<()> {
        self.executor(transport, computation).run()
    }

    /// Returns one rank with all memory that it needs, for callers that measure only the execution,
    /// once or repeatedly.
    pub fn executor<'a, T: Transport>(
        &'a self,
        transport: &'a T,
        computation: Computation,
    ) -> Executor<'a, T> {
        let code = &self.program.codes[transport.rank()];
        let local_work = LocalWork::new(transport, computation, &code.times);
        Executor::new(transport, &self.program.channels, &self.channel_tags, code, local_work)
    }
}
