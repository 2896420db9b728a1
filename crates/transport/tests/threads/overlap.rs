//! Collectives overlapped with work that fails.

use panto_schedule::{Algorithm, Collective, Problem};
use panto_transport::conformance::Violation;
use panto_transport::threads::Threads;
use panto_transport::{
    AlgorithmChoice, Buffers, CollectiveTag, Error, NO_REDUCTION, PreparedCollective, Progress, Result,
    Transport, World,
};

use crate::barrier;

/// By rendezvous.
const COUNT: usize = 100_000;

fn broadcast<T: Transport>(t: &T) -> Result<PreparedCollective> {
    let problem = Problem { collective: Collective::Broadcast, ranks: t.size(), root: 0, count: COUNT };
    PreparedCollective::new(t, problem, 1, AlgorithmChoice::Algorithm(Algorithm::Linear))
}

fn buffers(output: &mut [u8]) -> Buffers<'_> {
    Buffers { input: &[], output, element: 1, combine: NO_REDUCTION }
}

/// The root's messages wait for their receivers, and are withdrawn when its work fails.
#[test]
fn sends_are_withdrawn() {
    Threads::default()
        .run(3, |t| {
            let mut output = vec![t.rank() as u8 + 1; COUNT];
            if t.rank() == 0 {
                let work = |progress: &mut Progress<'_, _>| {
                    assert!(!progress.poll()?);
                    Err::<(), _>(Violation("enough".into()))
                };
                let outcome =
                    broadcast(t)?.run_overlapped(t, buffers(&mut output), CollectiveTag::ALL[0], work);
                assert_eq!(outcome, Err(Violation("enough".into())));
                // The memory belongs to the root again: what it writes is not received.
                output.fill(9);
            }
            barrier(t)?;
            // No message is left with this tag, so it can be used again.
            broadcast(t)?
                .run_overlapped(t, buffers(&mut output), CollectiveTag::ALL[0], |_| Ok::<_, Error>(()))?;
            assert!(output.iter().all(|&byte| byte == 9));
            Ok::<_, Violation>(())
        })
        .unwrap();
}

/// When one rank's work fails, the others get the error while they wait for the collective.
#[test]
fn other_ranks_get_the_error() {
    let outcome = Threads::default().run(3, |t| {
        let mut output = vec![0; COUNT];
        broadcast(t)?.run_overlapped(t, buffers(&mut output), CollectiveTag::ALL[0], |_| {
            if t.rank() == 0 { Err(Violation("the root gave up".into())) } else { Ok(()) }
        })
    });
    assert_eq!(outcome, Err(Violation("the root gave up".into())));
}
