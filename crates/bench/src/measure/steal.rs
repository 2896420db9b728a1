//! Steal time: time that the hypervisor gave to other virtual machines.

use std::time::Instant;

/// Ticks of `/proc/stat` per second: `USER_HZ` is 100 on all common Linux systems.
const TICKS: f64 = 100.0;

/// Core-seconds below which one tick is more than 1%.
const LEAST: f64 = 1.0;

/// Measures the steal time since it was started.
#[derive(Debug)]
pub struct StealMeter {
    start: Instant,
    stolen: Option<u64>,
    cores: usize,
}

impl StealMeter {
    /// Starts measuring.
    pub fn start() -> Self {
        let (stolen, cores) = read().map_or((None, 1), |(stolen, cores)| (Some(stolen), cores));
        Self { start: Instant::now(), stolen, cores }
    }

    /// Returns the steal time as a fraction of all cores' time; `None` where the system does not
    /// report it, and before enough time has passed for its coarse counter.
    pub fn fraction(&self) -> Option<f64> {
        let elapsed = self.start.elapsed().as_secs_f64() * self.cores as f64;
        if elapsed < LEAST {
            return None;
        }
        let ticks = read()?.0.saturating_sub(self.stolen?) as f64;
        Some((ticks / TICKS / elapsed).min(1.0))
    }
}

fn read() -> Option<(u64, usize)> {
    parse(&std::fs::read_to_string("/proc/stat").ok()?)
}

/// Parses `/proc/stat`: the eighth number of the line `cpu` is the steal time of all cores
/// together.
fn parse(stat: &str) -> Option<(u64, usize)> {
    let stolen = stat.lines().find(|line| line.starts_with("cpu "))?.split_whitespace().nth(8)?;
    let is_core = |line: &&str| line.strip_prefix("cpu").is_some_and(|rest| !rest.starts_with(' '));
    Some((stolen.parse().ok()?, stat.lines().filter(is_core).count().max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steal_is_the_eighth_number() {
        let stat =
            "cpu  1 2 3 4 5 6 7 88 9 10\ncpu0 1 2 3 4 5 6 7 44 9 10\ncpu1 0 0 0 0 0 0 0 44 0 0\nintr 5\n";
        assert_eq!(parse(stat), Some((88, 2)));
        assert_eq!(parse("garbage"), None);
    }
}
