//! From measurements to a machine model: fits the parameters of the simulator to benchmark records
//! and writes them as a model file, each figure with its source and its confidence interval.
//!
//! # Which record determines which parameter
//!
//! Every parameter has an experiment of its own, in the tradition of Kielmann, Bal and Verstoep
//! (2000) for LogGP's parameters:
//!
//! | kernel | varied | determines |
//! |---|---|---|
//! | `comet/echo` | `hops` or `distance`, `bytes` | one-way time T(n, d): link latency and time per byte, time of a hop |
//! | `calibrate/overhead` | `variant`, `bytes` | overheads o: `send` (an immediate send), `receive` (a receive whose message has arrived); if present, `blocking` (a blocking eager send) and `posted` (the wait for a receive posted in time whose message has arrived) |
//! | `calibrate/gap` | `messages`, `bytes` | gap g, and how long a message occupies a link, from the time of n messages in a row, less that of one (PRTT, see `gap`) |
//! | `calibrate/eager` | | eager limit S, found by bisection: `figures.eager_limit`, or `eager_at_least` |
//! | `calibrate/pairs`, `comet/contention`, `cm5/message-set` | `pairs` or `load`, `bytes` | contention factors (only reported) |
//! | `calibrate/rates` | `variant`, `bytes` or `length` | copy, strided copy, reduction and daxpy of a processor |
//! | `scenario/only` with the library's own collectives, `comet/broadcast`, `comet/reduction`, `comet/barrier` | | the algorithm of each collective |
//! | `comet/overlap` | | overlap of computation and communication, beside that of the model (only reported) |
//!
//! # Steps
//!
//! 1. *Points* (`observations`). A sample is the mean of a batch of repetitions, a point's time the
//!    median of its samples. A *launch* is one start of the measuring program. Launches are pooled
//!    by the median of each size. Suspect points (`suspect_points`), with few samples and more than
//!    twice the time of a larger, well measured message, are excluded and counted.
//! 2. *Structure* (`machine_parameters`), from all launches together: the protocol and its limit,
//!    *residue classes* (sizes that are multiples of some number, and all others), breakpoints.
//! 3. *Curves* (`fitter`). Time by size is piecewise linear. Breakpoints are found by exact dynamic
//!    programming: of all segmentations, the one with the least sum of absolute relative residuals
//!    plus a penalty for each segment. Relative, so that small messages count as much as large
//!    ones; absolute, so that outliers do not pull a line. Sizes below and above the eager limit,
//!    and residue classes, are fitted separately.
//! 4. *Decomposition* (`network`, `overheads`). From the one-way curve the overheads of both sides
//!    and the hops are subtracted; the rest is the link. A step at the eager limit is the handshake
//!    of the rendezvous protocol. If the step is far smaller than two control messages would take,
//!    most of an empty message's time is the wake-up of a sleeping receiver, and is counted as its
//!    overhead.
//! 5. *Uncertainty* (`launches`). Every figure has a 95 % interval: a bootstrap over the pooled
//!    points, widened by one over launches if there are three or more. Times of a virtual clock
//!    have no interval. The model as a whole has a grade (`quality`).
//! 6. *Collectives* (`collectives`). Every candidate algorithm is simulated on the fitted machine;
//!    the rules are the sequence of algorithms with the least misfit plus a cost for each change.
//! 7. *Writing* (`model`). Curves are made `representable`, already in step 4 for the links: a
//!    model file has no negative start-ups or rates; pieces that have them are replaced by the
//!    closest ones that do not, and neighbours that differ by less than the noise are merged.
//!
//! Topology and switching are never fitted: they come from [`FitOptions::like`], from the machine
//! that was simulated, or from the placement of ranks (`known_network`). What is assumed is listed
//! in [`Fitted::notes`].
//!
//! The code P16 in comments is a requirement, a row of `docs/conformance.md`.

#![forbid(unsafe_code)]

mod collectives;
mod contention;
mod curves;
mod derived;
mod error;
mod estimate;
mod fitted;
mod fitter;
mod gap;
mod known_network;
mod launches;
mod machine_parameters;
mod model;
mod network;
mod notes;
mod observations;
mod occupancy;
mod options;
mod origin;
mod overheads;
mod overlap;
mod piecewise;
mod quality;
mod rates;
mod refine;
mod representable;
mod simulation;
mod suspect_points;
mod write;

