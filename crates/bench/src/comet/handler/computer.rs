//! The rank that computes while messages arrive.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use panto_transport::{Handler, HandlerMessage, Selector, SendMode, Time, Transport, WaitPolicy};

use super::{COMPUTING, MESSAGES, SENDER, unsupported};
use crate::comet::tag;
use crate::error::{Error, Result};
use crate::pattern;

/// Times of one round, as the computing rank saw them.
pub(super) struct Report {
    /// Start of the computation.
    pub(super) start: Time,
    /// End of the computation.
    pub(super) end: Time,
    /// Times at which the handler ran, in the order of the messages.
    pub(super) arrived: Vec<Time>,
}

impl Report {
    pub(super) const BYTES: usize = (2 + MESSAGES) * size_of::<u64>();

    fn encode(&self) -> Vec<u8> {
        let times = [self.start, self.end].into_iter().chain(self.arrived.iter().copied());
        times.flat_map(|time| time.as_picos().to_ne_bytes()).collect()
    }

    pub(super) fn decode(bytes: &[u8]) -> Self {
        let mut times = bytes.as_chunks().0.iter().map(|word| Time::from_picos(u64::from_ne_bytes(*word)));
        let mut next = || times.next().unwrap_or_default();
        Self { start: next(), end: next(), arrived: times.collect() }
    }
}

/// Computes in rounds until an empty order arrives, with a handler that sends messages back if it
/// `replies`.
pub(super) fn compute_rounds<T: Transport>(transport: &T, replies: bool) -> Result<()> {
    let arrivals = Arc::new(Arrivals::default());
    let listening = transport.on_message(tag::HANDLER, arrivals.handler(replies)).map_err(explained)?;
    transport.send(SendMode::Standard, &[], SENDER, tag::HANDLER_READY)?;
    let order = Selector::new(SENDER, tag::HANDLER_ORDER);
    while transport.receive(&mut [0], order)?.len > 0 {
        let start = transport.now();
        transport.compute(COMPUTING);
        let end = transport.now();
        let arrived = arrivals.all(transport)?;
        transport.send(
            SendMode::Standard,
            &Report { start, end, arrived }.encode(),
            SENDER,
            tag::HANDLER_REPORT,
        )?;
    }
    drop(listening);
    Ok(())
}

fn explained(error: panto_transport::Error) -> Error {
    match error {
        panto_transport::Error::Unsupported(what) => unsupported(what),
        other => other.into(),
    }
}

/// Time to sleep between two checks for the last messages of a round.
const POLL_INTERVAL: Time = Time::from_nanos(50_000);

/// Arrival times noted by the handler.
#[derive(Default)]
struct Arrivals {
    noted: Mutex<(Vec<Time>, Option<String>)>,
}

impl Arrivals {
    /// Returns a handler that notes arrivals and, if it `replies`, sends what it got back.
    fn handler(self: &Arc<Self>, replies: bool) -> Handler {
        let arrivals = Arc::clone(self);
        Box::new(move |_, data, now| {
            arrivals.note(now, data);
            let reply = || HandlerMessage { to: SENDER, tag: tag::HANDLER_REPLY, data: data.to_vec() };
            replies.then(reply)
        })
    }

    fn note(&self, arrived: Time, data: &[u8]) {
        let mut noted = self.lock();
        let checked = pattern::check(data, SENDER, noted.0.len() as u64);
        noted.0.push(arrived);
        noted.1 = noted.1.take().or(checked.err());
    }

    /// Waits for the rest of a round's messages and takes all their times.
    fn all<T: Transport>(&self, transport: &T) -> Result<Vec<Time>> {
        while self.lock().0.len() < MESSAGES {
            transport.wait_until(transport.now() + POLL_INTERVAL, WaitPolicy::Sleep)?;
        }
        let (times, wrong) = std::mem::take(&mut *self.lock());
        wrong.map_or(Ok(times), |what| Err(transport.abort(&format!("wrong data: {what}")).into()))
    }

    fn lock(&self) -> MutexGuard<'_, (Vec<Time>, Option<String>)> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_decodes_to_itself() {
        let arrived: Vec<Time> = (0..MESSAGES as u64).map(Time::from_nanos).collect();
        let report = Report { start: Time::from_picos(3), end: Time::from_picos(u64::MAX), arrived };
        let bytes = report.encode();
        assert_eq!(bytes.len(), Report::BYTES);
        let back = Report::decode(&bytes);
        assert_eq!((back.start, back.end, back.arrived), (report.start, report.end, report.arrived));
    }

    #[test]
    fn wrong_bytes_are_reported() {
        let arrivals = Arrivals::default();
        let mut data = [0; 9];
        pattern::fill(&mut data, SENDER, 0);
        arrivals.note(Time::ZERO, &data);
        assert!(arrivals.lock().1.is_none());
        arrivals.note(Time::ZERO, &data);
        assert!(arrivals.lock().1.is_some());
    }
}
