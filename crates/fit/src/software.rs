//! What processors pay for a message: overheads (`LogGP`'s o), the price of starting an operation, the copy of a message that
//! came too early.

use panto_machine::Protocol;

use crate::curve::{Fitter, Points};
use crate::estimate::{Estimate, weighted_median};
use crate::law::Law;
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
    /// Were they measured? If not, all of a message's time is the network's.
    pub measured: bool,
}

/// From this size on a copy is long enough to be seen beside a receive.
const WORTH_A_COPY: u64 = 512;

impl Software {
    /// From `calibrate/overhead`, given how a standard send behaves; `copy` are the seconds of a byte; `whole` is what a message
    /// takes one way. On real machines a call that is timed alone may cost more than in an echo, where it waits anyway; no
    /// side is taken to pay more than the whole.
    pub fn new(
        observed: &Observed,
        fitter: &Fitter,
        protocol: Protocol,
        copy: Option<f64>,
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
        let posted = points("posted");
        let receive = if posted.is_empty() { &early } else { &posted };
        let law = |points: &Points, most: &dyn Fn(u64) -> f64| {
            let capped = |(bytes, seconds): &(u64, f64)| (*bytes, seconds.clamp(0.0, most(*bytes).max(0.0)));
            let points: Points = points.iter().map(capped).collect();
            if points.is_empty() { Law::zero() } else { fitter.law(&points, limit) }
        };
        let blocking: Points =
            started.iter().map(|(bytes, seconds)| (*bytes, seconds - immediate.value)).collect();
        let send = law(&blocking, &|bytes| whole.at(bytes));
        let receive_law = law(receive, &|bytes| whole.at(bytes) - send.at(bytes));
        Self {
            measured: !started.is_empty() && !receive.is_empty(),
            send,
            receive: receive_law,
            copies: copies(&early, &posted, copy),
            immediate,
        }
    }

    /// Both sides together.
    pub fn both(&self) -> Law {
        self.send.plus(&self.receive)
    }
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
