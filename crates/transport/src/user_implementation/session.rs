//! A user-supplied collective on one rank, called repeatedly.

use std::ffi::{c_int, c_void};

use panto_implementation::{CollectiveKind, abi};
use panto_schedule::{BlockCollective, Collective, starts};

use super::caller::Caller;
use super::load::UserImplementation;
use crate::collective::CollectiveSpec;
use crate::error::{Error, Result};
use crate::message::Tag;
use crate::reduce_op::NO_REDUCTION;
use crate::transport::{Buffers, Transport};

/// A user-supplied collective on one rank.
pub(crate) struct Session<'t, T: Transport> {
    implementation: UserImplementation,
    caller: Caller<'t, T>,
    call: Box<abi::Call>,
    /// What the call's pointers refer to.
    _blocks: [Vec<usize>; 4],
    collective: Collective,
    /// The user code's own state while the collective is in flight.
    state: Option<*mut c_void>,
}

impl<'t, T: Transport> Session<'t, T> {
    pub(crate) fn new(
        transport: &'t T,
        implementation: UserImplementation,
        spec: &CollectiveSpec,
        tag: Tag,
    ) -> Result<Self> {
        let kind = kind(spec).ok_or(Error::Unsupported(
            "user-supplied collective with datatypes of blocks or among neighbours",
        ))?;
        if !implementation.table.collectives.contains(kind) {
            return Err(Error::Start(format!("{} does not implement {}", implementation.title, kind.name())));
        }
        let rank = transport.rank();
        let (input_bytes, output_bytes) = spec.bytes(rank);
        let (root, bytes, element, combine, blocks) = match spec {
            CollectiveSpec::Even { problem, element, combine } => {
                (problem.root, problem.count * element, *element, *combine, Default::default())
            }
            CollectiveSpec::Blocks(problem) => {
                // The interface has one block per rank.
                let (input, output) =
                    (by_rank(spec, problem.input_lens(rank)), by_rank(spec, problem.output_lens(rank)));
                let blocks = [
                    input.clone(),
                    block_starts(&input, input_bytes),
                    output.clone(),
                    block_starts(&output, output_bytes),
                ];
                (problem.root, 0, 1, NO_REDUCTION, blocks)
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
        let UserImplementation { title, time_limit, .. } = implementation;
        let caller = Caller::new(transport, (title, time_limit), tag, combine)?;
        let collective = spec.collective();
        Ok(Self { implementation, caller, call, _blocks: blocks, collective, state: None })
    }

    /// Runs the collective.
    pub(crate) fn run(&mut self, buffers: &mut Buffers<'_>) -> Result<()> {
        let Some(run) = self.implementation.table.run else {
            // SAFETY: the buffers are borrowed until `wait` has returned.
            unsafe { self.start(buffers) }?;
            return self.wait();
        };
        self.point_to(buffers);
        // SAFETY: world and call are valid until it returns, and so are the buffers. The rest is up
        // to the user's code.
        let code = self.call_user(|world, call| unsafe { run(world, call) });
        self.caller.outcome("run", code)?;
        self.caller.check_completed()
    }

    /// Starts the collective.
    ///
    /// # Safety
    /// The buffers must stay valid at their addresses, and be used by nothing else, until
    /// [`poll`](Self::poll) or [`wait`](Self::wait) reports that the collective is complete or has
    /// failed, or this is dropped.
    pub(crate) unsafe fn start(&mut self, buffers: &mut Buffers<'_>) -> Result<()> {
        let Some(start) = self.implementation.table.start else {
            return Err(Error::Start(format!(
                "{} has no `start` and `test` functions, so it cannot be overlapped; call it blocking",
                self.implementation.title
            )));
        };
        self.point_to(buffers);
        let mut state = std::ptr::null_mut();
        // SAFETY: world and call live as long as this session; the caller promises that the buffers
        // stay valid.
        let code = self.call_user(|world, call| unsafe { start(world, call, &raw mut state) });
        self.caller.outcome("start", code)?;
        self.state = Some(state);
        Ok(())
    }

    /// Advances the collective. Returns whether it is complete.
    pub(crate) fn poll(&mut self) -> Result<bool> {
        let (Some(state), Some(test)) = (self.state, self.implementation.table.test) else { return Ok(true) };
        let mut done = 0;
        // SAFETY: as in `start`; `state` is what the user's `start` has stored.
        let code = self.call_user(|world, call| unsafe { test(world, call, state, &raw mut done) });
        let outcome = self.caller.outcome("test", code);
        if outcome.is_err() || done != 0 {
            self.state = None;
        }
        outcome?;
        if done != 0 {
            self.caller.check_completed()?;
        }
        Ok(done != 0)
    }

    /// Waits for the collective.
    pub(crate) fn wait(&mut self) -> Result<()> {
        // The wait as a whole counts as one call for the watchdog, though each poll returns at
        // once.
        self.caller.bridge.watched.enter();
        let outcome = loop {
            match self.poll() {
                Ok(false) if self.caller.transport.oversubscribed() => std::thread::yield_now(),
                Ok(false) => std::hint::spin_loop(),
                Ok(true) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.caller.bridge.watched.leave();
        outcome
    }

    fn point_to(&mut self, buffers: &mut Buffers<'_>) {
        self.call.input = buffers.input.as_ptr().cast();
        self.call.output = buffers.output.as_mut_ptr().cast();
    }

    /// Calls user code. Its messages are attributed to the collective.
    fn call_user(&self, act: impl FnOnce(*const abi::World, *const abi::Call) -> c_int) -> c_int {
        self.caller.transport.set_collective(Some(self.collective));
        let code = self.caller.call(|world| act(world, &raw const *self.call));
        self.caller.transport.set_collective(None);
        code
    }
}

/// Returns one block length per rank: a rank that contributes or receives a single block has it for
/// all.
fn by_rank(spec: &CollectiveSpec, lens: Vec<usize>) -> Vec<usize> {
    match lens[..] {
        [only] => vec![only; spec.ranks()],
        [] => vec![0; spec.ranks()],
        _ => lens,
    }
}

/// Returns the starts of blocks: all zero where one block stands for all.
fn block_starts(lens: &[usize], bytes: usize) -> Vec<usize> {
    let disjoint = lens.iter().sum::<usize>() == bytes;
    if disjoint { starts(lens) } else { vec![0; lens.len()] }
}

/// Returns the collective as the interface numbers it; `None` if the interface does not have it.
fn kind(spec: &CollectiveSpec) -> Option<CollectiveKind> {
    Some(match spec {
        CollectiveSpec::Blocks(problem) => match problem.collective {
            BlockCollective::Gatherv => CollectiveKind::Gatherv,
            BlockCollective::Scatterv => CollectiveKind::Scatterv,
            BlockCollective::Allgatherv => CollectiveKind::Allgatherv,
            BlockCollective::Alltoallv => CollectiveKind::Alltoallv,
            _ => return None,
        },
        CollectiveSpec::Even { problem, .. } => match problem.collective {
            Collective::Broadcast => CollectiveKind::Broadcast,
            Collective::Reduce => CollectiveKind::Reduce,
            Collective::Allreduce => CollectiveKind::Allreduce,
            Collective::Allgather => CollectiveKind::Allgather,
            Collective::Gather => CollectiveKind::Gather,
            Collective::Scatter => CollectiveKind::Scatter,
            Collective::Alltoall => CollectiveKind::Alltoall,
            Collective::ReduceScatter => CollectiveKind::ReduceScatter,
            Collective::Scan => CollectiveKind::Scan,
            Collective::Exscan => CollectiveKind::Exscan,
            Collective::Barrier => CollectiveKind::Barrier,
        },
    })
}
