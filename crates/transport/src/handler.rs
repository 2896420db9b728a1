//! Message-driven receive (C19).

use panto_units::Time;

use crate::message::{Status, Tag};

/// A function that is called with the envelope, the bytes and the time of arrival of a message. It
/// runs concurrently with its rank and therefore cannot use the transport, which belongs to the
/// rank; but the message that it returns is sent.
pub type Handler = Box<dyn FnMut(Status, &[u8], Time) -> Option<HandlerMessage> + Send>;

/// A message that a handler sends on behalf of its rank. It must fit into the buffers of the
/// message layer, because no rank waits for its completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandlerMessage {
    /// The destination.
    pub to: usize,
    /// The tag.
    pub tag: Tag,
    /// The bytes.
    pub data: Vec<u8>,
}

/// A registered handler, which is removed when this is dropped. Dropping blocks until the handler
/// has processed the messages that have arrived.
#[must_use = "the handler stops listening when this is dropped"]
pub struct HandlerGuard {
    stop: Option<Box<dyn FnOnce() + Send>>,
}

impl HandlerGuard {
    /// Makes a guard that calls `stop` when dropped. `stop` must return only when the handler will
    /// not run again.
    pub fn new(stop: impl FnOnce() + Send + 'static) -> Self {
        Self { stop: Some(Box::new(stop)) }
    }
}

impl Drop for HandlerGuard {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            stop();
        }
    }
}
