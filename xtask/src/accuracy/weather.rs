//! How fast the cores are while programs run: on a shared machine, others take from them what they need.
//!
//! A small program on each core measures that all the time, and takes some per cent of the core. So a program that was traced while its core was
//! slow is predicted for the cores as they were while it really ran.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::PAIR;
use crate::bench::{Mpi, Source};
use crate::failure::{Failure, Result};

const SOURCE: Source = Source { name: "weather", text: include_str!("weather.c") };

/// From when to when, in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    pub from: f64,
    pub to: f64,
}

/// A core in some window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Core {
    /// Seconds that the same work took, in the mean.
    work: f64,
    /// The share of the core that was left to others.
    left: f64,
}

impl Core {
    /// How fast it computes, against where nothing but computation was counted.
    pub fn speed(self, traced: Self) -> f64 {
        traced.work / self.work * self.left
    }
}

/// Measures until it is dropped.
pub struct Weather {
    probes: Vec<Probe>,
}

impl Weather {
    pub fn start(mpi: &Mpi, folder: &Path) -> Result<Self> {
        let program = mpi.compile(&SOURCE, folder)?;
        let mut weather = Self { probes: Vec::new() };
        for core in 0..PAIR {
            let file = folder.join(format!("weather-{}-{core}.txt", mpi.folder));
            let failed = |error| Failure::failed(format!("cannot measure how fast core {core} is: {error}"));
            weather.probes.push(Probe::start(&program, core, &file).map_err(failed)?);
        }
        Ok(weather)
    }

    /// A core as it was.
    pub fn of(&mut self, core: usize, window: Window) -> Result<Core> {
        let nothing = || Failure::failed(format!("nothing was measured on core {core} while a program ran"));
        mean(self.probes[core].samples()?, window).ok_or_else(nothing)
    }

    /// A core as it was before some time, for as long as a run takes: in its fast and in its slow times, between which are 95 % of all.
    pub fn before(&mut self, core: usize, time: f64, length: f64) -> Result<(Core, Core)> {
        let nothing = || Failure::failed(format!("nothing was measured on core {core} before a program ran"));
        usual(self.probes[core].samples()?, time, length).ok_or_else(nothing)
    }
}

/// A program that measures on one core, and what is known of it so far.
struct Probe {
    child: Child,
    lines: BufReader<File>,
    /// A line that is not whole yet.
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

    /// All that was measured until now.
    fn samples(&mut self) -> Result<&[Sample]> {
        let failed = |error| Failure::failed(format!("cannot read how fast a core is: {error}"));
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

/// A line: when, how long the work took, and how long the core was taken.
type Sample = [f64; 3];

fn sample(line: &str) -> Option<Sample> {
    let mut words = line.split_whitespace().map(|word| word.parse().ok());
    Some([words.next()??, words.next()??, words.next()??])
}

/// The samples are in the order of time.
fn mean(samples: &[Sample], window: Window) -> Option<Core> {
    let first = samples.partition_point(|sample| sample[0] < window.from);
    let end = samples.partition_point(|sample| sample[0] <= window.to);
    let inside = samples.get(first..end).filter(|inside| !inside.is_empty())?;
    let sum = |which: usize| inside.iter().map(|sample| sample[which]).sum::<f64>();
    let left = 1.0 - sum(2) / (window.to - window.from);
    Some(Core { work: sum(1) / inside.len() as f64, left })
}

/// The core in its fast and in its slow times, so long each, that ended before this one.
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
    fn only_what_was_measured_meanwhile_counts() {
        let core = mean(SAMPLES, Window { from: 10.5, to: 12.5 });
        assert_eq!(core, Some(Core { work: 0.5, left: 0.9 }));
        assert_eq!(mean(SAMPLES, Window { from: 13.5, to: 15.0 }), None);
    }

    #[test]
    fn what_is_usual_is_what_was_before() {
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
