//! The spans that are in use by started messages.

use std::collections::BTreeMap;

use crate::{Buffer, Fault, Span};

/// The spans being sent and received between two waits.
///
/// Intervals are kept merged and sorted, so that checking against k started messages takes O(log k)
/// and a thousand outstanding requests stay cheap.
#[derive(Default)]
pub(crate) struct InFlight {
    sending: [Intervals; 3],
    receiving: [Intervals; 3],
    started: bool,
}

impl InFlight {
    /// Returns an error if the span cannot be read now.
    pub fn read(&self, span: Span) -> Result<(), Fault> {
        if self.receiving[slot(span.buffer)].touches(span) { Err(Fault::BeingReceived(span)) } else { Ok(()) }
    }

    /// Returns an error if the span cannot be written now.
    pub fn write(&self, span: Span) -> Result<(), Fault> {
        self.read(span)?;
        if self.sending[slot(span.buffer)].touches(span) { Err(Fault::BeingSent(span)) } else { Ok(()) }
    }

    /// Records the start of a send of the span.
    pub fn start_send(&mut self, span: Span) {
        self.started = true;
        self.sending[slot(span.buffer)].add(span);
    }

    /// Records the start of a receive into the span.
    pub fn start_receive(&mut self, span: Span) {
        self.started = true;
        self.receiving[slot(span.buffer)].add(span);
    }

    /// Records that all started messages are complete.
    pub fn wait_all(&mut self) {
        *self = InFlight::default();
    }

    /// Returns whether a started message has not been waited for.
    pub fn pending(&self) -> bool {
        self.started
    }
}

/// Disjoint, merged intervals by their start.
#[derive(Default)]
struct Intervals(BTreeMap<usize, usize>);

impl Intervals {
    fn touches(&self, span: Span) -> bool {
        let end = span.start + span.len;
        // Disjoint intervals are sorted by their ends as well: only the last that starts before
        // `end` can overlap.
        span.len > 0 && self.0.range(..end).next_back().is_some_and(|(_, &other_end)| other_end > span.start)
    }

    fn add(&mut self, span: Span) {
        if span.len == 0 {
            return;
        }
        let (mut start, mut end) = (span.start, span.start + span.len);
        while let Some((&other_start, &other_end)) = self.0.range(..=end).next_back() {
            if other_end < start {
                break;
            }
            start = start.min(other_start);
            end = end.max(other_end);
            self.0.remove(&other_start);
        }
        self.0.insert(start, end);
    }
}

fn slot(buffer: Buffer) -> usize {
    match buffer {
        Buffer::Input => 0,
        Buffer::Output => 1,
        Buffer::Scratch => 2,
    }
}
