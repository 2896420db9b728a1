//! How many messages are under way.

use panto_timeline::Message;

/// Messages that were sent and not yet received. Below nothing, where clocks of ranks disagree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnderWay {
    pub messages: i64,
    pub bytes: i64,
    /// How many were received before they were sent.
    pub early: u64,
}

impl UnderWay {
    pub fn sent(&mut self, message: &Message) {
        self.messages += 1;
        // Sums may be beyond 64 bits on the way; what is taken away again was added in the same manner.
        self.bytes = self.bytes.wrapping_add(message.bytes as i64);
        self.early += u64::from(message.received < message.sent);
    }

    pub fn received(&mut self, message: &Message) {
        self.messages -= 1;
        self.bytes = self.bytes.wrapping_sub(message.bytes as i64);
    }
}
