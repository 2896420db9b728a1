//! Speed and memory of the import of GOAL schedules: `cargo bench -p panto-convert --bench goal`,
//! or `-- 200` for texts of 200 MB, `-- 100 halo` for one pattern.
//!
//! Three patterns, in the form that `LogGOPSim`'s schedule generator writes them: a ring of 1,024
//! ranks, a halo exchange of 4,096 ranks with six neighbours each, and 2,048 ranks that send to six
//! others chosen at random. Rates are megabytes of text per second of wall-clock time, from text in
//! memory to the complete trace file: medians of [`RUNS`] runs, with the slowest and the fastest.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use panto_convert::goal;
use panto_random::SplitMix64;

/// Runs of each measurement.
const RUNS: usize = 5;

/// Writes a schedule of this number of bytes.
type Pattern = fn(usize) -> String;

const PATTERNS: [(&str, Pattern); 3] = [("ring", ring), ("halo", halo), ("sparse", sparse)];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let megabytes: usize = words.iter().find_map(|word| word.parse().ok()).unwrap_or(100);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let named = |word: &&String| PATTERNS.iter().any(|(name, _)| name == word);
    let chosen: Option<&String> = words.iter().find(named);
    for (name, text) in PATTERNS.iter().filter(|(name, _)| chosen.is_none_or(|word| word == name)) {
        let text = text(megabytes * 1_000_000);
        println!("{name}: {:.0} MB of text", text.len() as f64 / 1e6);
        let folder = tempfile::tempdir().expect("a folder for the trace");
        for threads in [1, cores] {
            measure(&text, threads, &folder.path().join("out.panto"));
        }
    }
}

fn measure(text: &str, threads: usize, target: &Path) {
    let mut seconds = Vec::new();
    let mut calls = 0;
    for _ in 0..RUNS {
        let start = Instant::now();
        calls = goal::read_on(threads, &mut text.as_bytes(), "bench.goal", target)
            .expect("a valid schedule")
            .calls;
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    let rate = |seconds: f64| text.len() as f64 / 1e6 / seconds;
    println!(
        "  {threads} threads: {:.0} MB/s ({:.0} to {:.0}), {:.1} M calls per second; peak memory {} so far",
        rate(seconds[RUNS / 2]),
        rate(seconds[RUNS - 1]),
        rate(seconds[0]),
        calls as f64 / 1e6 / seconds[RUNS / 2],
        peak_memory()
    );
}

/// A schedule that is being written.
struct Schedule {
    text: String,
    /// Number of the last label of the current rank.
    label: u32,
}

impl Schedule {
    /// Writes an operation that requires earlier ones of its rank; returns its label.
    fn add(&mut self, operation: std::fmt::Arguments<'_>, requires: impl IntoIterator<Item = u32>) -> u32 {
        self.label += 1;
        let label = self.label;
        let _ = writeln!(self.text, "l{label}: {operation}");
        for earlier in requires {
            let _ = writeln!(self.text, "l{label} requires l{earlier}");
        }
        label
    }

    /// Writes the schedule of each rank, with as many rounds as make the text `bytes` long; `round`
    /// writes one round of a rank (schedule, rank, round, last label of the round before) and
    /// returns its last label.
    fn write(
        ranks: u32,
        bytes: usize,
        mut round: impl FnMut(&mut Self, u32, u32, Option<u32>) -> u32,
    ) -> String {
        let mut schedule = Self { text: format!("num_ranks {ranks}\n\n"), label: 0 };
        let mut rounds = None;
        for rank in 0..ranks {
            let _ = writeln!(schedule.text, "rank {rank} {{");
            let (start, mut last) = (schedule.text.len(), None);
            schedule.label = 0;
            for number in 0..rounds.unwrap_or(u32::MAX) {
                last = Some(round(&mut schedule, rank, number, last));
                if rounds.is_none() && schedule.text.len() - start >= bytes / ranks as usize {
                    rounds = Some(number + 1);
                    break;
                }
            }
            schedule.text += "}\n\n";
        }
        schedule.text
    }
}

fn ring(bytes: usize) -> String {
    const RANKS: u32 = 1024;
    Schedule::write(RANKS, bytes, |schedule, rank, _, last| {
        let receive =
            schedule.add(format_args!("recv 1024b from {} tag 0", (rank + RANKS - 1) % RANKS), last);
        let send = schedule.add(format_args!("send 1024b to {} tag 0", (rank + 1) % RANKS), last);
        schedule.add(format_args!("calc 1000"), [receive, send])
    })
}

fn halo(bytes: usize) -> String {
    const SIDE: u32 = 16;
    Schedule::write(SIDE.pow(3), bytes, |schedule, rank, round, last| {
        let mut messages = Vec::new();
        for (dim, stride) in [1, SIDE, SIDE * SIDE].into_iter().enumerate() {
            let at = rank / stride % SIDE;
            let neighbour = |by: u32| rank - at * stride + (at + by) % SIDE * stride;
            for (tag, by) in [(0, 1), (1, SIDE - 1)] {
                let tag = round * 8 + 2 * dim as u32 + tag;
                let (to, from) = (neighbour(by), neighbour(SIDE - by));
                messages.push(schedule.add(format_args!("send 8192b to {to} tag {tag}"), last));
                messages.push(schedule.add(format_args!("recv 8192b from {from} tag {tag}"), last));
            }
        }
        schedule.add(format_args!("calc 250000"), messages)
    })
}

/// Every round has its own permutations, so that each send has its receive.
fn sparse(bytes: usize) -> String {
    const RANKS: u32 = 2048;
    // Rank `r` sends to `multiplier * r + shift`, a permutation for odd multipliers.
    let partners = |round: u32, message: u32| {
        let mut random = SplitMix64::new(u64::from(round) << 8 | u64::from(message));
        ((random.next_u64() as u32 % RANKS) | 1, random.next_u64() as u32 % RANKS)
    };
    Schedule::write(RANKS, bytes, |schedule, rank, round, last| {
        let mut messages = Vec::new();
        for message in 0..6 {
            let (multiplier, shift) = partners(round, message);
            let to = multiplier.wrapping_mul(rank).wrapping_add(shift) % RANKS;
            let from = inverse(multiplier).wrapping_mul(rank.wrapping_sub(shift)) % RANKS;
            let bytes = 64 << (message * 2);
            messages.push(schedule.add(format_args!("send {bytes}b to {to} tag {round} cpu 0 nic 0"), last));
            messages
                .push(schedule.add(format_args!("recv {bytes}b from {from} tag {round} cpu 0 nic 0"), last));
        }
        schedule.add(format_args!("calc {}", 1000 + (rank * 7919 + round) % 5000), messages)
    })
}

/// Returns the inverse of an odd number modulo 2^32, by Newton's iteration.
fn inverse(odd: u32) -> u32 {
    (0..5).fold(odd, |inverse, _| inverse.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(inverse))))
}

/// Returns the peak resident memory of the process, from the kernel.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".into(), |peak| peak.trim().to_owned())
}
