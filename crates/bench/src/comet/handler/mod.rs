//! Message-driven receive: the delay of a handler while its rank computes, and of a message that it
//! sends (C19).

mod computer;

use std::time::Instant;

use panto_random::SplitMix64;
use panto_results::{Clock, Metric, Point, Record, Samples, StopReason, kernel, param};
use panto_transport::{Selector, SendMode, Time, Transport, WaitPolicy};

use super::tag;
use crate::error::{Error, Result};
use crate::kernel::Pattern;
use crate::measure::Lab;
use crate::pattern;
use crate::settings::Settings;
use computer::{Report, compute_rounds};

/// The rank that sends and keeps the samples: the root.
const SENDER: usize = 0;
/// The rank that computes, with a handler.
const COMPUTER: usize = 1;
/// Time of the computation of one round, without calls to the transport.
const COMPUTING: Time = Time::from_nanos(100_000_000);
/// Part of a round within which its messages are sent: the computation must have started, and not
/// have ended.
const SENDING: std::ops::Range<f64> = 0.05..0.85;
/// Messages of a round. A point has at least one round.
const MESSAGES: usize = 20;
const SIZES: [u64; 3] = [8, 1 << 10, 64 << 10];

/// Time from the send to the handler, by message size.
#[derive(Debug, Clone, Copy)]
pub struct Handler;

/// Time from the send to the arrival of the message that the handler sends back, by message size.
#[derive(Debug, Clone, Copy)]
pub struct HandlerReply;

impl Pattern for Handler {
    fn name(&self) -> &'static str {
        kernel::comet::HANDLER
    }

    fn available(&self, settings: &Settings) -> Result<()> {
        available(self.name(), settings)
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        Ok(points(settings))
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        measure(lab, self.name(), point, Metric { clock: Clock::SendToHandler, half: false })
    }
}

impl Pattern for HandlerReply {
    fn name(&self) -> &'static str {
        kernel::comet::HANDLER_REPLY
    }

    fn available(&self, settings: &Settings) -> Result<()> {
        available(self.name(), settings)
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        Ok(points(settings))
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        measure(lab, self.name(), point, Metric::on(SENDER))
    }
}

fn available(kernel: &str, settings: &Settings) -> Result<()> {
    if settings.has_handlers {
        return Ok(());
    }
    Err(Error::usage(format!(
        "{kernel} needs threads that call MPI (MPI_THREAD_MULTIPLE), which make all other kernels slower; run it alone, \
         over a library that provides them"
    )))
}

fn points(settings: &Settings) -> Vec<Point> {
    let sizes = settings.sizes.clone().unwrap_or_else(|| SIZES.to_vec());
    sizes.iter().map(|&bytes| Point::new(settings.world()).with(param::BYTES, bytes)).collect()
}

/// Measures until the handler, or until its reply if the clock is that of the sender.
fn measure<T: Transport>(
    lab: &mut Lab<'_, T>,
    kernel: &str,
    point: &Point,
    metric: Metric,
) -> Result<Option<Record>> {
    if !lab.transport.shares_clock() {
        return Err(unsupported("ranks that share a clock"));
    }
    let samples = match lab.transport.rank() {
        SENDER => Some(Sender::new(lab, point.get(param::BYTES), metric).measure()?),
        COMPUTER => compute_rounds(lab.transport, replies(metric)).map(|()| None)?,
        _ => None,
    };
    let clock_error = lab.compare_clocks()?;
    let samples = samples.map(|samples| Samples { clock_error, ..samples });
    Ok(samples.map(|samples| Record::new(kernel, point, samples)))
}

/// Returns whether the handler sends messages back.
fn replies(metric: Metric) -> bool {
    metric.clock != Clock::SendToHandler
}

fn unsupported(what: &str) -> Error {
    Error::usage(format!(
        "the handler kernels of comet need {what}, which this transport does not support; omit them"
    ))
}

/// The rank that sends and keeps the samples.
struct Sender<'l, 'a, T: Transport> {
    lab: &'l Lab<'a, T>,
    data: Vec<u8>,
    /// The message that came back.
    reply: Vec<u8>,
    rng: SplitMix64,
    nanos: Vec<f64>,
    late: u64,
    metric: Metric,
}

