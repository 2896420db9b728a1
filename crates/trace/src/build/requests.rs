//! Requests and communicators of a stream that is being built.

use std::cmp::Reverse;

use super::{Builder, MessageCall};
use crate::action::Action;
use crate::field::{CallForm, Comm, CompletionKind, Slot};
use crate::ranks::Ranks;
use crate::table::Communicator;

impl Builder {
    /// Returns the slot of a new request: the lowest free one; none for a blocking call.
    pub fn request(&mut self, form: CallForm) -> Option<Slot> {
        (form != CallForm::Blocking).then(|| {
            let lowest = self.free.pop().map(|Reverse(slot)| slot);
            Slot(lowest.unwrap_or_else(|| {
                self.slots += 1;
                self.slots - 1
            }))
        })
    }

    /// Adds a wait for all of these requests, and frees their slots.
    pub fn wait(&mut self, requests: &[Slot]) {
        let (call, until) = match requests {
            [] => return,
            [_] => (MessageCall::Wait, CompletionKind::Wait),
            _ => (MessageCall::Waitall, CompletionKind::WaitAll),
        };
        let mut slots = std::mem::take(&mut self.slots_waited);
        let mut completed = std::mem::take(&mut self.completed);
        slots.clear();
        slots.extend(requests.iter().map(|slot| i64::from(slot.0)));
        let known = completed.len() as i64;
        completed.extend(known..slots.len() as i64);
        let (requests_waited, all) = (&slots[..], &completed[..slots.len()]);
        self.message_call(
            call,
            &Action::Complete { until, requests: requests_waited, completed: all, outcomes: &[] },
        );
        (self.slots_waited, self.completed) = (slots, completed);
        self.free.extend(requests.iter().map(|slot| Reverse(slot.0)));
    }

    /// Adds a test of a request that finds it incomplete.
    pub fn test_incomplete(&mut self, request: Slot) {
        let (until, requests) = (CompletionKind::Test, [request.0.into()]);
        self.call(
            "MPI_Test",
            &Action::Complete { until, requests: &requests, completed: &[], outcomes: &[] },
        );
    }

    /// Defines a communicator without the call that made it. `number` is the same on all members
    /// and differs from that of other communicators; members and the other side of an
    /// intercommunicator are ranks in `MPI_COMM_WORLD`.
    pub fn communicator(&mut self, number: i64, rank: u32, members: &[u32], others: Option<&[u32]>) -> Comm {
        let made_by = self.recorder.name("MPI_Comm_create_group");
        self.recorder.communicator(&Communicator {
            made_by,
            parent: None,
            ordinal: 0,
            tag: number,
            rank,
            members: members.iter().copied().collect(),
            others: others.map(|others| others.iter().copied().collect()),
            sources: Ranks::default(),
            destinations: Ranks::default(),
        })
    }
}
