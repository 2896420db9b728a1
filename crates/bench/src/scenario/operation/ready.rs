//! A collective that is ready to be issued, with its data.

use panto_schedule::{Algorithm, Collective};
use panto_transport::{
    AlgorithmChoice, CollectiveImplementation, CollectiveTag, PersistentCollective, PersistentOptions,
    Result, Time, Transport, WorkerThread,
};

use super::data::{self, Data};
use super::{CallOptions, Implementation, Progress, Task};
use crate::error::Error;
use crate::measure::Checked;

/// A collective that can be issued repeatedly. All ranks create the same ones, in the same order.
pub struct Ready<'t, T: Transport> {
    collective: PersistentCollective<'t, T>,
    data: Data,
    how: CallOptions,
    round: u64,
    /// Index of the next set of buffers, and those used since the data was prepared.
    turn: usize,
    used: Vec<bool>,
    helper: Option<WorkerThread>,
    // Last, because the collective uses it.
    _selection: Option<NativeSelection<'t, T>>,
}

/// The selected algorithm of a native collective. Dropping it ends the selection.
struct NativeSelection<'t, T: Transport> {
    transport: &'t T,
    collective: Collective,
}

impl<'t, T: Transport> NativeSelection<'t, T> {
    fn new(transport: &'t T, collective: Collective, algorithm: &str) -> Result<Self> {
        transport.select_native(collective, Some(algorithm))?;
        Ok(Self { transport, collective })
    }
}

impl<T: Transport> Drop for NativeSelection<'_, T> {
    fn drop(&mut self) {
        // Ending a selection that exists cannot fail.
        drop(self.transport.select_native(self.collective, None));
    }
}

/// Creates a collective on the calling rank.
pub fn ready<'t, T: Transport>(
    transport: &'t T,
    task: &Task,
    who: &Implementation,
    how: CallOptions,
) -> crate::error::Result<Ready<'t, T>> {
    let by = match who {
        Implementation::Library | Implementation::LibraryAlgorithm(_) => {
            CollectiveImplementation::BuiltIn(AlgorithmChoice::Library)
        }
        Implementation::Algorithm(algorithm) => {
            CollectiveImplementation::BuiltIn(AlgorithmChoice::Algorithm(*algorithm))
        }
        Implementation::UserSupplied { .. } => match who.load()? {
            Some(foreign) => CollectiveImplementation::User(foreign.with_time_limit(how.patience)),
            None => CollectiveImplementation::BuiltIn(AlgorithmChoice::Library),
        },
    };
    if how.non_blocking {
        who.check_non_blocking()?;
    }
    let tag = how.non_blocking.then(|| collective_tag(how.tag_index)).transpose()?;
    let spec = data::collective_spec(task, transport.size())?;
    let selection = match who {
        Implementation::LibraryAlgorithm(name) => {
            Some(NativeSelection::new(transport, spec.collective(), name)?)
        }
        _ => None,
    };
    let collective = PersistentCollective::new(
        transport,
        &spec,
        &by,
        PersistentOptions { tag, buffer_sets: how.copies.max(1) },
    )?;
    let helps = how.non_blocking && how.progress == Progress::Helper && !transport.is_virtual();
    let helper = helps.then(|| WorkerThread::new(is_crowded(transport))).transpose()?;
    let (used, data) = (vec![false; collective.sets()], Data::new(&spec, transport.rank()));
    Ok(Ready { collective, data, how, round: 0, turn: 0, used, helper, _selection: selection })
}

/// Returns whether ranks and their helpers together outnumber the cores: then spinning keeps
/// another from working. Ranks of other hosts count as well: a needless yield costs less than
/// waiting for a core.
fn is_crowded<T: Transport>(transport: &T) -> bool {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    transport.oversubscribed() || 2 * transport.size() > cores
}

