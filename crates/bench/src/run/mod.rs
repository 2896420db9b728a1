//! Running kernels over their points.
//!
//! Where ranks are processes, all call [`run`] with the same settings and must take the same
//! branches: whatever may differ between them is decided by the first process ([`decide`]). Only
//! that process, which has the root rank, holds records and calls the observer.

mod isolated;
mod plan;
mod points;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use panto_random::SplitMix64;
use panto_results::{Point, Record, RunEnd, Samples, StopReason};
use panto_transport::{Transport, World};

use crate::decision::decide;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::measure::{Lab, StealMeter};
use crate::settings::Settings;
use plan::{Plan, is_schedule};
pub use plan::{fits, runnable};
pub(crate) use points::run_points;

/// Receives the progress of a run, on the root's thread and in its process only.
pub trait Observer: Send {
    /// Called when a kernel starts, with its number of points.
    fn kernel(&mut self, kernel: Kernel, points: usize) -> Result<()>;
    /// Called when a point was measured.
    fn record(&mut self, record: &Record) -> Result<()>;
}

/// Runs the kernels, after those that they need, and returns how the run ended. Points are measured
/// in random order, so that drift of the machine does not look like a dependence on the size.
///
/// Where ranks are processes, all must call this together with the same settings. The first process
/// decides which kernels run, whether the run is interrupted and how it ended.
pub fn run<W: World>(
    world: &W,
    kernels: &[Kernel],
    settings: &Settings,
    interrupt: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<RunEnd> {
    let Plan { kernels, points } = decide(world, || Plan::new(world, kernels, settings))?;
    let mut run = Run {
        world,
        settings,
        interrupt,
        observer: Mutex::new(observer),
        records: Vec::new(),
        deadline: Instant::now() + settings.effort.budget,
        kernels_left: kernels.len(),
        end: RunEnd { complete: true, planned: points, measured: 0 },
    };
    for kernel in kernels {
        run.kernel(kernel)?;
        if run.is_interrupted()? {
            break;
        }
    }
    run.end()
}

struct Run<'a, W> {
    world: &'a W,
    settings: &'a Settings,
    interrupt: &'a AtomicBool,
    observer: Mutex<&'a mut dyn Observer>,
    records: Vec<Record>,
    deadline: Instant,
    kernels_left: usize,
    end: RunEnd,
}

impl<'a, W: World> Run<'a, W> {
    fn kernel(&mut self, kernel: Kernel) -> Result<()> {
        let (world, settings) = (self.world, self.settings.with_least_ranks(kernel.info().min_ranks));
        let deadline = self.next_deadline();
        let points = decide(world, || self.begin(kernel, &settings, deadline))?;
        points.map_or(Ok(()), |points| self.measure(kernel, &settings, points, deadline))
    }

    /// Returns the deadline of the next kernel, which gets an equal share of the time that is left.
    /// Only the first process uses it.
    fn next_deadline(&mut self) -> Instant {
        let now = Instant::now();
        let share = self.deadline.saturating_duration_since(now) / self.kernels_left.max(1) as u32;
        self.kernels_left = self.kernels_left.saturating_sub(1);
        now + share
    }

    /// Returns, in the first process, the points that all ranks are to measure; `None` if the
    /// points are schedules, which need no ranks and are complete when this returns.
    fn begin(
        &mut self,
        kernel: Kernel,
        settings: &Settings,
        deadline: Instant,
    ) -> Result<Option<Vec<Point>>> {
        let points = kernel.points(settings, &self.records)?;
        self.observer().kernel(kernel, points.len())?;
        // Points of the other kernels were counted before the run.
        if kernel.info().needs.is_some() {
            self.end.planned += points.len();
        }
        if is_schedule(kernel, &points, settings) {
            self.schedules(kernel, points, deadline)?;
            return Ok(None);
        }
        Ok(Some(points))
    }

    fn measure(
        &mut self,
        kernel: Kernel,
        settings: &Settings,
        points: Vec<Point>,
        deadline: Instant,
    ) -> Result<()> {
        let turns = Mutex::new(Turns { deadline, left: points.len() });
        for (ranks, points) in self.by_ranks(points) {
            let (isolated, ordinary) = isolated::split(self.world, points);
            if !ordinary.is_empty() {
                self.measure_together(kernel, settings, (ranks, &ordinary), &turns)?;
            }
            self.measure_isolated(kernel, settings, isolated, &turns)?;
            if self.is_interrupted()? {
                break;
            }
        }
        Ok(())
    }

    /// Measures points in one world.
    fn measure_together(
        &mut self,
        kernel: Kernel,
        settings: &Settings,
        (ranks, points): (usize, &[Point]),
        turns: &Mutex<Turns>,
    ) -> Result<()> {
        let records = Mutex::new(Vec::new());
        let outcome = self.world.run(ranks, |transport| {
            let lab = Lab::new(transport, settings, self.interrupt)?;
            self.rank(lab, kernel, points, turns, &records)
        });
        self.keep(records.into_inner().unwrap_or_else(PoisonError::into_inner));
        outcome.map(drop)
    }

