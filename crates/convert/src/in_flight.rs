//! Messages and bytes in flight.

use panto_timeline::Message;

/// Messages sent and not yet received. Negative where the clocks of ranks disagree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InFlight {
    pub messages: i64,
    pub bytes: i64,
    /// Number of messages received before they were sent.
    pub early: u64,
}

impl InFlight {
    pub fn sent(&mut self, message: &Message) {
        self.messages += 1;
        // Intermediate sums may exceed 64 bits; wrapping additions and subtractions cancel.
        self.bytes = self.bytes.wrapping_add(message.bytes as i64);
        self.early += u64::from(message.received < message.sent);
    }

    pub fn received(&mut self, message: &Message) {
        self.messages -= 1;
        self.bytes = self.bytes.wrapping_sub(message.bytes as i64);
    }
}
