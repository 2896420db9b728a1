//! Point-to-point messages.

use std::rc::Rc;

use panto_trace::{Action, CallForm, CommInfo, Peer, ProbeKind, SendMode, Slot, Tables};

use super::Wildcards;
use super::channels::{ChannelKey, WildcardKey};
use super::error::Result;
use super::persistent::PersistentOp;
use super::rank_reader::RankReader;
use super::requests::{ChannelMessage, PendingOp};
use crate::program::{ChannelKind, Op};

/// The trace's code for `MPI_ANY_TAG`.
const ANY_TAG: i64 = -1;

/// The trace's code for the source `MPI_PROC_NULL`.
const PROC_NULL: i64 = -3;

pub(super) const RECORDED: &str =
    "receives with MPI_ANY_SOURCE or MPI_ANY_TAG match the messages that they matched in the traced run";
const MATCHED_PROBE: &str = "a message that a matching probe (MPI_Mprobe) matched is received from then on";

/// The source of a receive.
#[derive(Clone)]
pub enum Source {
    /// `MPI_PROC_NULL`.
    Null,
    /// The next message of a channel.
    Channel(u32),
    /// The first message that the wildcard accepts.
    Wildcard(u32),
    /// Known when the receive is completed.
    Unresolved(Rc<CommInfo>),
}

/// What a wildcard matched: the sender's rank in the communicator, and the tag.
pub type WildcardMatch = (i64, i64);

impl RankReader<'_, '_> {
    pub(super) fn send(&mut self, action: &Action<'_>, tables: &Tables) -> Result<()> {
        let Action::Send { mode, form, comm, to, bytes, tag, request, .. } = *action else { return Ok(()) };
        let comm = self.comm(comm, tables)?;
        let channel = self.destination(&comm, to, tag)?;
        match (form, channel) {
            (CallForm::Blocking, Some(channel)) => self.send_now(mode, channel, bytes),
            (CallForm::Blocking, None) => {}
            (CallForm::Immediate, channel) => {
                let pending = channel.map(|channel| self.start_send(mode, channel, bytes));
                self.open(request, pending.into_iter().collect())?;
            }
            (CallForm::Persistent | CallForm::Partitioned, channel) => {
                let partitioned = form == CallForm::Partitioned;
                let persistent = channel.map_or(PersistentOp::Null, |channel| PersistentOp::Send {
                    mode,
                    channel,
                    bytes,
                    partitioned,
                });
                self.define_persistent(request, persistent)?;
            }
        }
        Ok(())
    }

    pub(super) fn receive(&mut self, action: &Action<'_>, tables: &Tables) -> Result<()> {
        let Action::Receive { form, comm, from, tag, request, source, got_tag, .. } = *action else {
            return Ok(());
        };
        let comm = self.comm(comm, tables)?;
        match form {
            CallForm::Blocking => {
                let source = self.source(&comm, from, tag, Some((source, got_tag)))?;
                self.receive_now(&source)?;
            }
            CallForm::Immediate => {
                let source = self.source(&comm, from, tag, None)?;
                let pending = self.start_receive(&source);
                self.open(request, pending.into_iter().collect())?;
            }
            CallForm::Persistent | CallForm::Partitioned => {
                let source = self.source(&comm, from, tag, None)?;
                self.define_persistent(request, PersistentOp::Receive(source))?;
            }
        }
        Ok(())
    }

    /// A combined send and receive. The receive is posted before the send begins, so that two ranks
    /// that exchange messages do not deadlock.
    pub(super) fn send_receive(&mut self, action: &Action<'_>, tables: &Tables) -> Result<()> {
        let Action::SendReceive { comm, to, from, bytes, tag, want_tag, source, got_tag, request, .. } =
            *action
        else {
            return Ok(());
        };
        let comm = self.comm(comm, tables)?;
        let channel = self.destination(&comm, to, tag)?;
        let matched = request.is_none().then_some((source, got_tag));
        let source = self.source(&comm, from, want_tag, matched)?;
        if channel.is_none() && request.is_none() {
            return self.receive_now(&source);
        }
        let receive = self.start_receive(&source);
        if let (None, Source::Wildcard(_), Some(pending)) = (request, &source, &receive) {
            self.requests.blocking_wildcard = Some(pending.slot);
        }
        if request.is_some() {
            let send = channel.map(|channel| self.start_send(SendMode::Standard, channel, bytes));
            return self.open(request, receive.into_iter().chain(send).collect());
        }
        if let Some(channel) = channel {
            self.send_now(SendMode::Standard, channel, bytes);
        }
        if let Some(pending) = receive {
            self.wait(&pending);
        }
        Ok(())
    }

