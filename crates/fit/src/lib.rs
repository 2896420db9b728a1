//! From measurements to a machine model: what `panto fit` and `panto calibrate` write is what `panto simulate` reads.
//!
//! [`fit()`] takes records of any suite and answers with the text of a model file, each figure with its source and its
//! interval. Which records it understands, and what it takes from them:
//!
//! | kernel | parameters | what it is taken for |
//! |---|---|---|
//! | `comet/echo` | `hops` or `distance`, `bytes` | T(n, d), one way |
//! | `calibrate/overhead` | `variant`, `bytes` | `send`: the start of an immediate send; `receive`: a receive whose message came long ago; and where they are there, `blocking`: a blocking send that nobody keeps waiting; `posted`: the wait for a receive that was posted in time and whose message is there |
//! | `calibrate/gap` | `messages`, `bytes` | PRTT(n, 0, s) |
//! | `calibrate/eager` | | `figures`: `eager_limit`, or `eager_at_least` |
//! | `calibrate/pairs`, `comet/contention`, `cm5/message-set` | `pairs` or `load`, `bytes` | what sharing a way costs |
//! | `calibrate/rates` | `variant`, `bytes` or `length` | what a processor's work takes |
//! | `comet/broadcast` (open), `comet/reduction`, `comet/barrier` and others that are collectives | | which algorithm carries them out |
//! | `comet/overlap` | | how much of a message computation hides |
//!
//! Topology and switching are taken as known ([`Request::like`], or the manifest's machine); they are never guessed.

#![forbid(unsafe_code)]

mod collectives;
mod curve;
mod curves;
mod derived;
mod error;
mod estimate;
mod fitted;
mod gap;
mod known;
mod law;
mod model;
mod network;
mod notes;
mod observe;
mod occupancy;
mod origin;
mod rates;
mod request;
mod shape;
mod sharing;
mod software;
mod write;

pub use error::Error;
pub use fitted::{Curve, Fitted, Observed, Parameter, RuleFile, Unit};
pub use request::Request;

use panto_bench::results::{Manifest, Record};
use panto_machine::Model;

use curve::{Fitter, Points};
use known::Known;
use law::Law;
use model::Parts;
use observe::merged;
use software::Software;

/// Fits a machine to what was measured on it. `manifests` are those of the launches that the records come from.
pub fn fit(records: &[Record], manifests: &[Manifest], request: &Request) -> Result<Fitted, Error> {
    origin::check(records, manifests)?;
    let observed = observe::Observed::new(records)?;
    let known = Known::new(manifests, request, &observed)?;
    let (network, software, occupancy) = message(&observed, &known)?;
    let copy = rates::of(&observed, "copy").map_or(0.0, |rate| rate.value);
    let gap = gap::gap(&observed, &software, &network, known.switching, copy);
    let origin = manifests.first().map_or_else(|| "results without a manifest".into(), origin::of);
    let name = request.name.clone().unwrap_or_else(|| "fitted".into());
    let mut parts = Parts {
        name: &name,
        about: &format!("Fitted to {origin}"),
        known: &known,
        network: &network,
        software: &software,
        gap,
        occupancy,
        observed: &observed,
        collectives: (vec![], "assumed: those of MPICH".into()),
    };
    // Collectives are simulated on the machine that the rest makes.
    let (text, _) = parts.write();
    let model =
        Model::parse(&text, "the fitted model", &[]).map_err(|error| Error::new(error.to_string()))?;
    let found = collectives::detect(records, manifests, model.machine(), &name);
    parts.collectives = (found.lines, found.source);
    let (text, mut parameters) = parts.write();
    parameters.extend(derived::parameters(&network, &software, gap));
    parameters.extend(sharing::parameters(&observed, records));
    let curves = curves::all(&observed, &known, model.machine(), &network.near);
    let mut notes = notes::all(&observed, &known, &network, &software, gap);
    notes.extend(found.notes);
    Ok(Fitted { model: text, rules: found.file, parameters, curves, notes })
}

/// What a message between two ranks takes, and whose time that is.
fn message(
    observed: &observe::Observed,
    known: &Known,
) -> Result<(network::Network, Software, Option<Law>), Error> {
    let ways = network::ways(observed, known)?;
    let mut fitter = Fitter { exact: observed.exact, ..Fitter::default() };
    let nearest: Points = ways.first().map(|(_, points)| merged(points)).unwrap_or_default();
    fitter.modulus = fitter.find_modulus(&nearest);
    let protocol = network::protocol(observed, known, &ways, &fitter);
    let limit = network::limit(protocol.0);
    fitter.known.extend(limit);
    // Where the whole time breaks, so do its parts.
    let whole = fitter.law(&nearest, limit);
    fitter.known.extend(whole.ends().into_iter().filter(|end| *end > 0));
    let copy = rates::of(observed, "copy").map(|rate| rate.value);
    let software = Software::new(observed, known, &fitter, protocol.0, copy, &whole);
    let network = network::solve(observed, known, protocol, &ways, &software, &fitter);
    let occupancy = occupancy::occupancy(observed, known, &network, &fitter);
    Ok((network, software, occupancy))
}
