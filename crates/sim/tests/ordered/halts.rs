//! Programs that do not come to their end.

use panto_machine::Protocol;
use panto_sim::program::{Act, Pick};
use panto_sim::{Halt, Halted, Model, Want};
use panto_units::Time;

use crate::log::run;
use crate::picks::{channel, plain, program, send};

fn call() -> Act {
    Act::Call { call: 0, before: Time::ZERO }
}

/// Each waits for another thing: a message, a receiver, anybody; rank 3 has finished.
#[test]
fn each_says_what_it_wants() {
    let mut machine = plain(5);
    machine.protocol = Protocol::Synchronous;
    let channels = vec![channel(1, 0, 0), channel(1, 0, 1), channel(0, 4, 0)];
    let program = program(
        channels,
        vec![Pick { from: None, classes: 0..1 }],
        vec![
            vec![call(), Act::StartReceive { slot: 1, channel: 0 }, call(), Act::Wait { slot: 1 }],
            vec![call(), send(1, 5)],
            vec![Act::StartPick { slot: 0, pick: 0 }, Act::Wait { slot: 0 }],
            vec![call()],
            vec![Act::Probe { channel: 2 }],
        ],
    );
    let expected = vec![
        Halt { rank: 0, calls: 2, want: Want::Message { channel: 0 } },
        Halt { rank: 1, calls: 1, want: Want::Receiver { channel: 1 } },
        Halt { rank: 2, calls: 0, want: Want::Pick { pick: 0 } },
        Halt { rank: 4, calls: 0, want: Want::Message { channel: 2 } },
    ];
    for model in [Model::Fast, Model::Traffic] {
        let halted = run(&machine, model, &program).0;
        assert_eq!(halted, Err(Halted::Stuck { ranks: 4, halts: expected.clone() }));
    }
}

#[test]
fn time_has_an_end() {
    let long = Act::Compute(Time::from_picos(u64::MAX - 5));
    let mut program = program(Vec::new(), Vec::new(), vec![vec![long, long], vec![]]);
    for model in [Model::Fast, Model::Traffic] {
        assert_eq!(run(&plain(2), model, &program).0, Err(Halted::EndOfTime));
    }
    // Nor does it matter how often that would be repeated.
    program.codes[0].ops =
        vec![Act::Repeat { at: 2, times: u64::MAX }.into(), Act::End.into(), long.into(), Act::End.into()];
    assert_eq!(run(&plain(2), Model::Fast, &program).0, Err(Halted::EndOfTime));
}
