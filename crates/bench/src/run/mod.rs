//! Runs kernels over their points.
//!
//! Where ranks are processes, each process comes here with the same settings, and all must go the same way: what one of
//! them cannot know is decided by the first ([`decide`]). Records and the observer are there alone, with the root.

mod apart;
mod plan;
mod points;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use panto_stats::Rng;
use panto_transport::{Transport, World};

use crate::decision::decide;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::measure::{Lab, Samples, StealMeter, Stop};
use crate::point::Point;
use crate::results::{End, Record};
use crate::settings::Settings;
use plan::{Plan, is_schedule};
pub use plan::{fits, runnable};
pub(crate) use points::run_points;

/// Who wants to know how the run goes on. Called on the thread of the root, and in its process alone.
pub trait Observer: Send {
    /// A kernel starts with so many points.
    fn kernel(&mut self, kernel: Kernel, points: usize) -> Result<()>;
    /// A point was measured.
    fn record(&mut self, record: &Record) -> Result<()>;
}

/// Runs the kernels, those that they need first, and answers how it ended. Points come in random order, so
/// that a machine that gets slower during the run does not look like one that is slow at large sizes.
///
/// Where ranks are processes, all of them must call this together with the same settings. Which kernels run, whether
/// Ctrl-C was pressed and how it ended is what the first process says, whatever the others are given.
pub fn run<W: World>(
    world: &W,
    kernels: &[Kernel],
    settings: &Settings,
    interrupt: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<End> {
    let Plan { kernels, points } = decide(world, || Plan::new(world, kernels, settings))?;
    let mut run = Run {
        world,
        settings,
        interrupt,
        observer: Mutex::new(observer),
        records: Vec::new(),
        deadline: Instant::now() + settings.effort.budget,
        kernels_left: kernels.len(),
        end: End { complete: true, planned: points, measured: 0 },
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
    end: End,
}

impl<'a, W: World> Run<'a, W> {
    fn kernel(&mut self, kernel: Kernel) -> Result<()> {
        let (world, settings) = (self.world, self.settings.with_least_ranks(kernel.about().least_ranks));
        let deadline = self.next_deadline();
        let points = decide(world, || self.begin(kernel, &settings, deadline))?;
        points.map_or(Ok(()), |points| self.measure(kernel, &settings, points, deadline))
    }

    /// A kernel's share of the time that is left. Only the first process looks at it.
    fn next_deadline(&mut self) -> Instant {
        let now = Instant::now();
        let share = self.deadline.saturating_duration_since(now) / self.kernels_left.max(1) as u32;
        self.kernels_left = self.kernels_left.saturating_sub(1);
        now + share
    }

    /// In the first process: what all ranks are to measure. Nothing if the points are schedules, which need no ranks: those
    /// are done when this returns.
    fn begin(
        &mut self,
        kernel: Kernel,
        settings: &Settings,
        deadline: Instant,
    ) -> Result<Option<Vec<Point>>> {
        let points = kernel.points(settings, &self.records)?;
        self.observer().kernel(kernel, points.len())?;
        // Those of the others were counted before anything was measured.
        if kernel.about().needs.is_some() {
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
            let (strange, usual) = apart::split(self.world, points);
            if !usual.is_empty() {
                self.measure_together(kernel, settings, (ranks, &usual), &turns)?;
            }
            self.measure_strangers(kernel, settings, strange, &turns)?;
            if self.is_interrupted()? {
                break;
            }
        }
        Ok(())
    }

    /// Points of one world.
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

    /// Points that run somebody else's code. They take what the others have left of the time.
    fn measure_strangers(
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
            if let Some(record) = self.measure_apart(kernel, settings, &point, share)? {
                self.observer().record(&record)?;
                self.keep(vec![record]);
            }
        }
        Ok(())
    }

    /// Shall all stop? Ctrl-C may reach some processes earlier than others, and some never.
    fn is_interrupted(&self) -> Result<bool> {
        decide(self.world, || Ok(self.interrupt.load(Ordering::Relaxed)))
    }

    /// How it ended: only the first process has counted.
    fn end(&self) -> Result<End> {
        decide(self.world, || {
            let all = self.end.measured == self.end.planned && !self.interrupt.load(Ordering::Relaxed);
            Ok(End { complete: all, ..self.end.clone() })
        })
    }

    /// Points that are nothing but schedules. The most ranks first, because somebody wants to know of them; and one in any case.
    fn schedules(&mut self, kernel: Kernel, mut points: Vec<Point>, deadline: Instant) -> Result<()> {
        points.sort_by_key(|point| std::cmp::Reverse(point.ranks));
        for (number, point) in points.into_iter().enumerate() {
            let over = number > 0 && Instant::now() >= deadline || self.interrupt.load(Ordering::Relaxed);
            let Some((problem, element)) = kernel.collective(&point).filter(|_| !over) else { break };
            let (algorithm, time) = self.world.expand(&problem, element, self.settings.algorithm)?;
            let record = Record {
                moved: (problem.count > 0).then_some((problem.count * element) as u64),
                algorithm: Some(algorithm.to_string()),
                machine: self.settings.machine.clone(),
                verified: false,
                ..Record::new(&kernel.about().full_name(), &point, Samples::exact(time))
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

    /// Points that need the same world, in random order.
    fn by_ranks(&self, points: Vec<Point>) -> BTreeMap<usize, Vec<Point>> {
        let mut groups: BTreeMap<usize, Vec<Point>> = BTreeMap::new();
        for point in points {
            groups.entry(point.ranks).or_default().push(point);
        }
        let mut rng = Rng::new(self.settings.seed);
        for points in groups.values_mut() {
            rng.shuffle(points);
        }
        groups
    }

    /// What one rank does.
    fn rank<T: Transport>(
        &self,
        mut lab: Lab<'_, T>,
        kernel: Kernel,
        points: &[Point],
        turns: &Mutex<Turns>,
        records: &Mutex<Vec<Record>>,
    ) -> Result<()> {
        // Since the kernel began on this world: the system counts in hundredths of a second, too coarse for a point.
        // Nothing can be stolen from a clock that only the simulation turns.
        let steal = (lab.is_root() && !lab.transport.is_virtual()).then(StealMeter::start);
        for point in points {
            if !lab.go_on()? {
                break;
            }
            if lab.is_root() {
                lab.set_budget(self.share(lab.transport, turns));
            }
            let Some(record) = kernel.run(&mut lab, point)? else { continue };
            let steal = steal.as_ref().and_then(StealMeter::fraction);
            let record = Record { steal, machine: lab.settings.machine.clone(), ..record };
            if record.samples_ns.is_empty() && record.stop == Stop::Interrupted {
                continue;
            }
            self.observer().record(&record)?;
            lock(records).push(record);
        }
        Ok(())
    }

    /// What a point may take. A virtual clock gives the same samples each time, if none is cut short: there a point may
    /// have all that is left of the run.
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

/// Shares the time of a kernel among its points: what one leaves over, the next ones have.
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
