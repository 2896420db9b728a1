//! The beginning of a call: what it starts, and what its end needs.

use std::rc::Rc;

use panto_trace::{
    Action, CallForm, Collective, CollectiveKind, Comm, CommInfo, Comms, Peer, ProbeKind, Ranks, Slot,
    Tables, World,
};
use panto_units::Time;
use smallvec::SmallVec;

use crate::collectives::{Awaited, CollectiveId, Entry};
use crate::needs::{Known, Need};
use crate::requests::{Pending, Persistent, Requests};
use crate::transfers::ChannelKey;

/// The trace's code for `MPI_ANY_TAG`.
const ANY_TAG: i64 = -1;

/// The trace's code for the source of a receive that was cancelled.
const CANCELLED: i64 = -2;

/// Functions that make communicators and are not called by all members of the parent.
const BY_SOME: [&str; 2] = ["MPI_Comm_create_group", "MPI_Intercomm_create"];

/// A call that begins.
pub struct Beginning<'a> {
    pub rank: u32,
    /// The number of its host.
    pub host: usize,
    pub at: Time,
    pub comms: &'a mut Comms,
    pub requests: &'a mut Requests,
    pub known: &'a mut Known,
    pub world: &'a World,
    pub tables: &'a Tables,
    /// What the end of the call needs.
    pub needs: &'a mut SmallVec<[Need; 4]>,
    /// Operations whose partner or request the trace does not name.
    pub unknown: u64,
}

/// From whom a message comes.
enum Source {
    Channel(ChannelKey),
    /// Known when the receive is complete.
    Wildcard(Rc<CommInfo>),
    /// `MPI_PROC_NULL`, or a process outside of the program.
    None,
}

