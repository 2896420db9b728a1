//! The speed of each core while programs run, which varies on a shared machine.
//!
//! A small program on each core measures it continuously, at the cost of a few per cent of the
//! core. So a program that was traced while its core was slow is predicted for the cores as they
//! were during the real run.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::PAIR;
use crate::bench::{Mpi, Source};
use crate::failure::{Failure, Result};

const SOURCE: Source = Source { name: "core_speed", text: include_str!("core_speed.c") };

/// A window of time, in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    pub from: f64,
    pub to: f64,
}

/// The state of a core in a window of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Core {
    /// Mean time of the fixed amount of work, in seconds.
    work: f64,
    /// Fraction of the core left to other programs.
    left: f64,
}

impl Core {
    /// Returns the speed relative to the core where the program was traced, whose CPU clock counted
    /// computation only.
    pub fn speed(self, traced: Self) -> f64 {
        traced.work / self.work * self.left
    }
}

/// Measures all cores until it is dropped.
pub struct CoreSpeedMonitor {
    probes: Vec<Probe>,
}

impl CoreSpeedMonitor {
    pub fn start(mpi: &Mpi, folder: &Path) -> Result<Self> {
        let program = mpi.compile(&SOURCE, folder)?;
        let mut monitor = Self { probes: Vec::new() };
        for core in 0..PAIR {
            let file = folder.join(format!("core-speed-{}-{core}.txt", mpi.folder));
            let failed = |error| Failure::failed(format!("cannot measure the speed of core {core}: {error}"));
            monitor.probes.push(Probe::start(&program, core, &file).map_err(failed)?);
        }
        Ok(monitor)
    }

    /// Returns the state of a core in a window.
    pub fn of(&mut self, core: usize, window: Window) -> Result<Core> {
        let nothing = || Failure::failed(format!("no samples of core {core} during the run"));
        mean(self.probes[core].samples()?, window).ok_or_else(nothing)
    }

    /// Returns the state of a core in fast and slow windows of this length before a time: the range
    /// covers 95 % of them.
    pub fn before(&mut self, core: usize, time: f64, length: f64) -> Result<(Core, Core)> {
        let nothing = || Failure::failed(format!("no samples of core {core} before the run"));
        usual(self.probes[core].samples()?, time, length).ok_or_else(nothing)
    }
}

/// The program that measures one core, and its samples so far.
struct Probe {
    child: Child,
    lines: BufReader<File>,
    /// An incomplete line.
    begun: String,
    samples: Vec<Sample>,
}

impl Probe {
    fn start(program: &Path, core: usize, file: &Path) -> io::Result<Self> {
        let output = File::create(file)?;
        let lines = BufReader::new(File::open(file)?);
        let mut command = Command::new("taskset");
        command.args(["-c", &core.to_string()]).arg(program).stdin(Stdio::null()).stdout(output);
        Ok(Self { child: command.spawn()?, lines, begun: String::new(), samples: Vec::new() })
    }

    /// Returns all samples so far.
    fn samples(&mut self) -> Result<&[Sample]> {
        let failed = |error| Failure::failed(format!("cannot read core speeds: {error}"));
        while self.lines.read_line(&mut self.begun).map_err(failed)? > 0 {
            if self.begun.ends_with('\n') {
                self.samples.extend(sample(&self.begun));
                self.begun.clear();
            }
        }
        Ok(&self.samples)
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A line of output: time of day, time of the work, CPU time since the last line; in seconds.
type Sample = [f64; 3];

fn sample(line: &str) -> Option<Sample> {
    let mut words = line.split_whitespace().map(|word| word.parse().ok());
    Some([words.next()??, words.next()??, words.next()??])
}

/// Returns the mean over a window. The samples are sorted by time.
fn mean(samples: &[Sample], window: Window) -> Option<Core> {
    let first = samples.partition_point(|sample| sample[0] < window.from);
    let end = samples.partition_point(|sample| sample[0] <= window.to);
    let inside = samples.get(first..end).filter(|inside| !inside.is_empty())?;
    let sum = |which: usize| inside.iter().map(|sample| sample[which]).sum::<f64>();
    let left = 1.0 - sum(2) / (window.to - window.from);
    Some(Core { work: sum(1) / inside.len() as f64, left })
}

/// Returns the fast and slow ends of windows of this length that ended before a time.
fn usual(samples: &[Sample], before: f64, length: f64) -> Option<(Core, Core)> {
    let begin = samples.first()?[0];
    let count = ((before - begin) / length) as usize;
    let window =
        |nth: usize| Window { from: before - (nth + 1) as f64 * length, to: before - nth as f64 * length };
    let mut cores: Vec<Core> = (0..count.max(1)).filter_map(|nth| mean(samples, window(nth))).collect();
    cores.sort_by(|one, other| one.work.total_cmp(&other.work));
    let at = |share: f64| cores.get(((cores.len().max(1) - 1) as f64 * share).round() as usize).copied();
    Some((at(0.025)?, at(0.975)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: &[Sample] = &[[10.0, 0.5, 0.1], [11.0, 0.25, 0.1], [12.0, 0.75, 0.1], [13.0, 0.5, 0.1]];

    #[test]
    fn a_line_has_three_numbers() {
        assert_eq!(sample("10.5 0.25 0.125\n"), Some([10.5, 0.25, 0.125]));
        assert_eq!(sample("10.5 0.25\n"), None);
    }

    #[test]
    fn only_samples_inside_the_window_count() {
        let core = mean(SAMPLES, Window { from: 10.5, to: 12.5 });
        assert_eq!(core, Some(Core { work: 0.5, left: 0.9 }));
        assert_eq!(mean(SAMPLES, Window { from: 13.5, to: 15.0 }), None);
    }

    #[test]
    fn the_usual_range_is_from_earlier_windows() {
        let (fast, slow) = usual(SAMPLES, 12.9, 1.0).unwrap();
        assert_eq!((fast.work, slow.work), (0.25, 0.75));
        let first = Core { work: 0.5, left: 0.9 };
        assert_eq!(usual(SAMPLES, 10.0, 1.0), Some((first, first)));
        assert_eq!(usual(&[], 10.0, 1.0), None);
    }

    #[test]
    fn a_core_that_takes_twice_as_long_is_half_as_fast() {
        let (traced, slow) = (Core { work: 0.5, left: 0.9 }, Core { work: 1.0, left: 0.9 });
        assert!((slow.speed(traced) - 0.45).abs() < 1e-12);
    }
}
