//! Finite space for messages that are sent before they are received.

/// The space for buffered messages, where it is limited.
///
/// A message takes whole units of it, at least one. A message that could not fit into all of the
/// space takes none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendBuffer {
    /// Where the space is, and with that what a send without room does.
    pub side: BufferSide,
    /// The bytes of the space.
    pub space: u64,
    /// The bytes of a unit, from 1 to `space`.
    pub unit: u64,
}

/// Where the space for buffered messages is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferSide {
    /// Every processor reserves the space for each other processor that sends to it. A message
    /// without room is not sent before earlier ones have been received: NX/2's buffers for short
    /// messages.
    Receiver,
    /// Every processor has the space for the standard messages that it has sent. One without room
    /// is sent from the program's memory, so that the send waits for its arrival: PUPPET's
    /// "no-space" send.
    Sender,
}

impl BufferSide {
    /// Both sides, with their names in model files.
    pub const NAMED: [(&'static str, Self); 2] = [("receiver", Self::Receiver), ("sender", Self::Sender)];

    /// The name in model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Receiver => "receiver",
            Self::Sender => "sender",
        }
    }
}

impl SendBuffer {
    /// The units of the space.
    pub fn units(&self) -> u64 {
        self.space / self.unit.max(1)
    }

    /// The units that a message takes; `None` if it could not fit into all of the space.
    #[inline]
    pub fn units_of(&self, bytes: u64) -> Option<u64> {
        let units = bytes.div_ceil(self.unit.max(1)).max(1);
        (units <= self.units()).then_some(units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_take_whole_units() {
        let buffer = SendBuffer { side: BufferSide::Receiver, space: 450, unit: 100 };
        assert_eq!(buffer.units(), 4);
        let units = |bytes| buffer.units_of(bytes);
        assert_eq!([0, 1, 100, 101, 400].map(units), [Some(1), Some(1), Some(1), Some(2), Some(4)]);
        assert_eq!([401, u64::MAX].map(units), [None, None]);
    }
}
