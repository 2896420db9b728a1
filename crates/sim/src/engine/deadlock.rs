//! Deadlock reports: what each blocked rank waits for.

use super::message::{NONE, RequestKind};
use super::{BlockedOn, Engine, MessageInfo, RequestId, State};

impl Engine {
    /// What a rank waits for: one of these. `None` if the rank has finished.
    pub fn blocked_on(&self, rank: u32) -> Option<Vec<BlockedOn>> {
        match &self.ranks[rank as usize].state {
            State::Done => None,
            State::Waiting(request, _) => Some(vec![self.request_blocked_on(*request)]),
            State::WaitingAny(requests) => {
                Some(requests.0.iter().map(|&id| self.request_blocked_on(id)).collect())
            }
            State::Probing(spec) => Some(vec![BlockedOn::Message(spec.selector())]),
            State::Running | State::Parked | State::WaitingAll(..) | State::Working => Some(Vec::new()),
        }
    }

    fn request_blocked_on(&self, id: RequestId) -> BlockedOn {
        let request = &self.requests[id];
        if let (Some(rank), Some(wait)) = (request.spec().source, self.awaits_space(id)) {
            return BlockedOn::Space { rank, wait };
        }
        match (request.kind, request.spec().source) {
            (RequestKind::Send, Some(to)) => {
                BlockedOn::Receiver { rank: to, bytes: request.bytes, tag: request.first_tag }
            }
            _ => BlockedOn::Message(request.spec().selector()),
        }
    }

    /// The messages to a rank that no receive has matched.
    pub fn unmatched_messages(&self, rank: u32) -> Vec<MessageInfo> {
        let mut messages = Vec::new();
        for channel in self.channels.to(rank) {
            let mut id = self.channels.view(channel).messages.head;
            while id != NONE {
                messages.push(self.messages[id].info());
                id = self.messages[id].next;
            }
        }
        messages
    }
}
