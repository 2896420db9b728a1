//! Windows of messages: bandwidth in one direction, in both, and of many pairs at once.

use panto_results::{KernelInfo, Metric, Point, Record, kernel, param};
use panto_transport::{Selector, SendMode, Transport, scope};

use super::Options;
use super::pairs::{MinSize, by_size, even_ranks, in_halves, one_pair, sizes};
use super::tag;
use crate::comet::echo::Role;
use crate::comet::pair::{TESTER, partner};
use crate::error::Result;
use crate::kernel::Pattern;
use crate::measure::{Checked, Lab, Operation, Timing};
use crate::pattern;
use crate::settings::Settings;

/// Bytes between the starts of two messages of a window in the send buffer: each differs from the
/// next, and none needs memory of its own. A cache line, so that all are equally aligned.
pub(super) const STEP: usize = 64;

/// Upper bound in bytes of all windows of a host together, for default sizes.
const MAX_MEMORY: u64 = 2 << 30;

/// Bytes per second from one rank to another, by size: `osu_bw`, `IMB Uniband`.
#[derive(Debug, Clone, Copy)]
pub struct Bandwidth;

/// Bytes per second between two ranks that send to each other, by size: `osu_bibw`, `IMB Biband`.
#[derive(Debug, Clone, Copy)]
pub struct Bidirectional;

/// Bytes and messages per second of all pairs at once, by size: `osu_mbw_mr`, `IMB Uniband`.
#[derive(Debug, Clone, Copy)]
pub struct MultiBandwidth;

impl Pattern for Bandwidth {
    fn name(&self) -> &'static str {
        kernel::classic::BANDWIDTH
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        windows(settings, one_pair(settings)?)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let flow = match Role::of(lab.transport.rank(), TESTER, partner(lab, point)?) {
            Role::Tester(to) => Flow::Source(to),
            Role::Partner(from) => Flow::Sink(from),
            Role::Alone | Role::Idle => Flow::None,
        };
        measure(lab, self.info(), point, (flow, Metric::on(TESTER)), 1)
    }
}

impl Pattern for Bidirectional {
    fn name(&self) -> &'static str {
        kernel::classic::BIDIRECTIONAL
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        windows(settings, one_pair(settings)?)
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let flow = match Role::of(lab.transport.rank(), TESTER, partner(lab, point)?) {
            Role::Tester(with) | Role::Partner(with) => Flow::Both(with),
            Role::Alone | Role::Idle => Flow::None,
        };
        measure(lab, self.info(), point, (flow, Metric::on(TESTER)), 2)
    }
}

impl Pattern for MultiBandwidth {
    fn name(&self) -> &'static str {
        kernel::classic::MULTI_BANDWIDTH
    }

    fn points(&self, settings: &Settings, _earlier: &[Record]) -> Result<Vec<Point>> {
        windows(settings, even_ranks(self.info(), settings)?.into_iter().map(Point::new).collect())
    }

    fn run<T: Transport>(&self, lab: &mut Lab<'_, T>, point: &Point) -> Result<Option<Record>> {
        let flow = match in_halves(lab.transport.rank(), lab.transport.size()) {
            Role::Tester(to) => Flow::Source(to),
            Role::Partner(from) => Flow::Sink(from),
            Role::Alone | Role::Idle => Flow::None,
        };
        measure(lab, self.info(), point, (flow, Metric::longest()), point.ranks / 2)
    }
}

/// Returns the points with the window of the options.
fn windows(settings: &Settings, points: Vec<Point>) -> Result<Vec<Point>> {
    let options = settings.options.get::<Options>();
    options.check()?;
    let window = options.window as u64;
    let of_world = |point: Point| {
        let receivers = if point.separation().is_some() { 2 } else { point.ranks as u64 };
        let largest = MAX_MEMORY / receivers.saturating_mul(window).max(1);
        by_size(&[point.with(param::WINDOW, window)], &sizes(settings, MinSize::One, largest.max(1)))
    };
    Ok(points.into_iter().flat_map(of_world).collect())
}

/// Measures windows, with `streams` of them in flight at once.
fn measure<T: Transport>(
    lab: &mut Lab<'_, T>,
    info: &KernelInfo,
    point: &Point,
    (flow, metric): (Flow, Metric),
    streams: usize,
) -> Result<Option<Record>> {
    let (bytes, window) = (point.get(param::BYTES), point.get(param::WINDOW));
    let mut operation = Stream::new(lab.transport, flow, bytes, window);
    let samples = lab.measure(Timing::batched(metric), &mut operation)?;
    let messages = streams * window;
    Ok(samples.map(|samples| Record {
        moved: Some((messages * bytes) as u64),
        messages: Some(messages as u64),
        ..Record::new(info.name, point, samples)
    }))
}