    pub(super) fn probe(&mut self, action: &Action<'_>, tables: &Tables) -> Result<()> {
        let Action::Probe { look, comm, from, tag, found, source, got_tag, message, .. } = *action else {
            return Ok(());
        };
        if !found {
            self.code.push(Op::Poll { times: 1 });
            return Ok(());
        }
        let comm = self.comm(comm, tables)?;
        let is_matching_probe = matches!(look, ProbeKind::Mprobe | ProbeKind::Improbe);
        let found = self.source(&comm, from, tag, Some((source, got_tag)))?;
        match found {
            Source::Channel(channel) => {
                let nth = self.context.channels.counts(channel).receives.number;
                self.need(channel, nth);
                self.code.push(Op::Probe { channel });
            }
            Source::Wildcard(wildcard) => drop(self.code.push(Op::ProbeWildcard { wildcard })),
            Source::Null | Source::Unresolved(_) => {}
        }
        // A matching probe receives what it found, which is not earlier than the probe.
        self.code.start_at(None);
        if is_matching_probe {
            self.context.notes.assume(MATCHED_PROBE);
            let pending = self.start_receive(&found);
            self.requests.store_message(message, pending.into_iter().collect(), self.now);
        }
        Ok(())
    }

    pub(super) fn receive_taken(&mut self, message: Option<Slot>, request: Option<Slot>) -> Result<()> {
        let Some(pending) = self.requests.take_message(message) else {
            return self.unsupported("the matching probe (MPI_Mprobe) of its message is not in the trace");
        };
        if request.is_some() {
            return self.open(request, pending);
        }
        pending.iter().for_each(|pending| self.wait(pending));
        Ok(())
    }

    fn send_now(&mut self, mode: SendMode, channel: u32, bytes: u64) {
        if self.has_threads() {
            let pending = self.start_send(mode, channel, bytes);
            return self.wait(&pending);
        }
        self.count_send(channel);
        self.code.push(Op::Send { mode, channel, bytes });
    }

    fn receive_now(&mut self, source: &Source) -> Result<()> {
        match *source {
            Source::Null => {}
            Source::Channel(channel) if !self.code.starts_early() => {
                let nth = self.count_receive(channel);
                self.need(channel, nth);
                self.code.push(Op::Receive { channel });
            }
            Source::Wildcard(wildcard) => {
                let slot = self.code.take_slot();
                self.code.start(Op::StartWildcard { slot, wildcard, blocks: true });
                self.requests.blocking_wildcard = Some(slot);
                self.code.push(Op::Wait { slot });
                self.code.free_slot(slot);
            }
            Source::Channel(_) => {
                if let Some(pending) = self.start_receive(source) {
                    self.wait(&pending);
                }
            }
            Source::Unresolved(_) => return self.unsupported(super::requests::NO_OUTCOME),
        }
        Ok(())
    }

    /// Waits for a pending operation, and frees its slot.
    pub(super) fn wait(&mut self, pending: &PendingOp) {
        let slot = pending.slot;
        if let Some(ChannelMessage { channel, nth }) = pending.received {
            self.need(channel, nth);
        }
        self.code.push(if pending.blocks { Op::Wait { slot } } else { Op::Free { slot } });
        self.code.free_slot(slot);
    }

    pub(super) fn start_send(&mut self, mode: SendMode, channel: u32, bytes: u64) -> PendingOp {
        self.count_send(channel);
        let slot = self.code.take_slot();
        let start = self.code.start(Op::StartSend { mode, slot, channel, bytes });
        // While a standard send of one thread blocks on a stricter machine than the traced one,
        // other threads proceed.
        let blocks = mode == SendMode::Synchronous || !self.has_threads();
        PendingOp { slot, start, sent: Some(channel), received: None, unresolved: None, blocks }
    }

