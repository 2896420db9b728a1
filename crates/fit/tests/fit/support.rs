//! Measures simulated machines, and compares fitted machines with the originals.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use panto_bench::calibrate;
use panto_bench::{Effort, Kernel, Observer, Settings, run};
use panto_fit::{FitOptions, Fitted, fit};
use panto_machine::{Machine, Model, one_way};
use panto_random::SplitMix64;
use panto_results::{Manifest, Record, RunSettings, SimulatedMachine};
use panto_transport::simulated::{Sharing, Simulated};

/// Machines of every kind of model: each protocol, cost curves with pieces, pipelined flows, a bus,
/// a mesh, a dragonfly.
pub const MACHINES: [&str; 11] = [
    "ipsc860",
    "cm5",
    "ethernet10",
    "sp2",
    "ethernet10g",
    "ethernet100g",
    "infiniband",
    "dragonfly",
    "loggops",
    "ncube2",
    "fdr",
];

/// Kernels that determine all parameters of a model.
pub const CALIBRATION: [&str; 6] = [
    "comet/echo",
    "calibrate/overhead",
    "calibrate/gap",
    "calibrate/eager",
    "calibrate/pairs",
    "calibrate/rates",
];

/// Returns the records of kernels on a machine, with the settings of `panto bench` after `change`.
pub fn measure(
    machine: &Machine,
    kernels: &[&str],
    ranks: usize,
    change: impl Fn(&mut Settings),
) -> Vec<Record> {
    let world = Simulated::new(Arc::new(machine.clone()), Sharing::Links);
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

/// Noise of a clock.
pub struct Noise {
    /// Generator of the noise.
    pub rng: SplitMix64,
    /// Relative standard deviation of all readings.
    pub relative: f64,
    /// Share of readings that are outliers, up to ten times as long.
    pub outliers: f64,
}

/// Returns an approximately normal deviate: the sum of twelve uniform ones (Irwin-Hall).
fn normal(rng: &mut SplitMix64) -> f64 {
    (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
}

/// Returns the records with 25 noisy samples each.
pub fn noisy(records: &[Record], noise: &Noise) -> Vec<Record> {
    let mut rng = noise.rng.clone();
    let mut one = |record: &Record| {
        let mut record = record.clone();
        let clean = record.samples_ns.first().copied();
        let reading = |time: f64, rng: &mut SplitMix64| {
            let late = if rng.unit() < noise.outliers { 1.0 + 9.0 * rng.unit() } else { 1.0 };
            time * late * (1.0 + noise.relative * normal(rng)).max(0.1)
        };
        record.samples_ns =
            clean.map_or_else(Vec::new, |time| (0..25).map(|_| reading(time, &mut rng)).collect());
        record
    };
    records.iter().map(&mut one).collect()
}

/// Returns the manifest of a run on a machine.
pub fn manifest(machine: &Machine, ranks: usize) -> Manifest {
    let described = SimulatedMachine {
        name: machine.name.clone(),
        topology: machine.network.topology.to_string(),
        network: "traffic".into(),
        overrides: Vec::new(),
    };
    let settings = RunSettings { ranks: vec![ranks], ..RunSettings::default() };
    Manifest::simulated(described, "a test".into(), 2, settings)
}

/// Fits records of a machine whose topology is known. Returns the fit, and the machine read back
/// from the written model.
pub fn fitted(model: &Model, records: &[Record], ranks: usize) -> (Fitted, Machine) {
    let request = FitOptions { like: Some(model.clone()), ..FitOptions::default() };
    let fitted = fit(records, &[manifest(model.machine(), ranks)], &request).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fitted.toml");
    fitted.save(&path).unwrap();
    let machine = Machine::load(path.to_str().unwrap(), &[])
        .unwrap_or_else(|error| panic!("{error}\n{}", fitted.model));
    (fitted, machine)
}

/// The largest relative difference of two machines over all sizes and distances.
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

    /// Compares one-way times at these distances.
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

    /// Compares overheads.
    pub fn overheads(mut self) -> Self {
        for bytes in self.sizes.clone() {
            let side = |machine: &Machine| {
                let network = &machine.network;
                let send = network.send_overhead(bytes).as_secs() + network.overheads.immediate.as_secs();
                (send, network.receive_overhead(bytes).as_secs())
            };
            let ((s, r), (fs, fr)) = (side(&self.machine), side(&self.fitted));
            self.see("sending", bytes, (s, fs), s.max(1e-10));
            self.see("receiving", bytes, (r, fr), r.max(1e-10));
        }
        self
    }

    /// Compares rates of local work.
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

    /// Panics if the largest relative difference exceeds `most`.
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

/// Selects sizes up to 256 KiB, on both sides of all limits.
pub fn quick(settings: &mut Settings) {
    let powers = (0..=18).map(|power| 1_u64 << power);
    let between = [
        5, 12, 24, 48, 90, 101, 200, 300, 777, 1_500, 3_001, 6_000, 12_345, 20_000, 50_001, 65_535, 90_000,
        150_000,
    ];
    let mut sizes: Vec<u64> = std::iter::once(0).chain(powers).chain(between).collect();
    sizes.sort_unstable();
    settings.sizes = Some(sizes);
    settings.options.get_mut::<calibrate::Options>().largest = 1 << 18;
}

/// Returns the sizes of the echo.
pub fn sizes(records: &[Record]) -> Vec<u64> {
    let echo = records.iter().filter(|record| record.kernel == "comet/echo");
    let mut sizes: Vec<u64> = echo.filter_map(|record| record.point.number("bytes")).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Returns the sizes whose piece of the overheads was measured at enough sizes to be found. The
/// iPSC/860 has one of 2 KiB.
pub fn findable(machine: &Machine, records: &[Record], wanted: Vec<u64>) -> Vec<u64> {
    const LEAST: usize = 8;
    let measured = sizes(records);
    let piece = |bytes: u64| machine.network.overheads.send.piece(bytes);
    let samples = |bytes: u64| measured.iter().filter(|size| piece(**size) == piece(bytes)).count();
    wanted.into_iter().filter(|bytes| samples(*bytes) >= LEAST).collect()
}

/// Returns the distances of all ranks from rank 0.
pub fn distances(machine: &Machine, ranks: usize) -> Vec<u32> {
    let mut all: Vec<u32> = (1..ranks as u32).map(|to| machine.network.topology.distance(0, to)).collect();
    all.sort_unstable();
    all.dedup();
    all
}
