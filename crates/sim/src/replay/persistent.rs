//! Persistent and partitioned operations: defined once, started many times.

use panto_trace::Slot;

use super::collective_call::CollectiveCall;
use super::error::Result;
use super::point_to_point::Source;
use super::rank_reader::RankReader;
use super::requests::Request;
use crate::program::{Op, SendMode};

const PARTITIONS: &str =
    "a partitioned send is one message, sent when its last partition is ready; MPI_Parrived has no effect";

/// An operation that can be started repeatedly.
pub enum PersistentOp {
    /// The partner is `MPI_PROC_NULL`.
    Null,
    /// A send.
    Send {
        mode: SendMode,
        channel: u32,
        bytes: u64,
        /// Whether it is sent when all its partitions are ready.
        partitioned: bool,
    },
    /// A receive.
    Receive(Source),
    /// A collective.
    Collective(Box<CollectiveCall>),
}

impl RankReader<'_, '_> {
    pub(super) fn start(&mut self, requests: &[i64]) -> Result<()> {
        for slot in requests {
            let request = u32::try_from(*slot).ok().and_then(|slot| self.requests.all.remove(&slot));
            let Some(mut request) = request else {
                self.unsupported("starts a request that is not defined in the trace")?;
                continue;
            };
            if request.is_open() {
                self.unsupported("starts a request that is still active")?;
            }
            request.site = self.now;
            self.start_one(&mut request)?;
            self.requests.all.insert(*slot as u32, request);
        }
        Ok(())
    }

    fn start_one(&mut self, request: &mut Request) -> Result<()> {
        let persistent = request.persistent.clone();
        match persistent.as_deref() {
            None => self.unsupported("starts a request that is not persistent")?,
            Some(PersistentOp::Null) => {}
            Some(&PersistentOp::Send { mode, channel, bytes, partitioned: false }) => {
                request.pending.push(self.start_send(mode, channel, bytes));
            }
            Some(&PersistentOp::Send { mode, channel, bytes, partitioned: true }) => {
                self.context.notes.assume(PARTITIONS);
                self.repetition.interrupt();
                let pending = self.start_send(mode, channel, bytes);
                let act = Op::StartSend { mode, slot: pending.slot, channel, bytes };
                self.code.remove(pending.start);
                request.deferred = Some(Box::new((pending.start, act)));
                request.pending.push(pending);
            }
            Some(PersistentOp::Receive(source)) => request.pending.extend(self.start_receive(source)),
            Some(PersistentOp::Collective(operation)) => {
                if let Some(dependencies) = &mut self.context.dependencies {
                    let position = self.now.position;
                    dependencies.collective(self.rank, position, operation.comm.id, operation.helper);
                }
                let pending = self.start_collective(operation)?;
                request.pending.extend(pending);
            }
        }
        Ok(())
    }

    /// Marks partitions as ready, so that the send starts no earlier than now; or tests for them.
    pub(super) fn partition(&mut self, request: Option<Slot>, is_pready: bool, arrived: bool) -> Result<()> {
        if !is_pready {
            if !arrived {
                self.code.push(Op::Poll { times: 1 });
            }
            return Ok(());
        }
        let position = self.code.reserve();
        let request = request.and_then(|slot| self.requests.all.get_mut(&slot.0));
        let Some(request) = request else {
            return self.unsupported("the request is not defined in the trace");
        };
        if let Some(deferred) = &mut request.deferred {
            deferred.0 = position;
        }
        Ok(())
    }
}
