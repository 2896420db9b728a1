//! Message-driven receive (C19).

use panto_units::Time;

use crate::message::Status;

/// What runs when a message arrives, and when that is on the rank's clock. It runs beside the rank, and so never
/// touches the transport: an endpoint belongs to its rank.
pub type Handler = Box<dyn FnMut(Status, &[u8], Time) + Send>;

/// A handler that listens, until this is dropped. Dropping waits for the messages that came already.
#[must_use = "the handler stops listening when this is dropped"]
pub struct Listening {
    stop: Option<Box<dyn FnOnce() + Send>>,
}

impl Listening {
    /// `stop` must return only when the handler will not run again.
    pub fn new(stop: impl FnOnce() + Send + 'static) -> Self {
        Self { stop: Some(Box::new(stop)) }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            stop();
        }
    }
}
