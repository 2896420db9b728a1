//! How many events a thread makes in a nanosecond, learnt from the thread itself.
//!
//! Both CPU time and events are known of each block of computation. Their sums over all blocks so
//! far, the block included, give the rate: the time of a block is its events x (sum of CPU time /
//! sum of events).
//!
//! What disturbs single blocks is spread over all, and equal blocks differ by the drift of the
//! rate alone. A block that is long compared with all before it determines the rate itself, so a
//! short start that is not like the rest (cold caches, page faults) cannot distort it.

/// CPU time, in nanoseconds, from which on blocks are measured by their events. Reading both clocks
/// at slightly different moments is an error of less than a thousandth of it.
pub const CALIBRATION_NS: u64 = 1_000_000;

/// The sums of a thread's CPU time and events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rate {
    cpu_ns: u64,
    count: u64,
}

impl Rate {
    /// Adds a block; returns its time in nanoseconds. This is its CPU time until the blocks contain
    /// [`CALIBRATION_NS`] and an event.
    pub fn add(&mut self, cpu_ns: u64, count: u64) -> u64 {
        let was_calibrated = self.is_calibrated();
        self.cpu_ns = self.cpu_ns.saturating_add(cpu_ns);
        self.count = self.count.saturating_add(count);
        if was_calibrated { self.to_ns(count) } else { cpu_ns }
    }

    /// Returns whether the next block is measured by its events.
    pub fn is_calibrated(&self) -> bool {
        self.cpu_ns >= CALIBRATION_NS && self.count > 0
    }

    /// Returns the time of a number of events, in nanoseconds; 0 before the first event.
    pub fn to_ns(&self, count: u64) -> u64 {
        let time = u128::from(count) * u128::from(self.cpu_ns);
        let time = time.checked_div(u128::from(self.count)).unwrap_or(0);
        u64::try_from(time).unwrap_or(u64::MAX)
    }

    /// Returns the sum of CPU time, in nanoseconds.
    pub fn cpu_ns(&self) -> u64 {
        self.cpu_ns
    }

    /// Returns the sum of events.
    pub fn count(&self) -> u64 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the times of blocks of CPU time and events.
    fn times(blocks: &[(u64, u64)]) -> Vec<u64> {
        let mut rate = Rate::default();
        blocks.iter().map(|&(cpu, count)| rate.add(cpu, count)).collect()
    }

    #[test]
    fn the_first_millisecond_is_cpu_time() {
        let blocks = [(400_000, 800_000), (600_000, 1_200_000), (500_000, 600_000)];
        // 1.5 ms and 2.6 million events: 600,000 of them are 346,153 ns.
        assert_eq!(times(&blocks), [400_000, 600_000, 346_153]);
    }

    #[test]
    fn a_disturbed_block_is_as_long_as_its_work() {
        let mut blocks = vec![(1_000_000, 2_000_000); 100];
        blocks.push((3_000_000, 2_000_000));
        let last = *times(&blocks).last().expect("there are blocks");
        // 103 ms in 101 equal blocks.
        assert_eq!(last, 1_019_801);
    }

    #[test]
    fn equal_rates_give_cpu_time() {
        let blocks = [(1_000_000, 3_000_000), (7, 21), (50_000, 150_000), (1 << 40, 3 << 40)];
        assert_eq!(times(&blocks), [1_000_000, 7, 50_000, 1 << 40]);
    }

    /// The rate moves from that of the first phase to the mean of both.
    #[test]
    fn two_phases() {
        let mut rate = Rate::default();
        for _ in 0..10 {
            rate.add(1_000_000, 1_000_000);
        }
        let second: Vec<u64> = (0..10).map(|_| rate.add(1_000_000, 3_000_000)).collect();
        assert!(second.is_sorted_by(|one, next| one > next), "{second:?}");
        assert_eq!(second[9], 3_000_000 * 20 / 40);
        assert_eq!((rate.cpu_ns(), rate.count()), (20_000_000, 40_000_000));
    }

    #[test]
    fn a_long_block_after_a_slow_start() {
        let long = 10_000_000_000;
        let time = times(&[(1_000_000, 500_000), (long, 3 * long)])[1];
        assert!(time.abs_diff(long) < long / 1_000, "{time}");
    }

    #[test]
    fn no_events() {
        assert_eq!(times(&[(2_000_000, 0), (5, 0), (7, 0)]), [2_000_000, 5, 7]);
        assert_eq!(times(&[(2_000_000, 10), (5, 0)]), [2_000_000, 0]);
        assert_eq!(times(&[(0, 0), (0, 9)]), [0, 0]);
        assert_eq!(Rate::default().to_ns(9), 0);
    }

    #[test]
    fn sums_do_not_overflow() {
        let all = u64::MAX;
        assert_eq!(times(&[(all, 1), (all, all), (all, all)]), [all, all, all]);
    }
}
