//! Time to open a timeline and to write a page of it: `cargo bench -p panto-view`, or `-- 100` for
//! a hundred million states. Times are CPU time, so that other processes do not disturb them.

use panto_testkit::halo;
use std::path::Path;

use halo::{Event, Halo};
use panto_timeline::Writer;
use panto_view::{Options, Progress, View, page};

/// States per step of a rank, approximately.
const STATES: u64 = 14;

fn main() {
    let millions: u64 = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(10);
    let folder = tempfile::tempdir().expect("a folder for the timelines");
    let path = folder.path().join("timeline.ptl");
    for (name, side) in [("16 ranks", 4), ("1,024 ranks", 32), ("65,536 ranks", 256)] {
        write(&path, side, millions);
        let start = cpu_time();
        let view = View::open(&path, &Progress::default()).expect("a valid timeline");
        let opening = cpu_time() - start;
        let (states, messages) = view.counts();
        let memory = peak_memory();
        drop(view);
        let start = cpu_time();
        let page = page(&[&path], &Options::default()).expect("a valid timeline");
        println!(
            "{name}: {states} states and {messages} messages opened in {opening:.2} s, peak memory {memory}; a page of {:.1} MB in {:.1} s",
            page.len() as f64 / 1e6,
            cpu_time() - start
        );
    }
}

fn write(path: &Path, side: u32, millions: u64) {
    let mut halo = Halo::new(side, 20_000);
    let mut writer = Writer::create(path, &halo.about()).expect("the timeline can be written");
    let steps = (millions * 1_000_000 / STATES / (u64::from(side) * u64::from(side))).max(2);
    for _ in 0..steps {
        halo.step(|event| match event {
            Event::State(rank, state) => writer.state(rank, state),
            Event::Message(message) => writer.message(message),
        });
    }
    writer.finish().expect("there is room");
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
