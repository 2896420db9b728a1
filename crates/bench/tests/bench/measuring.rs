//! The measuring loop on a virtual clock that the test advances.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use panto_bench::measure::{Checked, Lab, Operation, Timing};
use panto_bench::{Effort, Settings};
use panto_results::{Metric, Samples, StopReason, SyncMethod};
use panto_transport::threads::Threads;
use panto_transport::{Error, Result, Time, Transport, World};

use crate::faulty::{Faulty, READING};

/// An operation that takes a known time and counts its calls.
struct Takes<'a> {
    clock: &'a Cell<u64>,
    nanos: u64,
    prepared: u64,
    runs: u64,
    verified: u64,
}

impl Operation for Takes<'_> {
    fn prepare(&mut self, _round: u64) {
        self.prepared += 1;
        // Outside the timed region: must not be included.
        self.clock.set(self.clock.get() + 1_000_000);
    }

    fn run(&mut self) -> Result<()> {
        self.runs += 1;
        self.clock.set(self.clock.get() + self.nanos);
        Ok(())
    }

    fn verify(&mut self) -> Checked {
        self.verified += 1;
        self.clock.set(self.clock.get() + 1_000_000);
        Ok(())
    }
}

fn effort() -> Effort {
    Effort {
        min_samples: 12,
        least_time: Duration::ZERO,
        max_samples: 50,
        budget: Duration::from_secs(20),
        ..Effort::default()
    }
}

/// Measures an operation of `nanos` nanoseconds on one rank with a virtual clock. Returns the
/// samples and how often the operation was prepared, run and verified.
fn measure(nanos: u64, timing: Timing, effort: Effort) -> (Samples, [u64; 3]) {
    let settings = Settings { effort, ..Settings::default() };
    let mut results = Threads::default()
        .run(1, |endpoint| {
            let (clock, interrupt) = (Cell::new(0), AtomicBool::new(false));
            let transport = Faulty { clock: Some(&clock), ..Faulty::new(endpoint) };
            let mut operation = Takes { clock: &clock, nanos, prepared: 0, runs: 0, verified: 0 };
            let mut lab = Lab::new(&transport, &settings, &interrupt)?;
            let samples = lab.measure(timing, &mut operation)?.expect("rank 0 is the root");
            Ok::<_, Error>((samples, [operation.prepared, operation.runs, operation.verified]))
        })
        .expect("nothing fails");
    results.pop().expect("one rank")
}

#[test]
fn the_loop_itself_is_subtracted() {
    for timing in
        [Timing::batched(Metric::on(0)), Timing::single(Metric::on(0)), Timing::checked(Metric::on(0))]
    {
        let (samples, _) = measure(500, timing, effort());
        assert!(samples.nanos.iter().all(|nanos| (nanos - 500.0).abs() < 1e-6), "{samples:?}");
        assert!((samples.empty_nanos * samples.batch as f64 - READING as f64).abs() < 1e-6);
    }
}

#[test]
fn half_of_a_round_trip_is_one_way() {
    let (samples, _) = measure(500, Timing::batched(Metric::one_way(0)), effort());
    assert!(samples.nanos.iter().all(|nanos| (nanos - 250.0).abs() < 1e-6), "{samples:?}");
}

#[test]
fn a_batch_lasts_long_enough() {
    let (short, _) = measure(10, Timing::batched(Metric::on(0)), effort());
    assert!(short.batch * 10 >= 14_000, "20 us are wanted: {}", short.batch);
    let (long, _) = measure(50_000, Timing::batched(Metric::on(0)), effort());
    assert_eq!(long.batch, 1);
}

#[test]
fn the_user_may_fix_the_repetitions() {
    let fixed = Effort { repetitions: Some(7), ..effort() };
    let (samples, _) = measure(10, Timing::batched(Metric::on(0)), fixed);
    assert_eq!(samples.batch, 7);
}

