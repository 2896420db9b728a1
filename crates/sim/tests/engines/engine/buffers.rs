//! Finite buffers: the event engine equals the reference simulator.

use panto_machine::{BufferSide, Machine, SendBuffer};
use panto_sim::{SendProtocol, Sharing};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::driver::drive;
use crate::machines::{Grain, Placement, machines};
use crate::program::{Op, Program, Run};
use crate::programs::{Features, broken_programs, programs, settings};
use crate::reference::simulate;

const NAMED: Features = Features { wildcards: false, any_tag: false, tests: false, overtaking: false };
const WILDCARDS: Features = Features { wildcards: true, any_tag: true, ..NAMED };

/// Small buffers: most programs fill them.
fn buffers(side: BufferSide) -> impl Strategy<Value = SendBuffer> {
    (1..=200_u64, 1..=60_u64).prop_map(move |(space, unit)| SendBuffer { side, space, unit: unit.min(space) })
}

/// Buffers the messages of every other pair of ranks where space is limited.
fn limited(mut program: Program) -> Program {
    for (rank, ops) in program.iter_mut().enumerate() {
        for op in ops {
            if let Op::Send { protocol, to, .. } = op
                && !(rank + *to as usize).is_multiple_of(4)
            {
                *protocol = SendProtocol::LimitedBuffer;
            }
        }
    }
    program
}

fn either(features: Features) -> impl Strategy<Value = Program> {
    let grain = Grain::Coarse;
    prop_oneof![2 => programs(grain, features), 1 => broken_programs(grain, features)].prop_map(limited)
}

/// Returns the run, after comparing it with the reference.
fn check(machine: &Machine, model: Sharing, program: &Program) -> Result<Run, TestCaseError> {
    let report = simulate(machine, model, program);
    let run = drive(machine, model, program);
    prop_assume!(!report.overtaken);
    prop_assert_eq!(&run, &report.run);
    Ok(run)
}

proptest! {
    #![proptest_config(settings(1_000))]

    #[test]
    fn of_receivers(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        buffer in buffers(BufferSide::Receiver),
        program in prop_oneof![either(NAMED), either(WILDCARDS)],
        traffic in any::<bool>(),
    ) {
        let machine = Machine { buffer: Some(buffer), ..machine };
        check(&machine, if traffic { Sharing::Links } else { Sharing::None }, &program)?;
    }

    /// A send without room waits for the arrival of its message alone, so finite buffers of senders
    /// cause no deadlock. Links are not shared: of messages that are sent at the same picosecond,
    /// one that was held enters the network last in the engine, and in the order of ranks in the
    /// reference.
    #[test]
    fn of_senders(
        machine in machines(Grain::Coarse, Placement::Dedicated),
        buffer in buffers(BufferSide::Sender),
        program in prop_oneof![either(NAMED), either(WILDCARDS)],
    ) {
        let model = Sharing::None;
        let ended = |run: &Run| run.exits.iter().map(Option::is_some).collect::<Vec<_>>();
        let unlimited = Machine { buffer: None, ..machine.clone() };
        let run = check(&Machine { buffer: Some(buffer), ..machine }, model, &program)?;
        let is_any = |op: &Op| matches!(op, Op::Receive { source: None, .. } | Op::Receive { tag: None, .. });
        if !program.iter().flatten().any(is_any) {
            prop_assert_eq!(ended(&run), ended(&drive(&unlimited, model, &program)));
        }
    }
}
