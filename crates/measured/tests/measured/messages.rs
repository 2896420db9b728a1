//! Messages, and waits for the other end.

use panto_timeline::StateKind::{Compute, Message};
use panto_trace::{Action, CallForm, CompletionKind};

use crate::{Run, wait};

#[test]
fn a_receive_waits_for_a_late_sender() {
    let mut run = Run::new(2);
    run.send(0, 1000, 50, 1);
    run.receive(1, 0, 1100, 0);
    let measured = run.measured();
    assert_eq!(measured.outline(0), [(Compute, 0.0, 1000.0), (Message, 1000.0, 1050.0)]);
    assert_eq!(measured.outline(1), [(wait(0, 1000), 0.0, 1000.0), (Message, 1000.0, 1100.0)]);
    let messages = measured.messages();
    assert_eq!(messages.len(), 1);
    let message = messages[0];
    assert_eq!((message.from, message.to, message.bytes), (0, 1, 100));
    assert_eq!((message.sent.as_nanos(), message.received.as_nanos()), (1000.0, 1100.0));
}

#[test]
fn a_long_send_waits_for_a_late_receiver_and_a_short_one_does_not() {
    let mut run = Run::new(2);
    run.send(0, 0, 600, 1);
    run.receive(1, 500, 100, 0);
    run.send(0, 0, 50, 1);
    run.receive(1, 5000, 20, 0);
    let measured = run.measured();
    let expected = [(wait(1, 500), 0.0, 500.0), (Message, 500.0, 600.0), (Message, 600.0, 650.0)];
    assert_eq!(measured.outline(0), expected);
    assert_eq!(measured.messages().len(), 2);
}

/// A wait for all requests lasts until the last message was sent.
#[test]
fn requests_are_followed_to_their_completion() {
    let mut run = Run::new(3);
    let first = run.call(0, 0, 10, |rank| rank.receive(CallForm::Immediate, Some(1), Some(7), 100));
    let second = run.call(0, 0, 10, |rank| rank.receive(CallForm::Immediate, Some(2), Some(7), 100));
    let requests: Vec<_> = first.into_iter().chain(second).collect();
    run.call(0, 80, 900, |rank| rank.wait(&requests));
    run.send(1, 300, 10, 0);
    run.send(2, 700, 10, 0);
    let measured = run.measured();
    let last = measured.outline(0).split_off(3);
    assert_eq!(last, [(wait(2, 700), 100.0, 700.0), (Message, 700.0, 1000.0)]);
    let times: Vec<f64> = measured.messages().iter().map(|message| message.received.as_nanos()).collect();
    assert_eq!(times, [1000.0, 1000.0]);
}

/// A freed send is delivered, whether it is freed before or after it is received.
#[test]
fn freed_sends_are_messages() {
    for before in [10, 1000] {
        let mut run = Run::new(2);
        let request = run.call(0, 0, 10, |rank| rank.send(CallForm::Immediate, 1, 7, 100));
        run.call(0, before, 10, |rank| rank.call("MPI_Request_free", &Action::Free { request }));
        run.receive(1, 0, 500, 0);
        let measured = run.measured();
        assert_eq!(measured.messages().len(), 1, "freed after {before} ns");
        assert_eq!(measured.outline(0).last(), Some(&(Message, before as f64 + 10.0, before as f64 + 20.0)));
    }
}

/// The completion of a receive from anyone tells from whom the message came.
#[test]
fn a_wildcard_is_resolved_by_its_outcome() {
    let mut run = Run::new(3);
    let request = run.call(0, 0, 10, |rank| rank.receive(CallForm::Immediate, None, None, 100));
    let slot = i64::from(request.expect("it is not blocking").0);
    run.call(0, 0, 500, |rank| {
        let (requests, completed, outcomes) = ([slot], [0], [0, 2, 7, 100]);
        let until = CompletionKind::Wait;
        let action =
            Action::Complete { until, requests: &requests, completed: &completed, outcomes: &outcomes };
        rank.call("MPI_Wait", &action);
    });
    run.send(2, 400, 10, 0);
    let measured = run.measured();
    let ends: Vec<(u32, u32)> =
        measured.messages().iter().map(|message| (message.from, message.to)).collect();
    assert_eq!(ends, [(2, 0)]);
    assert_eq!(measured.outline(0)[1], (wait(2, 400), 10.0, 400.0));
}

/// The k-th send of a channel meets the k-th receive, whichever is posted first.
#[test]
fn messages_of_a_channel_keep_their_order() {
    let mut run = Run::new(2);
    for _ in 0..3 {
        run.send(0, 100, 10, 1);
    }
    for _ in 0..3 {
        run.receive(1, 200, 10, 0);
    }
    let measured = run.measured();
    let messages = measured.messages();
    let sent: Vec<f64> = messages.iter().map(|message| message.sent.as_nanos()).collect();
    let received: Vec<f64> = messages.iter().map(|message| message.received.as_nanos()).collect();
    assert_eq!(sent, [100.0, 210.0, 320.0]);
    assert_eq!(received, [210.0, 420.0, 630.0]);
}
