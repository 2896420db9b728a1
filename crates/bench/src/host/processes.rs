//! Which processes use the cores.

use std::collections::HashMap;
use std::time::Duration;

use serde::Serialize;

use super::load::{TICKS, cpu_ticks};

/// A process that uses a core.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Busy {
    /// The process id.
    pub pid: u32,
    /// The name of its program.
    pub name: String,
    /// The number of cores that it kept busy on average.
    pub cores: f64,
}

/// CPU ticks of every process, by id, with the name.
pub(super) type Snapshot = HashMap<u32, (String, u64)>;

/// Returns the CPU time of all processes so far; empty where the system does not tell.
pub(super) fn snapshot() -> Snapshot {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Snapshot::new() };
    let process = |entry: std::io::Result<std::fs::DirEntry>| {
        let pid: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let name = stat.split_once('(')?.1.rsplit_once(')')?.0.to_owned();
        Some((pid, (name, cpu_ticks(&stat)?)))
    };
    entries.filter_map(process).collect()
}

/// Returns the processes other than this one that took at least 1 % of a core between two
/// snapshots, the busiest first.
pub(super) fn busiest(before: &Snapshot, after: &Snapshot, elapsed: Duration) -> Vec<Busy> {
    let busy = |(&pid, (name, ticks)): (&u32, &(String, u64))| {
        let earlier = before.get(&pid).map_or(0, |(_, ticks)| *ticks);
        let cores = ticks.saturating_sub(earlier) as f64 / TICKS / elapsed.as_secs_f64();
        (cores >= 0.01 && pid != std::process::id()).then(|| Busy { pid, name: name.clone(), cores })
    };
    let mut found: Vec<Busy> = after.iter().filter_map(busy).collect();
    found.sort_by(|a, b| b.cores.total_cmp(&a.cores).then(a.pid.cmp(&b.pid)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_come_first_and_idle_ones_not_at_all() {
        let snapshot = |ticks: [u64; 3]| {
            (1..=3).zip(ticks).map(|(pid, ticks)| (pid, (format!("p{pid}"), ticks))).collect::<Snapshot>()
        };
        let busy = busiest(&snapshot([100, 500, 7]), &snapshot([120, 590, 7]), Duration::from_secs(1));
        let names: Vec<&str> = busy.iter().map(|busy| busy.name.as_str()).collect();
        assert_eq!(names, ["p2", "p1"]);
        assert!((busy[0].cores - 0.9).abs() < 1e-9);
    }
}
