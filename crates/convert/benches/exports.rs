//! Speed and memory of timeline exports: `cargo bench -p panto-convert`, or `-- 100` for a hundred
//! million states. Rates are per second of CPU time, so that other processes do not disturb them.

use panto_testkit::halo;
use std::path::Path;

use halo::{Event, Halo};
use panto_convert::{ExportSummary, Result, csv, paje, paraver, perfetto, picl};
use panto_timeline::{Timeline, Writer};

/// States per step of a rank, approximately.
const STATES: u64 = 14;

type Write = fn(&Timeline, &Path) -> Result<ExportSummary>;

const FORMATS: [(&str, &str, Write); 5] = [
    ("PICL", "out.picl", |timeline, target| picl::write(timeline, picl::DECIMALS, target)),
    ("Perfetto", "out.pftrace", perfetto::write),
    ("Paraver", "out.prv", paraver::write),
    ("Paje", "out.paje", paje::write),
    ("CSV", "out.csv", csv::write),
];

fn main() {
    let millions: u64 = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(2);
    for side in [4, 32, 320] {
        let folder = tempfile::tempdir().expect("a folder for the files");
        let rounds = (millions * 1_000_000 / STATES / (u64::from(side) * u64::from(side))).max(1);
        let timeline = made(&folder.path().join("halo.ptl"), side, rounds);
        let (states, messages) = timeline.counts();
        println!("{} ranks: {states} states, {messages} messages", side * side);
        for (name, file, write) in FORMATS {
            let start = cpu_time();
            let exported = write(&timeline, &folder.path().join(file)).expect("it can be written");
            let seconds = cpu_time() - start;
            println!(
                "  {name:<9} {:.2} M states and messages per second, {} records, {:.0} MB; peak memory {} so far",
                (states + messages) as f64 / seconds / 1e6,
                exported.operations,
                sizes(folder.path()) as f64 / 1e6,
                peak_memory()
            );
        }
    }
}

fn made(path: &Path, side: u32, rounds: u64) -> Timeline {
    let mut halo = Halo::new(side, 20_000);
    let mut writer = Writer::create(path, &halo.about()).expect("the timeline can be written");
    for _ in 0..rounds {
        halo.step(|event| match event {
            Event::State(rank, state) => writer.state(rank, state),
            Event::Message(message) => writer.message(message),
        });
    }
    writer.finish().expect("there is room");
    Timeline::open(path).expect("a valid timeline")
}

/// Returns the bytes written and deletes the files.
fn sizes(folder: &Path) -> u64 {
    let mut sum = 0;
    for file in std::fs::read_dir(folder).expect("a folder").flatten() {
        if file.path().extension().is_none_or(|extension| extension != "ptl") {
            sum += file.metadata().map_or(0, |about| about.len());
            std::fs::remove_file(file.path()).expect("it was written");
        }
    }
    sum
}

/// Returns the CPU time of this thread in seconds, from the kernel.
fn cpu_time() -> f64 {
    let counts = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = counts.split(' ').next().and_then(|word| word.parse::<u64>().ok());
    nanos.expect("a kernel that counts the time of threads") as f64 * 1e-9
}

/// Returns the peak resident memory of the process, from the kernel.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".into(), |peak| peak.trim().to_owned())
}
