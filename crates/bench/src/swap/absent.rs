//! Protocols that do not exist on a transport, or equal another: the table states this instead of
//! repeating a figure.

use panto_results::swap::{CacheMode, Loop, Special};
use panto_transport::{SendMode, Transport};

use super::experiment::Experiment;

/// Returns why there is nothing to measure, if so. The result is the same on all ranks.
pub(super) fn why<T: Transport>(transport: &T, experiment: &Experiment) -> Option<String> {
    no_cache(transport, experiment)
        .or_else(|| nothing_to_prepost(experiment))
        .or_else(|| no_native(transport, experiment))
        .or_else(|| same_mode(transport, experiment))
}

fn no_cache<T: Transport>(transport: &T, experiment: &Experiment) -> Option<String> {
    (matches!(experiment.mode, CacheMode::Cold | CacheMode::Invalidated) && transport.is_virtual())
        .then(|| "a simulated machine has no caches: the same as warm".into())
}

fn nothing_to_prepost(experiment: &Experiment) -> Option<String> {
    (experiment.order == Loop::Prepost && !experiment.protocol.can_prepost())
        .then(|| "nothing is posted or started: the same as the basic loop".into())
}

fn no_native<T: Transport>(transport: &T, experiment: &Experiment) -> Option<String> {
    (experiment.protocol.special == Some(Special::Native) && !transport.has_send_receive()).then(|| {
        if transport.oversubscribed() && !transport.is_virtual() {
            "ranks outnumber cores: the message layer's own call would hold the core while it waits".into()
        } else {
            "the message layer has no send-receive call of its own, only those of (0,3)".into()
        }
    })
}

fn same_mode<T: Transport>(transport: &T, experiment: &Experiment) -> Option<String> {
    let Experiment { protocol, order, bytes, .. } = experiment;
    let plain = transport.equivalent_mode(protocol.mode, *bytes);
    let same = protocol.with_mode(plain).filter(|same| *same != protocol)?;
    let handshake = match (protocol.mode, order) {
        (SendMode::Ready, Loop::Basic) => " and a handshake",
        _ => "",
    };
    Some(format!("a {} send is a {plain} one here: the same as {}{handshake}", protocol.mode, same.id()))
}
