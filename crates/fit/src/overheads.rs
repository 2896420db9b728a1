//! Overheads of processors (LogGP's o): sending, receiving, starting an immediate operation,
//! copying an unexpected message.
//!
//! On real machines a call timed alone may cost more than within an echo, where its time is hidden
//! in a wait. No side is therefore fitted with more than the whole one-way time.
//!
//! If the step at the eager limit is far smaller than two control messages would take, most of an
//! empty message's time is the wake-up of a sleeping receiver, and is counted as its overhead.

use panto_machine::Protocol;
use panto_stats::Line;

use crate::estimate::{Estimate, weighted_median};
use crate::fitter::{Component, Fitter, Points};
use crate::known_network::KnownNetwork;
use crate::network;
use crate::observations::Observations;
use crate::piecewise::{Piece, PiecewiseLinear};

/// Overheads of processors.
#[derive(Debug, Clone, PartialEq)]
pub struct Overheads {
    /// Overhead of the sender, by size.
    pub send: PiecewiseLinear,
    /// Overhead of the receiver, by size, including `wakeup`.
    pub receive: PiecewiseLinear,
    /// Additional overhead of an immediate operation.
    pub immediate: Estimate,
    /// Whether an unexpected message is copied once more; `None` if unknown.
    pub copies_unexpected: Option<bool>,
    /// Seconds of the receiver's overhead that wake a sleeping receiver; see [`wakeup_cost`].
    pub wakeup: f64,
    /// Whether overheads were measured. If not, the network has all of a message's time.
    pub measured: bool,
}

/// Size in bytes from which on a copy is visible beside a receive.
const MIN_COPY_BYTES: u64 = 512;

/// Part of a message's time below which a step at the limit is noise.
const MIN_STEP: f64 = 0.1;

impl Overheads {
    /// Fits `calibrate/overhead`, given the protocol of standard sends. `copy` is the time per byte
    /// of a copy, `whole` the one-way time by size.
    pub fn new(
        observed: &Observations,
        known: &KnownNetwork,
        fitter: &Fitter,
        protocol: Protocol,
        copy: Option<Estimate>,
        whole: &PiecewiseLinear,
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
        let immediate = difference(&started, &up_to(points("blocking"), network::rendezvous_limit(protocol)))
            .unwrap_or_default()
            .not_negative();
        let early = up_to(points("receive"), limit);
        // Between hosts a long message arrives while its receiver waits; within a host the receiver
        // itself copies it.
        let posted = up_to(points("posted"), limit.filter(|_| known.shared_links));
        let receive = if posted.is_empty() { &early } else { &posted };
        let curve = |component: Component, points: &Points, most: &dyn Fn(u64) -> f64| {
            let capped = |(bytes, seconds): &(u64, f64)| (*bytes, seconds.clamp(0.0, most(*bytes).max(0.0)));
            let points: Points = points.iter().map(capped).collect();
            if points.is_empty() { PiecewiseLinear::zero() } else { fitter.fit(component, &points, limit) }
        };
        let blocking: Points =
            started.iter().map(|(bytes, seconds)| (*bytes, seconds - immediate.value)).collect();
        let send = curve(Component::Send, &blocking, &|bytes| whole.at(bytes));
        let rendezvous_above = network::rendezvous_limit(protocol);
        let empty =
            receive.first().map_or(0.0, |(bytes, seconds)| whole.at(*bytes) - send.at(*bytes) - seconds);
        // A rendezvous crosses the network three times (RTS, CTS, data) before its receive
        // completes.
        let handshake = |bytes: u64| {
            if rendezvous_above.is_some_and(|most| bytes > most) { 3.0 * empty.max(0.0) } else { 0.0 }
        };
        let receive_curve =
            curve(Component::Receive, receive, &|bytes| whole.at(bytes) - send.at(bytes) - handshake(bytes));
        let wakeup = rendezvous_above
            .filter(|_| !receive.is_empty())
            .map_or_else(PiecewiseLinear::zero, |most| wakeup_cost(most, whole, &send, &receive_curve));
        Self {
            measured: !started.is_empty() && !receive.is_empty(),
            send,
            receive: receive_curve.plus(&wakeup),
            wakeup: wakeup.at(0),
            copies_unexpected: copies_unexpected(&early, &posted, copy.map(|copy| copy.value)),
            immediate,
        }
    }

    /// Returns the overhead of both sides.
    pub fn both(&self) -> PiecewiseLinear {
        self.send.plus(&self.receive)
    }
}

/// Returns the time to wake a receiver, for eager sizes. Where the step at the eager limit is far
/// smaller than a request and a clear to send would take (each as long as an empty message), most
/// of an empty message's time is not the network's: the receiver sleeps and is woken once, however
/// many control messages precede the data.
fn wakeup_cost(
    limit: u64,
    whole: &PiecewiseLinear,
    send: &PiecewiseLinear,
    receive: &PiecewiseLinear,
) -> PiecewiseLinear {
    let rest = |bytes: u64| whole.at(bytes) - send.at(bytes) - receive.at(bytes);
    let step = (rest(limit.saturating_add(1)) - rest(limit)).max(0.0);
    let wakeup = (rest(0) - step / 2.0).min(rest(0));
    if wakeup <= MIN_STEP * whole.at(limit) {
        return PiecewiseLinear::zero();
    }
    let line = |intercept: f64| Line { intercept, slope: 0.0 };
    PiecewiseLinear::new(vec![Piece::exact(Some(limit), line(wakeup)), Piece::exact(None, line(0.0))])
}

/// Returns the median difference of two curves at the sizes that both have.
fn difference(above: &Points, below: &Points) -> Option<Estimate> {
    let one = |(bytes, seconds): &(u64, f64)| {
        let (_, less) = below.iter().find(|(size, _)| size == bytes)?;
        Some((seconds - less, 1.0 / seconds.max(1e-12)))
    };
    weighted_median(&above.iter().filter_map(one).collect::<Vec<_>>())
}

/// Returns whether receiving an unexpected message takes as much longer as a copy does.
fn copies_unexpected(early: &Points, posted: &Points, copy: Option<f64>) -> Option<bool> {
    let copy = copy.filter(|copy| *copy > 0.0)?;
    let extra = |(bytes, seconds): &(u64, f64)| {
        let (_, less) = posted.iter().find(|(size, _)| size == bytes)?;
        (*bytes >= MIN_COPY_BYTES).then(|| ((seconds - less) / (copy * *bytes as f64), *bytes as f64))
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
        let with_step = |step: f64| {
            PiecewiseLinear::new(vec![piece(Some(4096), 26.0, 0.0), piece(None, 26.0 + step, 0.001)])
        };
        let (send, receive) = (PiecewiseLinear::line(0.1, 0.0), PiecewiseLinear::line(0.4, 0.0));
        // RTS and CTS would take 51: all but half of the step is spent once.
        let wakeup = wakeup_cost(4096, &with_step(1.0), &send, &receive);
        assert!((wakeup.at(0) - (25.5 - 0.5 * (1.0 + 4.097))).abs() < 1e-9, "{}", wakeup.at(0));
        assert!(wakeup.at(5_000).abs() < 1e-12);
        assert_eq!(wakeup_cost(4096, &with_step(60.0), &send, &receive), PiecewiseLinear::zero());
    }
}
