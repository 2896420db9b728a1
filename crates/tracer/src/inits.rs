//! Persistent operations that exist: what described them is told again when the record begins anew.

use std::collections::BTreeMap;

use panto_trace::{Action, Constants, Form, Kind, Name, Recorder, Slot, Times};

/// The calls that described them, by their places.
#[derive(Default)]
pub struct Inits(BTreeMap<Slot, Init>);

struct Init {
    name: Name,
    kind: Kind,
    constants: Constants,
    values: Vec<i64>,
    is_recorded: bool,
}

impl Inits {
    /// Keeps a call if it describes a persistent operation.
    #[inline]
    pub fn keep(&mut self, name: Name, action: &Action<'_>, is_recorded: bool) {
        if let Some(slot) = described(action) {
            let mut values = Vec::new();
            let constants = action.split(&mut values);
            self.0.insert(slot, Init { name, kind: action.kind(), constants, values, is_recorded });
        }
    }

    /// The operation is no more.
    pub fn forget(&mut self, slot: Slot) {
        self.0.remove(&slot);
    }

    /// What was recorded is dropped.
    pub fn drop_events(&mut self) {
        self.0.values_mut().for_each(|init| init.is_recorded = false);
    }

    /// Records those that are not in the trace.
    pub fn record(&mut self, recorder: &mut Recorder) {
        for init in self.0.values_mut().filter(|init| !init.is_recorded) {
            init.is_recorded = true;
            if let Some(action) = Action::join(init.kind, &init.constants, &init.values) {
                recorder.record(init.name, &action, Times::default());
            }
        }
    }
}

/// The place of the persistent operation that a call describes.
#[inline]
fn described(action: &Action<'_>) -> Option<Slot> {
    let (Action::Send { form, request, .. }
    | Action::Receive { form, request, .. }
    | Action::Collective { form, request, .. }) = *action
    else {
        return None;
    };
    request.filter(|_| matches!(form, Form::Persistent | Form::Partitioned))
}
