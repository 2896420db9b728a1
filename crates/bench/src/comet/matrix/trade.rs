//! Exchange of parts of a block with other ranks.

use panto_transport::{Result, Selector, SendMode, Tag, Transport, scope};

use super::block::{Block, Double};
use super::rect::Rect;

/// An area that is sent to a rank, while one of the same size is received from it.
#[derive(Debug)]
pub(in crate::comet) struct Trade {
    pub(in crate::comet) peer: usize,
    /// Area of the local array that is sent.
    pub(in crate::comet) area: Rect,
    pub(in crate::comet) sends: Tag,
    pub(in crate::comet) receives: Tag,
}

/// Returns the lengths of the buffers that [`trade`] needs.
pub(in crate::comet) fn buffers_for(trades: &[Trade]) -> Vec<usize> {
    trades.iter().chain(trades).map(|trade| trade.area.len()).collect()
}

/// Makes all exchanges at once and returns the received messages in their order. Each send starts
/// as soon as its message is packed, so that the next one is packed while it is in flight (C11);
/// receives are posted before, so nothing depends on buffering.
pub(in crate::comet) fn trade<'b, T: Transport>(
    transport: &T,
    block: &Block,
    trades: &[Trade],
    buffers: &'b mut [Vec<Double>],
) -> Result<&'b [Vec<Double>]> {
    let (outgoing, incoming) = buffers.split_at_mut(trades.len());
    scope(transport, |s| {
        for (trade, buffer) in trades.iter().zip(incoming.iter_mut()) {
            let _ = s.receive(buffer.as_flattened_mut(), Selector::new(trade.peer, trade.receives))?;
        }
        for (trade, buffer) in trades.iter().zip(outgoing) {
            transport.charge(block.pack(&trade.area, buffer));
            let _ = s.send(SendMode::Standard, buffer.as_flattened(), trade.peer, trade.sends)?;
        }
        Ok::<_, panto_transport::Error>(())
    })?;
    Ok(incoming)
}
