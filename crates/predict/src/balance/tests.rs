//! Small cases, compared with an exhaustive search.

use std::sync::atomic::{AtomicUsize, Ordering};

use panto_machine::Model;
use panto_random::SplitMix64;
use panto_sim::Sharing;
use panto_sim::program::{Channel, ChannelKind, Code, Op, PackedOp, Program, SendMode};
use panto_units::Time;

use super::{Attempt, AttemptEnd, BalanceResult, Change, Effort, Monitor, Scheme, Task, Trial, balance};
use crate::case::CaseOptions;

/// A monitor that stops the search after a number of mappings.
struct StopAfter(AtomicUsize);

impl StopAfter {
    fn never() -> Self {
        Self(AtomicUsize::new(usize::MAX))
    }
}

impl Monitor for StopAfter {
    fn should_stop(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    fn evaluated(&self, _time: Time) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn us(micros: u64) -> Time {
    Time::from_nanos(1000 * micros)
}

/// Returns a program in which each rank computes, sends to the next and receives from the previous
/// rank three times, with random sizes.
fn ring(ranks: u32, seed: u64) -> Program {
    let mut rng = SplitMix64::new(seed);
    let channels = (0..ranks).map(|from| Channel {
        from,
        to: (from + 1) % ranks,
        match_key: 0,
        kind: ChannelKind::PointToPoint,
    });
    let mut code = |rank: u32| {
        let mut ops = Vec::new();
        for _ in 0..3 {
            let bytes = rng.below(20_000);
            ops.push(PackedOp::from(Op::Compute(us(1 + rng.below(20_000)))));
            ops.push(PackedOp::from(Op::Send { mode: SendMode::Standard, channel: rank, bytes }));
            ops.push(PackedOp::from(Op::Receive { channel: (rank + ranks - 1) % ranks }));
        }
        ops.push(PackedOp::from(Op::End));
        Code { ops, ..Code::default() }
    };
    let codes = (0..ranks).map(&mut code).collect();
    Program { codes, ranks, channels: channels.collect(), ..Program::default() }
}

fn task(program: &Program, processors: usize) -> Task<'_> {
    let model = Model::load("ethernet10", &[]).unwrap();
    let options =
        CaseOptions { processors: Some(processors), sharing: Some(Sharing::Links), ..CaseOptions::default() };
    Task::new(program, None, model, &options).unwrap()
}

fn effort(schemes: &[Scheme]) -> Effort {
    Effort { schemes: schemes.to_vec(), attempts: 4, steps: 600, seed: 1 }
}

fn search(task: &Task, effort: &Effort) -> BalanceResult {
    balance(task, &[], effort, &StopAfter::never()).unwrap()
}

/// Returns the best of all mappings.
fn optimum(task: &Task) -> Trial {
    let count = (task.processors as u32).pow(task.ranks() as u32);
    let places = |number: u32| -> Vec<u32> {
        let n = task.processors as u32;
        (0..task.ranks() as u32).map(|rank| number / n.pow(rank) % n).collect()
    };
    let trials = (0..count).map(|number| task.evaluate(&places(number)).unwrap());
    trials.reduce(|best, next| if next.is_better_than(&best) { next } else { best }).unwrap()
}

#[test]
fn annealing_finds_the_optimum_of_small_cases() {
    for (seed, processors) in [(1, 2), (2, 2), (3, 3), (4, 3)] {
        let program = ring(6, seed);
        let task = task(&program, processors);
        let found = search(&task, &effort(&[Scheme::Anneal]));
        let best = found.best().unwrap().0;
        assert_eq!(best.time, optimum(&task).time, "seed {seed}");
        assert_eq!(*best, task.evaluate(&best.places).unwrap());
    }
}

#[test]
fn the_greedy_scheme_improves_its_initial_mapping() {
    let program = ring(12, 5);
    let task = task(&program, 4);
    let found = search(&task, &effort(&[Scheme::Greedy]));
    let attempt = &found.attempts[0];
    assert_eq!(attempt.end, AttemptEnd::NoBetter);
    assert!(attempt.best.time < attempt.first.time, "{:?}", attempt.steps);
    assert!(attempt.steps.iter().all(|step| step.is_better));
}

#[test]
fn computation_is_balanced() {
    let compute =
        |micros| Code { ops: vec![Op::Compute(us(micros)).into(), Op::End.into()], ..Code::default() };
    let codes = [3, 1, 4, 1, 5, 9, 2, 6].map(compute).to_vec();
    let program = Program { ranks: codes.len() as u32, codes, ..Program::default() };
    let task = task(&program, 3);
    let found = search(&task, &effort(&[Scheme::Greedy]));
    let best = found.best().unwrap().0;
    assert_eq!(
        (best.time, best.busy.iter().map(|time| time.as_picos()).sum::<u64>()),
        (us(11), us(31).as_picos())
    );
}

#[test]
fn repeated_blocks_count_each_time() {
    let often = vec![
        Op::Repeat { at: 2, times: 10 }.into(),
        Op::End.into(),
        Op::Compute(us(3)).into(),
        Op::ComputeListed.into(),
        Op::End.into(),
    ];
    let codes = vec![
        Code { ops: vec![Op::Compute(us(40)).into(), Op::End.into()], ..Code::default() },
        Code { ops: often, times: vec![us(2); 10], ..Code::default() },
        Code { ops: vec![Op::Compute(us(9)).into(), Op::End.into()], ..Code::default() },
    ];
    let program = Program { ranks: 3, codes, ..Program::default() };
    assert_eq!(super::greedy::by_computation(&task(&program, 2)), [1, 0, 1]);
}

#[test]
fn puppets_scheme_ends_when_a_mapping_repeats() {
    let program = ring(9, 6);
    let task = task(&program, 4);
    for attempt in search(&task, &effort(&[Scheme::Puppet])).attempts {
        assert_eq!(attempt.end, AttemptEnd::Repeated);
        assert_eq!(attempt.steps.len(), attempt.tried);
        let mut seen = vec![attempt.first.places.clone()];
        for step in &attempt.steps[1..] {
            let mut places = seen.last().unwrap().clone();
            let before = task.evaluate(&places).unwrap();
            let (least, most) = before.extremes().unwrap();
            let Change::Move { from, to, .. } = step.change else { panic!("{:?}", step.change) };
            assert_eq!((from as usize, to as usize), (most, least));
            step.change.apply(&mut places);
            assert_eq!(task.evaluate(&places).unwrap().time, step.time);
            assert!(!seen.contains(&places));
            seen.push(places);
        }
    }
}

#[test]
fn equal_seeds_give_equal_attempts() {
    let program = ring(8, 7);
    let task = task(&program, 3);
    let all = effort(&Scheme::ALL);
    let (first, again) = (search(&task, &all), search(&task, &all));
    assert_eq!(first.attempts, again.attempts);
    assert_eq!(first.attempts.len(), all.count());
    let other = search(&task, &Effort { seed: 2, ..all });
    assert_ne!(first.attempts[0].first, other.attempts[0].first);
}

#[test]
fn a_stopped_search_keeps_the_baselines() {
    let program = ring(8, 8);
    let task = task(&program, 3);
    let monitor = StopAfter(AtomicUsize::new(1));
    let wrap = ("wrap".to_owned(), vec![0, 1, 2, 0, 1, 2, 0, 1]);
    let found = balance(&task, &[wrap], &effort(&Scheme::ALL), &monitor).unwrap();
    assert_eq!((found.attempts.len(), found.tried()), (0, 1));
    let (best, by) = found.best().unwrap();
    assert_eq!((best.places.len(), by), (8, None::<&Attempt>));
}

#[test]
fn one_processor_leaves_nothing_to_search_for() {
    let program = ring(3, 9);
    let task = task(&program, 1);
    let found =
        balance(&task, &[("wrap".into(), vec![0; 3])], &effort(&Scheme::ALL), &StopAfter::never()).unwrap();
    assert!(found.attempts.is_empty());
    let best = found.best().unwrap().0;
    assert!(best.busy[0] > Time::ZERO && best.places == [0; 3]);
}