/// The first run of each number of repetitions takes far longer, as when the system interrupts it.
struct Hiccups<'a> {
    clock: &'a Cell<u64>,
    runs: u64,
}

impl Operation for Hiccups<'_> {
    fn run(&mut self) -> Result<()> {
        self.runs += 1;
        let nanos = if self.runs == 2 { 1_000_000 } else { 10 };
        self.clock.set(self.clock.get() + nanos);
        Ok(())
    }
}

#[test]
fn an_outlier_does_not_determine_the_batch() {
    let settings = Settings { effort: effort(), ..Settings::default() };
    let mut batches = Threads::default()
        .run(1, |endpoint| {
            let (clock, interrupt) = (Cell::new(0), AtomicBool::new(false));
            let transport = Faulty { clock: Some(&clock), ..Faulty::new(endpoint) };
            let mut lab = Lab::new(&transport, &settings, &interrupt)?;
            // The first run is the checked one, the second the first of the search for a batch.
            let samples =
                lab.measure(Timing::batched(Metric::on(0)), &mut Hiccups { clock: &clock, runs: 0 })?;
            Ok::<_, Error>(samples.map(|samples| samples.batch))
        })
        .expect("nothing fails");
    assert!(batches.remove(0) > Some(1000));
}

#[test]
fn steady_samples_stop_by_confidence() {
    let (samples, _) = measure(500, Timing::batched(Metric::on(0)), effort());
    assert_eq!((samples.stop, samples.nanos.len()), (StopReason::Confidence, 12));
}

#[test]
fn the_number_of_samples_is_bounded() {
    let few = Effort { min_samples: 100, max_samples: 20, ..effort() };
    let (samples, _) = measure(500, Timing::batched(Metric::on(0)), few);
    assert_eq!((samples.stop, samples.nanos.len()), (StopReason::Count, 20));
}

#[test]
fn an_exhausted_budget_is_reported() {
    let none = Effort { budget: Duration::ZERO, ..effort() };
    let (samples, _) = measure(500, Timing::batched(Metric::on(0)), none);
    assert_eq!(samples.stop, StopReason::Budget);
    assert!(!samples.nanos.is_empty());
}

#[test]
fn checks_frame_the_samples_or_follow_each() {
    let (samples, [prepared, runs, verified]) = measure(500, Timing::batched(Metric::on(0)), effort());
    assert_eq!((prepared, verified), (2, 2));
    assert!(runs > samples.nanos.len() as u64 * samples.batch);
    let (samples, [prepared, runs, verified]) = measure(500, Timing::checked(Metric::on(0)), effort());
    let all = samples.nanos.len() as u64 + 2;
    assert_eq!((prepared, runs, verified), (all, all, all));
}

struct Nothing;

