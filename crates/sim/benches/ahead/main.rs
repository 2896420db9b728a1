//! Measures the run-ahead engine: operations per second. `cargo bench -p panto-sim --bench ahead`.
//!
//! Runs on one core and on two alternate. Printed are the best of each and, in parentheses, the
//! median. On a virtual machine with noisy neighbours, the best is what the program can do and the
//! median what to expect there. Two cores are seldom twice as fast as one: they share caches,
//! memory and neighbours. So two independent runs of one core each take their turns as well ("side
//! by side"): together they are what the machine offers to two cores. Ranks share ports, as they do
//! by default; "of none" is how fast that is on one core, relative to runs that share nothing,
//! which take their turns as well.
//!
//! Arguments restrict the runs: names of patterns and numbers of ranks; `looped` for rounds as
//! loops instead of unrolled code; `rendezvous` for messages above the eager limit; `busy` for a
//! machine that does other things (one core only, by its processor time); `million` for a million
//! ranks with a halo exchange and an allreduce, with its memory.

use panto_testkit::patterns;
use std::thread;
use std::time::Instant;

use panto_machine::{Cost, Machine, Network, Overheads, PerByte, Protocol, Switching, Topology};
use panto_sim::ahead::PreparedProgram;
use panto_sim::observe::NoObserver;
use panto_sim::program::Program;
use panto_sim::{RunConfig, Sharing};
use panto_units::Time;
use patterns::{Form, Pattern, program};

const PATTERNS: [Pattern; 8] = [
    Pattern::Ring,
    Pattern::Halo2,
    Pattern::Halo3,
    Pattern::Wavefront,
    Pattern::Broadcast,
    Pattern::Dissemination,
    Pattern::Doubling,
    Pattern::Alltoall,
];
const RANKS: [u32; 5] = [64, 1_024, 4_096, 16_384, 65_536];
/// Number of ranks up to which a linear alltoall fits in memory.
const MAX_ALLTOALL_RANKS: u32 = 1_024;
/// Operations of a run: enough for a measurable time, few enough for memory.
const OPERATIONS: u64 = 1 << 24;
const REPETITIONS: usize = 5;
/// Eager limit of the machine, in bytes.
const EAGER_LIMIT: u64 = 64 << 10;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    if has("million") {
        return million();
    }
    let form = if has("looped") { Form::Looped } else { Form::Flat };
    let bytes = if has("rendezvous") { EAGER_LIMIT + 1 } else { 1_024 };
    let named =
        |pattern: &Pattern| has(pattern.name()) || !PATTERNS.iter().any(|pattern| has(pattern.name()));
    let sizes: Vec<u32> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let sizes = if sizes.is_empty() { RANKS.to_vec() } else { sizes };
    println!(
        "{:14} {:>7} {:>14} {:>7} {:>14} {:>6} {:>16}",
        "pattern", "ranks", "M/s 1 core", "of none", "M/s 2 cores", "ratio", "M/s side by side"
    );
    for pattern in PATTERNS.into_iter().filter(named) {
        for &ranks in
            sizes.iter().filter(|&&ranks| pattern != Pattern::Alltoall || ranks <= MAX_ALLTOALL_RANKS)
        {
            row(pattern, ranks, bytes, form);
        }
    }
}

fn row(pattern: Pattern, ranks: u32, bytes: u64, form: Form) {
    let (_, once) = program(pattern, ranks, 1, bytes, form);
    let (program, operations) = program(pattern, ranks, (OPERATIONS / once).max(1), bytes, form);
    let prepared = PreparedProgram::new(&program);
    let machine = machine(ranks);
    let config = config(&machine);
    let unshared_config = RunConfig { sharing: Sharing::None, ..config };
    let rate =
        |config: &RunConfig<'_>, threads: usize| operations as f64 / time(&prepared, config, threads) / 1e6;
    let (mut alone, mut unshared) = (Vec::new(), Vec::new());
    let (mut both, mut separate) = (Vec::new(), Vec::new());
    for _ in 0..REPETITIONS {
        alone.push(rate(&config, 1));
        unshared.push(rate(&unshared_config, 1));
        if !is_busy() {
            both.push(rate(&config, 2));
            separate.push(2.0 * operations as f64 / time_separate(&prepared, &config) / 1e6);
        }
    }
    let of_unshared = best(&alone) / best(&unshared);
    let alone_text = best_and_median(&mut alone);
    print!("{:14} {ranks:>7} {alone_text:>14} {of_unshared:>7.2}", pattern.name());
    if is_busy() {
        println!();
    } else {
        let ratio = best(&both) / best(&alone);
        println!(" {:>14} {ratio:>6.2} {:>16}", best_and_median(&mut both), best_and_median(&mut separate));
    }
}

