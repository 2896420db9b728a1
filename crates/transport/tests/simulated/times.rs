//! Times of a simulated machine in closed form.

use std::sync::{Arc, Mutex};

use panto_machine::{CollectiveSend, Cost, Machine, PerByte, Protocol, Rules};
use panto_schedule::{Collective, Problem};
use panto_transport::simulated::{Endpoint, Sharing};
use panto_transport::{
    AlgorithmChoice, Buffers, NO_REDUCTION, PreparedCollective, Result, Selector, SendMode, Time, Transport,
    Work, World, scope,
};

use crate::machines::{busy, simple, world};

pub(crate) const MODELS: [Sharing; 2] = [Sharing::None, Sharing::Links];

/// Returns when each rank ends, in nanoseconds.
pub(crate) fn run(
    machine: &Machine,
    model: Sharing,
    ranks: usize,
    body: impl Fn(&Endpoint) -> Result<Time> + Sync,
) -> Vec<u64> {
    let times = world(machine.clone(), model).run(ranks, body).expect("it runs");
    times.into_iter().map(|time| time.as_picos() / 1_000).collect()
}

/// Rank 0 sends `bytes` bytes, rank 1 posts its receive at `posted` microseconds.
fn one_message(mode: SendMode, bytes: usize, posted: u64) -> impl Fn(&Endpoint) -> Result<Time> + Sync {
    move |t| {
        if t.rank() == 0 {
            t.send(mode, &vec![7; bytes], 1, 1)?;
        } else {
            t.compute(Time::from_nanos(posted * 1_000));
            t.receive(&mut vec![0; bytes], Selector::new(0, 1))?;
        }
        Ok(t.now())
    }
}

/// Overheads of 100 and 200 ns, 1 us and 1 ns per byte in the network.
#[test]
fn a_buffered_message() {
    for model in MODELS {
        let machine = simple(2, Protocol::Buffered);
        assert_eq!(
            run(&machine, model, 2, one_message(SendMode::Standard, 500, 0)),
            [100, 100 + 1_500 + 200]
        );
        // A receive is complete at the later of arrival and posting (P3).
        assert_eq!(run(&machine, model, 2, one_message(SendMode::Standard, 500, 9)), [100, 9_000 + 200]);
    }
}

#[test]
fn a_synchronous_send_ends_when_the_receive_is_complete() {
    for model in MODELS {
        let machine = simple(2, Protocol::Synchronous);
        assert_eq!(run(&machine, model, 2, one_message(SendMode::Standard, 500, 0)), [1_600, 1_800]);
        assert_eq!(run(&machine, model, 2, one_message(SendMode::Standard, 500, 9)), [9_000, 9_200]);
    }
}

/// Request and clear to send are empty messages of 1 us each; the clear to send waits for the
/// receive.
#[test]
fn a_rendezvous_waits_for_the_receive() {
    for model in MODELS {
        let machine = simple(2, Protocol::Eager { limit: 400 });
        assert_eq!(run(&machine, model, 2, one_message(SendMode::Standard, 400, 9))[0], 100);
        let at_once = 100 + 1_000 + 1_000 + 1_500;
        assert_eq!(
            run(&machine, model, 2, one_message(SendMode::Standard, 500, 0)),
            [at_once, at_once + 200]
        );
        let late = 9_000 + 1_000 + 1_500;
        assert_eq!(run(&machine, model, 2, one_message(SendMode::Standard, 500, 9)), [late, late + 200]);
    }
}

/// The system replies whether or not the receive is posted: head-to-head sends do not deadlock.
#[test]
fn a_handshake_does_not_wait_for_the_receive() {
    for model in MODELS {
        let machine = simple(2, Protocol::Handshake { above: 100 });
        let sent = 100 + 1_000 + 1_000 + 1_500;
        assert_eq!(run(&machine, model, 2, one_message(SendMode::Standard, 500, 9)), [sent, 9_200]);
        let head_to_head = |t: &Endpoint| {
            let other = 1 - t.rank();
            t.send(SendMode::Standard, &[1; 500], other, 1)?;
            t.receive(&mut [0; 500], Selector::new(other, 1))?;
            Ok(t.now())
        };
        assert_eq!(run(&machine, model, 2, head_to_head), [sent + 200, sent + 200]);
    }
}

/// All modes follow the machine's own protocol: a buffered send is complete at once, and its
/// message takes as long as that of a standard send; a synchronous send waits for the clear to
/// send.
#[test]
fn no_send_mode_skips_a_handshake() {
    for model in MODELS {
        let machine = simple(2, Protocol::Handshake { above: 100 });
        let arrived = 100 + 1_000 + 1_000 + 1_500;
        let by = |mode, bytes| run(&machine, model, 2, one_message(mode, bytes, 0));
        assert_eq!(by(SendMode::Standard, 500), [arrived, arrived + 200]);
        assert_eq!(by(SendMode::Buffered, 500), [100, arrived + 200]);
        assert_eq!(by(SendMode::Synchronous, 500), [arrived, arrived + 200]);
        assert_eq!(by(SendMode::Buffered, 100), [100, 100 + 1_100 + 200]);
    }
}

