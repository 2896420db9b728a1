//! Passing sends and receives to the engine.

use panto_schedule::Collective;
use panto_sim::{Envelope, RequestId, Selector as EngineSelector, SendProtocol, costs};
use panto_units::Time;

use super::endpoint::{BoxedResult, Endpoint, check_tag};
use super::semantics;
use super::shared::{ProcessorBusy, ReceiveBuffer};
use crate::error::Error;
use crate::message::{Selector, SendMode, Tag};

/// The cost and the protocol of a send.
#[derive(Clone, Copy)]
pub(super) struct SendCosts {
    mode: SendMode,
    bytes: u64,
    started: bool,
    operation: Option<Collective>,
    overhead: Time,
    network_bytes: u64,
    protocol: SendProtocol,
}

impl SendCosts {
    /// A value that matches no send.
    pub(super) const NONE: Self = Self {
        mode: SendMode::Standard,
        bytes: u64::MAX,
        started: false,
        operation: None,
        overhead: Time::ZERO,
        network_bytes: 0,
        protocol: SendProtocol::Buffered,
    };
}

impl Endpoint {
    #[inline]
    pub(super) fn post_send(
        &self,
        mode: SendMode,
        data: &[u8],
        to: usize,
        tag: Tag,
        started: bool,
    ) -> BoxedResult<Option<RequestId>> {
        self.check_rank(to)?;
        check_tag(tag)?;
        let send_costs = self.send_costs(mode, data.len() as u64, started);
        let SendCosts { bytes, operation, overhead, network_bytes, protocol, .. } = send_costs;
        let out_of_band = self.out_of_band.get();
        let (overhead, protocol) =
            if out_of_band { (Time::ZERO, SendProtocol::Buffered) } else { (overhead, protocol) };
        let (to, collective, bypass) = (to as u32, operation, out_of_band);
        let envelope = Envelope { to, tag, bytes, network_bytes, collective, protocol, bypass };
        // In one step where the rank does not share its processor.
        self.shared.work_and_send(self.rank, overhead, envelope, data).or_else(|ProcessorBusy| {
            self.suspend()?;
            Ok(self.shared.send(self.rank, envelope, data))
        })
    }

    /// Returns the cost and the protocol of a send. The last result is cached: consecutive sends
    /// are often alike.
    #[inline]
    pub(super) fn send_costs(&self, mode: SendMode, bytes: u64, started: bool) -> SendCosts {
        let (last, operation) = (self.send_costs.get(), self.operation.get());
        if (last.bytes, last.operation, last.mode, last.started) == (bytes, operation, mode, started) {
            return last;
        }
        let machine = &self.shared.machine;
        let send_costs = SendCosts {
            mode,
            bytes,
            started,
            operation,
            overhead: costs::send_overhead(machine, operation, bytes, started),
            network_bytes: costs::network_bytes(machine, operation, bytes),
            protocol: semantics::protocol(machine, operation, mode, bytes),
        };
        self.send_costs.set(send_costs);
        send_costs
    }

    /// Posts a receive.
    ///
    /// # Safety
    /// As for [`Shared::receive`].
    #[inline]
    pub(super) unsafe fn post_receive(
        &self,
        buffer: ReceiveBuffer,
        selector: Selector,
    ) -> BoxedResult<RequestId> {
        let selector = self.engine_selector(selector)?;
        if selector.source.is_none() {
            self.enter_time_order()?;
        }
        // SAFETY: the contracts of both functions are the same, and this one's caller keeps it.
        Ok(unsafe { self.shared.receive(self.rank, selector, buffer) })
    }

    pub(super) fn engine_selector(&self, selector: Selector) -> BoxedResult<EngineSelector> {
        selector.source.map_or(Ok(()), |source| self.check_rank(source))?;
        selector.tag.map_or(Ok(()), check_tag)?;
        Ok(EngineSelector { source: selector.source.map(|source| source as u32), tag: selector.tag })
    }

    #[inline]
    pub(super) fn check_rank(&self, rank: usize) -> BoxedResult<()> {
        let ranks = self.shared.ranks;
        if rank < ranks { Ok(()) } else { Err(Box::new(Error::NoSuchRank { rank, ranks })) }
    }
}
