//! `panto bench`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use panto_bench::results::{End, Existing, Line, Manifest, Record, Writer};
use panto_bench::{Effort, Kernel, Observer, Settings, fits, parse_counts, parse_sizes, run, runnable};
use panto_schedule::{Algorithm, HopShape, Mesh};
use panto_transport::threads::{Threads, cores};

use crate::failure::{Failure, INTERRUPTED};
use crate::progress::Progress;
use crate::show::{self, Format};
use crate::threads;

/// Run benchmark kernels and show what they measured
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub struct Bench {
    /// Suites or kernels: `comet`, `comet/echo`, or `echo` where that is clear
    #[arg(required_unless_present = "list", value_name = "SUITE|KERNEL")]
    kernels: Vec<String>,

    /// Explain each kernel in a line
    #[arg(long)]
    list: bool,

    /// Where to run: `threads` of this process
    #[arg(long, value_name = "WORLD", default_value = "threads")]
    on: String,

    /// Ranks: one number (kernels that sweep over ranks take powers of two up to it) or a list [default: one
    /// a core, at least 2]
    #[arg(short = 'n', long, value_name = "N,...")]
    ranks: Option<String>,

    /// Message sizes: `0..64KiB` doubles, `0..100:10` steps, `8,1K,64kB` lists
    #[arg(long, value_name = "SIZES", help_heading = "Sweeps")]
    sizes: Option<String>,

    /// Matrix dimensions of the matrix kernels
    #[arg(long, value_name = "N,...", help_heading = "Sweeps")]
    dims: Option<String>,

    /// Vector lengths, in doubles
    #[arg(long, value_name = "N,...", help_heading = "Sweeps")]
    lengths: Option<String>,

    /// Hop distances of echo and exchange; 0 is the rank itself
    #[arg(long, value_name = "N,...", help_heading = "Sweeps")]
    hops: Option<String>,

    /// Background loads of the contention kernel, in per cent of the peak bandwidth
    #[arg(long, value_name = "N,...", default_value = "50,90", help_heading = "Sweeps")]
    loads: String,

    /// How far ranks are from each other: complete, hypercube, ring, linear, mesh:RxC, torus:RxC
    #[arg(long, value_name = "SHAPE", help_heading = "Patterns")]
    shape: Option<String>,

    /// Process mesh of the matrix kernels, rows x columns, such as 4x2
    #[arg(long, value_name = "RxC", help_heading = "Patterns")]
    mesh: Option<String>,

    /// Algorithm of collectives, such as binomial or ring [default: the message layer's own choice]
    #[arg(long, value_name = "NAME", help_heading = "Patterns")]
    algorithm: Option<String>,

    /// Time a broadcast from the first start to the last end, without a closing barrier
    #[arg(long, help_heading = "Patterns")]
    no_barrier: bool,

    /// Directory in which the I/O kernel writes its files
    #[arg(long, value_name = "DIR", help_heading = "Patterns")]
    io_dir: Option<PathBuf>,

    /// Bytes that each rank writes there
    #[arg(long, value_name = "SIZE", default_value = "16MiB", help_heading = "Patterns")]
    io_size: String,

    /// Time for the whole run, such as 30s or 5min
    #[arg(short = 't', long, value_name = "TIME", default_value = "60s", help_heading = "Effort")]
    time_budget: String,

    /// Stop a point when the median is known to within this fraction
    #[arg(long, value_name = "FRACTION", default_value_t = 0.01, help_heading = "Effort")]
    precision: f64,

    /// Never take more samples of a point
    #[arg(long, value_name = "N", default_value_t = 2000, help_heading = "Effort")]
    max_samples: usize,

    /// Seed of the order of points and of random sizes
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Effort")]
    seed: u64,

    /// Pin rank n to the n-th core
    #[arg(long, help_heading = "Threads")]
    pin: bool,

    /// Messages up to this size are copied, larger ones wait for their receiver
    #[arg(long, value_name = "SIZE", help_heading = "Threads")]
    eager: Option<String>,

    /// How to print results
    #[arg(short, long, value_enum, default_value_t = Format::Table, help_heading = "Output")]
    format: Format,

    /// Keep everything in this file, a JSON object a line
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Add to the file if it is there
    #[arg(long, requires = "output", conflicts_with = "force", help_heading = "Output")]
    append: bool,

    /// Replace the file if it is there
    #[arg(long, requires = "output", help_heading = "Output")]
    force: bool,

    /// Write one SVG a kernel into this directory
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    plot: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Examples:
  panto bench --list
  panto bench comet                                   the whole suite, about a minute
  panto bench comet/echo --sizes 0..64KiB -o echo.jsonl --plot plots
  panto bench echo exchange --ranks 8 --shape hypercube --hops 1,3
  panto bench broadcast --ranks 2,4,8 --algorithm binomial --no-barrier
  panto bench reduction --lengths 1..1024 --format csv > reduction.csv
  panto bench io --io-dir /tmp --io-size 64MiB

Sizes: 64KiB, 64K and 64k are 65,536; 64kB is 64,000. Times: 1.5us, 2ms, 30s, 5min.";

impl Bench {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if self.list {
            show::list();
            return Ok(ExitCode::SUCCESS);
        }
        if self.on != "threads" {
            return Err(Failure::Usage(format!(
                "`--on {}`: ranks run on `threads`; MPI and simulated machines are not there yet",
                self.on
            )));
        }
        let settings = self.settings()?;
        let kernels = self.kernels(&settings)?;
        let world = self.world()?;
        fits(&world, &settings)?;
        if let Some(directory) = &self.plot {
            std::fs::create_dir_all(directory).map_err(|error| Failure::write(directory, &error))?;
        }
        let manifest = threads::manifest(&world, &settings);
        let writer = self.writer(&manifest)?;
        let mut session = Session::new(self.format, writer, manifest);
        let end = session.measure(&world, &kernels, &settings)?;
        session.finish(&end, self.plot.as_deref())
    }

    fn kernels(&self, settings: &Settings) -> Result<Vec<Kernel>, Failure> {
        let mut kernels = Vec::new();
        for name in &self.kernels {
            let named = Kernel::named(name)?;
            // Asked for by name, a kernel that cannot run is an error; as part of a suite it is left out.
            let suite = named.len() > 1;
            for kernel in named {
                match runnable(kernel, settings) {
                    Ok(()) => kernels.push(kernel),
                    Err(why) if suite => eprintln!("panto: left out: {why}"),
                    Err(why) => return Err(why.into()),
                }
            }
        }
        Ok(kernels)
    }

    fn world(&self) -> Result<Threads, Failure> {
        let mut world = Threads { pin: self.pin, ..Threads::default() };
        if let Some(eager) = &self.eager {
            world.eager_limit = size(eager)? as usize;
        }
        Ok(world)
    }

    fn writer(&self, manifest: &Manifest) -> Result<Option<Writer>, Failure> {
        let existing = match (self.append, self.force) {
            (true, _) => Existing::Append,
            (_, true) => Existing::Replace,
            _ => Existing::Refuse,
        };
        let Some(path) = &self.output else { return Ok(None) };
        let mut writer = Writer::create(path, existing)?;
        writer.write(&Line::Manifest(Box::new(manifest.clone())))?;
        Ok(Some(writer))
    }

    fn settings(&self) -> Result<Settings, Failure> {
        let sizes = |text: &Option<String>| text.as_deref().map(parse_sizes).transpose();
        let counts = |text: &Option<String>| text.as_deref().map(parse_counts).transpose();
        let ranks = counts(&self.ranks)?;
        let settings = Settings {
            ranks_given: ranks.is_some(),
            ranks: ranks.map_or_else(|| vec![default_ranks()], |ranks| to_usize(&ranks)),
            sizes: sizes(&self.sizes)?,
            dims: counts(&self.dims)?,
            lengths: counts(&self.lengths)?,
            hops: counts(&self.hops)?,
            loads: parse_counts(&self.loads)?,
            shape: named(self.shape.as_deref())?,
            mesh: self.mesh.as_deref().map(str::parse::<Mesh>).transpose().map_err(usage)?,
            algorithm: self.algorithm.as_deref().map(str::parse::<Algorithm>).transpose().map_err(usage)?,
            closing_barrier: !self.no_barrier,
            io_dir: self.io_dir.clone(),
            io_bytes: size(&self.io_size)?,
            effort: self.effort()?,
            seed: self.seed,
        };
        settings.check()?;
        Ok(settings)
    }

    fn effort(&self) -> Result<Effort, Failure> {
        let budget = panto_units::parse_time(&self.time_budget).map_err(usage)?;
        Ok(Effort {
            precision: self.precision,
            max_samples: self.max_samples,
            budget: budget.max(Duration::from_millis(1)),
            ..Effort::default()
        })
    }
}

