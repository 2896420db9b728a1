//! One collective by a stranger's code, called again and again.

use std::ffi::{c_int, c_void};

use panto_implementation::{Kind, abi};
use panto_schedule::{Collective, Uneven, starts};

use super::bridge::Bridge;
use super::load::Foreign;
use super::watch;
use crate::collective::What;
use crate::combine::NO_COMBINE;
use crate::error::{Error, Result};
use crate::message::Tag;
use crate::transport::{Buffers, Transport};

/// A stranger's collective on one rank.
pub(crate) struct Session<'t, T: Transport> {
    transport: &'t T,
    foreign: Foreign,
    bridge: Box<Bridge<'t, T>>,
    call: Box<abi::Call>,
    /// What the call points to.
    _blocks: [Vec<usize>; 4],
    collective: Collective,
    /// The stranger's own, while the collective is in flight.
    state: Option<*mut c_void>,
}

impl<'t, T: Transport> Session<'t, T> {
    pub(crate) fn new(transport: &'t T, foreign: Foreign, what: &What, tag: Tag) -> Result<Self> {
        let kind = kind(what);
        if !foreign.table.collectives.has(kind) {
            return Err(Error::Start(format!("{} does not serve {}", foreign.title, kind.name())));
        }
        let rank = transport.rank();
        let (input_bytes, output_bytes) = what.bytes(rank);
        let (root, bytes, element, combine, blocks) = match what {
            What::Even { problem, element, combine } => {
                (problem.root, problem.count * element, *element, *combine, Default::default())
            }
            What::Uneven(problem) => {
                // An implementation finds a block by the number of a rank, whichever they are.
                let (input, output) =
                    (by_rank(what, problem.input_lens(rank)), by_rank(what, problem.output_lens(rank)));
                let blocks = [
                    input.clone(),
                    places(&input, input_bytes),
                    output.clone(),
                    places(&output, output_bytes),
                ];
                (problem.root, 0, 1, NO_COMBINE, blocks)
            }
        };
        let at = |place: usize| {
            let blocks: &[usize] = &blocks[place];
            if blocks.is_empty() { std::ptr::null() } else { blocks.as_ptr() }
        };
        let call = Box::new(abi::Call {
            collective: kind as u32,
            root: root as c_int,
            input: std::ptr::null(),
            output: std::ptr::null_mut(),
            input_bytes,
            output_bytes,
            bytes,
            element,
            input_lens: at(0),
            input_starts: at(1),
            output_lens: at(2),
            output_starts: at(3),
        });
        let post = watch::take_post(&foreign, rank)?;
        let bridge = Bridge::new(transport, tag, combine, post);
        let collective = what.collective();
        Ok(Self { transport, foreign, bridge, call, _blocks: blocks, collective, state: None })
    }

    /// Carries it out.
    pub(crate) fn run(&mut self, buffers: &mut Buffers<'_>) -> Result<()> {
        let Some(run) = self.foreign.table.run else {
            // SAFETY: the buffers are borrowed until it is complete.
            unsafe { self.start(buffers) }?;
            return self.wait();
        };
        self.point_to(buffers);
        // SAFETY: both are valid until it returns, and so are the buffers; what else it does is the user's wish.
        let code = self.inside(|world, call| unsafe { run(world, call) });
        self.outcome("run", code)?;
        self.ended()
    }

    /// # Safety
    /// The buffers must stay valid at their places until [`poll`](Self::poll) or [`wait`](Self::wait) say that the collective is
    /// complete or has failed, or this is dropped, and nobody else may touch them.
    pub(crate) unsafe fn start(&mut self, buffers: &mut Buffers<'_>) -> Result<()> {
        let Some(start) = self.foreign.table.start else {
            return Err(Error::Start(format!(
                "{} has no functions `start` and `test`, so it cannot go on beside other work; call it blocking",
                self.foreign.title
            )));
        };
        self.point_to(buffers);
        let mut state = std::ptr::null_mut();
        // SAFETY: as in `run`, for as long as the caller says.
        let code = self.inside(|world, call| unsafe { start(world, call, &raw mut state) });
        self.outcome("start", code)?;
        self.state = Some(state);
        Ok(())
    }

