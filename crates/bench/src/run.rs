//! Runs kernels over their points.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use panto_stats::Rng;
use panto_transport::{Transport, World};

use crate::error::{Error, Result};
use crate::kernel::{About, Kernel};
use crate::measure::{Lab, Samples, StealMeter, Stop};
use crate::memory::fits_memory;
use crate::point::Point;
use crate::results::{End, Record};
use crate::settings::Settings;

/// Who wants to know how the run goes on. Called on the thread of the root.
pub trait Observer: Send {
    /// A kernel starts with so many points.
    fn kernel(&mut self, kernel: Kernel, points: usize) -> Result<()>;
    /// A point was measured.
    fn record(&mut self, record: &Record) -> Result<()>;
}

/// Runs the kernels, those that they need first, and answers how it ended. Points come in random order, so
/// that a machine that gets slower during the run does not look like one that is slow at large sizes.
pub fn run<W: World>(
    world: &W,
    kernels: &[Kernel],
    settings: &Settings,
    interrupt: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<End> {
    settings.check()?;
    fits(world, settings)?;
    let kernels = with_needs(kernels)?;
    kernels.iter().try_for_each(|&kernel| runnable(kernel, settings))?;
    let mut run = Run {
        world,
        settings,
        interrupt,
        observer: Mutex::new(observer),
        records: Vec::new(),
        deadline: Instant::now() + settings.effort.budget,
        kernels_left: kernels.len(),
        end: End { complete: true, planned: planned(&kernels, settings)?, measured: 0 },
    };
    for kernel in kernels {
        run.kernel(kernel)?;
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
    }
    let complete = run.end.measured == run.end.planned && !interrupt.load(Ordering::Relaxed);
    Ok(End { complete, ..run.end })
}

/// Points of the kernels that need nothing else to be measured first.
fn planned(kernels: &[Kernel], settings: &Settings) -> Result<usize> {
    let independent = kernels.iter().filter(|kernel| kernel.about().needs.is_none());
    let points = |kernel: &Kernel| {
        kernel.points(&settings.with_least_ranks(kernel.about().least_ranks), &[]).map(|points| points.len())
    };
    independent.map(points).sum()
}

/// Puts what a kernel needs before it.
fn with_needs(kernels: &[Kernel]) -> Result<Vec<Kernel>> {
    let mut all: Vec<Kernel> = Vec::new();
    for &kernel in kernels {
        if let Some(needed) = kernel.about().needs {
            let needed: Kernel = needed.parse()?;
            if !all.contains(&needed) {
                all.push(needed);
            }
        }
        if !all.contains(&kernel) {
            all.push(kernel);
        }
    }
    Ok(all)
}

/// Can the world run as many ranks as the settings ask for?
pub fn fits<W: World>(world: &W, settings: &Settings) -> Result<()> {
    let (ranks, most) = (settings.world(), world.most_ranks());
    // Where there are no stacks, each kernel is asked whether it needs one.
    if ranks <= most || settings.is_stackless() {
        return Ok(());
    }
    Err(Error::usage(format!("{ranks} ranks are too many here; use --ranks {most} or fewer")))
}

/// Can this kernel run with these settings? The error names what it lacks. Nothing is measured.
pub fn runnable(kernel: Kernel, settings: &Settings) -> Result<()> {
    let About { least_ranks: least, needs, .. } = kernel.about();
    if settings.with_least_ranks(least).world() < least {
        return Err(Error::usage(format!("{kernel} needs at least {least} ranks; use --ranks {least}")));
    }
    kernel.available(settings)?;
    if let Some(needed) = needs {
        return runnable(needed.parse()?, settings);
    }
    let points = kernel.points(&settings.with_least_ranks(least), &[])?;
    if is_schedule(kernel, &points, settings) { Ok(()) } else { needs_stacks(kernel, &points, settings) }
}

/// Are all points collectives, which run as schedules because there are so many ranks?
fn is_schedule(kernel: Kernel, points: &[Point], settings: &Settings) -> bool {
    settings.is_stackless() && points.iter().all(|point| kernel.collective(point).is_some())
}

/// Ranks with stacks hold real bytes.
fn needs_stacks(kernel: Kernel, points: &[Point], settings: &Settings) -> Result<()> {
    if settings.world() > settings.most_programs {
        return Err(Error::usage(format!(
            "{kernel} is more than a schedule, and on a simulated machine such a kernel runs on at most {} ranks; \
             use fewer, or take broadcast, reduction and barrier",
            settings.most_programs
        )));
    }
    fits_memory(points, settings)
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
        let settings = self.settings.with_least_ranks(kernel.about().least_ranks);
        let points = kernel.points(&settings, &self.records)?;
        self.observer().kernel(kernel, points.len())?;
        // Those of the others were counted before anything was measured.
        if kernel.about().needs.is_some() {
            self.end.planned += points.len();
        }
        let budget = self.deadline.saturating_duration_since(Instant::now()) / self.kernels_left as u32;
        self.kernels_left -= 1;
        if is_schedule(kernel, &points, &settings) {
            return self.schedules(kernel, points, Instant::now() + budget);
        }
        let turns = Mutex::new(Turns { deadline: Instant::now() + budget, left: points.len() });
        for (ranks, points) in self.by_ranks(points) {
            let records = Mutex::new(Vec::new());
            let outcome = self.world.run(ranks, |transport| {
                let lab = Lab::new(transport, &settings, self.interrupt)?;
                self.rank(lab, kernel, &points, &turns, &records)
            });
            self.keep(records.into_inner().unwrap_or_else(PoisonError::into_inner));
            outcome?;
            if self.interrupt.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(())
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