/// A rank a core, and at least the two that a message needs.
pub fn default_ranks() -> usize {
    cores().len().clamp(2, 64)
}

fn named(shape: Option<&str>) -> Result<Option<HopShape>, Failure> {
    shape.map(str::parse::<HopShape>).transpose().map_err(usage)
}

fn size(text: &str) -> Result<u64, Failure> {
    panto_units::parse_bytes(text).map_err(usage)
}

fn to_usize(numbers: &[u64]) -> Vec<usize> {
    numbers.iter().map(|&number| number as usize).collect()
}

fn usage(error: impl std::fmt::Display) -> Failure {
    Failure::Usage(error.to_string())
}

/// A run of kernels with everything around it: the file, the progress bar, Ctrl-C, what is printed.
pub struct Session {
    format: Format,
    writer: Option<Writer>,
    manifest: Manifest,
    interrupt: Arc<AtomicBool>,
    watcher: Watcher,
}

impl Session {
    pub fn new(format: Format, writer: Option<Writer>, manifest: Manifest) -> Self {
        let watcher = Watcher { format, progress: Progress::new(), current: None, records: Vec::new() };
        Self { format, writer, manifest, interrupt: Arc::default(), watcher }
    }

    pub fn measure(
        &mut self,
        world: &Threads,
        kernels: &[Kernel],
        settings: &Settings,
    ) -> Result<End, Failure> {
        self.listen_to_ctrl_c()?;
        let mut observer = Recorder { writer: self.writer.as_mut(), watcher: &mut self.watcher };
        let end = run(world, kernels, settings, &self.interrupt, &mut observer)?;
        self.watcher.flush();
        if let Some(writer) = &mut self.writer {
            writer.write(&Line::End(end.clone()))?;
        }
        Ok(end)
    }

