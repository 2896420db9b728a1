//! The speed of writing and reading states and messages, and their size in the file. Run
//! `cargo bench -p panto-timeline`, or add `-- 2` for two million states only. Rates are per second
//! of CPU time, so that other processes disturb them less.

use panto_testkit::halo;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use halo::{Event, Halo};
use panto_timeline::{ALL_TIME, Timeline, WriteSummary, Writer};
use panto_units::Time;

/// Approximate number of states in one step of a rank; ranks that wait have more.
const STATES: u64 = 14;

fn main() {
    let millions: u64 = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(20);
    let folder = tempfile::tempdir().expect("a folder for the timelines");
    let path = folder.path().join("timeline.ptl");
    for (name, side, jitter) in [
        ("16 ranks, equal work", 4, 0),
        ("16 ranks", 4, 20_000),
        ("1,024 ranks", 32, 20_000),
        ("65,536 ranks", 256, 20_000),
        ("1,048,576 ranks, equal work", 1024, 0),
        ("1,048,576 ranks", 1024, 20_000),
    ] {
        let rounds = (millions * 1_000_000 / STATES / (u64::from(side) * u64::from(side))).max(2);
        let (written, writing) = write(&path, &mut Halo::new(side, jitter), rounds);
        let (opening, reading, window) = read(&path, &written);
        let [states, messages] = shares(&path);
        println!(
            "{name}: {} states of {:.2} bytes, {} messages of {:.2}; written {:.1} M/s, read {:.1} M/s; opened in {:.2} ms, a rank's hundredth read in {:.2} ms; peak memory {} so far",
            written.states,
            states as f64 / written.states as f64,
            written.messages,
            messages as f64 / written.messages as f64,
            (written.states + written.messages) as f64 / writing / 1e6,
            (written.states + written.messages) as f64 / reading / 1e6,
            opening * 1e3,
            window * 1e3,
            peak_memory()
        );
    }
}

/// Writes the timeline. Returns the CPU seconds used, including the small part of the simulation.
fn write(path: &Path, halo: &mut Halo, rounds: u64) -> (WriteSummary, f64) {
    let start = cpu_time();
    let mut writer = Writer::create(path, &halo.about()).expect("the timeline can be written");
    for _ in 0..rounds {
        halo.step(|event| match event {
            Event::State(rank, state) => writer.state(rank, state),
            Event::Message(message) => writer.message(message),
        });
    }
    let written = writer.finish().expect("there is room");
    (written, cpu_time() - start)
}

/// Returns the seconds to open the timeline, to read all of it, and to read a hundredth of the time
/// of one rank.
fn read(path: &Path, written: &WriteSummary) -> (f64, f64, f64) {
    let start = Instant::now();
    let timeline = Timeline::open(path).expect("the timeline is sound");
    let opening = start.elapsed().as_secs_f64();
    assert!(timeline.damage().is_none());

    let start = cpu_time();
    let states = timeline.states_of(0..timeline.ranks(), &ALL_TIME);
    let all = states.map(|state| u64::from(state.expect("it is sound").1.to > Time::ZERO));
    assert_eq!(all.sum::<u64>(), written.states);
    let messages = timeline.messages(&ALL_TIME).map(|message| message.expect("it is sound").bytes);
    assert!(messages.sum::<u64>() > 0);
    let reading = cpu_time() - start;

    let start = Instant::now();
    let end = timeline.span().expect("something happened").end().as_picos();
    let window = Time::from_picos(end / 100 * 50)..=Time::from_picos(end / 100 * 51);
    for state in timeline.states(timeline.ranks() / 2, &window) {
        state.expect("it is sound");
    }
    (opening, reading, start.elapsed().as_secs_f64())
}

/// Returns the bytes in blocks of states and in blocks of messages; `docs/timelines.md` describes
/// their headers.
fn shares(path: &Path) -> [u64; 2] {
    let file = std::fs::File::open(path).expect("it was written");
    let (mut at, mut shares, mut header) = (32, [0; 4], [0; 48]);
    while file.read_exact_at(&mut header, at).is_ok() {
        let stored = u32::from_le_bytes([header[36], header[37], header[38], header[39]]);
        let length = 48 + u64::from(stored);
        shares[header[4] as usize] += length;
        at += length;
    }
    [shares[1], shares[2]]
}

/// Returns the CPU seconds of this thread, as counted by the kernel.
fn cpu_time() -> f64 {
    let counts = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = counts.split(' ').next().and_then(|word| word.parse::<u64>().ok());
    nanos.expect("a kernel that counts the time of threads") as f64 * 1e-9
}

/// Returns the peak memory of this process, as counted by the kernel.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".into(), |peak| peak.trim().to_owned())
}
