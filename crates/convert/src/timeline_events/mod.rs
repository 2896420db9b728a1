//! Events of a timeline in time order, in bounded memory: the common front end of the timeline
//! exports.
//!
//! A timeline is read in slices of time, each as wide as fits into memory ([`Slices`]). All events
//! of one instant are in one slice, and their order does not depend on where slices end: messages
//! sent, messages received, then starts and ends of states and calls.

mod slice;
mod slices;
#[cfg(test)]
pub mod test_timeline;
mod tracks;

use panto_timeline::{State, Timeline};
use panto_units::Time;

use crate::error::Result;
pub use slice::{MessageInstance, Slice};
pub use slices::{MAX_EVENTS, Slices};
pub use tracks::Tracks;

/// An event on a line of a timeline (a rank or a helper).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimelineEvent<'a> {
    /// A message was sent.
    Sent(&'a MessageInstance),
    /// A message was received.
    Received(&'a MessageInstance),
    /// A state began.
    Begin(&'a State),
    /// A state ended.
    End(&'a State),
    /// An MPI call began; precedes the states in it. Adjacent states of the same call without a gap
    /// belong to one call.
    Enter(u32),
    /// An MPI call ended; follows the states in it.
    Leave(u32),
}

/// Calls `visit` for every event in order, with its time and its line; keeps `most` events in
/// memory.
pub fn for_each(
    timeline: &Timeline,
    most: usize,
    mut visit: impl FnMut(Time, u32, TimelineEvent<'_>) -> Result<()>,
) -> Result<()> {
    let mut slices = Slices::new(timeline, most);
    while let Some(slice) = slices.advance()? {
        for (at, line, event) in slice.events() {
            visit(at, line, event)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all events as text.
    fn listing(timeline: &Timeline, most: usize) -> Vec<String> {
        let mut listing = Vec::new();
        let all = for_each(timeline, most, |at, line, event| {
            listing.push(format!("{} {line} {event:?}", at.as_picos()));
            Ok(())
        });
        all.unwrap_or_else(|error| panic!("{error}"));
        listing
    }

    #[test]
    fn the_order_does_not_depend_on_slices() {
        let folder = tempfile::tempdir().expect("a folder");
        let timeline = test_timeline::timeline(folder.path());
        let whole = listing(&timeline, MAX_EVENTS);
        let (states, messages) = timeline.counts();
        let events = |name: &str| whole.iter().filter(|line| line.contains(name)).count() as u64;
        assert_eq!((events(" Begin("), events(" End(")), (states, states));
        assert_eq!((events(" Sent("), events(" Received(")), (messages, messages));
        assert_eq!(events(" Enter("), events(" Leave("));
        for most in [1, 7, 100] {
            assert!(listing(&timeline, most) == whole, "in slices of {most}");
        }
    }

    #[test]
    fn events_of_a_line_nest() {
        let folder = tempfile::tempdir().expect("a folder");
        let timeline = test_timeline::timeline(folder.path());
        let mut open: Vec<Vec<String>> = vec![Vec::new(); test_timeline::LINES];
        let all = for_each(&timeline, 50, |_, line, event| {
            let open = &mut open[line as usize];
            match event {
                TimelineEvent::Enter(call) => open.push(format!("{call}")),
                TimelineEvent::Begin(state) => open.push(format!("{state:?}")),
                TimelineEvent::Leave(call) => assert_eq!(open.pop(), Some(format!("{call}"))),
                TimelineEvent::End(state) => assert_eq!(open.pop(), Some(format!("{state:?}"))),
                TimelineEvent::Sent(_) | TimelineEvent::Received(_) => {}
            }
            Ok(())
        });
        all.unwrap_or_else(|error| panic!("{error}"));
        assert!(open.iter().all(Vec::is_empty), "{open:?}");
    }
}
