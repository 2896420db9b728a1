//! Every event that is written is read back unchanged.

use panto_trace::{
    Action, Constants, Head, Kind, MOST_CONSTANTS, Metadata, Recorder, Stamps, Times, Trace, stream_end,
    stream_start,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::Seen;

/// An action that owns its values.
#[derive(Debug, Clone)]
struct Owned {
    kind: Kind,
    constants: Constants,
    values: Vec<i64>,
}

impl Owned {
    fn action(&self) -> Option<Action<'_>> {
        Action::join(self.kind, &self.constants, &self.values)
    }
}

#[derive(Debug, Clone)]
enum Step {
    Record { name: u8, action: Owned, times: Times },
    Seal,
    Drop,
}

fn number() -> impl Strategy<Value = i64> {
    prop_oneof![6 => 0..=1_i64, 2 => -200..200_i64, 1 => any::<i64>()]
}

fn action() -> impl Strategy<Value = Owned> {
    let constant = prop_oneof![20 => 0..=1_i64, 2 => 0..8_i64, 1 => Just(1 << 40), 1 => -5..5_i64];
    let lists = vec(vec(number(), 0..9), 3);
    let parts = (prop::sample::select(Kind::ALL), vec(constant, MOST_CONSTANTS), vec(number(), 8), lists);
    parts.prop_filter_map("parts that mean something", |(kind, parts, varying, lists)| {
        let mut constants = [0; MOST_CONSTANTS];
        constants[..kind.constants()].copy_from_slice(&parts[..kind.constants()]);
        let mut values = varying[..kind.varying()].to_vec();
        for list in &lists[..kind.lists()] {
            values.push(list.len() as i64);
            values.extend(list);
        }
        let owned = Owned { kind, constants, values };
        owned.action().is_some().then_some(owned)
    })
}

fn step() -> impl Strategy<Value = Step> {
    let time = prop_oneof![4 => 0..300_u64, 2 => 0..3_000_000_u64, 1 => any::<u64>()];
    let times =
        (time.clone(), time.clone(), time).prop_map(|(before, gap, inside)| Times { before, gap, inside });
    let record =
        (0..4_u8, action(), times).prop_map(|(name, action, times)| Step::Record { name, action, times });
    prop_oneof![30 => record, 3 => Just(Step::Seal), 1 => Just(Step::Drop)]
}

/// Writes the steps, and returns the events that must be read.
fn write(steps: &[Step], has_stamps: bool, out: &mut Vec<u8>) -> Vec<Seen> {
    let mut recorder = Recorder::new(has_stamps);
    let mut expected = Vec::new();
    for step in steps {
        match step {
            Step::Record { name, action, times } => {
                let name = format!("MPI_{name}");
                let number = recorder.name(&name);
                let action = action.action().expect("it was tried");
                recorder.record(number, &action, *times);
                let stamps = has_stamps.then_some(Stamps { gap: times.gap, inside: times.inside });
                expected.push(Seen { name, action: format!("{action:?}"), before: times.before, stamps });
            }
            Step::Seal => recorder.seal(1, out),
            Step::Drop => {
                recorder.drop_events();
                expected.clear();
            }
        }
    }
    recorder.seal(2, out);
    expected
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(steps in vec(step(), 0..120), has_stamps: bool) {
        let mut bytes = stream_start(Head { is_whole: false, rank: 3, ranks: 5, has_call_sites: false }, &Metadata::default());
        let expected = write(&steps, has_stamps, &mut bytes);
        bytes.extend(stream_end(&Metadata::default()));
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), &bytes).expect("a file");
        let trace = Trace::open(file.path()).expect("a sound stream");
        let rank = &trace.ranks()[0];
        prop_assert!(rank.is_complete());
        prop_assert_eq!((rank.rank(), trace.size()), (3, 5));
        prop_assert_eq!(rank.events_count(), expected.len() as u64);
        let (seen, error) = crate::support::events(rank);
        prop_assert_eq!(error, None);
        prop_assert_eq!(seen, expected);
    }
}
