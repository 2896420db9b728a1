//! The operation of the suite: a volume moved in messages.

use panto_results::swap::{CacheMode, Loop};
use panto_transport::{Evictor, Result, Transport};

use super::experiment::Experiment;
use super::prepost::{self, Buffers};
use super::rank_protocol::{RankProtocol, swap};
use crate::measure::{BatchOutcome, Checked, Operation};
use crate::pattern;

/// An experiment from one rank's side.
pub(super) struct SwapOperation<'a, T> {
    transport: &'a T,
    experiment: Experiment,
    /// `None` on an idle rank.
    conduct: Option<RankProtocol>,
    sent: Vec<u8>,
    /// The second is used where messages are repeated while the next is posted.
    received: [Vec<u8>; 2],
    evictor: Option<Evictor>,
    round: u64,
}

impl<'a, T: Transport> SwapOperation<'a, T> {
    pub(super) fn new(transport: &'a T, experiment: Experiment, conduct: Option<RankProtocol>) -> Self {
        let Experiment { order, mode, volume, .. } = experiment;
        let volume = if conduct.is_some() { volume } else { 0 };
        let second = if order == Loop::Prepost && mode == CacheMode::Repeated { volume } else { 0 };
        let evictor = match mode {
            CacheMode::Cold => Some(Evictor::default()),
            CacheMode::Invalidated => Some(Evictor::second_level()),
            CacheMode::Warm | CacheMode::Repeated => None,
        };
        let received = [vec![0; volume], vec![0; second]];
        Self { transport, experiment, conduct, sent: vec![0; volume], received, evictor, round: 0 }
    }

    /// The basic loop (T3): swap after swap, each repeated before the next.
    fn basic(&mut self, conduct: &RankProtocol, repeats: u64) -> Result<()> {
        let bytes = self.experiment.bytes;
        for (sent, received) in self.sent.chunks(bytes).zip(self.received[0].chunks_mut(bytes)) {
            for _ in 0..repeats {
                swap(self.transport, conduct, sent, received)?;
            }
        }
        Ok(())
    }
}

impl<T: Transport> Operation for SwapOperation<'_, T> {
    /// Initialises the buffers. Cold ones are evicted after that, since they would be in the cache
    /// again otherwise; COMMTEST invalidates before.
    fn prepare(&mut self, round: u64) {
        self.round = round;
        if let (CacheMode::Invalidated, Some(evictor)) = (self.experiment.mode, &self.evictor) {
            evictor.evict(&[]);
        }
        pattern::fill(&mut self.sent, self.transport.rank(), round);
        self.received.iter_mut().for_each(|bank| bank.fill(0));
        if let (CacheMode::Cold, Some(evictor)) = (self.experiment.mode, &self.evictor) {
            evictor.evict(&self.sent);
            self.received.iter().for_each(|bank| evictor.evict(bank));
        }
    }

    fn run(&mut self) -> Result<()> {
        self.conduct.map_or(Ok(()), |conduct| self.basic(&conduct, 1))
    }

    /// Repeats each message in the inner loop (T4).
    fn run_batch<U: Transport>(
        &mut self,
        _transport: &U,
        repetitions: u64,
        together: impl FnOnce() -> Result<bool>,
    ) -> Result<BatchOutcome> {
        let Some(conduct) = self.conduct else { return Ok(BatchOutcome { late: together()?, span: None }) };
        if self.experiment.order == Loop::Prepost {
            let [first, second] = &mut self.received;
            let (bytes, repeats) = (self.experiment.bytes, repetitions as usize);
            let cargo = Buffers { sent: &self.sent, received: [first, second], bytes, repeats };
            return prepost::run_batch(self.transport, &conduct, cargo, together);
        }
        let late = together()?;
        let start = self.transport.now();
        self.basic(&conduct, repetitions)?;
        Ok(BatchOutcome { late, span: Some((start, self.transport.now())) })
    }

    fn verify(&mut self) -> Checked {
        let Some(conduct) = self.conduct else { return Ok(()) };
        let check = |bank: &Vec<u8>| pattern::check(bank, conduct.peers.from, self.round);
        self.received.iter().try_for_each(check)
    }
}
