//! Detaching and cancelling requests.

use super::message::{NONE, Phase, Request, RequestKind, UNKNOWN};
use super::{Delivery, Engine, MessageId, RequestId};

impl Engine {
    /// Releases a request when it is complete; the driver will not wait for it.
    pub fn detach(&mut self, id: RequestId) {
        if self.requests[id].complete == UNKNOWN {
            self.requests[id].detached = true;
        } else {
            self.requests.free(id);
        }
    }

    /// Cancels a request if that is still possible, and returns whether it was; otherwise the
    /// request must be waited for. The rank's clock must be at the time of the last event, and the
    /// rank ordered: a receive that was matched before its message arrived stays matched, and an
    /// ordered rank has no such receives except those from before it was ordered.
    pub fn try_cancel(&mut self, id: RequestId) -> bool {
        let Request { complete, kind, message, .. } = self.requests[id];
        let cancelled = match kind {
            RequestKind::Send => complete == UNKNOWN && self.withdraw(message),
            _ => message == NONE,
        };
        if cancelled {
            if kind == RequestKind::Receive {
                self.unpost(id);
            }
            self.requests.free(id);
        }
        cancelled
    }

    /// Cancels a request at the end of a run, or detaches it if it can no longer be cancelled.
    pub fn cancel(&mut self, id: RequestId) {
        if !self.try_cancel(id) {
            self.detach(id);
        }
    }

    /// Takes back a message unless a receive has matched it; returns whether it was taken back.
    fn withdraw(&mut self, id: MessageId) -> bool {
        let message = &mut self.messages[id];
        if message.receive != NONE {
            return false;
        }
        message.cancelled = true;
        message.send = NONE;
        self.forget_held(id);
        self.unlink_message(id);
        self.deliveries.push_back(Delivery::Drop(id));
        self.release_cancelled(id);
        true
    }

    /// Frees a cancelled message once neither the network nor an event refers to it.
    pub(super) fn release_cancelled(&mut self, id: u32) {
        let message = &self.messages[id];
        if !message.arrival_queued && matches!(message.phase, Phase::AwaitingReceive | Phase::Arrived) {
            self.return_cancelled(id);
            self.messages.free(id);
        }
    }
}