    pub fn records(&self) -> &[Record] {
        &self.watcher.records
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The exit code for a run that ended like this.
    pub fn code(&self) -> ExitCode {
        if self.interrupt.load(Ordering::Relaxed) { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
    }

    fn finish(self, end: &End, plot: Option<&Path>) -> Result<ExitCode, Failure> {
        let records = self.records();
        show::results(self.format, &self.manifest, records, Some(end));
        if let Some(directory) = plot {
            show::plots(directory, &self.manifest, records)?;
        }
        if !end.complete {
            eprintln!("panto: stopped; {} of {} points were measured", end.measured, end.planned);
        }
        Ok(self.code())
    }

    /// The first Ctrl-C ends the run after the current sample; the second ends the program.
    fn listen_to_ctrl_c(&self) -> Result<(), Failure> {
        use signal_hook::{consts::SIGINT, flag};
        let failed = |error| Failure::Run(format!("cannot listen to Ctrl-C: {error}"));
        let code = i32::from(INTERRUPTED);
        flag::register_conditional_shutdown(SIGINT, code, Arc::clone(&self.interrupt)).map_err(failed)?;
        flag::register(SIGINT, Arc::clone(&self.interrupt)).map_err(failed)?;
        Ok(())
    }
}

/// Writes to the file first, then shows.
struct Recorder<'a> {
    writer: Option<&'a mut Writer>,
    watcher: &'a mut Watcher,
}

impl Observer for Recorder<'_> {
    fn kernel(&mut self, kernel: Kernel, points: usize) -> panto_bench::Result<()> {
        self.watcher.begin(kernel, points);
        Ok(())
    }

    fn record(&mut self, record: &Record) -> panto_bench::Result<()> {
        if let Some(writer) = &mut self.writer {
            writer.write(&Line::Point(Box::new(record.clone())))?;
        }
        self.watcher.record(record);
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
