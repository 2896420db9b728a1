//! What must have happened before a call can end.

use panto_units::Time;

use crate::collectives::{Awaited, CollectiveId, Collectives};
use crate::transfers::{TransferId, Transfers};
use crate::walk::Sink;

/// What must have happened before a call can end.
#[derive(Debug, Clone, Copy)]
pub enum Need {
    /// A message is there, and is received.
    Message(TransferId),
    /// A message is there.
    Sight(TransferId),
    /// The sender may use its buffer again. If the message is long, it is being received.
    Release(TransferId),
    /// Nothing: the sender freed its request, and never learns when the message is received.
    Freed(TransferId),
    /// A collective of this number of ranks is complete on this rank.
    Collective(CollectiveId, Awaited, u32),
}

/// What a call waited for: the rank, and when it did it.
pub type Cause = (u32, Time);

/// What is known of messages and collectives at a moment.
pub struct Known {
    pub transfers: Transfers,
    pub collectives: Collectives,
}

impl Known {
    /// Nothing is known of ranks on this number of hosts.
    pub fn new(hosts: usize) -> Self {
        Self { transfers: Transfers::default(), collectives: Collectives::new(hosts) }
    }

    /// A call of a rank on a host ends, in which all this was needed. Returns what happened last,
    /// and passes on the messages that are complete.
    pub fn satisfy(&mut self, needs: &[Need], end: Time, host: usize, sink: &mut impl Sink) -> Option<Cause> {
        let (mut cause, mut release) = (None, None);
        for need in needs {
            match *need {
                Need::Message(id) => {
                    cause = later(cause, Some(self.sent(id, end)));
                    self.transfers.received(id, end).into_iter().for_each(|message| sink.message(message));
                }
                Need::Sight(id) => cause = later(cause, Some(self.sent(id, end))),
                Need::Release(id) => {
                    let (rank, posted) = self.transfers.posted(id);
                    release = later(release, posted.map(|at| (rank, at)));
                    self.transfers.release(id).into_iter().for_each(|message| sink.message(message));
                }
                Need::Freed(id) => {
                    self.transfers.release(id).into_iter().for_each(|message| sink.message(message));
                }
                Need::Collective(id, awaited, size) => {
                    let (awaited, hosts) = self.collectives.leave(id, awaited, size, (host, end));
                    cause = later(cause, awaited);
                    if !hosts.is_empty() {
                        sink.collective(&hosts);
                    }
                }
            }
        }
        // A short message does not wait for its receive. Where something else was awaited, that is
        // the more likely reason.
        let has_other = needs.iter().any(|need| !matches!(need, Need::Release(_) | Need::Freed(_)));
        if has_other { cause } else { release }
    }

    /// Returns who sent a message, and when. By a clock that is late, that may be later than now.
    fn sent(&self, id: TransferId, now: Time) -> Cause {
        let (rank, sent) = self.transfers.sent(id);
        (rank, sent.unwrap_or(now))
    }
}

fn later(one: Option<Cause>, other: Option<Cause>) -> Option<Cause> {
    [one, other].into_iter().flatten().max_by_key(|(_, at)| *at)
}
