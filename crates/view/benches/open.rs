//! How long it takes to open a timeline, and to write a page of it. `cargo bench -p panto-view`, or `-- 100` for a hundred million states. Times are the
//! processor's, so that others may be at work, too.

#[path = "../../timeline/tests/timeline/halo.rs"]
mod halo;

use std::path::Path;

use halo::{Event, Halo};
use panto_timeline::Writer;
use panto_view::{Options, Progress, View, page};

/// States in one step of a rank, about.
const STATES: u64 = 14;

fn main() {
    let millions: u64 = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(10);
    let folder = tempfile::tempdir().expect("a folder for the timelines");
    let path = folder.path().join("timeline.ptl");
    for (name, side) in [("16 ranks", 4), ("1,024 ranks", 32), ("65,536 ranks", 256)] {
        write(&path, side, millions);
        let start = cpu_time();
        let view = View::open(&path, &Progress::default()).expect("the timeline is sound");
        let opening = cpu_time() - start;
        let (states, messages) = view.counts();
        let memory = peak_memory();
        drop(view);
        let start = cpu_time();
        let page = page(&[&path], &Options::default()).expect("the timeline is sound");
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

/// Seconds of this thread on a processor, as the kernel counts them.
fn cpu_time() -> f64 {
    let counts = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = counts.split(' ').next().and_then(|word| word.parse::<u64>().ok());
    nanos.expect("a kernel that counts the time of threads") as f64 * 1e-9
}

/// As the kernel counts it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".into(), |peak| peak.trim().to_owned())
}
