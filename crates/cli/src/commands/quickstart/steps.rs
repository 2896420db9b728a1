//! The steps of the quickstart.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use panto_bench::{Effort, Kernel, Settings, calibrate, runnable};
use panto_findings::findings;
use panto_fit::FitOptions;
use panto_predict::example::heat;
use panto_report::present::{self, Quickstart};
use panto_results::{Line, Manifest, Writer};

use super::predict::{self, BUILTIN, MachineRef, PROCESSORS};
use super::workspace::Workspace;
use super::{mpi_job, verify};
use crate::commands::calibrate::calibration::Calibration;
use crate::commands::fit::print_quality;
use crate::failure::Failure;
use crate::format::Format;
use crate::session::Session;
use crate::{interrupt, mpi, print, results, threads};

/// The steps, and what they found so far. Ctrl-C ends them between any two, and the report has what
/// was found.
pub struct Steps {
    workspace: Workspace,
    budget: Duration,
    quiet_wait: Duration,
    /// Whether a poor model is used.
    force: bool,
    interrupt: Arc<AtomicBool>,
    /// What was measured and predicted so far.
    pub found: Quickstart,
}

/// The number of steps that are announced.
pub const STEPS: usize = 6;

impl Steps {
    pub fn new(
        budget: Duration,
        quiet_wait: Duration,
        force: bool,
        keep: Option<&Path>,
    ) -> Result<Self, Failure> {
        let (workspace, interrupt) = (Workspace::new(keep)?, interrupt::listen()?);
        Ok(Self { workspace, budget, quiet_wait, force, interrupt, found: Quickstart::default() })
    }

    /// Runs all steps, or those before Ctrl-C.
    pub fn run(&mut self) -> Result<(), Failure> {
        for step in [Self::measure, Self::calibrate, Self::trace_and_predict, Self::check] {
            if self.is_interrupted() {
                return Ok(());
            }
            step(self)?;
        }
        if !self.is_interrupted() {
            self.trace_mpi_job();
        }
        Ok(())
    }

    /// Returns whether the user stopped it.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Returns a share of the time budget, in percent.
    fn share(&self, percent: u32) -> Duration {
        self.budget * percent / 100
    }

    fn writer(&self, manifest: &Manifest) -> Result<Option<Writer>, Failure> {
        let mut writer = self.workspace.results()?;
        if let Some(writer) = &mut writer {
            writer.write(&Line::Manifest(Box::new(manifest.clone())))?;
        }
        Ok(writer)
    }

    fn measure(&mut self) -> Result<(), Failure> {
        let time = self.share(55);
        announce(
            1,
            format_args!(
                "Measuring how threads of this machine pass messages, for {} (Ctrl-C stops and writes the report)",
                panto_units::time(time.as_secs_f64())
            ),
        );
        let (settings, world) = (settings(time, self.quiet_wait), threads::default_world());
        let manifest = threads::manifest(&world, &settings);
        let mut session = Session::new(Format::Json, self.writer(&manifest)?, manifest);
        let kernels: Vec<Kernel> = Kernel::named("comet")?
            .into_iter()
            .filter(|&kernel| runnable(kernel, &settings).is_ok())
            .collect();
        session.measure(&world, &kernels, &settings)?;
        let (records, manifest) = (session.records().to_vec(), session.manifest().clone());
        results::verdict(&records);
        for line in present::summary_sentences(&manifest, &records, &findings(&records)) {
            print::line(format_args!("  {line}"));
        }
        if let Some(note) = present::oversubscription(&records, &manifest) {
            print::line(format_args!("  Note: {note}."));
        }
        (self.found.records, self.found.manifests) = (records, vec![manifest]);
        Ok(())
    }

    fn calibrate(&mut self) -> Result<(), Failure> {
        let time = self.share(38);
        let words = panto_units::time(time.as_secs_f64());
        announce(2, format_args!("Calibrating a model of this machine, for {words}"));
        let (settings, world) = (calibration(time, self.quiet_wait), threads::default_world());
        let manifest = threads::manifest(&world, &settings);
        let request = FitOptions { name: Some("this machine".into()), ..FitOptions::default() };
        let mut calibration = Calibration::new(manifest.clone(), self.writer(&manifest)?, request, false);
        calibration.measure(&world, &settings)?;
        self.found.manifests.push(manifest);
        match calibration.fit() {
            Ok(fitted) if fitted.is_poor() && !self.force => {
                print_quality(&fitted);
                print::note("panto: no predictions for this machine: its model is poor (--force uses it)");
            }
            Ok(fitted) => {
                print_quality(&fitted);
                fitted.save(&self.workspace.machine()).map_err(|error| Failure::Usage(error.to_string()))?;
                print::text(format_args!("{}\n", present::fit_quality(&fitted)));
                self.found.fitted = Some(fitted);
            }
            Err(why) => print::note(format_args!("panto: no model of this machine: {why}")),
        }
        Ok(())
    }