impl<'l, 'a, T: Transport> Sender<'l, 'a, T> {
    fn new(lab: &'l Lab<'a, T>, bytes: usize, metric: Metric) -> Self {
        let rng = SplitMix64::new(lab.settings.seed);
        let (data, reply) = (vec![0; bytes], vec![0; bytes]);
        Self { lab, data, reply, rng, nanos: Vec::new(), late: 0, metric }
    }

    fn measure(mut self) -> Result<Samples> {
        let deadline = Instant::now() + self.lab.budget();
        self.lab.transport.receive(&mut [], Selector::new(COMPUTER, tag::HANDLER_READY))?;
        let stop = loop {
            if let Some(stop) = self.enough(deadline) {
                break stop;
            }
            self.round()?;
        };
        self.lab.transport.send(SendMode::Standard, &[], COMPUTER, tag::HANDLER_ORDER)?;
        Ok(Samples {
            disturbed: Vec::new(),
            all_disturbed: false,
            first_to_last: Vec::new(),
            nanos: self.nanos,
            batch: 1,
            late: self.late,
            stop,
            start: self.lab.start(),
            metric: self.metric,
            empty_nanos: 0.0,
            clock_error: None,
        })
    }

    fn enough(&self, deadline: Instant) -> Option<StopReason> {
        let stop = self.lab.enough(&self.nanos, self.late, deadline)?;
        (stop == StopReason::Interrupted || self.nanos.len() >= MESSAGES || Instant::now() >= deadline)
            .then_some(stop)
    }

    /// Sends at random times while the other rank computes, then requests the times of arrival.
    fn round(&mut self) -> Result<()> {
        self.lab.transport.send(SendMode::Standard, &[1], COMPUTER, tag::HANDLER_ORDER)?;
        let start = self.lab.transport.now();
        let mut sent = Vec::with_capacity(MESSAGES);
        let mut replied = Vec::new();
        for (sequence, moment) in self.moments().into_iter().enumerate() {
            pattern::fill(&mut self.data, SENDER, sequence as u64);
            // Sleeps rather than spins: this core may be the one that the handler will run on.
            self.lab.transport.wait_until(start + moment, WaitPolicy::Sleep)?;
            sent.push(self.lab.transport.now());
            self.lab.transport.send(SendMode::Standard, &self.data, COMPUTER, tag::HANDLER)?;
            if replies(self.metric) {
                replied.push(self.reply(sequence as u64)?);
            }
        }
        let mut report = [0; Report::BYTES];
        self.lab.transport.receive(&mut report, Selector::new(COMPUTER, tag::HANDLER_REPORT))?;
        let report = Report::decode(&report);
        let ends = if replies(self.metric) { &replied } else { &report.arrived };
        self.keep(&sent, ends, report.start..report.end);
        Ok(())
    }

    /// Waits for the message that the handler sends back; returns when it arrived.
    fn reply(&mut self, sequence: u64) -> Result<Time> {
        let transport = self.lab.transport;
        transport.receive(&mut self.reply, Selector::new(COMPUTER, tag::HANDLER_REPLY))?;
        let arrived = transport.now();
        pattern::check(&self.reply, SENDER, sequence)
            .map_err(|what| transport.abort(&format!("wrong data in the reply: {what}")))?;
        Ok(arrived)
    }

    fn moments(&mut self) -> Vec<Time> {
        let mut share = || SENDING.start + self.rng.unit() * (SENDING.end - SENDING.start);
        let moment = |share: f64| Time::from_picos((COMPUTING.as_picos() as f64 * share) as u64);
        let mut moments: Vec<Time> = (0..MESSAGES).map(|_| moment(share())).collect();
        moments.sort_unstable();
        moments
    }

    /// Keeps the messages sent while the other rank computed, whenever they arrived: otherwise slow
    /// arrivals would be dropped.
    fn keep(&mut self, sent: &[Time], ends: &[Time], computing: std::ops::Range<Time>) {
        for (sent, end) in sent.iter().zip(ends) {
            if computing.contains(sent) {
                self.nanos.push(end.since(*sent).as_nanos());
            } else {
                self.late += 1;
            }
        }
    }
}