impl Operation for Nothing {
    fn run(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Measures an empty operation on two ranks, where the clock of rank 1 is `ahead` nanoseconds ahead
/// of that of rank 0, and both report a clock error of `error`.
fn with_a_clock_ahead(ahead: u64, error: Option<Time>) -> Samples {
    // Enough for several samples on a busy machine; a quiet one needs a tenth of it.
    let effort = Effort { budget: Duration::from_millis(500), ..effort() };
    let settings = Settings { effort, ..Settings::default() };
    let interrupt = AtomicBool::new(false);
    let mut samples = Threads::default()
        .run(2, |endpoint| {
            let clock = Cell::new(ahead * endpoint.rank() as u64);
            let (clock, clock_error) = (Some(&clock), error);
            let transport = Faulty { clock, clock_error, own_core: true, ..Faulty::new(endpoint) };
            let mut lab = Lab::new(&transport, &settings, &interrupt)?;
            lab.measure(Timing::single(Metric::on(0)), &mut Nothing)
        })
        .expect("nothing fails");
    samples.remove(0).expect("the root has them")
}

/// If no rank is in time for any start, as on a busy machine, ranks start after barriers, so that
/// the point has samples.
#[test]
fn samples_that_start_late_are_dropped_and_counted_and_barriers_help() {
    let late = with_a_clock_ahead(1_000_000_000_000, None);
    assert_eq!(late.start, SyncMethod::Barrier);
    // There are fewer attempts if the time of the point runs out, but always several.
    assert!((4..=64).contains(&late.late), "{late:?}");
    assert!(late.nanos.len() >= 3, "{late:?}");
}

/// The start is scheduled later by the clock error, so that it has not passed on any rank's clock.
#[test]
fn clocks_that_differ_do_not_make_ranks_late() {
    let ahead = 1_000_000;
    assert!(with_a_clock_ahead(ahead, None).late > 0);
    let error = Some(Time::from_nanos(ahead + ahead / 2));
    let samples = with_a_clock_ahead(ahead, error);
    assert_eq!((samples.late, samples.start, samples.clock_error), (0, SyncMethod::RoundTime, error));
}

/// Measures an empty operation on one rank whose clock is too coarse to meet any start to the
/// microsecond.
fn with_a_coarse_clock(error: Option<Time>) -> Samples {
    let settings = Settings { effort: effort(), ..Settings::default() };
    let interrupt = AtomicBool::new(false);
    let mut samples = Threads::default()
        .run(1, |endpoint| {
            let (clock, reading) = (Cell::new(0), 20_000);
            let transport =
                Faulty { clock: Some(&clock), reading, clock_error: error, ..Faulty::new(endpoint) };
            let mut lab = Lab::new(&transport, &settings, &interrupt)?;
            lab.measure(Timing::single(Metric::on(0)), &mut Nothing)
        })
        .expect("nothing fails");
    samples.remove(0).expect("the root has them")
}

/// A rank that is late by less than the clock error cannot be distinguished from one that is in
/// time.
#[test]
fn no_rank_is_late_by_less_than_the_clock_error() {
    assert_eq!(with_a_coarse_clock(None).start, SyncMethod::Barrier);
    assert_eq!(with_a_coarse_clock(Some(Time::from_nanos(1_000))).start, SyncMethod::Barrier);
    let samples = with_a_coarse_clock(Some(Time::from_nanos(100_000)));
    assert_eq!((samples.late, samples.start), (0, SyncMethod::RoundTime));
}

struct Wrong;

impl Operation for Wrong {
    fn run(&mut self) -> Result<()> {
        Ok(())
    }

    fn verify(&mut self) -> Checked {
        Err("byte 7 is 3, not 4".into())
    }
}

#[test]
fn wrong_data_stops_the_run_and_names_the_rank() {
    let (settings, interrupt) = (Settings::default(), AtomicBool::new(false));
    let error = Threads::default()
        .run(2, |transport| {
            let mut lab = Lab::new(transport, &settings, &interrupt)?;
            lab.measure(Timing::batched(Metric::on(0)), &mut Wrong).map(drop)
        })
        .expect_err("the data is wrong");
    let Error::Aborted { message, .. } = &error else { panic!("{error}") };
    assert!(message.contains("wrong data: byte 7 is 3, not 4"), "{message}");
}

#[test]
fn an_interrupt_ends_sampling() {
    let settings = Settings { effort: effort(), ..Settings::default() };
    let interrupt = AtomicBool::new(false);
    let samples = Threads::default()
        .run(1, |transport| {
            let mut lab = Lab::new(transport, &settings, &interrupt)?;
            interrupt.store(true, Ordering::Relaxed);
            let clock = Cell::new(0);
            let mut operation = Takes { clock: &clock, nanos: 1, prepared: 0, runs: 0, verified: 0 };
            lab.measure(Timing::single(Metric::on(0)), &mut operation)
        })
        .expect("nothing fails");
    assert_eq!(samples[0].as_ref().map(|samples| samples.stop), Some(StopReason::Interrupted));
}
