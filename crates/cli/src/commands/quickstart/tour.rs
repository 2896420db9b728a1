//! The steps of the quickstart, one after the other.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use panto_bench::results::{Line, Manifest, Record, Writer};
use panto_bench::{Effort, Kernel, Settings, calibrate, findings, runnable};
use panto_fit::{Fitted, Request};
use panto_report::present;
use panto_transport::threads::Threads;

use super::check::Check;
use super::launch::{self, Launched};
use super::place::Place;
use super::predict::{self, BUILTIN, Column, PROCESSORS, Wanted};
use super::{heat, page};
use crate::commands::calibrate::course::Course;
use crate::failure::Failure;
use crate::session::Session;
use crate::show::Format;
use crate::{interrupt, mpi, out, threads};

/// What was done so far. Ctrl-C ends it between any two steps, and what is there is reported.
#[derive(Default)]
pub struct Found {
    pub manifests: Vec<Manifest>,
    pub records: Vec<Record>,
    pub fitted: Option<Fitted>,
    pub columns: Vec<Column>,
    pub check: Option<Check>,
    pub launched: Option<Launched>,
}

/// The steps, one after the other.
pub struct Tour {
    place: Place,
    budget: Duration,
    interrupt: Arc<AtomicBool>,
    pub found: Found,
}

/// Steps that are counted.
pub const STEPS: usize = 6;

impl Tour {
    pub fn new(budget: Duration, keep: Option<&Path>) -> Result<Self, Failure> {
        let (place, interrupt) = (Place::new(keep)?, interrupt::listen()?);
        Ok(Self { place, budget, interrupt, found: Found::default() })
    }

    pub fn all(&mut self) -> Result<(), Failure> {
        for step in [Self::measure, Self::calibrate, Self::trace_and_predict, Self::check] {
            if self.is_over() {
                return Ok(());
            }
            step(self)?;
        }
        if !self.is_over() {
            self.launch();
        }
        Ok(())
    }

