//! Measuring simulated machines, and comparing what was fitted with what they are.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::results::{Manifest, Record, Simulated as Described};
use panto_bench::{Effort, Kernel, Observer, Settings, run};
use panto_fit::{Fitted, Request, fit};
use panto_machine::{Machine, Model, one_way};
use panto_stats::Rng;
use panto_transport::simulated::{Model as Traffic, Simulated};

/// What a model needs.
pub const CALIBRATION: [&str; 6] = [
    "comet/echo",
    "calibrate/overhead",
    "calibrate/gap",
    "calibrate/eager",
    "calibrate/pairs",
    "calibrate/rates",
];

/// The records of kernels on a machine, as `panto bench` would measure them, with what `change` makes of the settings.
pub fn measure(
    machine: &Machine,
    kernels: &[&str],
    ranks: usize,
    change: impl Fn(&mut Settings),
) -> Vec<Record> {
    let world = Simulated::new(Arc::new(machine.clone()), Traffic::Traffic);
    let effort = Effort { budget: Duration::from_secs(3600), ..Effort::default() };
    let mut settings = Settings {
        ranks: vec![ranks],
        ranks_given: true,
        shape: Some(world.shape(ranks)),
        machine: Some(machine.name.clone()),
        effort: effort.on_virtual_clock(),
        ..Settings::default()
    };
    change(&mut settings);
    let kernels: Vec<Kernel> = kernels.iter().map(|name| name.parse().unwrap()).collect();
    let mut collected = Collected(Vec::new());
    run(&world, &kernels, &settings, &AtomicBool::new(false), &mut collected).unwrap();
    collected.0
}

struct Collected(Vec<Record>);

impl Observer for Collected {
    fn kernel(&mut self, _kernel: Kernel, _points: usize) -> panto_bench::Result<()> {
        Ok(())
    }

    fn record(&mut self, record: &Record) -> panto_bench::Result<()> {
        self.0.push(record.clone());
        Ok(())
    }
}

/// What a clock adds.
pub struct Noise {
    /// Draws it.
    pub rng: Rng,
    /// The spread of all readings, as part of them.
    pub relative: f64,
    /// The share of readings that take up to ten times as long.
    pub outliers: f64,
}

/// Close to normal: the sum of twelve (any textbook on simulation).
fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
}

/// The same records as a clock with noise would give them, with as many samples as people take.
pub fn noisy(records: &[Record], noise: &Noise) -> Vec<Record> {
    let mut rng = noise.rng.clone();
    let mut one = |record: &Record| {
        let mut record = record.clone();
        let clean = record.samples_ns.first().copied();
        let reading = |time: f64, rng: &mut Rng| {
            let late = if rng.unit() < noise.outliers { 1.0 + 9.0 * rng.unit() } else { 1.0 };
            time * late * (1.0 + noise.relative * normal(rng)).max(0.1)
        };
        record.samples_ns =
            clean.map_or_else(Vec::new, |time| (0..25).map(|_| reading(time, &mut rng)).collect());
        record
    };
    records.iter().map(&mut one).collect()
}

/// The manifest of a run on a machine.
pub fn manifest(machine: &Machine, ranks: usize) -> Manifest {
    let described = Described {
        name: machine.name.clone(),
        topology: machine.network.topology.to_string(),
        network: "traffic".into(),
        overrides: Vec::new(),
    };
    let settings = Settings { ranks: vec![ranks], ..Settings::default() };
    Manifest::simulated(described, "a test".into(), 2, &settings)
}

/// Fits records of a machine whose topology is known; the answer is the machine that the written model describes.
pub fn fitted(model: &Model, records: &[Record], ranks: usize) -> (Fitted, Machine) {
    let request = Request { like: Some(model.clone()), ..Request::default() };
    let fitted = fit(records, &[manifest(model.machine(), ranks)], &request).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fitted.toml");
    fitted.save(&path).unwrap();
    let machine = Machine::load(path.to_str().unwrap(), &[])
        .unwrap_or_else(|error| panic!("{error}\n{}", fitted.model));
    (fitted, machine)
}

