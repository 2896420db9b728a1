//! How many operations a second run ahead: `cargo bench -p panto-sim --bench ahead`.
//!
//! Runs on one core and on two take turns; what is printed is the best of each and, in parentheses, the median. Where neighbours of a virtual
//! machine disturb, the best is what the program can do, and the median what somebody gets there. Two cores are seldom twice as fast as one:
//! they share caches, memory and the neighbours. So two runs of one core each take their turns as well, side by side and without a word to
//! each other: what they do together is what the machine gives to two cores.
//!
//! Words restrict it: names of patterns, numbers of ranks; `looped` for rounds as loops instead of written out, `rendezvous` for messages
//! that need an answer, `busy` for a machine that does other things (one core only, by the time that it had), `million` for a million ranks with a halo exchange and an allreduce, with its memory.

mod patterns;

use std::thread;
use std::time::Instant;

use panto_machine::{Cost, Machine, Network, Overheads, PerByte, Protocol, Switching, Topology};
use panto_sim::ahead::Prepared;
use panto_sim::observe::Unseen;
use panto_sim::program::Program;
use panto_sim::{Model, Setting};
use panto_units::Time;
use patterns::{Form, Pattern, program};

const ALL: [Pattern; 8] = [
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
/// Beyond, a linear alltoall is all memory.
const MOST_ALLTOALL: u32 = 1_024;
/// Operations of a run: enough for a second, and few enough for the memory.
const OPERATIONS: u64 = 1 << 24;
const REPETITIONS: usize = 5;
const LIMIT: u64 = 64 << 10;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    if has("million") {
        return million();
    }
    let form = if has("looped") { Form::Looped } else { Form::Flat };
    let bytes = if has("rendezvous") { LIMIT + 1 } else { 1_024 };
    let named = |pattern: &Pattern| has(pattern.name()) || !ALL.iter().any(|pattern| has(pattern.name()));
    let sizes: Vec<u32> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let sizes = if sizes.is_empty() { RANKS.to_vec() } else { sizes };
    println!(
        "{:14} {:>8} {:>16} {:>16} {:>6} {:>16}",
        "pattern", "ranks", "M/s 1 core", "M/s 2 cores", "ratio", "M/s side by side"
    );
    for pattern in ALL.into_iter().filter(named) {
        for &ranks in sizes.iter().filter(|&&ranks| pattern != Pattern::Alltoall || ranks <= MOST_ALLTOALL) {
            row(pattern, ranks, bytes, form);
        }
    }
}

fn row(pattern: Pattern, ranks: u32, bytes: u64, form: Form) {
    let (_, once) = program(pattern, ranks, 1, bytes, form);
    let (program, operations) = program(pattern, ranks, (OPERATIONS / once).max(1), bytes, form);
    let prepared = Prepared::new(&program);
    let machine = machine(ranks);
    let setting = Setting { machine: &machine, model: Model::Fast, paces: &[], noise: None };
    let rate = |threads: usize| operations as f64 / time(&prepared, &setting, threads) / 1e6;
    let (mut alone, mut both, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..REPETITIONS {
        alone.push(rate(1));
        if !is_busy() {
            both.push(rate(2));
            beside.push(2.0 * operations as f64 / time_beside(&prepared, &setting) / 1e6);
        }
    }
    print!("{:14} {ranks:>8} {:>16}", pattern.name(), shown(&mut alone));
    if is_busy() {
        println!();
    } else {
        let ratio = best(&both) / best(&alone);
        println!(" {:>16} {ratio:>6.2} {:>16}", shown(&mut both), shown(&mut beside));
    }
}

fn best(rates: &[f64]) -> f64 {
    rates.iter().copied().fold(0.0, f64::max)
}

/// The best and the median.
fn shown(rates: &mut [f64]) -> String {
    rates.sort_by(f64::total_cmp);
    format!("{:.1} ({:.1})", best(rates), rates[rates.len() / 2])
}

/// Seconds.
fn time(prepared: &Prepared<'_>, setting: &Setting<'_>, threads: usize) -> f64 {
    let (before, start) = (on_processor(), Instant::now());
    let ends = match threads {
        1 => prepared.run(setting, &mut Unseen),
        _ => prepared.run_on(setting, &mut vec![Unseen; threads]),
    };
    let seconds = match threads {
        1 if is_busy() => on_processor() - before,
        _ => start.elapsed().as_secs_f64(),
    };
    assert!(ends.expect("the program ends").iter().all(|&end| end > Time::ZERO));
    seconds
}

/// Seconds until two runs of one core each, side by side, have both ended.
fn time_beside(prepared: &Prepared<'_>, setting: &Setting<'_>) -> f64 {
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| time(prepared, setting, 1));
        }
    });
    start.elapsed().as_secs_f64()
}

/// Does the machine do other things?
fn is_busy() -> bool {
    std::env::args().any(|word| word == "busy")
}

/// Seconds that this thread had a processor, as the kernel counts them.
fn on_processor() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos: u64 = told.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
    nanos as f64 * 1e-9
}

/// Processors with overheads and gaps, messages of up to a limit buffered.
fn machine(ranks: u32) -> Machine {
    let topology = Topology::complete(ranks.into()).expect("so many processors");
    let byte = |seconds: f64| PerByte::from_secs(seconds).expect("a rate");
    let line = |nanos: u64, seconds: f64| Cost::line(Time::from_nanos(nanos), byte(seconds));
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
    Machine { protocol: Protocol::Eager { limit: LIMIT }, ..Machine::plain("bench", network) }
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
    let prepared = Prepared::new(&program);
    println!("prepared in {:.1} s", start.elapsed().as_secs_f64());
    let machine = machine(ranks);
    let setting = Setting { machine: &machine, model: Model::Fast, paces: &[], noise: None };
    for threads in [1, 2] {
        let seconds = time(&prepared, &setting, threads);
        let rate = operations as f64 / seconds / 1e6;
        println!("{threads} threads: {seconds:.1} s, {rate:.1} M/s; peak memory {} so far", peak_memory());
    }
}

/// As the kernel counts it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".into(), |peak| peak.trim().to_owned())
}
