//! Computation by counted events (P2): instructions where the machine counts them, a software event
//! of the kernel everywhere else, and what ranks do that cannot count.

use std::path::Path;
use std::process::Command;

use panto_counter::{Counter, Event};
use panto_trace::{RankTrace, Trace, key};

use crate::PANTO;
use crate::job::JobOutput;
use crate::mpis::{self, Mpi};
use crate::scene::Scene;

const RANKS: usize = 2;

/// Twenty blocks of 200 us: the first five calibrate the rate.
const ARGUMENTS: &str = "-w 0 -u 200 -b 20";
const BLOCKS: f64 = 20.0;

/// Returns whether an event is counted here; prints why a test is skipped if not.
fn is_counted(event: Event) -> bool {
    let opened = Counter::open(event);
    let name = event.name();
    opened.inspect_err(|refusal| eprintln!("skipped: {name} are not counted here: {refusal}")).is_ok()
}

/// Traces `compute`, whose ranks have another clock than `panto trace` gave them.
fn traced_with(clock: &str, mpi: &Mpi, app: &Path) -> (Trace, JobOutput) {
    let scene = Scene::new();
    let job = scene.trace("", mpi, RANKS, Path::new("env")).words(&format!("PANTO_TRACE_CLOCK={clock}"));
    let ended = job.arg(app).words(ARGUMENTS).run();
    ended.succeeds();
    (scene.traced(), ended)
}

fn fact<'a>(rank: &'a RankTrace, name: &str) -> &'a str {
    rank.metadata().get(name).unwrap_or_else(|| panic!("no {name} in {:?}", rank.metadata()))
}

/// Returns the nanoseconds before the exchanges of a rank.
fn blocks(rank: &RankTrace) -> Vec<u64> {
    let mut all = Vec::new();
    let mut events = rank.events();
    while let Some(event) = events.next().expect("sound") {
        if event.name() == "MPI_Sendrecv" {
            all.push(event.before());
        }
    }
    all
}

/// Returns the nanoseconds that a rank printed: `rank 0 computed 123 ns in 20 blocks`.
fn printed(ended: &JobOutput, rank: u32) -> f64 {
    let start = format!("rank {rank} computed ");
    let line = ended.stdout.lines().find_map(|line| line.strip_prefix(&start)).expect("a line per rank");
    line.split(' ').next().and_then(|word| word.parse().ok()).expect("a number")
}

#[test]
fn by_instructions() {
    let mpi = mpis::MPICH;
    let Some(app) = mpi.app("compute").filter(|_| is_counted(Event::Instructions)) else { return };
    let scene = Scene::new();
    scene.trace("--clock instructions", &mpi, RANKS, &app).words(ARGUMENTS).run().succeeds();
    for rank in scene.traced().ranks() {
        assert_eq!(fact(rank, key::CLOCK), "instructions");
        assert!(rank.metadata().number(key::COUNTED).is_some_and(|count| count > 0));
        assert!(fact(rank, key::COUNTED_PER_NS).parse::<f64>().expect("a number") > 0.0);
        assert_eq!(rank.metadata().get(key::NOT_COUNTED), None);
    }
    let info = Command::new(PANTO).arg("info").arg(scene.path("app.panto")).output().expect("it starts");
    let summary = String::from_utf8_lossy(&info.stdout);
    assert!(summary.contains("computation by instructions retired: "), "{summary}");
}

/// The whole path, from the first block to the end of the stream, with an event that counts
/// nanoseconds. Blocks are as long as the program's own clock says, within a factor of two: noise
/// is less, and a block that contained the MPI call or another block would be more.
#[test]
fn by_a_software_event() {
    let mpi = mpis::MPICH;
    let Some(app) = mpi.app("compute").filter(|_| is_counted(Event::TaskClock)) else { return };
    let (trace, ended) = traced_with("task-clock", &mpi, &app);
    for rank in trace.ranks() {
        assert_eq!(fact(rank, key::CLOCK), "task-clock");
        assert!(fact(rank, key::METHOD).starts_with("calibrated by "));
        let computed = printed(&ended, rank.rank());
        let counted = rank.metadata().number(key::COUNTED).expect("it is written") as f64;
        assert!(counted >= 0.5 * computed, "{counted} counted, {computed} computed");
        let mut blocks = blocks(rank);
        blocks.sort_unstable();
        let (median, usual) = (blocks[blocks.len() / 2] as f64, computed / BLOCKS);
        assert!(median > usual / 2.0 && median < usual * 2.0, "{median} and {usual}");
    }
}

/// A rank on a host that does not count is recorded by CPU time, with a warning at the end.
#[test]
fn ranks_that_cannot_count() {
    if Counter::open(Event::Instructions).is_ok() {
        return eprintln!("skipped: instructions are counted here");
    }
    for mpi in [mpis::MPICH, mpis::OPEN_MPI] {
        let Some(app) = mpi.app("compute") else { continue };
        let (trace, ended) = traced_with("instructions", &mpi, &app);
        for rank in trace.ranks() {
            assert_eq!(fact(rank, key::CLOCK), "cpu");
            assert!(fact(rank, key::METHOD).ends_with("; instructions are not counted"));
            assert!(!fact(rank, key::NOT_COUNTED).is_empty());
        }
        let warning = "panto: instructions were not counted on ranks 0-1: ";
        assert!(ended.stderr.contains(warning), "{ended:#?}");
    }
}
