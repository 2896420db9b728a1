//! The slots of requests among the varying parts of a call.
//!
//! The lowest free slot is taken, so where threads call at the same time, their slots differ from
//! run to run.

use crate::action::Kind;

/// Returns whether varying parts are equal except for slots.
pub fn are_equal_but_for_places(kind: Kind, one: &[i64], other: &[i64]) -> bool {
    let is_same = |place: usize| {
        one[place] == other[place] || is_place(kind, one, place) && one[place] != NONE && other[place] != NONE
    };
    one.len() == other.len() && (0..one.len()).all(is_same)
}

/// The number that stands for no request.
const NONE: i64 = -1;

fn is_place(kind: Kind, values: &[i64], place: usize) -> bool {
    match kind {
        Kind::Send | Kind::Receive | Kind::Collective => place == 2,
        Kind::SendReceive => place == 7,
        Kind::ReceiveTaken => place == 1 || place == 2,
        Kind::Probe => place == 5,
        Kind::Communicator | Kind::OneSided | Kind::File => place == 1,
        Kind::Cancel | Kind::Free | Kind::Partition => place == 0,
        // The first list, behind its length.
        Kind::Start | Kind::Complete => place > 0 && place as i64 <= values[0],
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use crate::field::{CallForm, Comm, Peer, ProbeKind, Slot, Type, WindowOrFileId};

    /// The same call with its request in two slots.
    fn pairs() -> [fn(u32) -> Action<'static>; 7] {
        [
            |slot| Action::Send {
                mode: crate::SendMode::Ready,
                form: CallForm::Immediate,
                comm: Comm(0),
                to: Peer::Relative(1),
                datatype: Type(0),
                bytes: 5,
                tag: 6,
                request: Some(Slot(slot)),
            },
            |slot| Action::Probe {
                look: ProbeKind::Mprobe,
                comm: Comm(0),
                from: Peer::Any,
                tag: 1,
                found: true,
                source: 2,
                got_tag: 3,
                got_bytes: 4,
                message: Some(Slot(slot)),
            },
            |slot| Action::ReceiveTaken {
                form: CallForm::Immediate,
                datatype: Type(0),
                bytes: 4,
                message: Some(Slot(slot)),
                request: Some(Slot(slot)),
            },
            |slot| Action::SendReceive {
                comm: Comm(0),
                to: Peer::Relative(1),
                from: Peer::Any,
                datatype: Type(0),
                receive_type: Type(0),
                replace: false,
                bytes: 1,
                tag: 2,
                receive_bytes: 3,
                want_tag: 4,
                source: 5,
                got_tag: 6,
                got_bytes: 7,
                request: Some(Slot(slot)),
            },
            |slot| Action::Free { request: Some(Slot(slot)) },
            |slot| Action::Communicator { parent: Comm(0), comm: Some(Comm(4)), request: Some(Slot(slot)) },
            |slot| Action::File { file: Some(WindowOrFileId(0)), bytes: 9, request: Some(Slot(slot)) },
        ]
    }

    fn values(action: &Action<'_>) -> Vec<i64> {
        let mut values = Vec::new();
        action.split(&mut values);
        values
    }

    #[test]
    fn only_places_may_differ() {
        for call in pairs() {
            let (one, other) = (values(&call(3)), values(&call(8)));
            let kind = call(3).kind();
            assert!(are_equal_but_for_places(kind, &one, &other), "{kind:?}");
            for place in (0..one.len()).filter(|place| one[*place] == other[*place]) {
                let mut changed = other.clone();
                changed[place] += 1;
                assert!(!are_equal_but_for_places(kind, &one, &changed), "part {place} of {kind:?}");
            }
        }
    }

    #[test]
    fn lists_of_places_have_the_same_length() {
        let wait = |requests: &[i64], completed: &[i64]| {
            values(&Action::Complete {
                until: crate::CompletionKind::WaitAll,
                requests,
                completed,
                outcomes: &[],
            })
        };
        let is_same =
            |other: &[i64]| are_equal_but_for_places(Kind::Complete, &wait(&[4, 5], &[0, 1]), other);
        assert!(is_same(&wait(&[9, 2], &[0, 1])));
        assert!(!is_same(&wait(&[9, 2], &[1, 0])));
        assert!(!is_same(&wait(&[9, -1], &[0, 1])));
        assert!(!is_same(&wait(&[9, 2, 3], &[0])));
    }
}