/// An unexpected message is in the system's buffer, and is copied from there.
#[test]
fn an_unexpected_message_is_copied() {
    let machine = busy(4, Protocol::Buffered);
    let way = 100 + 70 + 1_000 + 800;
    assert_eq!(run(&machine, Sharing::None, 2, one_message(SendMode::Standard, 800, 0))[1], way + 200);
    assert_eq!(
        run(&machine, Sharing::None, 2, one_message(SendMode::Standard, 800, 9))[1],
        9_000 + 200 + 400
    );
}

/// The receiver's system chooses a buffer at the request to send: a receive that is posted while
/// the bytes are in flight is too late.
#[test]
fn a_handshake_decides_when_it_asks_where_the_bytes_go() {
    let machine = busy(4, Protocol::Handshake { above: 100 });
    let control = 400 + 70 + 1_000;
    let (asked, there) = (100 + control, 100 + 2 * control + 70 + 1_000 + 5_000);
    assert!(asked < 2_000 && there > 5_000);
    assert_eq!(run(&machine, Sharing::None, 2, one_message(SendMode::Standard, 5_000, 1))[1], there + 200);
    assert_eq!(
        run(&machine, Sharing::None, 2, one_message(SendMode::Standard, 5_000, 5))[1],
        there + 200 + 2_500
    );
}

#[test]
fn messages_leave_a_gap_between_them() {
    let machine = busy(4, Protocol::Buffered);
    let burst = |t: &Endpoint| {
        if t.rank() == 0 {
            (0..3).try_for_each(|tag| t.send(SendMode::Standard, &[], 1, tag))?;
        } else if t.rank() == 1 {
            t.receive(&mut [], Selector::new(0, 2))?;
        }
        Ok(t.now())
    };
    // Each takes the sender 100 ns, but they leave at 100, 350 and 600.
    assert_eq!(run(&machine, Sharing::None, 2, burst), [300, 600 + 70 + 1_000 + 200]);
}

#[test]
fn local_work_costs_what_the_processor_takes() {
    let storage = Cost::line(Time::from_nanos(300), PerByte::from_secs(2e-9).expect("a rate"));
    let machine = Machine { storage, ..busy(2, Protocol::Buffered) };
    let work = |t: &Endpoint| {
        t.charge(Work::Copy(1_000));
        t.charge(Work::Reduce(1_000));
        t.charge(Work::Strided(7));
        t.charge(Work::Daxpy(3));
        t.charge(Work::File(50));
        t.compute(Time::from_nanos(5));
        Ok(t.now())
    };
    assert_eq!(run(&machine, Sharing::None, 1, work), [500 + 750 + 70 + 60 + 400 + 5]);
}

/// A handler runs when its message is received, and the computation that it interrupts ends later.
#[test]
fn a_handler_takes_the_overhead_of_its_message_from_the_computation() {
    let machine = busy(2, Protocol::Buffered);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let compute = |t: &Endpoint| {
        if t.rank() == 0 {
            t.send(SendMode::Standard, &[], 1, 5)?;
            return Ok(t.now());
        }
        let noted = Arc::clone(&heard);
        let note = Box::new(move |_, _: &[u8], now| {
            noted.lock().expect("no panic").push(now);
            None
        });
        let listening = t.on_message(5, note)?;
        t.compute(Time::from_nanos(5_000));
        let end = t.now();
        drop(listening);
        Ok(end)
    };
    assert_eq!(run(&machine, Sharing::None, 2, compute)[1], 5_000 + 200);
    assert_eq!(*heard.lock().expect("no panic"), [Time::from_nanos(100 + 70 + 1_000 + 200)]);
}

/// The message travels while the rank computes.
#[test]
fn a_started_receive_overlaps_with_computation() {
    let machine = simple(2, Protocol::Buffered);
    let overlap = |t: &Endpoint| {
        let other = 1 - t.rank();
        let mut buffer = [0; 500];
        scope(t, |s| {
            let receive = s.receive(&mut buffer, Selector::new(other, 1))?;
            let _ = s.send(SendMode::Standard, &[1; 500], other, 1)?;
            t.compute(Time::from_nanos(4_000));
            s.wait(receive).map(drop)
        })?;
        Ok(t.now())
    };
    assert_eq!(run(&machine, Sharing::Links, 2, overlap), [4_300, 4_300]);
}

