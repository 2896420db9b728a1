//! Lateness of ranks at the collectives of a traced program.
//!
//! Clocks of hosts may differ, so times of different ranks are not compared directly. Compared is
//! the time that each rank took since the last collective of all ranks, or since the start: after
//! one, all continue at nearly the same time. A rank is late by what it took longer than the
//! fastest.

use std::path::Path;

use panto_results::scenario::CollectiveCall;
use panto_trace::{Action, CallForm, Collective, CollectiveKind, Event, Events, Trace};
use panto_transport::Time;

/// Returns how late each rank reaches the collectives of a trace: those of one name, or all; one of
/// them, or the median. The error describes what is wrong.
pub(super) fn read(
    path: &Path,
    collective: Option<&str>,
    number: Option<usize>,
) -> Result<Vec<Time>, String> {
    let pattern = collective.map(kind_of).transpose()?;
    let trace = Trace::open(path).map_err(|error| error.to_string())?;
    if let Some(rank) = trace.missing().iter().next() {
        return Err(format!("{} has no rank {rank}, so its lateness is unknown", path.display()));
    }
    let mut ranks = Vec::new();
    for rank in trace.ranks() {
        let visits = visits(rank.events(), trace.size(), pattern).map_err(|error| error.to_string())?;
        ranks.push(visits);
    }
    let calls = ranks.iter().map(Vec::len).min().unwrap_or(0);
    let name = collective.unwrap_or("collective");
    if calls == 0 {
        return Err(format!("{} has no {name} of all ranks; use a trace that has one", path.display()));
    }
    let late = lateness(&ranks, calls);
    match number {
        None => Ok(late.iter().map(|calls| median(calls)).collect()),
        Some(number) if (1..=calls).contains(&number) => {
            Ok(late.iter().map(|calls| calls[number - 1]).collect())
        }
        Some(number) => {
            Err(format!("{} has no call {number} of {name} by all ranks; there are {calls}", path.display()))
        }
    }
    .map(|nanos: Vec<u64>| nanos.into_iter().map(Time::from_nanos).collect())
}

/// Returns the trace's kind of a collective: a trace does not distinguish equal from unequal
/// blocks.
fn kind_of(name: &str) -> Result<CollectiveKind, String> {
    let call: CollectiveCall = name.parse().map_err(|error: panto_results::Error| error.to_string())?;
    Ok(match call {
        CollectiveCall::Blocks(collective) if collective.is_among_neighbours() => match collective.plain() {
            Collective::Allgather => CollectiveKind::NeighborAllgather,
            _ => CollectiveKind::NeighborAlltoall,
        },
        _ => call.base().into(),
    })
}

/// Returns, for each collective of all ranks, the nanoseconds since the last one.
fn visits(mut events: Events, ranks: u32, wanted: Option<CollectiveKind>) -> panto_trace::Result<Vec<u64>> {
    let (mut visits, mut since) = (Vec::new(), 0_u64);
    while let Some(event) = events.next()? {
        // A trace without timestamps has computation alone, and no waiting time.
        let (before, inside) =
            event.stamps().map_or((event.before(), 0), |stamps| (stamps.gap, stamps.inside));
        since = since.saturating_add(before);
        match of_all(event, ranks)? {
            Some((pattern, form)) => {
                if wanted.is_none_or(|wanted| wanted == pattern) {
                    visits.push(since);
                }
                since = if form == CallForm::Blocking { 0 } else { since.saturating_add(inside) };
            }
            None if matches!(event.action()?, Action::Initialise { .. }) => since = 0,
            None => since = since.saturating_add(inside),
        }
    }
    Ok(visits)
}

/// Returns the kind of a collective in which all ranks take part.
fn of_all(event: Event<'_>, ranks: u32) -> panto_trace::Result<Option<(CollectiveKind, CallForm)>> {
    let Action::Collective { pattern, form, comm, .. } = event.action()? else { return Ok(None) };
    let whole =
        event.tables().comm(comm).is_some_and(|comm| comm.others.is_none() && comm.members.len() == ranks);
    Ok(whole.then_some((pattern, form)))
}

/// Returns, for each rank and call, by how much it took longer than the fastest.
fn lateness(ranks: &[Vec<u64>], calls: usize) -> Vec<Vec<u64>> {
    let quickest: Vec<u64> =
        (0..calls).map(|call| ranks.iter().map(|visits| visits[call]).min().unwrap_or(0)).collect();
    let late = |visits: &Vec<u64>| visits.iter().zip(&quickest).map(|(since, least)| since - least).collect();
    ranks.iter().map(late).collect()
}

fn median(nanos: &[u64]) -> u64 {
    let mut sorted = nanos.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_is_who_takes_longer_than_the_quickest() {
        let ranks = [vec![5, 100, 7], vec![9, 80, 7, 1], vec![5, 80, 107]];
        let late = lateness(&ranks, 3);
        assert_eq!(late, [vec![0, 20, 0], vec![4, 0, 0], vec![0, 0, 100]]);
        assert_eq!(late.iter().map(|calls| median(calls)).collect::<Vec<_>>(), [0, 0, 0]);
        assert_eq!(median(&[4, 9, 1]), 4);
    }
}