fn collective_tag(number: usize) -> crate::error::Result<CollectiveTag> {
    CollectiveTag::ALL.get(number).copied().ok_or_else(|| {
        Error::usage(format!("at most {} collectives can be in flight at once; use fewer", CallOptions::TAGS))
    })
}

impl<T: Transport> Ready<'_, T> {
    /// Fills all sets of buffers, so that [`verify`](Self::verify) can check the moved bytes.
    /// `round` differs from call to call. Must not be called while the collective is in flight.
    pub fn prepare(&mut self, round: u64) {
        self.round = round;
        self.used.fill(false);
        for set in 0..self.collective.sets() {
            if let Some((input, output)) = self.collective.buffers_mut(set) {
                self.data.fill(input, output, round);
            }
        }
    }

    /// Issues it: all of it if it blocks, otherwise its start.
    pub fn issue(&mut self) -> Result<()> {
        self.used[self.turn] = true;
        self.turn = if self.turn + 1 == self.used.len() { 0 } else { self.turn + 1 };
        if self.how.non_blocking { self.collective.start() } else { self.collective.run() }
    }

    /// Progresses it as far as possible without waiting. Returns whether it is complete, or not in
    /// flight at all.
    pub fn poll(&mut self) -> Result<bool> {
        self.collective.poll()
    }

    /// Waits for it. A blocking one has nothing left to wait for.
    pub fn sync(&mut self) -> Result<()> {
        self.collective.wait()
    }

    /// Checks the data of this rank, in all buffers that were used since it was prepared, and that
    /// nothing else was written.
    pub fn verify(&mut self) -> Checked {
        for set in (0..self.used.len()).filter(|&set| self.used[set]) {
            self.collective.check_guards(set).map_err(|spilled| spilled.to_string())?;
            if let Some((input, output)) = self.collective.buffers(set) {
                self.data.check(input, output, self.round)?;
            }
        }
        Ok(())
    }

    /// Lets a helper work while this thread progresses the collective; see [`work_beside`].
    pub fn work_beside(&mut self, work: impl FnOnce() + Send) -> Result<()> {
        work_beside(std::slice::from_mut(self), work)
    }

    /// Returns the algorithm; `None` for the message layer's own, or a user-supplied one.
    pub fn algorithm(&self) -> Option<Algorithm> {
        self.collective.algorithm()
    }
}

/// Lets a helper thread work while this thread progresses everything in flight. Returns when the
/// work is done; what is in flight then is still to be waited for. Without [`Progress::Helper`]
/// this thread does the work itself.
///
/// Not for a virtual clock, on which work takes no time: see [`compute_beside`].
pub fn work_beside<T: Transport>(in_flight: &mut [Ready<'_, T>], work: impl FnOnce() + Send) -> Result<()> {
    let Some(mut helper) = in_flight.iter_mut().find_map(|ready| ready.helper.take()) else {
        work();
        return Ok(());
    };
    let mut complete = vec![false; in_flight.len()];
    let outcome = helper.overlap(work, || {
        for (ready, complete) in in_flight.iter_mut().zip(&mut complete) {
            *complete = *complete || ready.poll()?;
        }
        Ok(complete.iter().all(|complete| *complete))
    });
    // Any of them may own the helper.
    if let Some(ready) = in_flight.iter_mut().find(|ready| ready.helper.is_none()) {
        ready.helper = Some(helper);
    }
    outcome
}

/// Computes on a simulated machine, beside what is in flight. With [`Progress::Helper`] a second
/// processor carries the messages: the rank continues when both its computation and the collectives
/// have ended, neither of which delays the other. Otherwise this is [`Transport::compute`].
pub fn compute_beside<T: Transport>(transport: &T, in_flight: &mut [Ready<'_, T>], time: Time) -> Result<()> {
    let start = transport.now();
    for ready in in_flight.iter_mut().filter(|ready| ready.how.progress == Progress::Helper) {
        ready.sync()?;
    }
    let passed = transport.now().since(start);
    if passed < time {
        transport.compute(time.since(passed));
    }
    Ok(())
}
