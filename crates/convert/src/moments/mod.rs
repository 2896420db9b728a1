//! What happened in a timeline, in the order of time, whatever its length: what every export begins with.
//!
//! A timeline is read in slices of time, each as wide as fits into memory ([`Slices`]). What is at one moment is in one slice, and its
//! order does not depend on where slices end: messages that are sent, messages that are received, then what ranks begin and end.

mod slice;
mod slices;
mod tracks;
#[cfg(test)]
pub mod trial;

use panto_timeline::{State, Timeline};
use panto_units::Time;

use crate::error::Result;
pub use slice::{Parcel, Slice};
pub use slices::{MOST, Slices};
pub use tracks::Tracks;

/// Something that happened on a rank or helper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment<'a> {
    /// It sent a message.
    Sent(&'a Parcel),
    /// It had a message.
    Received(&'a Parcel),
    /// It began something.
    Begin(&'a State),
    /// It ended that.
    End(&'a State),
    /// It came into a call, before what it does there. Calls that follow each other without anything in between are one.
    Enter(u32),
    /// It left the call, after what it did there.
    Leave(u32),
}

/// Tells everything in its order: when, on which line (rank or helper), and what.
pub fn for_each(
    timeline: &Timeline,
    most: usize,
    mut tell: impl FnMut(Time, u32, Moment<'_>) -> Result<()>,
) -> Result<()> {
    let mut slices = Slices::new(timeline, most);
    while let Some(slice) = slices.advance()? {
        for (at, line, moment) in slice.moments() {
            tell(at, line, moment)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything, as text.
    fn told(timeline: &Timeline, most: usize) -> Vec<String> {
        let mut told = Vec::new();
        let all = for_each(timeline, most, |at, line, moment| {
            told.push(format!("{} {line} {moment:?}", at.as_picos()));
            Ok(())
        });
        all.unwrap_or_else(|error| panic!("{error}"));
        told
    }

    #[test]
    fn the_order_does_not_depend_on_slices() {
        let folder = tempfile::tempdir().expect("a folder");
        let timeline = trial::timeline(folder.path());
        let whole = told(&timeline, MOST);
        let (states, messages) = timeline.counts();
        let moments = |name: &str| whole.iter().filter(|line| line.contains(name)).count() as u64;
        assert_eq!((moments(" Begin("), moments(" End(")), (states, states));
        assert_eq!((moments(" Sent("), moments(" Received(")), (messages, messages));
        assert_eq!(moments(" Enter("), moments(" Leave("));
        for most in [1, 7, 100] {
            assert!(told(&timeline, most) == whole, "in slices of {most}");
        }
    }

    #[test]
    fn what_a_line_begins_it_ends_in_turn() {
        let folder = tempfile::tempdir().expect("a folder");
        let timeline = trial::timeline(folder.path());
        let mut open: Vec<Vec<String>> = vec![Vec::new(); trial::LINES];
        let all = for_each(&timeline, 50, |_, line, moment| {
            let open = &mut open[line as usize];
            match moment {
                Moment::Enter(call) => open.push(format!("{call}")),
                Moment::Begin(state) => open.push(format!("{state:?}")),
                Moment::Leave(call) => assert_eq!(open.pop(), Some(format!("{call}"))),
                Moment::End(state) => assert_eq!(open.pop(), Some(format!("{state:?}"))),
                Moment::Sent(_) | Moment::Received(_) => {}
            }
            Ok(())
        });
        all.unwrap_or_else(|error| panic!("{error}"));
        assert!(open.iter().all(Vec::is_empty), "{open:?}");
    }
}