    /// Measures points that run user-supplied code, each in a process of its own.
    fn measure_isolated(
        &mut self,
        kernel: Kernel,
        settings: &Settings,
        points: Vec<Point>,
        turns: &Mutex<Turns>,
    ) -> Result<()> {
        for point in points {
            if self.interrupt.load(Ordering::Relaxed) {
                break;
            }
            let share = lock(turns).next();
            if let Some(record) = self.measure_isolated_point(kernel, settings, &point, share)? {
                self.observer().record(&record)?;
                self.keep(vec![record]);
            }
        }
        Ok(())
    }

    /// Returns whether the run is interrupted. Ctrl-C may reach some processes late or not at all,
    /// so the first decides.
    fn is_interrupted(&self) -> Result<bool> {
        decide(self.world, || Ok(self.interrupt.load(Ordering::Relaxed)))
    }

    /// Returns how the run ended, as counted by the first process.
    fn end(&self) -> Result<RunEnd> {
        decide(self.world, || {
            let all = self.end.measured == self.end.planned && !self.interrupt.load(Ordering::Relaxed);
            Ok(RunEnd { complete: all, ..self.end.clone() })
        })
    }

    /// Simulates points that are schedules: the largest number of ranks first, at least one in any
    /// case.
    fn schedules(&mut self, kernel: Kernel, mut points: Vec<Point>, deadline: Instant) -> Result<()> {
        points.sort_by_key(|point| std::cmp::Reverse(point.ranks));
        for (number, point) in points.into_iter().enumerate() {
            let over = number > 0 && Instant::now() >= deadline || self.interrupt.load(Ordering::Relaxed);
            let Some((problem, element)) = kernel.collective(&point).filter(|_| !over) else { break };
            let (algorithm, time) = self.world.expand(&problem, element, kernel.algorithm(self.settings))?;
            let record = Record {
                moved: (problem.count > 0).then_some((problem.count * element) as u64),
                algorithm: Some(algorithm.to_string()),
                machine: self.settings.machine.clone(),
                verified: false,
                ..Record::new(kernel.name(), &point, Samples::exact(time))
            };
            self.observer().record(&record)?;
            self.keep(vec![record]);
        }
        Ok(())
    }

    fn keep(&mut self, records: Vec<Record>) {
        self.end.measured += records.len();
        self.records.extend(records);
    }

    /// Groups points by their number of ranks, in random order within each group.
    fn by_ranks(&self, points: Vec<Point>) -> BTreeMap<usize, Vec<Point>> {
        let mut groups: BTreeMap<usize, Vec<Point>> = BTreeMap::new();
        for point in points {
            groups.entry(point.ranks).or_default().push(point);
        }
        let mut rng = SplitMix64::new(self.settings.seed);
        for points in groups.values_mut() {
            rng.shuffle(points);
        }
        groups
    }

    /// Runs one rank.
    fn rank<T: Transport>(
        &self,
        mut lab: Lab<'_, T>,
        kernel: Kernel,
        points: &[Point],
        turns: &Mutex<Turns>,
        records: &Mutex<Vec<Record>>,
    ) -> Result<()> {
        // Steal time since the kernel began in this world: the system's counter is too coarse for a
        // point. A virtual clock has none.
        let steal = (lab.is_root() && !lab.transport.is_virtual()).then(StealMeter::start);
        for point in points {
            if !lab.continues()? {
                break;
            }
            if lab.is_root() {
                lab.set_budget(self.share(lab.transport, turns));
            }
            let Some(record) = kernel.run(&mut lab, point)? else { continue };
            let steal = steal.as_ref().and_then(StealMeter::fraction);
            let record = Record { steal, machine: lab.settings.machine.clone(), ..record };
            if record.samples_ns.is_empty() && record.stop == StopReason::Interrupted {
                continue;
            }
            self.observer().record(&record)?;
            lock(records).push(record);
        }
        Ok(())
    }

    /// Returns the time limit of a point. On a virtual clock a point may use all that is left of
    /// the run, so that the samples do not depend on the host's speed.
    fn share<T: Transport>(&self, transport: &T, turns: &Mutex<Turns>) -> Duration {
        let share = lock(turns).next();
        let left = self.deadline.saturating_duration_since(Instant::now());
        if transport.is_virtual() { left } else { share }
    }

    fn observer(&self) -> MutexGuard<'_, &'a mut dyn Observer> {
        lock(&self.observer)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Divides the time of a kernel among its points: unused time passes to later points.
struct Turns {
    deadline: Instant,
    left: usize,
}

impl Turns {
    fn next(&mut self) -> Duration {
        let share = self.deadline.saturating_duration_since(Instant::now()) / self.left.max(1) as u32;
        self.left = self.left.saturating_sub(1);
        share
    }
}
