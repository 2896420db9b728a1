//! Operations that nobody wants any more.

use super::message::{Kind, NONE, Phase, Request, UNKNOWN};
use super::{Delivery, Engine, MessageId, RequestId};

impl Engine {
    /// Nobody will wait for it: it goes when it is complete.
    pub fn detach(&mut self, id: RequestId) {
        if self.requests[id].complete == UNKNOWN {
            self.requests[id].abandoned = true;
        } else {
            self.requests.give_back(id);
        }
    }

    /// Gives an operation up, if that can be done; otherwise it must be waited for. The rank's clock must be at the time of the
    /// last event, and the rank ordered: a receive that was matched before its message came stays matched, and an ordered
    /// rank has no such receives but those from before.
    pub fn try_cancel(&mut self, id: RequestId) -> bool {
        let Request { complete, kind, message, .. } = self.requests[id];
        let undone = match kind {
            Kind::Send => complete == UNKNOWN && self.withdraw(message),
            _ => message == NONE,
        };
        if undone {
            if kind == Kind::Receive {
                self.take_back(id);
            }
            self.requests.give_back(id);
        }
        undone
    }

    /// Gives an operation up at the end of a run, when nobody waits for anything any more.
    pub fn cancel(&mut self, id: RequestId) {
        if !self.try_cancel(id) {
            self.detach(id);
        }
    }

    /// Takes a send back, unless somebody has met it.
    fn withdraw(&mut self, id: MessageId) -> bool {
        let message = &mut self.messages[id];
        if message.receive != NONE {
            return false;
        }
        message.cancelled = true;
        message.send = NONE;
        self.take(id);
        self.deliveries.push_back(Delivery::Drop(id));
        self.forget(id);
        true
    }

    /// Lets go of a message that was cancelled, when neither the network nor an event names it any more.
    pub(super) fn forget(&mut self, id: u32) {
        let message = &self.messages[id];
        if !message.expected && matches!(message.phase, Phase::Asked | Phase::Arrived) {
            self.messages.give_back(id);
        }
    }
}
