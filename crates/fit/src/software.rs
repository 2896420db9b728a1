//! What processors pay for a message: overheads (`LogGP`'s o), the price of starting an operation, the copy of a message that
//! came too early.

use panto_machine::Protocol;
use panto_stats::Line;

use crate::curve::{Fitter, Part, Points};
use crate::estimate::{Estimate, weighted_median};
use crate::known::Known;
use crate::law::{Law, Piece};
use crate::network;
use crate::observe::Observed;

/// What processors pay.
#[derive(Debug, Clone, PartialEq)]
pub struct Software {
    /// The sender.
    pub send: Law,
    /// The receiver.
    pub receive: Law,
    /// On top, for an operation that is started and waited for later.
    pub immediate: Estimate,
    /// Is a message that came before its receive copied once more? `None` if nothing tells.
    pub copies: Option<bool>,
    /// What of the receiver's share is not its own call, but that it must be woken; see [`waking`].
    pub woken: f64,
    /// Were they measured? If not, all of a message's time is the network's.
    pub measured: bool,
}

/// From this size on a copy is long enough to be seen beside a receive.
const WORTH_A_COPY: u64 = 512;

/// A step at the limit that is off by less than this part of a message is noise.
const WORTH_A_STEP: f64 = 0.1;

impl Software {
    /// From `calibrate/overhead`, given how a standard send behaves; `copy` is what a byte takes that is copied; `whole` is what a message
    /// takes one way. On real machines a call that is timed alone may cost more than in an echo, where it waits anyway; no
    /// side is taken to pay more than the whole.
    pub fn new(
        observed: &Observed,
        known: &Known,
        fitter: &Fitter,
        protocol: Protocol,
        copy: Option<Estimate>,
        whole: &Law,
    ) -> Self {
        let points = |variant: &str| observed.overhead.get(variant).cloned().unwrap_or_default();
        let limit = match protocol {
            Protocol::Eager { limit } => Some(limit),
            _ => None,
        };
        let up_to = |points: Points, most: Option<u64>| -> Points {
            points.into_iter().filter(|(bytes, _)| most.is_none_or(|most| *bytes <= most)).collect()
        };
        let started = points("send");
        let immediate = difference(&started, &up_to(points("blocking"), network::limit(protocol)))
            .unwrap_or_default()
            .not_negative();
        let early = up_to(points("receive"), limit);
        // Between hosts a long message comes over the cable while its receiver waits; within a host the receiver itself fetches it.
        let posted = up_to(points("posted"), limit.filter(|_| known.cables));
        let receive = if posted.is_empty() { &early } else { &posted };
        let law = |part: Part, points: &Points, most: &dyn Fn(u64) -> f64| {
            let capped = |(bytes, seconds): &(u64, f64)| (*bytes, seconds.clamp(0.0, most(*bytes).max(0.0)));
            let points: Points = points.iter().map(capped).collect();
            if points.is_empty() { Law::zero() } else { fitter.law(part, &points, limit) }
        };
        let blocking: Points =
            started.iter().map(|(bytes, seconds)| (*bytes, seconds - immediate.value)).collect();
        let send = law(Part::Send, &blocking, &|bytes| whole.at(bytes));
        let asks = network::limit(protocol);
        let empty =
            receive.first().map_or(0.0, |(bytes, seconds)| whole.at(*bytes) - send.at(*bytes) - seconds);
        // A message that asks goes over the way three times before its receiver is done.
        let ways =
            |bytes: u64| if asks.is_some_and(|most| bytes > most) { 3.0 * empty.max(0.0) } else { 0.0 };
        let receive_law =
            law(Part::Receive, receive, &|bytes| whole.at(bytes) - send.at(bytes) - ways(bytes));
        let woken = asks
            .filter(|_| !receive.is_empty())
            .map_or_else(Law::zero, |most| waking(most, whole, &send, &receive_law));
        Self {
            measured: !started.is_empty() && !receive.is_empty(),
            send,
            receive: receive_law.plus(&woken),
            woken: woken.at(0),
            copies: copies(&early, &posted, copy.map(|copy| copy.value)),
            immediate,
        }
    }

    /// Both sides together.
    pub fn both(&self) -> Law {
        self.send.plus(&self.receive)
    }
}

/// What a receiver pays to be woken, for messages that do not ask. Where the step at the limit is far too small for a request and a
/// grant that each take as long as an empty message, most of an empty message's time is not the network's: it is that of a receiver
/// that sleeps and is woken once, however many messages precede the data.
fn waking(limit: u64, whole: &Law, send: &Law, receive: &Law) -> Law {
    let rest = |bytes: u64| whole.at(bytes) - send.at(bytes) - receive.at(bytes);
    let step = (rest(limit.saturating_add(1)) - rest(limit)).max(0.0);
    let woken = (rest(0) - step / 2.0).min(rest(0));
    if woken <= WORTH_A_STEP * whole.at(limit) {
        return Law::zero();
    }
    let line = |intercept: f64| Line { intercept, slope: 0.0 };
    Law::new(vec![Piece::exact(Some(limit), line(woken)), Piece::exact(None, line(0.0))])
}

/// By how much one is above the other, at the sizes that both have.
fn difference(above: &Points, below: &Points) -> Option<Estimate> {
    let one = |(bytes, seconds): &(u64, f64)| {
        let (_, less) = below.iter().find(|(size, _)| size == bytes)?;
        Some((seconds - less, 1.0 / seconds.max(1e-12)))
    };
    weighted_median(&above.iter().filter_map(one).collect::<Vec<_>>())
}

/// Does it take a copy longer to receive a message that came too early?
fn copies(early: &Points, posted: &Points, copy: Option<f64>) -> Option<bool> {
    let copy = copy.filter(|copy| *copy > 0.0)?;
    let extra = |(bytes, seconds): &(u64, f64)| {
        let (_, less) = posted.iter().find(|(size, _)| size == bytes)?;
        (*bytes >= WORTH_A_COPY).then(|| ((seconds - less) / (copy * *bytes as f64), *bytes as f64))
    };
    let share = weighted_median(&early.iter().filter_map(extra).collect::<Vec<_>>())?;
    Some(share.value > 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_step_at_the_limit_means_that_receivers_sleep() {
        let piece = |up_to, intercept, slope| Piece::exact(up_to, Line { intercept, slope });
        let asks = |step: f64| Law::new(vec![piece(Some(4096), 26.0, 0.0), piece(None, 26.0 + step, 0.001)]);
        let (send, receive) = (Law::line(0.1, 0.0), Law::line(0.4, 0.0));
        // Request and grant would take 51: all but half of the step is spent once.
        let woken = waking(4096, &asks(1.0), &send, &receive);
        assert!((woken.at(0) - (25.5 - 0.5 * (1.0 + 4.097))).abs() < 1e-9, "{}", woken.at(0));
        assert!(woken.at(5_000).abs() < 1e-12);
        assert_eq!(waking(4096, &asks(60.0), &send, &receive), Law::zero());
    }
}