fn best(rates: &[f64]) -> f64 {
    rates.iter().copied().fold(0.0, f64::max)
}

/// Returns the best and the median as text.
fn best_and_median(rates: &mut [f64]) -> String {
    rates.sort_by(f64::total_cmp);
    format!("{:.1} ({:.1})", best(rates), rates[rates.len() / 2])
}

/// Returns the seconds that a run takes.
fn time(prepared: &PreparedProgram<'_>, config: &RunConfig<'_>, threads: usize) -> f64 {
    let (before, start) = (processor_time(), Instant::now());
    let ends = match threads {
        1 => prepared.run(config, &mut NoObserver),
        _ => prepared.run_on(config, &mut vec![NoObserver; threads]),
    };
    let seconds = match threads {
        1 if is_busy() => processor_time() - before,
        _ => start.elapsed().as_secs_f64(),
    };
    assert!(ends.expect("the program ends").iter().all(|&end| end > Time::ZERO));
    seconds
}

/// Returns the seconds until two independent runs of one core each have both ended.
fn time_separate(prepared: &PreparedProgram<'_>, config: &RunConfig<'_>) -> f64 {
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| time(prepared, config, 1));
        }
    });
    start.elapsed().as_secs_f64()
}

/// Returns whether the machine does other things.
fn is_busy() -> bool {
    std::env::args().any(|word| word == "busy")
}

/// Returns the seconds that this thread has had a processor, as the kernel counts them.
fn processor_time() -> f64 {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos: u64 = schedstat.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
    nanos as f64 * 1e-9
}

/// A machine with overheads, gaps and an eager limit.
fn machine(ranks: u32) -> Machine {
    let topology = Topology::complete(ranks.into()).expect("a topology of any size");
    let per_byte = |seconds: f64| PerByte::from_secs(seconds).expect("a rate");
    let line = |nanos: u64, seconds: f64| Cost::line(Time::from_nanos(nanos), per_byte(seconds));
    let network = Network {
        overheads: Overheads {
            send: line(500, 1e-11),
            receive: line(600, 1e-11),
            immediate: Time::from_nanos(50),
            gap: Time::from_nanos(200),
            control: Time::from_nanos(100),
        },
        ..Network::plain(topology, Switching::Packet, line(1_000, 1e-10))
    };
    Machine { protocol: Protocol::Eager { limit: EAGER_LIMIT }, ..Machine::plain("bench", network) }
}

/// Ranks share ports.
fn config(machine: &Machine) -> RunConfig<'_> {
    RunConfig { machine, sharing: Sharing::Endpoints, compute_scales: &[], noise: None }
}

fn million() {
    let (ranks, rounds) = (1 << 20, 10);
    let start = Instant::now();
    let (program, operations): (Program, u64) =
        program(Pattern::Application, ranks, rounds, 1_024, Form::Looped);
    println!(
        "{ranks} ranks, {rounds} rounds, {operations} operations; written in {:.1} s",
        start.elapsed().as_secs_f64()
    );
    let start = Instant::now();
    let prepared = PreparedProgram::new(&program);
    println!("prepared in {:.1} s", start.elapsed().as_secs_f64());
    let machine = machine(ranks);
    let config = config(&machine);
    for threads in [1, 2] {
        let seconds = time(&prepared, &config, threads);
        let rate = operations as f64 / seconds / 1e6;
        println!("{threads} threads: {seconds:.1} s, {rate:.1} M/s; peak memory {} so far", peak_memory());
    }
}

/// Returns the peak memory of the process, as the kernel counts it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".into(), |peak| peak.trim().to_owned())
}
