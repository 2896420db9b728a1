//! The calls that made the persistent requests which exist.
//!
//! `MPI_Pcontrol` may switch recording off and on, or drop what was recorded. A persistent request
//! that was made meanwhile can still be started afterwards, so the calls that made such requests
//! are kept, and recorded when they are not in the trace (any more).

use std::collections::BTreeMap;

use panto_trace::{Action, CallForm, Constants, Kind, Name, Recorder, Slot, Times};

/// The calls that made persistent requests, by slot.
#[derive(Default)]
pub struct PersistentCalls(BTreeMap<Slot, Call>);

struct Call {
    name: Name,
    kind: Kind,
    constants: Constants,
    values: Vec<i64>,
    is_recorded: bool,
}

impl PersistentCalls {
    /// Keeps a call if it makes a persistent request.
    #[inline]
    pub fn keep(&mut self, name: Name, action: &Action<'_>, is_recorded: bool) {
        if let Some(slot) = persistent_slot(action) {
            let mut values = Vec::new();
            let constants = action.split(&mut values);
            self.0.insert(slot, Call { name, kind: action.kind(), constants, values, is_recorded });
        }
    }

    /// Forgets the call of a request that was freed.
    pub fn forget(&mut self, slot: Slot) {
        self.0.remove(&slot);
    }

    /// Notes that what was recorded is dropped.
    pub fn drop_events(&mut self) {
        self.0.values_mut().for_each(|call| call.is_recorded = false);
    }

    /// Records the calls that are not in the trace.
    pub fn record(&mut self, recorder: &mut Recorder) {
        for call in self.0.values_mut().filter(|call| !call.is_recorded) {
            call.is_recorded = true;
            if let Some(action) = Action::join(call.kind, &call.constants, &call.values) {
                recorder.record(call.name, &action, Times::default());
            }
        }
    }
}

/// Returns the slot of the persistent request that a call makes.
#[inline]
fn persistent_slot(action: &Action<'_>) -> Option<Slot> {
    let (Action::Send { form, request, .. }
    | Action::Receive { form, request, .. }
    | Action::Collective { form, request, .. }) = *action
    else {
        return None;
    };
    request.filter(|_| matches!(form, CallForm::Persistent | CallForm::Partitioned))
}

#[cfg(test)]
mod tests {
    use panto_trace::{Comm, Peer, SendMode, Type};

    use super::*;

    fn send(form: CallForm, slot: u32) -> Action<'static> {
        Action::Send {
            mode: SendMode::Standard,
            form,
            comm: Comm(0),
            to: Peer::Relative(1),
            datatype: Type(0),
            bytes: 8,
            tag: 0,
            request: Some(Slot(slot)),
        }
    }

    #[test]
    fn calls_that_are_not_in_the_trace_are_recorded_once() {
        let (mut recorder, mut calls) = (Recorder::new(false), PersistentCalls::default());
        let name = recorder.name("MPI_Send_init");
        calls.keep(name, &send(CallForm::Immediate, 0), false);
        calls.keep(name, &send(CallForm::Persistent, 1), true);
        calls.keep(name, &send(CallForm::Persistent, 2), false);
        calls.keep(name, &send(CallForm::Partitioned, 3), false);
        calls.forget(Slot(3));
        calls.record(&mut recorder);
        calls.record(&mut recorder);
        assert_eq!(recorder.events(), 1);
        recorder.drop_events();
        calls.drop_events();
        calls.record(&mut recorder);
        assert_eq!(recorder.events(), 2);
    }
}
