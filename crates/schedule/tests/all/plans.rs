//! A plan rejects every step that an executor must not carry out; one test for each check.

use panto_schedule::check::{Cost, Failure, InitialBuffers, run};
use panto_schedule::{Error, Fault, Order, Plan, Schedule, Sizes, Span, Step};

/// A schedule of fixed lists.
struct Fixed {
    scratch: usize,
    steps: Vec<Vec<Step>>,
}

impl Schedule for Fixed {
    fn ranks(&self) -> usize {
        self.steps.len()
    }

    fn scratch(&self, _rank: usize) -> usize {
        self.scratch
    }

    fn rounds(&self, _rank: usize) -> usize {
        1
    }

    fn round(&self, rank: usize, _index: usize, steps: &mut Vec<Step>) {
        steps.extend_from_slice(&self.steps[rank]);
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

const SIZES: Sizes = Sizes { input: 10, output: 10 };

/// Returns the fault in rank 0's steps and the index of the step.
fn fault(steps: &[Step]) -> Option<(usize, Fault)> {
    let schedule = Fixed { scratch: 10, steps: vec![steps.to_vec(), vec![], vec![]] };
    match Plan::new(&schedule, 0, SIZES) {
        Ok(plan) => {
            assert_eq!(plan.steps(), steps);
            None
        }
        Err(Error::Plan { rank: 0, step, fault }) => Some((step, fault)),
        Err(other) => panic!("{other}"),
    }
}

fn send(span: Span) -> Step {
    Step::StartSend { to: 1, span }
}

fn receive(span: Span) -> Step {
    Step::StartReceive { from: 1, span }
}

#[test]
fn spans_stay_in_their_buffers() {
    for span in [Span::input(5, 6), Span::output(11, 0), Span::scratch(0, 11), Span::input(usize::MAX, 2)] {
        let expected = Some((0, Fault::OutOfBounds { span, len: 10 }));
        assert_eq!(fault(&[Step::Send { to: 1, span }]), expected);
        assert_eq!(fault(&[Step::Copy { from: span, to: Span::scratch(0, 1) }]), expected);
    }
    let span = Span::output(3, 8);
    assert_eq!(fault(&[Step::Receive { from: 1, span }]), Some((0, Fault::OutOfBounds { span, len: 10 })));
    assert_eq!(fault(&[Step::Send { to: 1, span: Span::input(10, 0) }]), None);
}

#[test]
fn input_is_never_written() {
    let (input, other) = (Span::input(0, 1), Span::output(0, 1));
    let writes = [
        Step::Receive { from: 1, span: input },
        Step::StartReceive { from: 1, span: input },
        Step::Copy { from: other, to: input },
        Step::Reduce { from: other, into: input, order: Order::IntoFirst },
    ];
    for step in writes {
        assert_eq!(fault(&[step]), Some((0, Fault::WritesInput(step))));
    }
}

#[test]
fn peers_are_other_ranks() {
    let span = Span::EMPTY;
    assert_eq!(fault(&[Step::Send { to: 3, span }]), Some((0, Fault::NoSuchPeer { peer: 3, ranks: 3 })));
    assert_eq!(fault(&[Step::Receive { from: 9, span }]), Some((0, Fault::NoSuchPeer { peer: 9, ranks: 3 })));
    assert_eq!(fault(&[Step::StartSend { to: 0, span }]), Some((0, Fault::SelfMessage)));
    assert_eq!(fault(&[Step::StartReceive { from: 0, span }]), Some((0, Fault::SelfMessage)));
}

#[test]
fn spans_being_received_are_not_accessed() {
    let arriving = Span::output(2, 4);
    let touch = Span::output(5, 3);
    let free = Span::scratch(0, 3);
    let touches = [
        Step::Send { to: 2, span: touch },
        Step::Receive { from: 2, span: touch },
        Step::StartSend { to: 2, span: touch },
        Step::StartReceive { from: 2, span: touch },
        Step::Copy { from: touch, to: free },
        Step::Copy { from: free, to: touch },
        Step::Reduce { from: touch, into: free, order: Order::FromFirst },
        Step::Reduce { from: free, into: touch, order: Order::FromFirst },
    ];
    for step in touches {
        assert_eq!(
            fault(&[receive(arriving), step, Step::WaitAll]),
            Some((1, Fault::BeingReceived(touch))),
            "{step}"
        );
        assert_eq!(fault(&[receive(arriving), Step::WaitAll, step, Step::WaitAll]), None, "{step}");
    }
}

#[test]
fn spans_being_sent_are_not_written() {
    let leaving = Span::output(2, 4);
    let touch = Span::output(0, 3);
    let free = Span::scratch(0, 3);
    let writes = [
        Step::Receive { from: 2, span: touch },
        Step::StartReceive { from: 2, span: touch },
        Step::Copy { from: free, to: touch },
        Step::Reduce { from: free, into: touch, order: Order::FromFirst },
    ];
    for step in writes {
        assert_eq!(
            fault(&[send(leaving), step, Step::WaitAll]),
            Some((1, Fault::BeingSent(touch))),
            "{step}"
        );
    }
    let read = Step::Copy { from: touch, to: free };
    assert_eq!(fault(&[send(leaving), send(touch), read, Step::WaitAll]), None);
}

#[test]
fn overlapping_sends_are_merged_correctly() {
    let spans = [Span::output(0, 2), Span::output(6, 3), Span::output(1, 6), Span::output(3, 1)];
    for hit in 0..10 {
        let mut steps: Vec<_> = spans.map(send).into();
        let span = Span::output(hit, 1);
        steps.extend([receive(span), Step::WaitAll]);
        let expected = (hit < 9).then_some((4, Fault::BeingSent(span)));
        assert_eq!(fault(&steps), expected, "element {hit}");
    }
}

#[test]
fn adjacent_and_empty_spans_do_not_overlap() {
    let steps = [
        receive(Span::output(0, 2)),
        receive(Span::output(2, 2)),
        receive(Span::output(1, 0)),
        Step::WaitAll,
    ];
    assert_eq!(fault(&steps), None);
}

#[test]
fn copies_and_reductions_use_spans_of_equal_length() {
    let copy = Step::Copy { from: Span::input(0, 2), to: Span::output(0, 3) };
    assert_eq!(fault(&[copy]), Some((0, Fault::Lengths(copy))));
    let reduce = Step::Reduce { from: Span::input(0, 4), into: Span::output(0, 3), order: Order::IntoFirst };
    assert_eq!(fault(&[reduce]), Some((0, Fault::Lengths(reduce))));
}

#[test]
fn copies_and_reductions_use_disjoint_spans() {
    let copy = Step::Copy { from: Span::output(0, 3), to: Span::output(2, 3) };
    assert_eq!(fault(&[copy]), Some((0, Fault::Overlap(copy))));
    let reduce =
        Step::Reduce { from: Span::scratch(4, 1), into: Span::scratch(4, 1), order: Order::IntoFirst };
    assert_eq!(fault(&[reduce]), Some((0, Fault::Overlap(reduce))));
    assert_eq!(fault(&[Step::Copy { from: Span::output(0, 3), to: Span::output(3, 3) }]), None);
}

#[test]
fn every_started_message_is_waited_for() {
    for started in [send(Span::EMPTY), receive(Span::EMPTY), send(Span::input(0, 3))] {
        assert_eq!(fault(&[started]), Some((1, Fault::NotWaited)));
        assert_eq!(fault(&[started, Step::WaitAll, started]), Some((3, Fault::NotWaited)));
    }
}

#[test]
fn the_rank_exists() {
    let schedule = Fixed { scratch: 0, steps: vec![vec![], vec![]] };
    assert_eq!(Plan::new(&schedule, 2, SIZES), Err(Error::Rank { rank: 2, ranks: 2 }));
}

#[test]
fn many_outstanding_requests_stay_cheap() {
    let count = 100_000;
    let mut steps: Vec<_> = (0..count).rev().map(|i| receive(Span::output(2 * i, 1))).collect();
    steps.extend((0..count).map(|i| send(Span::output(2 * i + 1, 1))));
    steps.push(Step::WaitAll);
    let schedule = Fixed { scratch: 0, steps: vec![steps, vec![]] };
    let begin = std::time::Instant::now();
    Plan::new(&schedule, 0, Sizes { input: 0, output: 2 * count }).unwrap();
    assert!(begin.elapsed().as_secs() < 5, "took {:?}", begin.elapsed());
}

fn outcome(steps: Vec<Vec<Step>>) -> Result<(), Failure> {
    let ranks = steps.len();
    let schedule = Fixed { scratch: 10, steps };
    let plans: Vec<_> = (0..ranks).map(|rank| Plan::new(&schedule, rank, SIZES).unwrap()).collect();
    let brought = vec![InitialBuffers { input: vec![0; SIZES.input], output: vec![0; SIZES.output] }; ranks];
    run(&plans, brought, &0, |a, b| a + b, Cost { message: 1, element: 0 }).map(|_| ())
}

#[test]
fn the_checker_reports_a_deadlock() {
    let step = |to| Step::Send { to, span: Span::input(0, 1) };
    let receive = |from| Step::Receive { from, span: Span::output(0, 1) };
    let both_send_first = vec![vec![step(1), receive(1)], vec![step(0), receive(0)]];
    let failure = outcome(both_send_first).unwrap_err();
    assert_eq!(failure, Failure::Deadlock(vec![(0, step(1)), (1, step(0))]));
    assert!(failure.to_string().contains("rank 1 in \"send input[0; 1] to 0\""), "{failure}");
    assert_eq!(outcome(vec![vec![step(1), receive(1)], vec![receive(0), step(0)]]), Ok(()));
}

#[test]
fn the_checker_reports_a_length_mismatch() {
    let steps = vec![
        vec![Step::Send { to: 1, span: Span::input(0, 3) }],
        vec![Step::Receive { from: 0, span: Span::output(0, 2) }],
    ];
    assert_eq!(outcome(steps), Err(Failure::Lengths { from: 0, to: 1, sent: 3, expected: 2 }));
}