/// How far two machines are apart, as parts of what the first takes: the worst of all sizes and distances.
pub struct Apart {
    machine: Machine,
    fitted: Machine,
    sizes: Vec<u64>,
    worst: f64,
    what: String,
}

impl Apart {
    pub fn new(machine: &Machine, fitted: &Machine, sizes: Vec<u64>) -> Self {
        Self { machine: machine.clone(), fitted: fitted.clone(), sizes, worst: 0.0, what: String::new() }
    }

    fn see(&mut self, what: &str, bytes: u64, (real, found): (f64, f64), whole: f64) {
        let off = (found - real).abs() / whole.max(1e-12);
        if off > self.worst {
            (self.worst, self.what) = (off, format!("{what} of {bytes} B: {found:e} instead of {real:e}"));
        }
    }

    /// One way at these distances.
    pub fn one_way(mut self, distances: &[u32]) -> Self {
        for &distance in distances {
            for bytes in self.sizes.clone() {
                let time = |machine: &Machine| {
                    one_way(&machine.network, machine.protocol, bytes, distance).as_secs()
                };
                let times = (time(&self.machine), time(&self.fitted));
                self.see(&format!("one way over {distance} links"), bytes, times, times.0);
            }
        }
        self
    }

    /// What processors pay.
    pub fn overheads(mut self) -> Self {
        for bytes in self.sizes.clone() {
            let side = |machine: &Machine| {
                let overheads = &machine.network.overheads;
                let send = overheads.send.of(bytes).as_secs() + overheads.immediate.as_secs();
                (send, overheads.receive.of(bytes).as_secs())
            };
            let ((s, r), (fs, fr)) = (side(&self.machine), side(&self.fitted));
            self.see("sending", bytes, (s, fs), s.max(1e-10));
            self.see("receiving", bytes, (r, fr), r.max(1e-10));
        }
        self
    }

    /// What work takes.
    pub fn rates(mut self) -> Self {
        let rates = |machine: &Machine| {
            let processor = &machine.processor;
            let n = 1 << 20;
            [
                processor.copy.of(n).as_secs(),
                processor.strided.as_secs(),
                processor.reduce.of(n).as_secs(),
                processor.daxpy.as_secs(),
            ]
        };
        let (real, found) = (rates(&self.machine), rates(&self.fitted));
        for (index, (real, found)) in real.into_iter().zip(found).enumerate() {
            self.see(&format!("rate {index}"), 0, (real, found), real);
        }
        self
    }

    /// Fails if anything is farther apart than this.
    pub fn within(self, most: f64, text: &str) {
        assert!(
            self.worst <= most,
            "{}: {} ({:.3} %)\n{text}",
            self.machine.name,
            self.what,
            self.worst * 100.0
        );
    }
}

/// Sizes to 256 KiB, on both sides of all limits.
pub fn quick(settings: &mut Settings) {
    let powers = (0..=18).map(|power| 1_u64 << power);
    let between = [
        5, 12, 24, 48, 90, 101, 200, 300, 777, 1_500, 3_001, 6_000, 12_345, 20_000, 50_001, 65_535, 90_000,
        150_000,
    ];
    let mut sizes: Vec<u64> = std::iter::once(0).chain(powers).chain(between).collect();
    sizes.sort_unstable();
    settings.sizes = Some(sizes);
    settings.calibrate.largest = 1 << 18;
}

/// The sizes of the echo.
pub fn sizes(records: &[Record]) -> Vec<u64> {
    let echo = records.iter().filter(|record| record.kernel == "comet/echo");
    let mut sizes: Vec<u64> = echo.filter_map(|record| record.point.number("bytes")).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The distances from the first of so many ranks.
pub fn distances(machine: &Machine, ranks: usize) -> Vec<u32> {
    let mut all: Vec<u32> = (1..ranks as u32).map(|to| machine.network.topology.distance(0, to)).collect();
    all.sort_unstable();
    all.dedup();
    all
}
