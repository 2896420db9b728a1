//! Running kernels over their points.
//!
//! Where ranks are processes, all call [`run`] with the same settings and must take the same
//! branches: whatever may differ between them is decided by the first process ([`decide`]). Only
//! that process, which has the root rank, holds records and calls the observer.

mod isolated;
mod passes;
mod plan;
mod points;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use panto_results::quality::run_quality;
use panto_results::{Point, Record, RunEnd, Samples, StopReason};
use panto_transport::{Transport, World, rank_processes};

use crate::decision::decide;
use crate::error::Result;
use crate::host::{HostLoad, HostMeter, wait_for_quiet};
use crate::kernel::Kernel;
use crate::measure::Lab;
use crate::settings::Settings;
use passes::Passes;
use plan::{Plan, is_schedule};
pub use plan::{fits, runnable};
pub(crate) use points::run_points;

/// Receives the progress of a run, on the root's thread and in its process only.
pub trait Observer: Send {
    /// Called when a kernel starts, with its number of points.
    fn kernel(&mut self, kernel: Kernel, points: usize) -> Result<()>;
    /// Called while the run waits for a quiet machine, with its load.
    fn busy(&mut self, _load: &HostLoad) {}
    /// Called after each pass over a point.
    fn pass(&mut self, _pass: &Record) {}
    /// Called after the first of several passes over a point, so that it is not lost if the run is
    /// killed before it is complete.
    fn provisional(&mut self, _record: &Record) -> Result<()> {
        Ok(())
    }
    /// Called when a point is complete.
    fn record(&mut self, record: &Record) -> Result<()>;
}

/// Runs the kernels, after those that they need, and returns how the run ended. Points are measured
/// in several passes, each in another random order, so that drift of the machine does not look like
/// a dependence on the size and interference does not spoil a point.
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
    decide(world, || {
        let (ranks, limit) = (rank_processes(&settings.places), settings.effort.quiet_wait);
        // A simulated machine does not depend on this one.
        if !limit.is_zero() && settings.machine.is_none() {
            wait_for_quiet(ranks, limit, interrupt, |load| observer.busy(load));
        }
        Ok(())
    })?;
    let mut run = Run {
        world,
        settings,
        interrupt,
        observer: Mutex::new(observer),
        records: Vec::new(),
        deadline: Instant::now() + settings.effort.budget,
        kernels_left: kernels.len(),
        end: RunEnd { complete: true, planned: points, measured: 0, quality: None },
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
        let mut turns = Turns { deadline, left: points.len() };
        for (ranks, points) in by_ranks(points) {
            let (isolated, ordinary) = isolated::split(self.world, points);
            if !ordinary.is_empty() {
                let deadline = turns.next(ordinary.len());
                self.measure_together(kernel, settings, (ranks, &ordinary), deadline)?;
            }
            self.measure_isolated(kernel, settings, isolated, &mut turns)?;
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
        deadline: Instant,
    ) -> Result<()> {
        let records = Mutex::new(Vec::new());
        let of_one_pass = Settings { effort: settings.effort.of_one_pass(), ..settings.clone() };
        let outcome = self.world.run(ranks, |transport| {
            let lab = Lab::new(transport, &of_one_pass, self.interrupt)?;
            self.rank(lab, kernel, points, deadline, &records)
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
        turns: &mut Turns,
    ) -> Result<()> {
        for point in points {
            if self.interrupt.load(Ordering::Relaxed) {
                break;
            }
            let share = turns.next(1).saturating_duration_since(Instant::now());
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
            Ok(RunEnd { complete: all, quality: run_quality(&self.records), ..self.end.clone() })
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

    /// Runs one rank. The root decides which point is next.
    fn rank<T: Transport>(
        &self,
        mut lab: Lab<'_, T>,
        kernel: Kernel,
        points: &[Point],
        deadline: Instant,
        records: &Mutex<Vec<Record>>,
    ) -> Result<()> {
        let mut passes = lab.is_root().then(|| self.passes(lab.transport, points, deadline));
        loop {
            let next = passes.as_mut().and_then(Passes::next);
            if let Some((_, limit)) = next {
                lab.set_budget(limit);
            }
            let Some(index) = lab.next_point(next.map(|(index, _)| index))? else { break };
            let record = kernel.run(&mut lab, &points[index])?;
            if let (Some(passes), Some(record)) = (&mut passes, record) {
                let record = Record { machine: self.settings.machine.clone(), ..record };
                self.observer().pass(&record);
                if passes.is_first_of_several(index) {
                    self.observer().provisional(&Record { provisional: true, ..record.clone() })?;
                }
                passes.add(index, record);
                self.report(passes.take_settled(), records)?;
            }
        }
        passes.map_or(Ok(()), |mut passes| self.report(passes.take_rest(), records))
    }

    /// Plans the passes over the points of a world. On a virtual clock a point may use all that is
    /// left of the run, so that the samples do not depend on the host's speed.
    fn passes<T: Transport>(&self, transport: &T, points: &[Point], deadline: Instant) -> Passes<'_> {
        let is_virtual = transport.is_virtual();
        let meter = (!is_virtual).then(|| HostMeter::start(rank_processes(&self.settings.places)));
        let deadline = if is_virtual { self.deadline } else { deadline };
        Passes::new(&self.settings.effort, points.len(), self.settings.seed, deadline, meter)
    }

    /// Passes complete points on; an interrupted one without samples was not measured.
    fn report(&self, complete: Vec<Record>, records: &Mutex<Vec<Record>>) -> Result<()> {
        for record in complete {
            if !(record.samples_ns.is_empty() && record.stop == StopReason::Interrupted) {
                self.observer().record(&record)?;
                lock(records).push(record);
            }
        }
        Ok(())
    }

    fn observer(&self) -> MutexGuard<'_, &'a mut dyn Observer> {
        lock(&self.observer)
    }
}

/// Groups points by their number of ranks.
fn by_ranks(points: Vec<Point>) -> BTreeMap<usize, Vec<Point>> {
    let mut groups: BTreeMap<usize, Vec<Point>> = BTreeMap::new();
    for point in points {
        groups.entry(point.ranks).or_default().push(point);
    }
    groups
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
    /// Returns the deadline of the next points.
    fn next(&mut self, points: usize) -> Instant {
        let now = Instant::now();
        let share = self.deadline.saturating_duration_since(now) / self.left.max(1) as u32 * points as u32;
        self.left = self.left.saturating_sub(points);
        now + share
    }
}