/// Role of a rank in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// Sends a window, and waits for its acknowledgement.
    Source(usize),
    /// Receives a window, and acknowledges it.
    Sink(usize),
    /// Sends one and receives one.
    Both(usize),
    /// Takes no part.
    None,
}

impl Flow {
    fn sends_to(self) -> Option<usize> {
        match self {
            Self::Source(other) | Self::Both(other) => Some(other),
            Self::Sink(_) | Self::None => None,
        }
    }

    fn receives_from(self) -> Option<usize> {
        match self {
            Self::Sink(other) | Self::Both(other) => Some(other),
            Self::Source(_) | Self::None => None,
        }
    }
}

/// One window. What is sent is not rewritten for the next one, as in OSU's benchmarks.
struct Stream<'a, T> {
    transport: &'a T,
    flow: Flow,
    window: usize,
    bytes: usize,
    sent: Vec<u8>,
    received: Vec<u8>,
    round: u64,
}

impl<'a, T: Transport> Stream<'a, T> {
    fn new(transport: &'a T, flow: Flow, bytes: usize, window: usize) -> Self {
        let sent = flow.sends_to().map_or(0, |_| overlapping(bytes, window));
        let received = flow.receives_from().map_or(0, |_| window * bytes);
        Self { transport, flow, window, bytes, sent: vec![0; sent], received: vec![0; received], round: 0 }
    }

    /// Transfers the messages. Receives are posted first, so that none is unexpected.
    fn messages(&mut self) -> panto_transport::Result<()> {
        let Self { transport, flow, window, bytes, sent, received, .. } = self;
        scope(*transport, |s| {
            if let Some(from) = flow.receives_from() {
                let mut rest = received.as_mut_slice();
                for _ in 0..*window {
                    let (message, others) = rest.split_at_mut(*bytes);
                    rest = others;
                    let _ = s.receive(message, Selector::new(from, tag::DATA))?;
                }
            }
            if let Some(to) = flow.sends_to() {
                for message in 0..*window {
                    let _ = s.send(SendMode::Standard, &sent[message * STEP..][..*bytes], to, tag::DATA)?;
                }
            }
            Ok::<_, panto_transport::Error>(())
        })
    }
}

/// Returns the bytes of `messages` messages that begin a [`STEP`] apart.
pub(super) fn overlapping(bytes: usize, messages: usize) -> usize {
    bytes + STEP * messages.saturating_sub(1)
}

/// Compares consecutive messages with those that `sender` took from one buffer.
pub(super) fn check_window(
    received: &[u8],
    bytes: usize,
    messages: usize,
    sender: usize,
    round: u64,
) -> Checked {
    let mut expected = vec![0; overlapping(bytes, messages)];
    pattern::fill(&mut expected, sender, round);
    for message in 0..messages {
        let (found, right) = (&received[message * bytes..][..bytes], &expected[message * STEP..][..bytes]);
        if let Some(place) =
            (found != right).then(|| found.iter().zip(right).position(|(a, b)| a != b)).flatten()
        {
            return Err(format!(
                "byte {place} of {bytes} of message {message} from rank {sender} is {}, not {}",
                found[place], right[place]
            ));
        }
    }
    Ok(())
}

impl<T: Transport> Operation for Stream<'_, T> {
    fn prepare(&mut self, round: u64) {
        self.round = round;
        pattern::fill(&mut self.sent, self.transport.rank(), round);
        self.received.fill(0);
    }

    fn run(&mut self) -> panto_transport::Result<()> {
        self.messages()?;
        match self.flow {
            Flow::Source(to) => self.transport.receive(&mut [], Selector::new(to, tag::ACK)).map(drop),
            Flow::Sink(from) => self.transport.send(SendMode::Standard, &[], from, tag::ACK),
            Flow::Both(_) | Flow::None => Ok(()),
        }
    }

    fn verify(&mut self) -> Checked {
        let Some(from) = self.flow.receives_from() else { return Ok(()) };
        check_window(&self.received, self.bytes, self.window, from, self.round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_in_the_wrong_place_of_the_window_is_noticed() {
        let (bytes, messages) = (100, 3);
        let mut sent = vec![0; overlapping(bytes, messages)];
        pattern::fill(&mut sent, 5, 9);
        let lines = |order: [usize; 3]| order.map(|message| &sent[message * STEP..][..bytes]).concat();
        assert_eq!(check_window(&lines([0, 1, 2]), bytes, messages, 5, 9), Ok(()));
        let error = check_window(&lines([0, 2, 1]), bytes, messages, 5, 9).unwrap_err();
        assert!(error.contains("message 1 from rank 5"), "{error}");
        assert!(check_window(&lines([0, 1, 2]), bytes, messages, 5, 8).is_err());
        assert_eq!(check_window(&[], 0, 3, 5, 9), Ok(()));
    }
}
