//! Times of overlapped operations in closed form: overheads of 100 and 200 ns, 1 us and 1 ns per
//! byte in the network.

use panto_machine::{Cost, Protocol};
use panto_schedule::{Algorithm, Collective, Problem};
use panto_transport::simulated::{Endpoint, Sharing};
use panto_transport::{
    AlgorithmChoice, Buffers, CollectiveTag, NO_REDUCTION, PersistentReceive, PersistentSend,
    PreparedCollective, Progress, Result, Selector, SendMode, Time, Transport,
};

use crate::machines::simple;
use crate::times::{MODELS, idle_processors, run};

const BYTES: usize = 500;

/// A broadcast from rank 0 along a chain, overlapped with work.
fn broadcast<'a>(
    work: impl Fn(&Endpoint, &mut Progress<'_, Endpoint>) -> Result<()> + Sync + 'a,
) -> impl Fn(&Endpoint) -> Result<Time> + Sync + 'a {
    move |t| {
        let problem = Problem { collective: Collective::Broadcast, ranks: t.size(), root: 0, count: BYTES };
        let chain = AlgorithmChoice::Algorithm(Algorithm::Chain { segments: 1 });
        let mut output = [0; BYTES];
        let buffers = Buffers { input: &[], output: &mut output, element: 1, combine: NO_REDUCTION };
        PreparedCollective::new(t, problem, 1, chain)?.run_overlapped(
            t,
            buffers,
            CollectiveTag::ALL[0],
            |progress| work(t, progress),
        )?;
        Ok(t.now())
    }
}

fn microsecond() -> Time {
    Time::from_nanos(1_000)
}

/// The message travels while both ranks compute.
#[test]
fn started_operations_make_progress() {
    for model in MODELS {
        let machine = simple(2, Protocol::Buffered);
        let computes = broadcast(|t, _| {
            t.compute(Time::from_nanos(9_000));
            Ok(())
        });
        assert_eq!(run(&machine, model, 2, computes), [100 + 9_000, 9_000 + 200]);
        let idles = broadcast(|_, _| Ok(()));
        assert_eq!(run(&machine, model, 2, idles), [100, 100 + 1_500 + 200]);
    }
}

/// The rank in the middle forwards the message when it polls, or else when its work is done.
#[test]
fn a_schedule_makes_progress_when_polled() {
    for model in MODELS {
        let machine = simple(3, Protocol::Buffered);
        let silent = broadcast(|t, _| {
            t.compute(Time::from_nanos(9_000));
            Ok(())
        });
        let passed_on = 9_000 + 200 + 100;
        assert_eq!(run(&machine, model, 3, silent), [9_100, passed_on, passed_on + 1_500 + 200]);
        let asks = broadcast(|t, progress| {
            (0..9).try_for_each(|_| {
                t.compute(microsecond());
                progress.poll().map(drop)
            })
        });
        // An unsuccessful poll takes 100 ns: rank 1 needs one before the message arrives, rank 2
        // three.
        assert_eq!(run(&machine, model, 3, asks), [9_100, 9_000 + 100 + 200 + 100, 9_000 + 300 + 200]);
    }
}

/// Only the messages of the collective use its network, not those of the overlapped work.
#[test]
fn a_dedicated_network_carries_only_its_collective() {
    let mut machine = simple(4, Protocol::Buffered);
    let mut control = idle_processors(4).network;
    control.link = Cost::constant(Time::from_nanos(10));
    machine.networks.insert(Collective::Barrier, control);
    let barrier = |sends: bool| {
        move |t: &Endpoint| {
            let problem = Problem { collective: Collective::Barrier, ranks: 4, root: 0, count: 0 };
            let nothing = Buffers { input: &[], output: &mut [], element: 1, combine: NO_REDUCTION };
            PreparedCollective::new(t, problem, 1, AlgorithmChoice::Library)?.run_overlapped(
                t,
                nothing,
                CollectiveTag::ALL[0],
                |_| {
                    if sends {
                        let (next, before) = ((t.rank() + 1) % 4, (t.rank() + 3) % 4);
                        t.send(SendMode::Standard, &[0; BYTES], next, 1)?;
                        t.receive(&mut [0; BYTES], Selector::new(before, 1))?;
                    }
                    Ok::<_, panto_transport::Error>(())
                },
            )?;
            Ok(t.now())
        }
    };
    // Dissemination among four ranks takes two rounds.
    assert_eq!(run(&machine, Sharing::Links, 4, barrier(false)), [20; 4]);
    // The first round is complete long before the work; the second begins after it.
    assert_eq!(run(&machine, Sharing::Links, 4, barrier(true)), [100 + 1_500 + 200 + 10; 4]);
}

/// Each start costs what an ordinary one does.
#[test]
fn persistent_operations_cost_what_ordinary_ones_do() {
    for model in MODELS {
        let machine = simple(2, Protocol::Buffered);
        let times = run(&machine, model, 2, |t| {
            for _ in 0..3 {
                if t.rank() == 0 {
                    let mut send = PersistentSend::new(t, SendMode::Standard, vec![0; BYTES], 1, 1)?;
                    send.start()?;
                    send.wait()?;
                    t.receive(&mut [], Selector::new(1, 2))?;
                } else {
                    let mut receive = PersistentReceive::new(t, vec![0; BYTES], Selector::new(0, 1))?;
                    receive.start()?;
                    receive.wait()?;
                    t.send(SendMode::Standard, &[], 0, 2)?;
                }
            }
            Ok(t.now())
        });
        let (there, back) = (100 + 1_500 + 200, 100 + 1_000 + 200);
        assert_eq!(times, [3 * (there + back), 3 * there + 2 * back + 100]);
    }
}