    /// Returns this machine, if it has a model, and the built-in ones.
    fn machines<'a>(&self, own: &'a str) -> Vec<MachineRef<'a>> {
        let own = self.found.fitted.as_ref().map(|_| MachineRef { model: own, name: "this machine" });
        own.into_iter().chain(BUILTIN.map(|name| MachineRef { model: name, name })).collect()
    }

    fn trace_and_predict(&mut self) -> Result<(), Failure> {
        announce(
            3,
            format_args!(
                "Generating the trace of a small program: heat equation, {0} x {0} points, {1} steps",
                heat::SIDE,
                heat::STEPS
            ),
        );
        let step_times = heat::StepTimes::measure();
        let programs: Vec<PathBuf> = PROCESSORS.iter().map(|&ranks| self.workspace.program(ranks)).collect();
        for (path, ranks) in programs.iter().zip(PROCESSORS) {
            heat::write(path, ranks, &step_times)?;
        }
        self.found.program = heat::description();
        let own = self.workspace.machine().display().to_string();
        let machines = self.machines(&own);
        let names: Vec<&str> = machines.iter().map(|machine| machine.name).collect();
        let counts: Vec<String> = PROCESSORS.iter().map(ToString::to_string).collect();
        announce(
            4,
            format_args!("Predicting it on {} processors of {}", counts.join(", "), names.join(", ")),
        );
        for machine in &machines {
            let timeline = self.workspace.timeline(machine.name);
            self.found.predictions.push(predict::on_machine(machine, &programs, &timeline)?);
        }
        print::text(format_args!("{}\n", present::quickstart_table(&self.found.predictions)));
        Ok(())
    }

    fn check(&mut self) -> Result<(), Failure> {
        if self.found.fitted.is_none() {
            return Ok(());
        }
        announce(5, "Checking a prediction against a run of the messages on 2 threads");
        let own = self.workspace.machine().display().to_string();
        let check = verify::check(&own, &self.workspace.program(2), self.share(7))?;
        print::line(format_args!("  {}", check.in_words()));
        self.found.check = Some(check);
        Ok(())
    }

    /// Traces an MPI job with the first launcher that works. Failures are printed and not fatal.
    fn trace_mpi_job(&mut self) {
        if mpi::launched().is_some() {
            return;
        }
        let own = self.workspace.machine().display().to_string();
        for mpirun in mpi_job::launchers() {
            print::note(format_args!(
                "Found {}: tracing an MPI job with the same messages.",
                mpirun.display()
            ));
            match mpi_job::trace(
                &mpirun,
                &self.workspace.program(2),
                &self.workspace.mpi_trace(),
                &self.machines(&own),
            ) {
                Ok(mpi) => {
                    print::line(format_args!("  {}", mpi.in_words()));
                    self.found.mpi = Some(mpi);
                    return;
                }
                Err(why) => print::note(format_args!("panto: skipped: {}", mpi_job::skip_reason(&why))),
            }
        }
    }
}

/// Returns the settings of the benchmarks; the precision is lower because many kernels share the
/// time.
fn settings(budget: Duration, quiet_wait: Duration) -> Settings {
    Settings {
        ranks: vec![threads::default_ranks()],
        dims: Some(vec![16, 64, 128, 256, 512, 768]),
        effort: Effort { budget, quiet_wait, precision: 0.02, ..Effort::default() },
        ..Settings::default()
    }
}

/// Returns the settings of `panto calibrate --quick`.
fn calibration(budget: Duration, quiet_wait: Duration) -> Settings {
    let effort = Effort {
        budget,
        quiet_wait,
        precision: 0.03,
        least_time: Duration::from_millis(2),
        max_samples: 200,
        ..Effort::default()
    };
    Settings { ranks: vec![threads::default_ranks()], effort, ..Settings::default() }
        .with_options(calibrate::Options { largest: 4 << 20 })
}

/// Prints which step begins.
pub fn announce(step: usize, action: impl Display) {
    print::note(format_args!("[{step}/{STEPS}] {action}."));
}
