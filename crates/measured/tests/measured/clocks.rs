//! Clocks of ranks and of hosts.

use panto_trace::{Builder, CallForm, Collective, Data, Metadata, key};
use panto_units::Time;

use crate::{Run, measured};

#[test]
fn ranks_of_a_host_share_its_clock() {
    let mut run = Run::with_starts(&[("host", 5_000), ("host", 5_700)]);
    run.send(0, 1000, 10, 1);
    run.receive(1, 500, 60, 0);
    let measured = run.measured();
    assert_eq!(measured.states(1)[0].from, Time::from_nanos(700));
    let message = measured.messages()[0];
    assert_eq!((message.sent.as_nanos(), message.received.as_nanos()), (1000.0, 1260.0));
    assert_eq!((measured.doubts.reversed, measured.doubts.hosts), (0, 1));
}

/// A rank whose counter is fast by a millionth is moved to the clock of its host.
#[test]
fn the_drift_of_a_rank_is_corrected() {
    let world = (0..1).collect();
    let mut metadata = Metadata::default();
    metadata.set(key::MONOTONIC_START, &7_000_u64);
    let mut rank = Builder::with_metadata(0, &world, 1, &metadata);
    rank.keep_stamps();
    rank.compute(500_000_500);
    rank.inside(10);
    rank.send(CallForm::Blocking, 0, 7, 1);
    let mut end = Metadata::default();
    end.set(key::WALL, &1_000_001_000_u64);
    end.set(key::MONOTONIC_END, &1_000_007_000_u64);
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("0.rank"), rank.finish(&end)).expect("written");
    let measured = measured(folder);
    let end = measured.states(0)[0].to.as_nanos();
    assert!((end - 500_000_000.0).abs() < 1.0, "{end}");
}

/// A message that was received before it was sent is counted, and does not travel back in time.
#[test]
fn disagreeing_clocks_are_counted() {
    let mut run = Run::with_starts(&[("host", 2_000), ("host", 0)]);
    run.send(0, 1000, 10, 1);
    run.receive(1, 0, 1100, 0);
    let measured = run.measured();
    assert_eq!((measured.doubts.reversed, measured.doubts.worst), (1, Time::from_nanos(1_900)));
    let message = measured.messages()[0];
    assert_eq!(message.sent, message.received);
}

/// Two hosts, of which the clock of the second is ahead and drifts: messages that go both ways tell
/// by how much.
#[test]
fn clocks_of_hosts_are_compared_by_their_messages() {
    const ROUNDS: u64 = 400;
    const PERIOD: u64 = 1_000_000;
    const TRIP: u64 = 2_000;
    // The second clock: 5 ms ahead, and 20 millionths fast.
    let second = |time: u64| 5_000_000 + time + time / 50_000;
    let mut run = Run::with_starts(&[("one", 0), ("two", 0)]);
    // Where the last call of each rank ended, by its own clock.
    let (mut first_end, mut second_end) = (0, 0);
    for round in 1..=ROUNDS {
        let start = round * PERIOD;
        run.send(0, start - first_end, 100, 1);
        run.receive(0, 0, 2 * TRIP, 1);
        first_end = start + 100 + 2 * TRIP;
        let (posted, replied) = (second(start), second(start + 100 + TRIP));
        run.receive(1, posted - second_end, second(start + TRIP) - posted, 0);
        run.send(1, replied - second(start + TRIP), 100, 0);
        second_end = replied + 100;
    }
    let measured = run.measured();
    assert_eq!((measured.doubts.hosts, measured.doubts.reversed), (2, 0), "{:?}", measured.doubts);
    let error = measured.doubts.host_error.expect("messages go both ways").as_nanos();
    assert!(error <= 1.2 * TRIP as f64, "{error}");
    for message in measured.messages() {
        let trip = message.received.since(message.sent).as_nanos();
        assert!((trip - TRIP as f64).abs() < 0.2 * TRIP as f64, "{message:?}");
    }
}

/// A barrier tells as well how clocks differ, and a message in one direction alone does not.
#[test]
fn clocks_of_hosts_are_compared_by_collectives() {
    let mut run = Run::with_starts(&[("one", 0), ("two", 0)]);
    let barrier = |rank: &mut Builder| {
        rank.collective("MPI_Barrier", Collective::Barrier, None, 1, &Data::Nothing, &Data::Nothing);
    };
    // Both enter at 1 ms and leave 4 us later; the second clock is 7 ms ahead.
    run.call(0, 1_000_000, 4_000, barrier);
    run.call(1, 8_000_000, 4_000, barrier);
    let measured = run.measured();
    let ends = [0, 1].map(|rank| measured.states(rank).last().expect("a state").to);
    assert_eq!(ends[0], ends[1]);
    assert_eq!(measured.doubts.host_error, Some(Time::from_nanos(4_000)));

    let mut run = Run::with_starts(&[("one", 0), ("two", 0)]);
    run.send(0, 1_000, 10, 1);
    run.receive(1, 0, 2_000, 0);
    assert_eq!(run.measured().doubts.host_error, None);
}