impl Beginning<'_> {
    pub fn action(&mut self, action: &Action<'_>, name: &str) {
        match *action {
            Action::Send { .. } => self.send(action),
            Action::Receive { .. } => self.receive(action),
            Action::SendReceive { .. } => self.send_receive(action),
            Action::Start { requests } => requests.iter().for_each(|slot| self.start(*slot)),
            Action::Complete { requests, completed, outcomes, .. } => {
                self.complete(requests, completed, outcomes);
            }
            Action::Probe { .. } => self.probe(action),
            Action::ReceiveTaken { message, request, .. } => self.receive_taken(message, request),
            Action::Free { request } => self.free(request),
            Action::Collective { .. } => self.collective(action),
            Action::Communicator { parent, request, .. } if !BY_SOME.contains(&name) => {
                self.creation(parent, request);
            }
            _ => {}
        }
    }

    fn send(&mut self, action: &Action<'_>) {
        let Action::Send { form, comm, to, bytes, tag, request, .. } = *action else { return };
        let key = self.destination(comm, to, tag);
        if matches!(form, CallForm::Persistent | CallForm::Partitioned) {
            let send = key.map_or(Persistent::Nothing, |key| Persistent::Send(key, bytes));
            return self.requests.define(request, send);
        }
        let need = key.map(|key| self.start_send(key, bytes));
        self.pass_on(form == CallForm::Blocking, request, need.map(Pending::Known));
    }

    fn receive(&mut self, action: &Action<'_>) {
        let Action::Receive { form, comm, from, tag, request, source, got_tag, .. } = *action else { return };
        let is_blocking = form == CallForm::Blocking;
        let source = self.source(comm, from, tag, is_blocking.then_some((source, got_tag)));
        if matches!(form, CallForm::Persistent | CallForm::Partitioned) {
            return self.requests.define(request, source.into());
        }
        let pending = self.start_receive(source);
        self.pass_on(is_blocking, request, pending);
    }

    fn send_receive(&mut self, action: &Action<'_>) {
        let Action::SendReceive { comm, to, from, bytes, tag, want_tag, source, got_tag, request, .. } =
            *action
        else {
            return;
        };
        let is_blocking = request.is_none();
        let source = self.source(comm, from, want_tag, is_blocking.then_some((source, got_tag)));
        let receive = self.start_receive(source);
        let send = self.destination(comm, to, tag).map(|key| Pending::Known(self.start_send(key, bytes)));
        self.pass_on(is_blocking, request, receive.into_iter().chain(send));
    }

    fn probe(&mut self, action: &Action<'_>) {
        let Action::Probe { look, comm, from, tag, found, source, got_tag, message, .. } = *action else {
            return;
        };
        if !found {
            return;
        }
        let Source::Channel(key) = self.source(comm, from, tag, Some((source, got_tag))) else { return };
        let transfers = &mut self.known.transfers;
        let id = if matches!(look, ProbeKind::Mprobe | ProbeKind::Improbe) {
            let id = transfers.receive(key, self.at);
            self.requests.take(message, id);
            id
        } else {
            transfers.next_received(key)
        };
        self.needs.push(Need::Sight(id));
    }

    fn receive_taken(&mut self, message: Option<Slot>, request: Option<Slot>) {
        let need = self.requests.taken(message).map(Need::Message);
        self.unknown += u64::from(need.is_none());
        self.pass_on(request.is_none(), request, need.map(Pending::Known));
    }

    /// Starts a persistent request.
    fn start(&mut self, slot: i64) {
        let Some(request) = slot_of(slot).and_then(|slot| self.requests.get(slot)) else { return };
        let transfers = &mut self.known.transfers;
        let pending = match &mut request.persistent {
            Some(Persistent::Send(key, bytes)) => {
                Some(Pending::Known(Need::Release(transfers.send(*key, *bytes, self.at))))
            }
            Some(Persistent::Receive(key)) => {
                Some(Pending::Known(Need::Message(transfers.receive(*key, self.at))))
            }
            Some(Persistent::Wildcard(comm)) => Some(Pending::Wildcard(Rc::clone(comm), self.at)),
            Some(Persistent::Collective { id, is_root, awaited, size }) => {
                let now = *id;
                id.start = id.start.map(|start| start + 1);
                let entry = Entry { rank: self.rank, host: self.host, is_root: *is_root, at: self.at };
                self.known.collectives.enter(now, entry);
                Some(Pending::Known(Need::Collective(now, *awaited, *size)))
            }
            Some(Persistent::Nothing) | None => None,
        };
        request.pending.extend(pending);
    }

    fn complete(&mut self, requests: &[i64], completed: &[i64], outcomes: &[i64]) {
        for position in completed {
            let slot = usize::try_from(*position).ok().and_then(|place| requests.get(place));
            let Some(slot) = slot.copied().and_then(slot_of) else { continue };
            let Some(pending) = self.requests.complete(slot) else { continue };
            let outcome = outcomes.chunks_exact(4).find(|outcome| outcome[0] == *position);
            for pending in pending {
                self.completes(&pending, outcome.map(|outcome| (outcome[1], outcome[2])));
            }
        }
    }

    /// A pending operation is completed by this call.
    fn completes(&mut self, pending: &Pending, outcome: Option<(i64, i64)>) {
        match (pending, outcome) {
            (Pending::Known(Need::Message(id)), Some((CANCELLED, _))) => self.known.transfers.withdraw(*id),
            (Pending::Known(need), _) => self.needs.push(*need),
            (Pending::Wildcard(comm, posted), Some((source, tag))) => {
                if let Some(key) = self.numbered(comm, source, tag) {
                    self.needs.push(Need::Message(self.known.transfers.receive(key, *posted)));
                }
            }
            (Pending::Wildcard(..), None) => self.unknown += 1,
        }
    }

    /// A freed request completes at some time, which no call waits for.
    fn free(&mut self, request: Option<Slot>) {
        let pending = request.and_then(|slot| self.requests.free(slot)).into_iter().flatten();
        for need in pending {
            if let Pending::Known(Need::Release(id)) = need {
                self.needs.push(Need::Freed(id));
            }
        }
    }

    fn collective(&mut self, action: &Action<'_>) {
        let Action::Collective { pattern, form, comm, root, request, .. } = *action else { return };
        let Some(info) = self.comm(comm) else { return };
        let is_root = root == Peer::Relative(0);
        let is_known = info.others.is_none() && matches!(pattern, CollectiveKind::Group(_));
        let awaited = match pattern {
            CollectiveKind::Group(collective) if is_known => Awaited::in_collective(collective, is_root),
            _ => Awaited::None,
        };
        let is_persistent = matches!(form, CallForm::Persistent | CallForm::Partitioned);
        let id = self.next_collective(comm, info.id, is_persistent);
        let size = info.both_size();
        if is_persistent {
            return self.requests.define(request, Persistent::Collective { id, is_root, awaited, size });
        }
        self.enter(id, is_root, awaited, size, form == CallForm::Blocking, request);
    }

    /// Communicators are made by all members of their parent together.
    fn creation(&mut self, parent: Comm, request: Option<Slot>) {
        let Some(info) = self.comm(parent) else { return };
        let id = self.next_collective(parent, info.id, false);
        let is_intra = info.others.is_none();
        let awaited =
            if is_intra { Awaited::in_collective(Collective::Barrier, false) } else { Awaited::None };
        self.enter(id, false, awaited, info.both_size(), request.is_none(), request);
    }

    fn enter(
        &mut self,
        id: CollectiveId,
        is_root: bool,
        awaited: Awaited,
        size: u32,
        is_blocking: bool,
        request: Option<Slot>,
    ) {
        let entry = Entry { rank: self.rank, host: self.host, is_root, at: self.at };
        self.known.collectives.enter(id, entry);
        let need = Need::Collective(id, awaited, size);
        self.pass_on(is_blocking, request, Some(Pending::Known(need)));
    }

    /// Returns the identity of this rank's next collective on a communicator.
    fn next_collective(&mut self, comm: Comm, id: u32, is_persistent: bool) -> CollectiveId {
        let progress = self.comms.progress(comm);
        let number = progress.map_or(0, |progress| {
            if is_persistent {
                progress.persistent += 1;
                u64::from(progress.persistent)
            } else {
                progress.collectives += 1;
                progress.collectives as u64
            }
        });
        CollectiveId { comm: id, number, start: is_persistent.then_some(0) }
    }

    /// A call that blocks needs what it started; otherwise the completion of its request does.
    fn pass_on(
        &mut self,
        is_blocking: bool,
        request: Option<Slot>,
        pending: impl IntoIterator<Item = Pending>,
    ) {
        if !is_blocking {
            return self.requests.open(request, pending);
        }
        for pending in pending {
            match pending {
                Pending::Known(need) => self.needs.push(need),
                Pending::Wildcard(..) => self.unknown += 1,
            }
        }
    }

    fn start_send(&mut self, key: ChannelKey, bytes: u64) -> Need {
        Need::Release(self.known.transfers.send(key, bytes, self.at))
    }

    fn start_receive(&mut self, source: Source) -> Option<Pending> {
        match source {
            Source::Channel(key) => {
                Some(Pending::Known(Need::Message(self.known.transfers.receive(key, self.at))))
            }
            Source::Wildcard(comm) => Some(Pending::Wildcard(comm, self.at)),
            Source::None => None,
        }
    }

    fn comm(&mut self, comm: Comm) -> Option<Rc<CommInfo>> {
        let info = self.comms.get(comm, self.rank, self.tables, self.world);
        self.unknown += u64::from(info.is_none());
        info
    }

    /// Returns the channel of a message from this rank.
    fn destination(&mut self, comm: Comm, to: Peer, tag: i64) -> Option<ChannelKey> {
        let comm = self.comm(comm)?;
        let to = self.partner(&comm, to)?;
        Some(ChannelKey { from: self.rank, to, comm: comm.id, tag })
    }

    /// Returns from whom a message comes; `matched` is the outcome of wildcards, if it is known
    /// yet.
    fn source(&mut self, comm: Comm, from: Peer, tag: i64, matched: Option<(i64, i64)>) -> Source {
        let Some(comm) = self.comm(comm) else { return Source::None };
        let key = if from == Peer::Any || tag == ANY_TAG {
            match matched {
                Some((source, tag)) => self.numbered(&comm, source, tag),
                None if from == Peer::Null => None,
                None => return Source::Wildcard(comm),
            }
        } else {
            let from = self.partner(&comm, from);
            from.map(|from| ChannelKey { from, to: self.rank, comm: comm.id, tag })
        };
        key.map_or(Source::None, Source::Channel)
    }

    /// Returns the channel of a message from the rank with a number in a communicator.
    fn numbered(&mut self, comm: &CommInfo, number: i64, tag: i64) -> Option<ChannelKey> {
        let from = comm.partners().get(u32::try_from(number).ok()?).filter(|rank| *rank != Ranks::OUTSIDE)?;
        Some(ChannelKey { from, to: self.rank, comm: comm.id, tag })
    }

    /// Returns a partner as a rank of the program; none for `MPI_PROC_NULL`.
    fn partner(&mut self, comm: &CommInfo, peer: Peer) -> Option<u32> {
        let rank = comm.partners().get(peer.rank(comm.rank)?).filter(|rank| *rank != Ranks::OUTSIDE);
        self.unknown += u64::from(rank.is_none());
        rank
    }
}

impl From<Source> for Persistent {
    fn from(source: Source) -> Self {
        match source {
            Source::Channel(key) => Self::Receive(key),
            Source::Wildcard(comm) => Self::Wildcard(comm),
            Source::None => Self::Nothing,
        }
    }
}

fn slot_of(number: i64) -> Option<Slot> {
    u32::try_from(number).ok().map(Slot)
}
