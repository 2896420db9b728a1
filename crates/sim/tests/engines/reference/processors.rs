//! Processors that several processes share in equal parts (P13).

use super::Reference;
use super::process::State;

/// Units of work per picosecond: a common multiple of 1 to 8, so that the shares of up to 8
/// processes are exact.
pub const UNITS_PER_PICO: u64 = 840;

impl Reference<'_> {
    /// Returns the number of processes that work on the processor of this one.
    fn working(&self, rank: usize) -> u64 {
        let processor = self.processes[rank].processor;
        let works =
            |process: &&super::Process| process.processor == processor && process.state == State::Working;
        self.processes.iter().filter(works).count() as u64
    }

    /// Returns the first whole picosecond at which a process ends its work, if no process starts
    /// work before.
    pub fn next_work(&self) -> Option<u64> {
        let working = (0..self.processes.len()).filter(|&rank| self.processes[rank].state == State::Working);
        let end = |rank: usize| {
            self.now + (self.processes[rank].work * self.working(rank)).div_ceil(UNITS_PER_PICO)
        };
        working.map(end).min()
    }

    /// Advances the time to `time`; no event may be earlier.
    pub fn advance(&mut self, time: u64) {
        assert!(time >= self.now, "time runs forwards");
        let shares: Vec<u64> = (0..self.processes.len()).map(|rank| self.working(rank)).collect();
        for (process, share) in self.processes.iter_mut().zip(shares) {
            if process.state == State::Working {
                process.work = process.work.saturating_sub((time - self.now) * UNITS_PER_PICO / share);
                if process.work == 0 {
                    process.state = State::Ready;
                }
            }
        }
        self.now = time;
    }
}
