//! One-sided communication and files: by a simple model, which is stated with the result.

use panto_trace::{Object, Peer, Slot, Tables};

use super::agreed::{Instance, What};
use super::channels::Way as Route;
use super::error::Result;
use super::names::Deed;
use super::rank::Walk;
use super::requests::Parts;
use crate::program::{Act, Lane, Way};

const ONE_SIDED: &str = "one-sided communication takes the time of its bytes on the network, and does not wait for the target; a fence, and making or freeing a window, is a barrier; locks and flushes ask the target once; other synchronisation of windows takes no time";
const FILES: &str = "reading and writing files takes what the machine's storage takes for these bytes, whatever others do; what only opens, closes or moves in files takes no time";

impl Walk<'_, '_> {
    pub(super) fn one_sided(
        &mut self,
        window: Option<Object>,
        target: Peer,
        bytes: u64,
        request: Option<Slot>,
        deed: Deed,
        tables: &Tables,
    ) -> Result<()> {
        self.shared.notes.assume(ONE_SIDED);
        if deed == Deed::Own || target == Peer::Nobody && deed != Deed::Together {
            return self.settle(request);
        }
        let Some(window) = window.and_then(|window| tables.thing(window)) else {
            return self.lack("its window is not in the trace");
        };
        let number = window.comm;
        let comm = self.comm(number, tables)?;
        if deed == Deed::Together {
            let meeting = Instance {
                what: What::Window,
                started: false,
                root: None,
                count: 0,
                element: 1,
                commutes: true,
                call: self.now.call,
            };
            return self.together(number, &comm, meeting, false);
        }
        // Those that mean all targets, such as MPI_Win_flush_all, have none of their own.
        let Some(to) = (if target == Peer::Any { None } else { self.partner(&comm, target)? }) else {
            return self.settle(request);
        };
        if to == self.rank {
            self.code.push(Act::Copy { bytes });
            return self.settle(request);
        }
        let route = Route { from: self.rank, to, comm: comm.id, tag: None, lane: Lane::Message };
        let channel = self.shared.channels.number(route);
        let way = if deed == Deed::There { Way::There } else { Way::Back };
        self.code.push(Act::Remote { way, channel, bytes });
        self.settle(request)
    }

    pub(super) fn file(&mut self, bytes: u64, request: Option<Slot>) -> Result<()> {
        self.shared.notes.assume(FILES);
        if bytes > 0 {
            self.code.push(Act::File { bytes });
        }
        self.settle(request)
    }

    /// What it started is over at once; completing its request takes no time.
    fn settle(&mut self, request: Option<Slot>) -> Result<()> {
        if request.is_some() { self.open(request, Parts::new()) } else { Ok(()) }
    }
}
