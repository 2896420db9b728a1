//! A run of kernels with everything around it.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use panto_bench::against::Against;
use panto_bench::results::{End, Line, Manifest, Record, Writer};
use panto_bench::{Kernel, Observer, Settings, run};
use panto_transport::World;

use crate::failure::{Failure, INTERRUPTED};
use crate::interrupt;
use crate::out;
use crate::progress::Progress;
use crate::show::{self, Format};

/// A run of kernels with everything around it: the file, the progress bar, Ctrl-C, what is printed.
pub struct Session {
    format: Format,
    writer: Option<Writer>,
    manifest: Manifest,
    interrupt: Arc<AtomicBool>,
    watcher: Watcher,
    against: Option<Against>,
}

impl Session {
    pub fn new(format: Format, writer: Option<Writer>, manifest: Manifest) -> Self {
        let watcher = Watcher { format, progress: Progress::new(), current: None, records: Vec::new() };
        Self { format, writer, manifest, interrupt: Arc::default(), watcher, against: None }
    }

    /// The same with a model beside what is measured.
    pub fn against(self, against: Option<Against>) -> Self {
        Self { against, ..self }
    }

    pub fn measure<W: World>(
        &mut self,
        world: &W,
        kernels: &[Kernel],
        settings: &Settings,
    ) -> Result<End, Failure> {
        // The first Ctrl-C ends the run after the current sample.
        self.interrupt = interrupt::listen()?;
        let (writer, watcher, interrupt) = (self.writer.as_mut(), &mut self.watcher, &*self.interrupt);
        let mut observer = Recorder { writer, watcher, interrupt, against: self.against.as_mut() };
        let outcome = run(world, kernels, settings, &self.interrupt, &mut observer);
        // What was measured is shown, also when the run failed.
        self.watcher.flush();
        self.watcher.progress.clear();
        let end = outcome.map_err(failed_while_running)?;
        if let Some(writer) = &mut self.writer {
            writer.write(&Line::End(end.clone()))?;
        }
        Ok(end)
    }

    pub fn records(&self) -> &[Record] {
        &self.watcher.records
    }

    /// Did the user stop it?
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The exit code for a run that ended like this.
    pub fn code(&self) -> ExitCode {
        if self.interrupt.load(Ordering::Relaxed) { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
    }

    /// Prints what was asked for, and answers the exit code.
    pub fn finish(&self, end: &End, plot: Option<PathBuf>) -> Result<ExitCode, Failure> {
        let records = self.records();
        show::results(self.format, &self.manifest, records, Some(end));
        if let Some(directory) = plot {
            show::plots(&directory, &self.manifest, records)?;
        }
        if !end.complete {
            let why =
                if self.is_interrupted() { "stopped" } else { "the time is over (give more with -t 10min)" };
            out::note(format_args!("panto: {why}; {} of {} points were measured", end.measured, end.planned));
        }
        Ok(self.code())
    }
}

/// The disk may fill up in the middle; then the command was right and the run failed.
fn failed_while_running(error: panto_bench::Error) -> Failure {
    match error {
        panto_bench::Error::Io { .. } => Failure::Run(error.to_string()),
        error => error.into(),
    }
}

/// Writes to the file first, then shows.
struct Recorder<'a> {
    writer: Option<&'a mut Writer>,
    watcher: &'a mut Watcher,
    interrupt: &'a AtomicBool,
    against: Option<&'a mut Against>,
}

impl Observer for Recorder<'_> {
    fn kernel(&mut self, kernel: Kernel, points: usize) -> panto_bench::Result<()> {
        self.watcher.begin(kernel, points);
        if let Some(against) = &mut self.against {
            // A model that cannot run a kernel is no reason not to measure it.
            if let Err(why) = against.begin(kernel, &self.watcher.records, self.interrupt) {
                let text = format!("panto: {kernel} without the model's values: {why}");
                self.watcher.progress.suspend(|| out::note(text));
            }
        }
        Ok(())
    }

    fn record(&mut self, record: &Record) -> panto_bench::Result<()> {
        let record = &self.against.as_ref().map_or_else(|| record.clone(), |against| against.beside(record));
        if let Some(writer) = &mut self.writer {
            writer.write(&Line::Point(Box::new(record.clone())))?;
        }
        self.watcher.record(record);
        // Nobody reads the tables, and nothing is kept: there is no point in going on.
        if out::is_closed() && self.writer.is_none() {
            self.interrupt.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Shows the progress, and the table of each kernel as soon as it is complete.
struct Watcher {
    format: Format,
    progress: Progress,
    current: Option<Kernel>,
    records: Vec<Record>,
}

impl Watcher {
    fn begin(&mut self, kernel: Kernel, points: usize) {
        self.flush();
        self.current = Some(kernel);
        self.progress.begin(&kernel.to_string(), points);
    }

    fn record(&mut self, record: &Record) {
        let median = record.summary().map_or(String::new(), |s| panto_units::time(s.median * 1e-9));
        self.progress.step(format!("{} {median}", record.point));
        self.records.push(record.clone());
    }

    fn flush(&mut self) {
        let Some(kernel) = self.current.take() else { return };
        if self.format == Format::Table {
            let name = kernel.to_string();
            let records: Vec<Record> = self.records.iter().filter(|r| r.kernel == name).cloned().collect();
            self.progress.suspend(|| show::tables(&records));
        }
    }
}