    pub(super) fn start_receive(&mut self, source: &Source) -> Option<PendingOp> {
        if let Source::Null = source {
            return None;
        }
        let slot = self.code.take_slot();
        let pending =
            |start| PendingOp { slot, start, sent: None, received: None, unresolved: None, blocks: true };
        Some(match source {
            Source::Null => return None,
            Source::Channel(channel) => {
                let (channel, nth) = (*channel, self.count_receive(*channel));
                let start = self.code.start(Op::StartReceive { slot, channel });
                PendingOp { received: Some(ChannelMessage { channel, nth }), ..pending(start) }
            }
            Source::Wildcard(wildcard) => {
                pending(self.code.start(Op::StartWildcard { slot, wildcard: *wildcard, blocks: false }))
            }
            Source::Unresolved(comm) => {
                PendingOp { unresolved: Some(Rc::clone(comm)), ..pending(self.code.reserve()) }
            }
        })
    }

    /// The channel of a message from this rank; `None` if it goes to `MPI_PROC_NULL`.
    #[inline]
    fn destination(&mut self, comm: &CommInfo, to: Peer, tag: i64) -> Result<Option<u32>> {
        let Some(to) = self.partner(comm, to)? else { return Ok(None) };
        let key = ChannelKey {
            from: self.rank,
            to,
            comm: comm.id,
            tag: Some(self.tag(tag)?),
            kind: ChannelKind::PointToPoint,
        };
        Ok(Some(self.context.channels.number(key)))
    }

    /// The source of a receive; `matched` is what its wildcards matched, if that is known yet.
    fn source(
        &mut self,
        comm: &Rc<CommInfo>,
        from: Peer,
        tag: i64,
        matched: Option<WildcardMatch>,
    ) -> Result<Source> {
        if from == Peer::Null {
            return Ok(Source::Null);
        }
        if from != Peer::Any && tag != ANY_TAG {
            let Some(from) = self.partner(comm, from)? else { return Ok(Source::Null) };
            let key = ChannelKey {
                from,
                to: self.rank,
                comm: comm.id,
                tag: Some(self.tag(tag)?),
                kind: ChannelKind::PointToPoint,
            };
            return Ok(Source::Channel(self.context.channels.number(key)));
        }
        if self.context.options.wildcards == Wildcards::Rematch {
            let from = if from == Peer::Any { None } else { self.partner(comm, from)? };
            let tag = if tag == ANY_TAG { None } else { Some(self.tag(tag)?) };
            return Ok(match matched {
                Some((PROC_NULL, _)) => Source::Null,
                _ => Source::Wildcard(
                    self.context.channels.wildcard(self.rank, WildcardKey { from, comm: comm.id, tag }),
                ),
            });
        }
        self.context.notes.assume(RECORDED);
        match matched {
            Some(matched) => self.resolved(comm, matched),
            None => Ok(Source::Unresolved(Rc::clone(comm))),
        }
    }

    /// The source of a receive whose wildcards matched this.
    pub(super) fn resolved(&mut self, comm: &Rc<CommInfo>, (source, tag): WildcardMatch) -> Result<Source> {
        if source == PROC_NULL {
            return Ok(Source::Null);
        }
        let Ok(number) = u32::try_from(source) else { return Ok(Source::Unresolved(Rc::clone(comm))) };
        let from = self.numbered(comm, number)?;
        let key = ChannelKey {
            from,
            to: self.rank,
            comm: comm.id,
            tag: Some(self.tag(tag)?),
            kind: ChannelKind::PointToPoint,
        };
        Ok(Source::Channel(self.context.channels.number(key)))
    }

    #[inline]
    fn tag(&self, tag: i64) -> Result<u32> {
        u32::try_from(tag).map_err(|_| self.error("invalid tag; trace the program again"))
    }

    #[inline]
    fn count_send(&mut self, channel: u32) {
        self.context.channels.counts(channel).sends.add(self.now);
        if let Some(dependencies) = &mut self.context.dependencies {
            dependencies.send(self.rank, self.now.position, channel);
        }
    }

    /// Counts a receive; returns its number in the channel, from 0.
    #[inline]
    pub(super) fn count_receive(&mut self, channel: u32) -> u64 {
        let receives = &mut self.context.channels.counts(channel).receives;
        receives.add(self.now);
        receives.number - 1
    }

    /// The current call returned only because this message of a channel was sent.
    #[inline]
    pub(super) fn need(&mut self, channel: u32, nth: u64) {
        if let Some(dependencies) = &mut self.context.dependencies {
            dependencies.need(self.rank, self.now.position, channel, nth);
        }
    }
}
