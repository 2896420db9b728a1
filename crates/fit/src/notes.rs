//! What a fit assumes, and what to run to know better.

use panto_machine::{Protocol, Switching};

use crate::figures::Figures;
use crate::known::Known;
use crate::launches;
use crate::observe::{Eager, Observed};

const CALIBRATE: &str = "`panto calibrate` measures it";

/// What was assumed, in sentences. `launches` is how many launches the intervals come from.
pub fn all(observed: &Observed, known: &Known, figures: &Figures, launches: usize) -> Vec<String> {
    let Figures { network, software, gap, .. } = figures;
    let through = !matches!(known.switching, Switching::Packet | Switching::Wormhole { .. });
    let waits = matches!(network.protocol, Protocol::Synchronous);
    let mut notes = Vec::new();
    let mut when = |holds: bool, text: String| {
        if holds {
            notes.push(text);
        }
    };
    when(true, format!("topology and switching are {}", known.source));
    when(
        !software.measured,
        format!("no overheads among the results: all of a message's time is the link's; {CALIBRATE}"),
    );
    when(
        software.woken > 0.0,
        format!(
            "the step at the limit is too small for a request and a grant as long as an empty message: {} of each message are taken to be the waking of its receiver",
            panto_units::time(software.woken)
        ),
    );
    when(
        !network.protocol_known,
        format!(
            "whether a send waits for its receive is not known: sends are buffered, and steps are pieces of the link; {CALIBRATE}"
        ),
    );
    if let Some(Eager::All(most)) = observed.eager {
        when(
            true,
            format!(
                "no send waits for its receive, up to the largest that was tried, {}",
                panto_units::bytes(most)
            ),
        );
    }
    when(
        through && network.hop.is_none(),
        format!(
            "only {} was measured, so that what a hop takes is part of the link's start-up",
            links(network.links)
        ),
    );
    when(software.measured && gap.is_none() && !waits, "a gap between messages is not longer than what a message costs its processors and its link, or was not measured; it is taken as 0".into());
    when(
        software.measured && software.copies.is_none(),
        format!("whether a message that came early is copied once more is not known; {CALIBRATE}"),
    );
    when(
        observed.rates.is_empty(),
        format!("how fast a processor copies and combines is not known, and takes no time; {CALIBRATE}"),
    );
    let ends = network.near.ends();
    let unsure: Vec<String> = ends.iter().filter_map(|end| between(observed, *end)).collect();
    when(
        !unsure.is_empty(),
        format!("pieces end between measured sizes: {}; the roundest number was taken", unsure.join(", ")),
    );
    when(
        observed.left_out > 0,
        format!(
            "{} points are left out: they have few samples, and take more than twice as long as a larger message; the machine was busy, so measure again for longer (-t)",
            observed.left_out
        ),
    );
    when(true, certainty(observed, launches));
    notes
}

/// Where intervals come from.
fn certainty(observed: &Observed, launches: usize) -> String {
    if observed.exact {
        return "times have no noise: figures are exact and have no intervals".into();
    }
    if launches >= launches::LEAST {
        return format!(
            "intervals are those of {launches} launches, drawn with replacement, or of points where those are wider"
        );
    }
    format!(
        "intervals are those of points, and hold for such a launch: with {} launches or more, as by `panto calibrate --results`, they hold for others",
        launches::LEAST
    )
}

fn links(count: u32) -> String {
    if count == 1 { "the distance of one link".into() } else { format!("the distance of {count} links") }
}

/// The measured sizes around the end of a piece, unless they leave no choice.
fn between(observed: &Observed, end: u64) -> Option<String> {
    if observed.eager == Some(Eager::UpTo(end)) || end == 0 {
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
