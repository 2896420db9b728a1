//! Collectives beside work that does not end well.

use panto_schedule::{Algorithm, Collective, Problem};
use panto_transport::conformance::Flaw;
use panto_transport::threads::Threads;
use panto_transport::{
    Buffers, Choice, Error, Lane, NO_COMBINE, Prepared, Progress, Result, Transport, World,
};

use crate::barrier;

/// By rendezvous.
const COUNT: usize = 100_000;

fn broadcast<T: Transport>(t: &T) -> Result<Prepared> {
    let problem = Problem { collective: Collective::Broadcast, ranks: t.size(), root: 0, count: COUNT };
    Prepared::new(t, problem, 1, Choice::Algorithm(Algorithm::Linear))
}

fn buffers(output: &mut [u8]) -> Buffers<'_> {
    Buffers { input: &[], output, element: 1, combine: NO_COMBINE }
}

/// The root's messages wait for their receivers; when its work fails they are taken back.
#[test]
fn sends_are_taken_back() {
    Threads::default()
        .run(3, |t| {
            let mut output = vec![t.rank() as u8 + 1; COUNT];
            if t.rank() == 0 {
                let work = |progress: &mut Progress<'_, _>| {
                    assert!(!progress.poll()?);
                    Err::<(), _>(Flaw("enough".into()))
                };
                let outcome = broadcast(t)?.run_beside(t, buffers(&mut output), Lane::ALL[0], work);
                assert_eq!(outcome, Err(Flaw("enough".into())));
                // The memory is the root's again: what it writes reaches nobody.
                output.fill(9);
            }
            barrier(t)?;
            // Nothing is left on the lane, so that it can be used again.
            broadcast(t)?.run_beside(t, buffers(&mut output), Lane::ALL[0], |_| Ok::<_, Error>(()))?;
            assert!(output.iter().all(|&byte| byte == 9));
            Ok::<_, Flaw>(())
        })
        .unwrap();
}

/// One rank's work fails, and the others hear of it while they wait for the collective.
#[test]
fn the_others_hear_of_it() {
    let outcome = Threads::default().run(3, |t| {
        let mut output = vec![0; COUNT];
        broadcast(t)?.run_beside(t, buffers(&mut output), Lane::ALL[0], |_| {
            if t.rank() == 0 { Err(Flaw("the root gave up".into())) } else { Ok(()) }
        })
    });
    assert_eq!(outcome, Err(Flaw("the root gave up".into())));
}
