//! Carries out what a traced program did, for real: its messages as they were, its computation as time.
//!
//! A [`Program`] is what the simulator runs; here it runs on any transport. So a prediction can be checked on a machine without the program, and
//! without a core for each rank: a rank that sleeps while it would compute takes none. On a simulated machine the times are those of the simulator,
//! to the picosecond.

mod errand;
mod outgoing;
mod performer;
mod routes;

use panto_sim::program::Program;

use errand::Clerk;
pub use errand::Computation;
pub use performer::Performer;
use routes::Routes;

use crate::error::Result;
use crate::transport::Transport;

/// A program that can be carried out.
#[derive(Debug)]
pub struct Performance<'p> {
    program: &'p Program,
    routes: Routes,
}

impl<'p> Performance<'p> {
    /// Looks through a program; the error says what in it cannot be carried out.
    pub fn new(program: &'p Program) -> std::result::Result<Self, String> {
        if !program.helps.is_empty() {
            return Err(
                "it has non-blocking collectives, which go on beside their ranks; they can be simulated only"
                    .into(),
            );
        }
        if program.has_picks() {
            return Err("it has receives from anybody; take the recorded senders".into());
        }
        Ok(Self { program, routes: Routes::new(program)? })
    }

    /// How many ranks it needs.
    pub fn ranks(&self) -> usize {
        self.program.ranks as usize
    }

    /// What one rank does. All ranks of the world must call this together, as many as the program has.
    pub fn run<T: Transport>(&self, transport: &T, computation: Computation) -> Result<()> {
        self.performer(transport, computation).perform()
    }

    /// One rank with all the memory that it needs, for those who measure how long the rest takes, once or again and again.
    pub fn performer<'a, T: Transport>(
        &'a self,
        transport: &'a T,
        computation: Computation,
    ) -> Performer<'a, T> {
        let code = &self.program.codes[transport.rank()];
        let clerk = Clerk::new(transport, computation, &code.times);
        Performer::new(transport, &self.program.channels, &self.routes, code, clerk)
    }
}
