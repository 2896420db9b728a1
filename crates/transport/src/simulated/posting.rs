//! How sends and receives get to the engine.

use panto_schedule::Collective;
use panto_sim::{Envelope, Manner, RequestId, Selector, costs};
use panto_units::Time;

use super::core::{Busy, Sink};
use super::endpoint::{Endpoint, Quick, check_tag};
use super::meaning;
use crate::error::Error;
use crate::message::{Mode, Tag, Want};

/// What a send costs and how it behaves.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    mode: Mode,
    bytes: u64,
    started: bool,
    operation: Option<Collective>,
    overhead: Time,
    carried: u64,
    manner: Manner,
}

impl Terms {
    /// Of no send.
    pub(super) const NONE: Self = Self {
        mode: Mode::Standard,
        bytes: u64::MAX,
        started: false,
        operation: None,
        overhead: Time::ZERO,
        carried: 0,
        manner: Manner::Buffered,
    };
}

impl Endpoint {
    #[inline]
    pub(super) fn post_send(
        &self,
        mode: Mode,
        data: &[u8],
        to: usize,
        tag: Tag,
        started: bool,
    ) -> Quick<Option<RequestId>> {
        self.check_rank(to)?;
        check_tag(tag)?;
        let terms = self.terms(mode, data.len() as u64, started);
        let Terms { bytes, operation, overhead, carried, manner, .. } = terms;
        let aside = self.is_aside.get();
        let (overhead, manner) = if aside { (Time::ZERO, Manner::Buffered) } else { (overhead, manner) };
        let envelope = Envelope { to: to as u32, tag, bytes, carried, operation, manner, aside };
        // In one step where the processor is the rank's own.
        self.core.work_and_send(self.rank, overhead, envelope, data).or_else(|Busy| {
            self.suspend()?;
            Ok(self.core.send(self.rank, envelope, data))
        })
    }

    /// What a send costs and how it behaves, remembered from the last one: many are alike.
    #[inline]
    pub(super) fn terms(&self, mode: Mode, bytes: u64, started: bool) -> Terms {
        let (last, operation) = (self.terms.get(), self.operation.get());
        if (last.bytes, last.operation, last.mode, last.started) == (bytes, operation, mode, started) {
            return last;
        }
        let machine = &self.core.machine;
        let terms = Terms {
            mode,
            bytes,
            started,
            operation,
            overhead: costs::sending(machine, operation, bytes, started),
            carried: costs::carried(machine, operation, bytes),
            manner: meaning::manner(machine, operation, mode, bytes),
        };
        self.terms.set(terms);
        terms
    }

    /// # Safety
    /// As for [`Core::receive`].
    #[inline]
    pub(super) unsafe fn post_receive(&self, sink: Sink, want: Want) -> Quick<RequestId> {
        let selector = self.selector(want)?;
        if selector.source.is_none() {
            self.take_order()?;
        }
        // SAFETY: the caller.
        Ok(unsafe { self.core.receive(self.rank, selector, sink) })
    }

    pub(super) fn selector(&self, want: Want) -> Quick<Selector> {
        want.source.map_or(Ok(()), |source| self.check_rank(source))?;
        want.tag.map_or(Ok(()), check_tag)?;
        Ok(Selector { source: want.source.map(|source| source as u32), tag: want.tag })
    }

    #[inline]
    pub(super) fn check_rank(&self, rank: usize) -> Quick<()> {
        let ranks = self.core.ranks;
        if rank < ranks { Ok(()) } else { Err(Box::new(Error::NoSuchRank { rank, ranks })) }
    }
}