/// Measured computation is CPU time of the host, scaled.
#[test]
fn measured_computation_advances_the_clock() {
    let mut machine = simple(1, Protocol::Buffered);
    machine.processor.speed = panto_machine::Speed::Factor(1e-3);
    let world = world(machine, Sharing::None).measured();
    let spin = |t: &Endpoint| -> Result<Time> {
        let sum = std::hint::black_box((0..100_000_u64).fold(0, |sum, x| std::hint::black_box(sum ^ x)));
        t.check()?;
        Ok(Time::from_picos(t.now().as_picos() | (sum & 1)))
    };
    let times = world.run(1, spin).expect("it runs");
    // A hundred thousand steps on a machine a thousand times slower than this one.
    assert!(times[0] > Time::from_nanos(10_000_000), "{}", times[0]);
}

#[test]
fn more_ranks_than_processors_need_multitasking() {
    let too_many = world(simple(2, Protocol::Buffered), Sharing::None)
        .run(3, |t| Ok::<_, panto_transport::Error>(t.rank()));
    let text = too_many.expect_err("too many").to_string();
    assert!(text.contains('3') && text.contains('2') && text.contains("multitasking"), "{text}");
}

/// A collective of all ranks over bytes, by the machine's rules.
fn collective(collective: Collective, count: usize) -> impl Fn(&Endpoint) -> Result<Time> + Sync {
    move |t| {
        let problem = Problem { collective, ranks: t.size(), root: 0, count };
        let input = vec![0; problem.input_len(t.rank())];
        let mut output = vec![0; problem.output_len(t.rank())];
        let buffers = Buffers { input: &input, output: &mut output, element: 1, combine: NO_REDUCTION };
        PreparedCollective::new(t, problem, 1, AlgorithmChoice::Library)?.run(t, buffers)?;
        Ok(t.now())
    }
}

/// A machine whose processors take no time for messages.
pub(crate) fn idle_processors(ranks: u64) -> Machine {
    let mut machine = simple(ranks, Protocol::Buffered);
    machine.network.overheads = panto_machine::Overheads::default();
    machine
}

#[test]
fn a_dedicated_network_for_a_collective() {
    let mut machine = simple(4, Protocol::Buffered);
    let mut control = idle_processors(4).network;
    control.link = Cost::constant(Time::from_nanos(10));
    machine.networks.insert(Collective::Barrier, control);
    // Dissemination among four ranks takes two rounds.
    assert_eq!(run(&machine, Sharing::Links, 4, collective(Collective::Barrier, 0)), [20; 4]);
}

/// PUPPET's root sends to each rank, and continues as its send type permits (P6, P10).
#[test]
fn collectives_use_the_machines_send_type() {
    let ends = |send, rules| {
        let mut machine = idle_processors(4);
        (machine.collectives.send, machine.collectives.rules) = (send, rules);
        run(&machine, Sharing::None, 4, collective(Collective::Broadcast, 500))
    };
    assert_eq!(ends(CollectiveSend::Buffered, Rules::Puppet), [0, 1_500, 1_500, 1_500]);
    assert_eq!(ends(CollectiveSend::NoSpace, Rules::Puppet), [4_500, 1_500, 3_000, 4_500]);
    assert_eq!(ends(CollectiveSend::Buffered, Rules::Mpich), [0, 1_500, 1_500, 3_000]);
}

/// A no-space send ends when the message arrives, a synchronous one when it is received.
#[test]
fn no_space_is_not_synchronous() {
    let ends = |send| {
        let mut machine = idle_processors(2);
        machine.collectives.send = send;
        run(&machine, Sharing::None, 2, |t| {
            t.compute(Time::from_nanos(9_000 * t.rank() as u64));
            collective(Collective::Broadcast, 500)(t)
        })
    };
    assert_eq!(ends(CollectiveSend::NoSpace), [1_500, 9_000]);
    assert_eq!(ends(CollectiveSend::Synchronous), [9_000, 9_000]);
}

/// The messages of a barrier have a configurable length.
#[test]
fn a_barrier_has_a_size() {
    let mut machine = idle_processors(4);
    machine.collectives.rules = Rules::Puppet;
    machine.collectives.barrier_bytes = 300;
    assert_eq!(run(&machine, Sharing::None, 4, collective(Collective::Barrier, 0)), [1_300; 4]);
}

#[test]
fn time_overflow_is_an_error() {
    for model in MODELS {
        let mut machine = simple(2, Protocol::Buffered);
        machine.network.link = Cost::constant(Time::from_nanos(86_400_000_000_000));
        let forever = |t: &Endpoint| {
            let other = 1 - t.rank();
            (0..300).try_for_each(|_| {
                t.send(SendMode::Standard, &[], other, 1)?;
                t.receive(&mut [], Selector::new(other, 1)).map(drop)
            })
        };
        let error = world(machine, model).run(2, forever).expect_err("there are no 300 days");
        assert_eq!(error, panto_transport::Error::TimeOverflow);
    }
}
