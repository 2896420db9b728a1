//! One-sided communication and file access, by a simple model that is stated with the result.

use panto_trace::{Peer, Slot, Tables, WindowOrFileId};

use super::agreement::{CollectiveInstance, InstanceKind};
use super::call_traits::OneSidedKind;
use super::channels::ChannelKey;
use super::error::Result;
use super::rank_reader::RankReader;
use super::requests::PendingOps;
use crate::program::{ChannelKind, Op, RemoteAccess};

const ONE_SIDED: &str = "one-sided communication takes the network time of its data and does not wait for the target; a fence, and the creation or release of a window, is a barrier; locks and flushes are one round trip to the target; other window synchronisation takes no time";
const FILES: &str = "file reads and writes take the machine's storage time for their size, without contention; opening, closing and seeking takes no time";

impl RankReader<'_, '_> {
    pub(super) fn one_sided(
        &mut self,
        window: Option<WindowOrFileId>,
        target: Peer,
        bytes: u64,
        request: Option<Slot>,
        kind: OneSidedKind,
        tables: &Tables,
    ) -> Result<()> {
        self.context.notes.assume(ONE_SIDED);
        if kind == OneSidedKind::Local || target == Peer::Null && kind != OneSidedKind::Collective {
            return self.complete_at_once(request);
        }
        let Some(window) = window.and_then(|window| tables.window_or_file(window)) else {
            return self.unsupported("the window is not defined in the trace");
        };
        let number = window.comm;
        let comm = self.comm(number, tables)?;
        if kind == OneSidedKind::Collective {
            let instance = CollectiveInstance {
                kind: InstanceKind::WindowSync,
                started: false,
                root: None,
                count: 0,
                element: 1,
                commutes: true,
                call: self.now.call,
            };
            return self.implicit_collective(number, &comm, instance, false);
        }
        // Calls for all targets, such as MPI_Win_flush_all, have none of their own.
        let Some(to) = (if target == Peer::Any { None } else { self.partner(&comm, target)? }) else {
            return self.complete_at_once(request);
        };
        if to == self.rank {
            self.code.push(Op::Copy { bytes });
            return self.complete_at_once(request);
        }
        let key =
            ChannelKey { from: self.rank, to, comm: comm.id, tag: None, kind: ChannelKind::PointToPoint };
        let channel = self.context.channels.number(key);
        let access = if kind == OneSidedKind::Put { RemoteAccess::Put } else { RemoteAccess::Get };
        self.code.push(Op::Remote { access, channel, bytes });
        self.complete_at_once(request)
    }

    pub(super) fn file(&mut self, bytes: u64, request: Option<Slot>) -> Result<()> {
        self.context.notes.assume(FILES);
        if bytes > 0 {
            self.code.push(Op::File { bytes });
        }
        self.complete_at_once(request)
    }

    /// Opens a request that is complete already, if there is one: waiting for it takes no time.
    fn complete_at_once(&mut self, request: Option<Slot>) -> Result<()> {
        if request.is_some() { self.open(request, PendingOps::new()) } else { Ok(()) }
    }
}