    pub fn is_over(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// A part of the time, in per cent.
    fn share(&self, percent: u32) -> Duration {
        self.budget * percent / 100
    }

    fn writer(&self, manifest: &Manifest) -> Result<Option<Writer>, Failure> {
        let mut writer = self.place.results()?;
        if let Some(writer) = &mut writer {
            writer.write(&Line::Manifest(Box::new(manifest.clone())))?;
        }
        Ok(writer)
    }

    fn measure(&mut self) -> Result<(), Failure> {
        let time = self.share(55);
        say(
            1,
            format_args!(
                "Measuring how threads of this machine pass messages, for {}; Ctrl-C stops and reports what is there",
                panto_units::time(time.as_secs_f64())
            ),
        );
        let (settings, world) = (settings(time), Threads::default());
        let manifest = threads::manifest(&world, &settings);
        let mut session = Session::new(Format::Json, self.writer(&manifest)?, manifest);
        let kernels: Vec<Kernel> = Kernel::named("comet")?
            .into_iter()
            .filter(|&kernel| runnable(kernel, &settings).is_ok())
            .collect();
        session.measure(&world, &kernels, &settings)?;
        let (records, manifest) = (session.records().to_vec(), session.manifest().clone());
        for line in present::in_words(&manifest, &records, &findings(&records)) {
            out::line(format_args!("  {line}"));
        }
        if let Some(crowded) = present::crowding(&records, &manifest) {
            out::line(format_args!("  Note: {crowded}."));
        }
        (self.found.records, self.found.manifests) = (records, vec![manifest]);
        Ok(())
    }

    fn calibrate(&mut self) -> Result<(), Failure> {
        let time = self.share(38);
        let words = panto_units::time(time.as_secs_f64());
        say(
            2,
            format_args!(
                "Calibrating: measuring what a model of this machine needs, for {words}, and fitting it"
            ),
        );
        let (settings, world) = (calibration(time), Threads::default());
        let manifest = threads::manifest(&world, &settings);
        let request = Request { name: Some("this machine".into()), ..Request::default() };
        let mut course = Course::new(manifest.clone(), self.writer(&manifest)?, request, false);
        course.measure(&world, &settings)?;
        self.found.manifests.push(manifest);
        match course.fit() {
            Ok(fitted) => {
                fitted.save(&self.place.machine()).map_err(|error| Failure::Usage(error.to_string()))?;
                out::text(format_args!("{}\n", present::fit_quality(&fitted)));
                self.found.fitted = Some(fitted);
            }
            Err(why) => out::note(format_args!("panto: no model of this machine: {why}")),
        }
        Ok(())
    }

    /// This machine, if there is a model of it, and the others.
    fn machines<'a>(&self, own: &'a str) -> Vec<Wanted<'a>> {
        let own = self.found.fitted.as_ref().map(|_| Wanted { load: own, name: "this machine" });
        own.into_iter().chain(BUILTIN.map(|name| Wanted { load: name, name })).collect()
    }

    fn trace_and_predict(&mut self) -> Result<(), Failure> {
        say(
            3,
            format_args!(
                "Taking the trace of a small program: heat on a plate of {0} x {0} points, {1} steps, its computation timed here",
                heat::SIDE,
                heat::STEPS
            ),
        );
        let pace = heat::Pace::measure();
        let programs: Vec<PathBuf> = PROCESSORS.iter().map(|&ranks| self.place.program(ranks)).collect();
        for (path, ranks) in programs.iter().zip(PROCESSORS) {
            heat::write(path, ranks, &pace)?;
        }
        let own = self.place.machine().display().to_string();
        let machines = self.machines(&own);
        let names: Vec<&str> = machines.iter().map(|machine| machine.name).collect();
        let counts: Vec<String> = PROCESSORS.iter().map(ToString::to_string).collect();
        say(4, format_args!("Predicting it for {} processors of {}", counts.join(", "), names.join(", ")));
        for machine in &machines {
            let column = predict::column(machine, &programs, &self.place.timeline(machine.name))?;
            self.found.columns.push(column);
        }
        out::text(format_args!("{}\n", page::prediction_table(&self.found.columns)));
        Ok(())
    }

    fn check(&mut self) -> Result<(), Failure> {
        if self.found.fitted.is_none() {
            return Ok(());
        }
        say(5, "Checking one prediction: the program's messages for real, on 2 threads");
        let own = self.place.machine().display().to_string();
        let check = Check::new(&own, &self.place.program(2), self.share(7))?;
        out::line(format_args!("  {}", check.in_words()));
        self.found.check = Some(check);
        Ok(())
    }

    /// Nothing depends on it: what goes wrong with somebody's MPI is said, the next one is tried, and that is all.
    fn launch(&mut self) {
        if mpi::launched().is_some() {
            return;
        }
        let own = self.place.machine().display().to_string();
        for mpirun in launch::launchers() {
            out::note(format_args!(
                "Here is {}: tracing a real MPI program, the same messages over MPI.",
                mpirun.display()
            ));
            match launch::trace(&mpirun, &self.place.program(2), &self.place.trace(), &self.machines(&own)) {
                Ok(launched) => {
                    out::line(format_args!("  {}", launched.in_words()));
                    self.found.launched = Some(launched);
                    return;
                }
                Err(why) => out::note(format_args!("panto: left out: {}", launch::refusal(&why))),
            }
        }
    }
}

/// The time is shared by all kernels, so the intervals may be a little wider.
fn settings(budget: Duration) -> Settings {
    Settings {
        ranks: vec![threads::default_ranks()],
        dims: Some(vec![16, 64, 128, 256, 512, 768]),
        effort: Effort { budget, precision: 0.02, ..Effort::default() },
        ..Settings::default()
    }
}

/// As `panto calibrate --quick`.
fn calibration(budget: Duration) -> Settings {
    let effort = Effort {
        budget,
        precision: 0.03,
        least_time: Duration::from_millis(2),
        max_samples: 200,
        ..Effort::default()
    };
    Settings {
        ranks: vec![threads::default_ranks()],
        effort,
        calibrate: calibrate::Options { largest: 4 << 20 },
        ..Settings::default()
    }
}

/// Says which step begins.
pub fn say(step: usize, what: impl Display) {
    out::note(format_args!("[{step}/{STEPS}] {what}."));
}
