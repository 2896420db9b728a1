//! Runs whose ranks are processes, each of which runs the whole program.

use std::sync::atomic::{AtomicBool, Ordering};

use panto_bench::comet::Options;
use panto_bench::{Error, Kernel, Kind, Observer, Settings, decide, run};
use panto_results::{Record, RunEnd};
use panto_schedule::Algorithm;
use panto_transport::World;

use crate::split::{Split, processes};
use crate::support::{Collect, small_files, tiny};

const PROCESSES: usize = 4;

/// The outcome of a run as observed by one process.
struct Seen {
    end: Result<RunEnd, Error>,
    records: Vec<Record>,
}

fn seen(world: &Split<'_>, kernels: &[Kernel], settings: &Settings, interrupt: bool) -> Seen {
    let mut observer = Collect::default();
    let end = run(world, kernels, settings, &AtomicBool::new(interrupt), &mut observer);
    Seen { end, records: observer.records }
}

#[track_caller]
fn ends(all: &[Seen]) -> Vec<&RunEnd> {
    all.iter().map(|seen| seen.end.as_ref().expect("the run succeeds")).collect()
}

/// The numbers of ranks vary, so some processes are idle for a while; contention needs the records
/// of echo, which only the first process has.
#[test]
fn every_kernel_runs_in_processes() {
    let directory = tempfile::tempdir().expect("a directory");
    let settings = Settings { dims: Some(vec![8]), ..tiny(PROCESSES) }
        .with_options(Options { io_dir: Some(directory.path().into()), ..small_files() });
    for &kernel in Kernel::ALL.iter().filter(|kernel| kernel.available(&settings).is_ok()) {
        let all = processes(PROCESSES, |world| seen(world, &[kernel], &settings, false));
        let ends = ends(&all);
        assert!(ends.iter().all(|end| *end == ends[0]), "{kernel}: {ends:?}");
        assert!(ends[0].complete && ends[0].measured > 0, "{kernel}: {ends:?}");
        let kept: Vec<usize> = all.iter().map(|seen| seen.records.len()).collect();
        assert_eq!(kept, [ends[0].measured, 0, 0, 0], "{kernel}");
    }
}

/// Each process has its own memory and files, so each might skip other kernels.
#[test]
fn the_first_process_selects_the_kernels() {
    let all = processes(PROCESSES, |world| {
        let kernels = if world.is_first() { &[Kernel::Barrier][..] } else { &[Kernel::Io, Kernel::Echo] };
        seen(world, kernels, &tiny(PROCESSES), false)
    });
    ends(&all);
    assert!(!all[0].records.is_empty());
    assert!(all[0].records.iter().all(|record| record.kernel == "comet/barrier"));
}

#[test]
fn an_error_of_the_first_process_ends_all() {
    let pex = tiny(PROCESSES).with_options(Options { algorithm: Some(Algorithm::Pex), ..small_files() });
    let all = processes(PROCESSES, |world| seen(world, &[Kernel::Broadcast], &pex, false));
    let Err(Error::Usage(why)) = &all[0].end else { panic!("no such broadcast: {:?}", all[0].end) };
    assert!(why.contains("binomial"), "{why}");
    for seen in &all[1..] {
        let Err(Error::Remote { kind: Kind::Usage, text }) = &seen.end else { panic!("{:?}", seen.end) };
        assert_eq!(text, why);
    }
}

/// Fails when the kernel begins, as when the disk is full.
struct Refuses;

impl Observer for Refuses {
    fn kernel(&mut self, _kernel: Kernel, _points: usize) -> panto_bench::Result<()> {
        let source = std::io::Error::other("no space left");
        Err(Error::Io { failure: "cannot write", path: "run.jsonl".into(), source })
    }

    fn record(&mut self, _record: &Record) -> panto_bench::Result<()> {
        Ok(())
    }
}

#[test]
fn no_process_waits_for_a_first_process_that_cannot_write() {
    let kinds = processes(PROCESSES, |world| {
        let outcome =
            run(world, &[Kernel::Echo], &tiny(PROCESSES), &AtomicBool::new(false), &mut Refuses).map(drop);
        outcome.map_err(|error| (error.kind(), error.to_string()))
    });
    let why = Err((Kind::Io, "cannot write run.jsonl: no space left".to_owned()));
    assert_eq!(kinds, [why.clone(), why.clone(), why.clone(), why]);
}

/// Requests a stop after the first record.
struct Stops<'a>(&'a AtomicBool, usize);

impl Observer for Stops<'_> {
    fn kernel(&mut self, _kernel: Kernel, _points: usize) -> panto_bench::Result<()> {
        Ok(())
    }

    fn record(&mut self, _record: &Record) -> panto_bench::Result<()> {
        self.0.store(true, Ordering::Relaxed);
        self.1 += 1;
        Ok(())
    }
}

/// Ctrl-C reaches the processes one after the other, or only the first one: here in the middle of a
/// kernel with several numbers of ranks, before another kernel.
#[test]
fn an_interrupt_of_the_first_process_ends_all() {
    let all = processes(PROCESSES, |world| {
        let interrupt = AtomicBool::new(false);
        let mut observer = Stops(&interrupt, 0);
        let kernels = [Kernel::Barrier, Kernel::Reduction];
        (run(world, &kernels, &tiny(PROCESSES), &interrupt, &mut observer), observer.1)
    });
    for (end, _) in &all {
        let end = end.as_ref().expect("an interrupt is no error");
        assert_eq!((end.complete, end.measured, end.planned), (false, 1, 2 + 2 * 3));
    }
    assert_eq!(all.iter().map(|(_, records)| *records).collect::<Vec<_>>(), [1, 0, 0, 0]);
}

#[test]
fn an_interrupt_of_another_process_ends_nothing() {
    let all = processes(PROCESSES, |world| {
        seen(world, &[Kernel::Barrier, Kernel::Echo], &tiny(PROCESSES), !world.is_first())
    });
    assert!(ends(&all).iter().all(|end| end.complete));
}

#[test]
fn a_decision_is_made_once() {
    let decided = processes(PROCESSES, |world| {
        let mut asked = 0;
        let decision = decide(world, || {
            asked += 1;
            Ok((world.process(), vec![Kernel::Echo]))
        });
        (decision.expect("decided"), asked)
    });
    let word = (0, vec![Kernel::Echo]);
    let expected = [(word.clone(), 1), (word.clone(), 0), (word.clone(), 0), (word, 0)];
    assert_eq!(decided, expected);
}
