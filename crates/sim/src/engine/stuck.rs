//! Who waits for what, when nobody can go on.

use super::message::{Kind, NONE};
use super::{Engine, Label, RequestId, State, Stuck, Waiting};

impl Engine {
    /// Why a rank cannot go on.
    pub fn stuck(&self, rank: u32) -> Stuck {
        match &self.ranks[rank as usize].state {
            State::Done => Stuck::Done,
            State::Waiting(request, _) => Stuck::Waits(vec![self.waits_for(*request)]),
            State::Watching(requests) => {
                Stuck::Waits(requests.0.iter().map(|&id| self.waits_for(id)).collect())
            }
            State::Probing(within) => Stuck::Waits(vec![Waiting::Message(within.selector())]),
            State::Running | State::Parked | State::Gathering(..) | State::Working => {
                Stuck::Waits(Vec::new())
            }
        }
    }

    fn waits_for(&self, id: RequestId) -> Waiting {
        let request = &self.requests[id];
        match (request.kind, request.within().source) {
            (Kind::Send, Some(to)) => Waiting::Receiver(to, request.bytes, request.first_tag),
            _ => Waiting::Message(request.within().selector()),
        }
    }

    /// The messages that lie at a rank and that nobody wants.
    pub fn unclaimed(&self, rank: u32) -> Vec<Label> {
        let mut labels = Vec::new();
        for channel in self.channels.to(rank) {
            let mut id = self.channels.view(channel).messages.head;
            while id != NONE {
                labels.push(self.messages[id].label());
                id = self.messages[id].next;
            }
        }
        labels
    }
}
