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
//! | `scenario/only` of the library's own, `comet/broadcast`, `comet/reduction`, `comet/barrier` | | which algorithm carries a collective out |
//! | `comet/overlap` | | how much of a message computation hides, beside what it hides on the model |
//!
//! Topology and switching are taken as known ([`Request::like`], or the manifest's machine); they are never guessed.

#![forbid(unsafe_code)]

mod collectives;
mod curve;
mod curves;
mod derived;
mod error;
mod estimate;
mod figures;
mod fitted;
mod gap;
mod known;
mod launches;
mod law;
mod model;
mod moods;
mod network;
mod notes;
mod observe;
mod occupancy;
mod origin;
mod overlap;
mod rates;
mod request;
mod shape;
mod sharing;
mod software;
mod stage;
mod write;

pub use error::Error;
pub use fitted::{Curve, Fitted, Observed, Parameter, RuleFile, Unit};
pub use request::{Launch, Request};

use panto_bench::results::{Manifest, Record};
use panto_machine::Model;

use figures::{Basis, Figures};
use known::Known;
use model::Parts;

/// Fits a machine to what was measured on it in one launch, or in several that nobody tells apart. `manifests` are those of the
/// launches that the records come from.
pub fn fit(records: &[Record], manifests: &[Manifest], request: &Request) -> Result<Fitted, Error> {
    fit_spans(records, &[records], manifests, request)
}

/// Fits a machine to what was measured on it in several launches. Where three or more have a figure, its interval is that of
/// launches, and not only that of points.
pub fn fit_launches(launches: &[Launch<'_>], request: &Request) -> Result<Fitted, Error> {
    let records: Vec<Record> = launches.iter().flat_map(|launch| launch.records).cloned().collect();
    let manifests: Vec<Manifest> = launches.iter().map(|launch| launch.manifest.clone()).collect();
    let spans: Vec<&[Record]> = launches.iter().map(|launch| launch.records).collect();
    fit_spans(&records, &spans, &manifests, request)
}

fn fit_spans(
    records: &[Record],
    launches: &[&[Record]],
    manifests: &[Manifest],
    request: &Request,
) -> Result<Fitted, Error> {
    origin::check(records, manifests)?;
    let by_launch = observe::Observed::by_launch(launches)?;
    let observed = observe::Observed::pooled(&by_launch);
    let known = Known::new(manifests, request, &observed)?;
    let (figures, launches) = by_launches(&by_launch, &observed, &known)?;
    let origin = manifests.first().map_or_else(|| "results without a manifest".into(), origin::of);
    let name = request.name.clone().unwrap_or_else(|| "fitted".into());
    let mut parts = Parts {
        name: &name,
        about: &format!("Fitted to {origin}"),
        known: &known,
        figures: &figures,
        observed: &observed,
        collectives: (vec![], "assumed: those of MPICH".into()),
        overlap: None,
    };
    // Collectives are simulated on the machine that the rest makes.
    let (text, _) = parts.write();
    let model =
        Model::parse(&text, "the fitted model", &[]).map_err(|error| Error::new(error.to_string()))?;
    let found = collectives::detect(records, manifests, model.machine(), &name);
    let overlap = overlap::compare(records, manifests, model.machine());
    parts.collectives = (found.lines, found.source);
    parts.overlap = overlap.source;
    let (text, mut parameters) = parts.write();
    parameters.extend(derived::parameters(&figures));
    parameters.extend(sharing::parameters(&observed));
    parameters.extend(overlap.parameters);
    let curves = curves::all(&observed, &known, model.machine(), &figures.network.near);
    let mut notes = notes::all(&observed, &known, &figures, launches);
    notes.extend(found.notes);
    notes.extend(overlap.note);
    Ok(Fitted { model: text, rules: found.file, parameters, curves, notes })
}

/// The figures of all launches together, with the intervals that single launches give them; and how many launches that were.
fn by_launches(
    launches: &[observe::Observed],
    all: &observe::Observed,
    known: &Known,
) -> Result<(Figures, usize), Error> {
    let basis = Basis::new(all, known)?;
    let mut figures = basis.figures(all, known)?;
    // Files of other kernels are launches, too, but say nothing of messages.
    let speaking: Vec<&observe::Observed> =
        launches.iter().filter(|launch| network::ways(launch, known).is_ok()).collect();
    if speaking.len() < launches::LEAST || all.exact {
        return Ok((figures, 1));
    }
    let alone: Vec<Figures> =
        speaking.iter().filter_map(|launch| basis.figures(&launch.filled(all), known).ok()).collect();
    let sizes = all.echo.values().flatten().map(|(bytes, _)| *bytes);
    launches::widen(&mut figures, &alone, sizes.max().unwrap_or(1));
    Ok((figures, alone.len()))
}
