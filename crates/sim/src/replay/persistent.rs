//! Persistent and partitioned operations: described once, started often.

use panto_trace::Slot;

use super::error::Result;
use super::operation::Operation;
use super::point::Source;
use super::rank::Walk;
use super::requests::Request;
use crate::program::{Act, Sending};

const PARTS: &str =
    "a partitioned send leaves when its last part is ready, as one message; looking for parts tells nothing";

/// What can be started again and again.
pub enum Described {
    /// Nothing: its partner is nobody.
    Nothing,
    /// A send.
    Send {
        sending: Sending,
        channel: u32,
        bytes: u64,
        /// It leaves when all its parts are ready.
        in_parts: bool,
    },
    /// A receive.
    Receive(Source),
    /// A collective.
    Collective(Box<Operation>),
}

impl Walk<'_, '_> {
    pub(super) fn start(&mut self, requests: &[i64]) -> Result<()> {
        for slot in requests {
            let request = u32::try_from(*slot).ok().and_then(|slot| self.requests.all.remove(&slot));
            let Some(mut request) = request else {
                self.lack("it starts a request that is not described in the trace")?;
                continue;
            };
            if request.is_open() {
                self.lack("it starts a request that is not complete")?;
            }
            request.by = self.now;
            self.start_one(&mut request)?;
            self.requests.all.insert(*slot as u32, request);
        }
        Ok(())
    }

    fn start_one(&mut self, request: &mut Request) -> Result<()> {
        let described = request.described.clone();
        match described.as_deref() {
            None => self.lack("it starts a request that is not persistent")?,
            Some(Described::Nothing) => {}
            Some(&Described::Send { sending, channel, bytes, in_parts: false }) => {
                request.parts.push(self.start_send(sending, channel, bytes));
            }
            Some(&Described::Send { sending, channel, bytes, in_parts: true }) => {
                self.shared.notes.assume(PARTS);
                let part = self.start_send(sending, channel, bytes);
                let act = Act::StartSend { sending, slot: part.slot, channel, bytes };
                self.code.remove(part.op);
                request.leaves = Some(Box::new((part.op, act)));
                request.parts.push(part);
            }
            Some(Described::Receive(source)) => request.parts.extend(self.start_receive(source)),
            Some(Described::Collective(operation)) => {
                let part = self.start_collective(operation)?;
                request.parts.extend(part);
            }
        }
        Ok(())
    }

    /// Parts are ready: the send leaves no earlier than now.
    pub(super) fn partition(&mut self, request: Option<Slot>, is_ready: bool, arrived: bool) -> Result<()> {
        if !is_ready {
            if !arrived {
                self.code.push(Act::Poll { times: 1 });
            }
            return Ok(());
        }
        let place = self.code.keep_place();
        let request = request.and_then(|slot| self.requests.all.get_mut(&slot.0));
        let Some(request) = request else {
            return self.lack("its request is not in the trace");
        };
        if let Some(leaves) = &mut request.leaves {
            leaves.0 = place;
        }
        Ok(())
    }
}
