//! Runs kernels: writes records to the file, shows progress, prints tables, and handles Ctrl-C.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use panto_bench::host::HostLoad;
use panto_bench::model_comparison::ModelComparison;
use panto_bench::{Kernel, Observer, Settings, run};
use panto_results::{Line, Manifest, Record, RunEnd, Writer};
use panto_transport::World;

use crate::failure::{Failure, INTERRUPTED};
use crate::format::Format;
use crate::interrupt;
use crate::print;
use crate::progress::Progress;
use crate::results;

/// A run of kernels with its results file, progress bar and output format.
pub struct Session {
    format: Format,
    writer: Option<Writer>,
    manifest: Manifest,
    interrupt: Arc<AtomicBool>,
    display: Display,
    against: Option<ModelComparison>,
}

impl Session {
    pub fn new(format: Format, writer: Option<Writer>, manifest: Manifest) -> Self {
        let display =
            Display { format, progress: Progress::new(), current: None, records: Vec::new(), waited: false };
        Self { format, writer, manifest, interrupt: Arc::default(), display, against: None }
    }

    /// Adds the expectations of a model to each record.
    pub fn against(self, against: Option<ModelComparison>) -> Self {
        Self { against, ..self }
    }

    pub fn measure<W: World>(
        &mut self,
        world: &W,
        kernels: &[Kernel],
        settings: &Settings,
    ) -> Result<RunEnd, Failure> {
        // The first Ctrl-C ends the run after the current sample.
        self.interrupt = interrupt::listen()?;
        let (writer, display, interrupt) = (self.writer.as_mut(), &mut self.display, &*self.interrupt);
        let mut observer = Recorder { writer, display, interrupt, against: self.against.as_mut() };
        // The processes of a job end together, and their launcher ends those that do not.
        let watch = world.is_one_process().then(interrupt::Watch::new).transpose()?;
        let outcome = run(world, kernels, settings, &self.interrupt, &mut observer);
        drop(watch);
        // Records are shown even if the run failed.
        self.display.flush();
        self.display.progress.clear();
        let end = outcome.map_err(failed_while_running)?;
        if let Some(writer) = &mut self.writer {
            writer.write(&Line::End(end.clone()))?;
        }
        Ok(end)
    }

    pub fn records(&self) -> &[Record] {
        &self.display.records
    }

    /// Returns whether the user stopped the run.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the exit code: that of an interruption, or success.
    pub fn code(&self) -> ExitCode {
        if self.interrupt.load(Ordering::Relaxed) { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
    }

    /// Prints the results, draws plots, and returns the exit code.
    pub fn finish(&self, end: &RunEnd, plot: Option<PathBuf>) -> Result<ExitCode, Failure> {
        let records = self.records();
        if self.format == Format::Table {
            results::verdict(records);
        }
        results::results(self.format, &self.manifest, records, Some(end));
        if let Some(directory) = plot {
            results::plots(&directory, &self.manifest, records)?;
        }
        if !end.complete {
            let why = if self.is_interrupted() {
                "stopped"
            } else {
                "time budget exhausted (raise it with -t 10min)"
            };
            print::note(format_args!("panto: {why}; measured {} of {} points", end.measured, end.planned));
        }
        Ok(self.code())
    }
}

/// An I/O error during the run, such as a full disk, is a failure of the run, not of the command
/// line.
fn failed_while_running(error: panto_bench::Error) -> Failure {
    match error {
        panto_bench::Error::Io { .. } => Failure::Run(error.to_string()),
        error => error.into(),
    }
}

/// Writes each record to the file, then shows it.
struct Recorder<'a> {
    writer: Option<&'a mut Writer>,
    display: &'a mut Display,
    interrupt: &'a AtomicBool,
    against: Option<&'a mut ModelComparison>,
}

impl Recorder<'_> {
    /// Writes a record, with what the model expects, to the file if there is one.
    fn write(&mut self, record: &Record) -> panto_bench::Result<Record> {
        let record =
            self.against.as_ref().map_or_else(|| record.clone(), |against| against.with_expected(record));
        if let Some(writer) = &mut self.writer {
            writer.write(&Line::Point(Box::new(record.clone())))?;
        }
        Ok(record)
    }
}

impl Observer for Recorder<'_> {
    fn kernel(&mut self, kernel: Kernel, points: usize) -> panto_bench::Result<()> {
        self.display.begin(kernel, points);
        if let Some(against) = &mut self.against {
            // A kernel is measured even if the model cannot run it.
            if let Err(why) = against.simulate(kernel, &self.display.records, self.interrupt) {
                let text = format!("panto: no expectations of the model for {kernel}: {why}");
                self.display.progress.suspend(|| print::note(text));
            }
        }
        Ok(())
    }

    fn busy(&mut self, load: &HostLoad) {
        self.display.busy(load);
    }

    fn pass(&mut self, pass: &Record) {
        self.display.pass(pass);
    }

    fn provisional(&mut self, record: &Record) -> panto_bench::Result<()> {
        self.write(record).map(drop)
    }

    fn record(&mut self, record: &Record) -> panto_bench::Result<()> {
        let record = self.write(record)?;
        self.display.record(&record);
        // The output is closed and no file is written: the rest of the run would be lost.
        if print::is_closed() && self.writer.is_none() {
            self.interrupt.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Shows the progress, and the table of each kernel as it completes.
struct Display {
    format: Format,
    progress: Progress,
    current: Option<Kernel>,
    records: Vec<Record>,
    /// Whether the user was told that the run waits for a quiet machine.
    waited: bool,
}

impl Display {
    fn begin(&mut self, kernel: Kernel, points: usize) {
        self.flush();
        self.current = Some(kernel);
        self.progress.begin(&kernel.to_string(), points);
    }

    /// Says what the run waits for: once where there is no progress bar.
    fn busy(&mut self, load: &HostLoad) {
        let part = |part: f64| panto_units::percent(100.0 * part);
        let others = load.others.map(|others| format!("others use {}", part(others)));
        let steal = (load.steal > 0.0).then(|| format!("{} is stolen", part(load.steal)));
        let words = others.into_iter().chain(steal).collect::<Vec<_>>().join(", ");
        if !std::mem::replace(&mut self.waited, true) {
            print::note(format_args!("panto: waiting for a quiet machine: {words} of the cores' time"));
        }
        self.progress.message(&format!("waiting for a quiet machine: {words}"));
    }

    fn pass(&self, pass: &Record) {
        let median = pass.summary().map_or(String::new(), |s| panto_units::time(s.median * 1e-9));
        self.progress.message(&format!("{} {median}", pass.point));
    }

    fn record(&mut self, record: &Record) {
        self.progress.advance();
        self.records.push(record.clone());
    }

    fn flush(&mut self) {
        let Some(kernel) = self.current.take() else { return };
        if self.format == Format::Table {
            let name = kernel.to_string();
            let records: Vec<Record> = self.records.iter().filter(|r| r.kernel == name).cloned().collect();
            self.progress.suspend(|| results::tables(&records));
        }
    }
}
