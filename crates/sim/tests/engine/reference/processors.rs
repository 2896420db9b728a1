//! Processors that processes share (P13).

use super::Reference;
use super::process::State;

/// Parts of a picosecond in which work is counted: any number of processes up to 8 divides it, so that shares are exact.
pub const PARTS: u64 = 840;

impl Reference<'_> {
    /// How many processes work on the processor of this one.
    fn working(&self, rank: usize) -> u64 {
        let place = self.processes[rank].place;
        let works = |process: &&super::Process| process.place == place && process.state == State::Working;
        self.processes.iter().filter(works).count() as u64
    }

    /// The first whole picosecond at which somebody has done its work, if nothing changes.
    pub fn next_work(&self) -> Option<u64> {
        let working = (0..self.processes.len()).filter(|&rank| self.processes[rank].state == State::Working);
        let end = |rank: usize| self.now + (self.processes[rank].work * self.working(rank)).div_ceil(PARTS);
        working.map(end).min()
    }

    /// Lets time go on until then: nothing happens earlier.
    pub fn advance(&mut self, time: u64) {
        assert!(time >= self.now, "time runs forwards");
        let shares: Vec<u64> = (0..self.processes.len()).map(|rank| self.working(rank)).collect();
        for (process, share) in self.processes.iter_mut().zip(shares) {
            if process.state == State::Working {
                process.work = process.work.saturating_sub((time - self.now) * PARTS / share);
                if process.work == 0 {
                    process.state = State::Ready;
                }
            }
        }
        self.now = time;
    }
}