pub use error::Error;
pub use fitted::{Curve, Fitted, FittedPoint, Parameter, RuleFile, Unit};
pub use options::{FitOptions, Launch};
pub use quality::ModelQuality;

use panto_machine::Model;
use panto_results::{Manifest, Record};

use known_network::KnownNetwork;
use machine_parameters::{MachineParameters, ModelStructure};
use model::FittedMachine;
use observations::Observations;

/// Fits a machine to the records of one launch, or of several that are not distinguished.
/// `manifests` are those of the launches.
pub fn fit(records: &[Record], manifests: &[Manifest], request: &FitOptions) -> Result<Fitted, Error> {
    fit_all(records, &[records], manifests, request)
}

/// Fits a machine to the records of several launches. Figures that three or more launches determine
/// have intervals that hold for other launches, not only for other points of the same.
pub fn fit_launches(launches: &[Launch<'_>], request: &FitOptions) -> Result<Fitted, Error> {
    let records: Vec<Record> = launches.iter().flat_map(|launch| launch.records).cloned().collect();
    let manifests: Vec<Manifest> = launches.iter().map(|launch| launch.manifest.clone()).collect();
    let spans: Vec<&[Record]> = launches.iter().map(|launch| launch.records).collect();
    fit_all(&records, &spans, &manifests, request)
}

fn fit_all(
    records: &[Record],
    launches: &[&[Record]],
    manifests: &[Manifest],
    request: &FitOptions,
) -> Result<Fitted, Error> {
    origin::check(records, manifests)?;
    let by_launch = Observations::by_launch(launches)?;
    let observed = Observations::pooled(&by_launch);
    let known = KnownNetwork::new(manifests, request, &observed)?;
    let (figures, launches) = with_launch_intervals(&by_launch, &observed, &known)?;
    let origin = manifests.first().map_or_else(|| "results without a manifest".into(), origin::describe);
    let name = request.name.clone().unwrap_or_else(|| "fitted".into());
    let mut machine = FittedMachine {
        name: &name,
        about: &format!("Fitted to {origin}"),
        known: &known,
        parameters: &figures,
        observed: &observed,
        collectives: (vec![], "assumed: those of MPICH".into()),
        overlap: None,
        quality: None,
    };
    // Collectives are simulated on the machine without rules of its own.
    let (text, _) = machine.write();
    let model = Model::parse(&text, "the fitted model", &[])?;
    let detected = collectives::detect(records, manifests, model.machine(), &name);
    let overlap = overlap::compare(records, manifests, model.machine());
    machine.collectives = (detected.lines, detected.source);
    machine.overlap = overlap.source;
    let curves = curves::fitted_curves(&observed, &known, model.machine(), &figures.network.near);
    let quality = ModelQuality::new(records, &curves);
    machine.quality = quality.as_ref();
    let (text, mut parameters) = machine.write();
    parameters.extend(derived::parameters(&figures));
    parameters.extend(contention::parameters(&observed));
    parameters.extend(overlap.parameters);
    let mut notes = notes::notes(&observed, &known, &figures, launches);
    notes.extend(detected.notes);
    notes.extend(overlap.note);
    Ok(Fitted { model: text, rules: detected.file, parameters, curves, notes, quality })
}

/// Returns the parameters of all launches together, with intervals widened by the spread between
/// launches, and the number of launches behind the intervals.
fn with_launch_intervals(
    launches: &[Observations],
    all: &Observations,
    known: &KnownNetwork,
) -> Result<(MachineParameters, usize), Error> {
    let structure = ModelStructure::new(all, known)?;
    let mut figures = structure.parameters(all, known)?;
    // Results files of other kernels are launches too, but without message times.
    let with_echo: Vec<&Observations> =
        launches.iter().filter(|launch| network::times_by_links(launch, known).is_ok()).collect();
    if with_echo.len() < launches::MIN_LAUNCHES || all.exact {
        return Ok((figures, 1));
    }
    let alone: Vec<MachineParameters> = with_echo
        .iter()
        .filter_map(|launch| structure.parameters(&launch.completed_from(all), known).ok())
        .collect();
    let sizes = all.echo.values().flatten().map(|(bytes, _)| *bytes);
    launches::widen(&mut figures, &alone, sizes.max().unwrap_or(1));
    Ok((figures, alone.len()))
}
