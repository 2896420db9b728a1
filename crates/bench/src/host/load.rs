//! What else runs on the host while points are measured.

use std::time::{Duration, Instant};

use serde::Serialize;

/// Ticks of `/proc` per second: `USER_HZ` is 100 on all common Linux systems.
pub(super) const TICKS: f64 = 100.0;

/// Least time between two readings: one tick of a core in four hundred.
const WINDOW: Duration = Duration::from_millis(200);

/// Shares of the cores' time during a window.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HostLoad {
    /// What the hypervisor gave to other virtual machines.
    pub steal: f64,
    /// What processes that are no ranks of this run took; `None` if the ranks' own part is unknown.
    pub others: Option<f64>,
}

impl HostLoad {
    /// Returns whether samples of the window may be disturbed without a sign of their own: another
    /// process uses caches and memory, or the hypervisor stops cores.
    pub fn is_busy(&self) -> bool {
        self.others.is_some_and(|part| part > BUSY_OTHERS) || self.steal > BUSY_STEAL
    }
}

/// Share of other processes from which a window is busy: above the error of the counters.
const BUSY_OTHERS: f64 = 0.1;
/// Share of steal time from which a window is busy. A hypervisor stops a core for milliseconds, so
/// below this few samples notice.
const BUSY_STEAL: f64 = 0.15;

/// Measures the load of this host in windows of 200 ms or more.
#[derive(Debug)]
pub struct HostMeter {
    ranks: Option<Vec<u32>>,
    start: Instant,
    last: Option<Counters>,
}

/// Ticks since the system started.
#[derive(Debug, Clone, Copy)]
struct Counters {
    busy: u64,
    stolen: u64,
    cores: usize,
    /// CPU time of the ranks' processes.
    own: Option<u64>,
}

impl HostMeter {
    /// Starts measuring; `ranks` are the processes of the run on this host, if they are known.
    pub fn start(ranks: Option<Vec<u32>>) -> Self {
        let last = Counters::read(ranks.as_deref());
        Self { ranks, start: Instant::now(), last }
    }

    /// Ends the window and starts the next; `None` while the window is too short for the coarse
    /// counters, and where the system has none.
    pub fn lap(&mut self) -> Option<HostLoad> {
        let elapsed = self.start.elapsed();
        let last = self.last.filter(|_| elapsed >= WINDOW)?;
        let now = Counters::read(self.ranks.as_deref())?;
        (self.start, self.last) = (Instant::now(), Some(now));
        Some(now.since(&last, elapsed))
    }
}

impl Counters {
    fn read(ranks: Option<&[u32]>) -> Option<Self> {
        let of = |pid: &u32| cpu_ticks(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?);
        let own = ranks.and_then(|ranks| ranks.iter().map(of).sum());
        let (busy, stolen, cores) = parse(&std::fs::read_to_string("/proc/stat").ok()?)?;
        Some(Self { busy, stolen, cores, own })
    }

    fn since(&self, last: &Self, elapsed: Duration) -> HostLoad {
        let all = elapsed.as_secs_f64() * self.cores as f64 * TICKS;
        let part = |ticks: u64| (ticks as f64 / all).clamp(0.0, 1.0);
        let own = self.own.zip(last.own).map(|(own, before)| own.saturating_sub(before));
        let busy = self.busy.saturating_sub(last.busy);
        HostLoad {
            steal: part(self.stolen.saturating_sub(last.stolen)),
            others: own.map(|own| part(busy.saturating_sub(own))),
        }
    }
}

/// Parses `/proc/stat`: the line `cpu` has the ticks of all cores together as user, nice, system,
/// idle, iowait, irq, softirq and steal. Returns busy and stolen ticks, and the number of cores.
fn parse(stat: &str) -> Option<(u64, u64, usize)> {
    let line = stat.lines().find(|line| line.starts_with("cpu "))?;
    let ticks: Vec<u64> = line.split_whitespace().skip(1).map_while(|word| word.parse().ok()).collect();
    let &[user, nice, system, _idle, _iowait, irq, softirq, steal, ..] = ticks.as_slice() else {
        return None;
    };
    let is_core = |line: &&str| line.strip_prefix("cpu").is_some_and(|rest| !rest.starts_with(' '));
    Some((user + nice + system + irq + softirq, steal, stat.lines().filter(is_core).count().max(1)))
}

/// Parses `/proc/PID/stat`: user and system time of the process, the 12th and 13th number after its
/// name, which stands in brackets and may contain anything.
pub(super) fn cpu_ticks(stat: &str) -> Option<u64> {
    let numbers: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let tick = |place: usize| numbers.get(place)?.parse::<u64>().ok();
    Some(tick(11)? + tick(12)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_and_stolen_ticks_are_told_apart() {
        let stat = "cpu  100 2 30 4000 500 6 7 88 9 10\ncpu0 1 2 3 4 5 6 7 44 9 10\ncpu1 0 0 0 0 0 0 0 44 0 0\nintr 5\n";
        assert_eq!(parse(stat), Some((145, 88, 2)));
        assert_eq!(parse("garbage"), None);
        assert_eq!(cpu_ticks("7 (a) b) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0"), Some(300));
        assert_eq!(cpu_ticks("7 (a) S 1"), None);
    }

    #[test]
    fn others_are_what_the_ranks_did_not_use() {
        let before = Counters { busy: 1000, stolen: 50, cores: 2, own: Some(300) };
        let after = Counters { busy: 1190, stolen: 54, cores: 2, own: Some(450) };
        let load = after.since(&before, Duration::from_secs(1));
        assert!((load.others.unwrap() - 0.2).abs() < 1e-9 && (load.steal - 0.02).abs() < 1e-9, "{load:?}");
        assert!(load.is_busy());
        let unknown = Counters { own: None, ..after }.since(&before, Duration::from_secs(1));
        assert!(unknown.others.is_none() && !unknown.is_busy());
    }
}
