//! One event.

use super::Events;
use crate::action::Action;
use crate::error::{Error, Result};
use crate::site::CallSite;
use crate::table::{Signature, Tables};

/// The wall-clock times of a call, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamps {
    /// From the end of the rank's last call to the beginning of this one.
    pub gap: u64,
    /// Inside the call.
    pub inside: u64,
}

/// An event: a call. It is one pointer, because a larger value would be copied at each use.
#[derive(Clone, Copy)]
pub struct Event<'a>(pub(super) &'a Events);

impl<'a> Event<'a> {
    /// Returns its position in the stream, from zero.
    pub fn position(self) -> u64 {
        self.0.position - 1
    }

    /// Returns the number of its signature.
    #[inline]
    pub fn number(self) -> usize {
        self.0.now.number
    }

    /// Returns its constant parts.
    #[inline]
    pub fn signature(self) -> &'a Signature {
        &self.0.tables.all_signatures()[self.0.now.number]
    }

    /// Returns its varying parts.
    #[inline]
    pub fn values(self) -> &'a [i64] {
        let last = self.0.last[self.0.now.number];
        &self.0.parts[last.at as usize..][..last.length as usize]
    }

    /// Returns whether its varying parts may differ from those of the last event with this
    /// signature.
    #[inline]
    pub fn is_changed(self) -> bool {
        self.0.now.is_changed
    }

    /// Returns the computation before it, in nanoseconds.
    #[inline]
    pub fn before(self) -> u64 {
        self.0.now.before
    }

    /// Returns its wall-clock times, if they were recorded.
    #[inline]
    pub fn stamps(self) -> Option<Stamps> {
        self.0.columns.has_stamps.then_some(self.0.now.stamps)
    }

    /// Returns what it does.
    #[inline]
    pub fn action(self) -> Result<Action<'a>> {
        let signature = self.signature();
        Action::join(signature.kind, &signature.constants, self.values()).ok_or_else(|| self.senseless())
    }

    #[cold]
    fn senseless(self) -> Error {
        self.0.rank.damaged(self.0.place, format!("call {} makes no sense", self.position()))
    }

    /// Returns the function's name.
    pub fn name(self) -> &'a str {
        self.0.tables.name(self.signature().name).unwrap_or_default()
    }

    /// Returns the place in the program from which the function was called, if it was recorded.
    pub fn site(self) -> Option<&'a CallSite> {
        self.signature().site.and_then(|site| self.0.tables.site(site))
    }

    /// Returns the definitions that it refers to.
    pub fn tables(self) -> &'a Tables {
        &self.0.tables
    }

    /// Returns the position of its block among those that count, and the wall clock at the block's
    /// beginning.
    pub(crate) fn block(self) -> (usize, u64) {
        (self.0.next_block, self.0.wall)
    }
}