    /// Lets it go on. Is it complete?
    pub(crate) fn poll(&mut self) -> Result<bool> {
        let (Some(state), Some(test)) = (self.state, self.foreign.table.test) else { return Ok(true) };
        let mut done = 0;
        // SAFETY: as in `start`; the state is what that has left.
        let code = self.inside(|world, call| unsafe { test(world, call, state, &raw mut done) });
        let outcome = self.outcome("test", code);
        if outcome.is_err() || done != 0 {
            self.state = None;
        }
        outcome?;
        if done != 0 {
            self.ended()?;
        }
        Ok(done != 0)
    }

    /// Waits for it.
    pub(crate) fn wait(&mut self) -> Result<()> {
        // Somebody is here all the time, though each single question is answered at once.
        self.bridge.post.enter();
        let outcome = loop {
            match self.poll() {
                Ok(false) if self.transport.oversubscribed() => std::thread::yield_now(),
                Ok(false) => std::hint::spin_loop(),
                Ok(true) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.bridge.post.leave();
        outcome
    }

    fn point_to(&mut self, buffers: &mut Buffers<'_>) {
        self.call.input = buffers.input.as_ptr().cast();
        self.call.output = buffers.output.as_mut_ptr().cast();
    }

    /// In the stranger's code. What it sends belongs to the collective.
    fn inside(&self, act: impl FnOnce(*const abi::World, *const abi::Call) -> c_int) -> c_int {
        self.transport.on_behalf_of(Some(self.collective));
        self.bridge.post.enter();
        let code = act(&raw const self.bridge.world, &raw const *self.call);
        self.bridge.post.leave();
        self.transport.on_behalf_of(None);
        code
    }

    /// What went wrong, if anything did: in the message layer, or in the stranger's own eyes.
    fn outcome(&self, function: &str, code: c_int) -> Result<()> {
        let (failure, title) = (self.bridge.take_failure(), self.foreign.title);
        if failure.is_some() || code != abi::OK {
            self.bridge.cancel_all();
        }
        match failure {
            // These say by themselves who stopped the run.
            Some(error @ (Error::Aborted { .. } | Error::Deadlock(_))) => Err(error),
            Some(error) => Err(self.transport.abort(&format!("{title}: {error}"))),
            None if code != abi::OK => Err(self
                .transport
                .abort(&format!("{title} failed: its function `{function}` returned {code}"))),
            None => Ok(()),
        }
    }

    /// Nothing may be left behind when it says that it is done.
    fn ended(&self) -> Result<()> {
        match self.bridge.cancel_all() {
            0 => Ok(()),
            left => Err(self.transport.abort(&format!(
                "{} returned with {left} of its messages still on their way; wait for each that was started",
                self.foreign.title
            ))),
        }
    }
}

/// One block for each rank: a rank that brings or gets a single block has it for all.
fn by_rank(what: &What, lens: Vec<usize>) -> Vec<usize> {
    match lens[..] {
        [only] => vec![only; what.ranks()],
        [] => vec![0; what.ranks()],
        _ => lens,
    }
}

/// Where blocks begin; all at the start where the same one is for all.
fn places(lens: &[usize], bytes: usize) -> Vec<usize> {
    let apart = lens.iter().sum::<usize>() == bytes;
    if apart { starts(lens) } else { vec![0; lens.len()] }
}

fn kind(what: &What) -> Kind {
    match what {
        What::Uneven(problem) => match problem.collective {
            Uneven::Gatherv => Kind::Gatherv,
            Uneven::Scatterv => Kind::Scatterv,
            Uneven::Allgatherv => Kind::Allgatherv,
            Uneven::Alltoallv => Kind::Alltoallv,
        },
        What::Even { problem, .. } => match problem.collective {
            Collective::Broadcast => Kind::Broadcast,
            Collective::Reduce => Kind::Reduce,
            Collective::Allreduce => Kind::Allreduce,
            Collective::Allgather => Kind::Allgather,
            Collective::Gather => Kind::Gather,
            Collective::Scatter => Kind::Scatter,
            Collective::Alltoall => Kind::Alltoall,
            Collective::ReduceScatter => Kind::ReduceScatter,
            Collective::Scan => Kind::Scan,
            Collective::Exscan => Kind::Exscan,
            Collective::Barrier => Kind::Barrier,
        },
    }
}
