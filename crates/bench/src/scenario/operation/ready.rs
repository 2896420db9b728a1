//! A collective that is ready to be issued, with its data.

use panto_schedule::Algorithm;
use panto_transport::{Carrier, Choice, Helper, Kept, Lane, PersistentCollective, Result, Time, Transport};

use super::data::{self, Data};
use super::{How, Implementation, Progress, Task};
use crate::error::Error;
use crate::measure::Checked;

/// A collective that is ready to be issued again and again. All ranks make the same, in the same order.
pub struct Ready<'t, T: Transport> {
    collective: PersistentCollective<'t, T>,
    data: Data,
    how: How,
    round: u64,
    /// The set of buffers whose turn is next, and those that were used since the data was prepared.
    turn: usize,
    used: Vec<bool>,
    helper: Option<Helper>,
}

/// Makes a collective ready on the calling rank.
pub fn ready<'t, T: Transport>(
    transport: &'t T,
    task: &Task,
    who: &Implementation,
    how: How,
) -> crate::error::Result<Ready<'t, T>> {
    let by = match who {
        Implementation::Library => Carrier::Choice(Choice::Library),
        Implementation::Algorithm(algorithm) => Carrier::Choice(Choice::Algorithm(*algorithm)),
        Implementation::Foreign { .. } => match who.load()? {
            Some(foreign) => Carrier::Foreign(foreign.with_patience(how.patience)),
            None => Carrier::Choice(Choice::Library),
        },
    };
    if how.non_blocking {
        who.check_non_blocking()?;
    }
    let lane = how.non_blocking.then(|| lane(how.lane)).transpose()?;
    let what = data::what(task, transport.size())?;
    let collective =
        PersistentCollective::new(transport, &what, &by, Kept { lane, sets: how.copies.max(1) })?;
    let helps = how.non_blocking && how.progress == Progress::Helper && !transport.is_virtual();
    let helper = helps.then(|| Helper::new(is_crowded(transport))).transpose()?;
    let (used, data) = (vec![false; collective.sets()], Data::new(&what, transport.rank()));
    Ok(Ready { collective, data, how, round: 0, turn: 0, used, helper })
}

/// Do ranks and their helpers together outnumber the cores? Then whoever waits by spinning keeps another from working. Ranks of
/// other hosts count as well: who yields once too often loses less than who waits for a core.
fn is_crowded<T: Transport>(transport: &T) -> bool {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    transport.oversubscribed() || 2 * transport.size() > cores
}

fn lane(number: usize) -> crate::error::Result<Lane> {
    Lane::ALL.get(number).copied().ok_or_else(|| {
        Error::usage(format!("at most {} collectives can be in flight at once; use fewer", How::LANES))
    })
}

impl<T: Transport> Ready<'_, T> {
    /// Fills all sets of buffers, so that [`verify`](Self::verify) can tell whether the right bytes were moved. `round` differs from
    /// call to call. Not while the collective is in flight.
    pub fn prepare(&mut self, round: u64) {
        self.round = round;
        self.used.fill(false);
        for set in 0..self.collective.sets() {
            if let Some((input, output)) = self.collective.buffers_mut(set) {
                self.data.fill(input, output, round);
            }
        }
    }

    /// Issues it: all of it if it blocks, else its start.
    pub fn issue(&mut self) -> Result<()> {
        self.used[self.turn] = true;
        self.turn = if self.turn + 1 == self.used.len() { 0 } else { self.turn + 1 };
        if self.how.non_blocking { self.collective.start() } else { self.collective.run() }
    }

    /// Lets it go on as far as it can without waiting. Is it complete, or not in flight at all?
    pub fn poll(&mut self) -> Result<bool> {
        self.collective.poll()
    }

    /// Waits for it. Nothing is left to wait for if it blocks.
    pub fn sync(&mut self) -> Result<()> {
        self.collective.wait()
    }

    /// Is the data right on this rank, in all buffers that were used since it was prepared, and is nothing written that should not be?
    pub fn verify(&mut self) -> Checked {
        for set in (0..self.used.len()).filter(|&set| self.used[set]) {
            self.collective.check_guards(set).map_err(|spilled| spilled.to_string())?;
            if let Some((input, output)) = self.collective.buffers(set) {
                self.data.check(input, output, self.round)?;
            }
        }
        Ok(())
    }

    /// Lets a helper do some work while this thread looks after the collective; see [`work_beside`].
    pub fn work_beside(&mut self, work: impl FnOnce() + Send) -> Result<()> {
        work_beside(std::slice::from_mut(self), work)
    }

    /// The algorithm that is used; `None` is the message layer's own, or somebody else's.
    pub fn algorithm(&self) -> Option<Algorithm> {
        self.collective.algorithm()
    }
}

/// Lets a helper thread do some work while this thread looks after all that is in flight. Returns when the work is done; what is in
/// flight then is still to be waited for. Where nobody asked for [`Progress::Helper`], this thread does the work itself.
///
/// Not for a virtual clock, on which work takes no time: see [`compute_beside`].
pub fn work_beside<T: Transport>(in_flight: &mut [Ready<'_, T>], work: impl FnOnce() + Send) -> Result<()> {
    let Some(mut helper) = in_flight.iter_mut().find_map(|ready| ready.helper.take()) else {
        work();
        return Ok(());
    };
    let mut complete = vec![false; in_flight.len()];
    let outcome = helper.beside(work, || {
        for (ready, complete) in in_flight.iter_mut().zip(&mut complete) {
            *complete = *complete || ready.poll()?;
        }
        Ok(complete.iter().all(|complete| *complete))
    });
    // Any of them may keep it.
    if let Some(ready) = in_flight.iter_mut().find(|ready| ready.helper.is_none()) {
        ready.helper = Some(helper);
    }
    outcome
}

/// Computes for a while on a simulated machine, beside what is in flight. With [`Progress::Helper`] a second processor carries the
/// messages: the rank is ready when both have ended, its computation and the collectives, of which neither keeps the other waiting.
/// Else this is [`Transport::compute`].
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
