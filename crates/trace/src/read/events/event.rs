//! One event.

use super::Events;
use crate::action::Action;
use crate::error::{Error, Result};
use crate::table::{Signature, Tables};

/// The wall clock of a call, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamps {
    /// When the last call of the rank ended until this one began.
    pub gap: u64,
    /// How long it took.
    pub inside: u64,
}

/// A call. One pointer, because larger ones would be copied on their way.
#[derive(Clone, Copy)]
pub struct Event<'a>(pub(super) &'a Events);

impl<'a> Event<'a> {
    /// Its number in the rank, from zero.
    pub fn position(self) -> u64 {
        self.0.position - 1
    }

    /// The number of its signature.
    #[inline]
    pub fn number(self) -> usize {
        self.0.now.number
    }

    /// Its constant parts.
    #[inline]
    pub fn signature(self) -> &'a Signature {
        &self.0.tables.all_signatures()[self.0.now.number]
    }

    /// Its varying parts.
    #[inline]
    pub fn values(self) -> &'a [i64] {
        let last = self.0.last[self.0.now.number];
        &self.0.parts[last.at as usize..][..last.length as usize]
    }

    /// Computation before it, in nanoseconds.
    #[inline]
    pub fn before(self) -> u64 {
        self.0.now.before
    }

    /// Its wall clock, if that was recorded.
    #[inline]
    pub fn stamps(self) -> Option<Stamps> {
        self.0.columns.has_stamps.then_some(self.0.now.stamps)
    }

    /// What it does.
    #[inline]
    pub fn action(self) -> Result<Action<'a>> {
        let signature = self.signature();
        Action::join(signature.kind, &signature.constants, self.values()).ok_or_else(|| self.senseless())
    }

    #[cold]
    fn senseless(self) -> Error {
        self.0.rank.damaged(self.0.place, format!("call {} makes no sense", self.position()))
    }

    /// The function's name.
    pub fn name(self) -> &'a str {
        self.0.tables.name(self.signature().name).unwrap_or_default()
    }

    /// What it refers to.
    pub fn tables(self) -> &'a Tables {
        &self.0.tables
    }

    /// The block that it stands in: its number among those that count, and the wall clock at its beginning.
    pub(crate) fn block(self) -> (usize, u64) {
        (self.0.next_block, self.0.wall)
    }
}
