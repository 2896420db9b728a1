//! The assumptions of a fit, and what to measure to do without them.

use panto_machine::{Protocol, Switching};

use crate::known_network::KnownNetwork;
use crate::launches;
use crate::machine_parameters::MachineParameters;
use crate::observations::{EagerRange, Observations};

const CALIBRATE: &str = "`panto calibrate` measures it";

/// Returns the notes of a fit. `launches` is the number of launches behind the intervals.
pub fn notes(
    observed: &Observations,
    known: &KnownNetwork,
    figures: &MachineParameters,
    launches: usize,
) -> Vec<String> {
    let MachineParameters { network, software, gap, .. } = figures;
    let through = !matches!(known.switching, Switching::Packet | Switching::Wormhole { .. });
    let waits = matches!(network.protocol, Protocol::Synchronous);
    let mut notes = Vec::new();
    let mut when = |holds: bool, text: String| {
        if holds {
            notes.push(text);
        }
    };
    when(true, format!("topology and switching: {}", known.source));
    when(
        !software.measured,
        format!("no overheads among the results: the link has all of a message's time; {CALIBRATE}"),
    );
    when(
        software.wakeup > 0.0,
        format!(
            "the step at the eager limit is too small for a request and a clear to send as long as an empty message: {} of each message are attributed to waking its receiver",
            panto_units::time(software.wakeup)
        ),
    );
    when(
        !network.protocol_known,
        format!(
            "the eager limit is unknown: sends are buffered, and steps are pieces of the link; {CALIBRATE}"
        ),
    );
    if let Some(EagerRange::AtLeast(most)) = observed.eager {
        when(
            true,
            format!("all sends are eager, up to the largest size tried, {}", panto_units::bytes(most)),
        );
    }
    when(
        through && network.hop.is_none(),
        format!(
            "only {} was measured: the time of a hop is part of the link's start-up",
            links(network.links)
        ),
    );
    when(
        software.measured && gap.is_none() && !waits,
        "no gap between messages beyond the cost of processors and links was observed; it is 0".into(),
    );
    when(
        software.measured && software.copies_unexpected.is_none(),
        format!("whether unexpected messages are copied once more is unknown; {CALIBRATE}"),
    );
    when(
        observed.rates.is_empty(),
        format!("copy and reduction rates are unknown: copies and reductions take no time; {CALIBRATE}"),
    );
    let ends = network.near.breaks();
    let unsure: Vec<String> = ends.iter().filter_map(|end| between(observed, *end)).collect();
    when(
        !unsure.is_empty(),
        format!(
            "breakpoints lie between measured sizes: {}; the roundest number was taken",
            unsure.join(", ")
        ),
    );
    when(
        observed.suspect > 0,
        format!(
            "{} suspect points were excluded (poor, or few samples and more than twice the time of a larger message): the machine was busy; measure for longer (-t)",
            observed.suspect
        ),
    );
    when(true, certainty(observed, launches));
    notes
}

/// Describes where the intervals come from.
fn certainty(observed: &Observations, launches: usize) -> String {
    if observed.exact {
        return "times are free of noise: parameters are exact and have no intervals".into();
    }
    if launches >= launches::MIN_LAUNCHES {
        return format!(
            "intervals are bootstrapped over {launches} launches, or over points where that is wider"
        );
    }
    format!(
        "intervals are bootstrapped over points and hold for this launch; fit {} or more launches (`panto calibrate --results`) for intervals between launches",
        launches::MIN_LAUNCHES
    )
}

fn links(count: u32) -> String {
    if count == 1 { "the distance of one link".into() } else { format!("the distance of {count} links") }
}

/// Describes the measured sizes on both sides of a break, unless they leave no choice.
fn between(observed: &Observations, end: u64) -> Option<String> {
    if observed.eager == Some(EagerRange::UpTo(end)) || end == 0 {
        return None;
    }
    let sizes = || observed.echo.values().flatten().map(|(bytes, _)| *bytes);
    let last = sizes().filter(|bytes| *bytes <= end).max()?;
    let first = sizes().filter(|bytes| *bytes > end).min()?;
    (first > last + 1).then(|| {
        format!(
            "{} in {} to {}",
            panto_units::bytes(end),
            panto_units::bytes(last),
            panto_units::bytes(first)
        )
    })
}
