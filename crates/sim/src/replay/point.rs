//! Messages between two ranks.

use std::rc::Rc;

use panto_trace::{Action, Form, Look, Mode, Peer, Slot, Tables};

use super::Wildcards;
use super::channels::{Picked, Way};
use super::comms::Known;
use super::error::Result;
use super::persistent::Described;
use super::rank::Walk;
use super::requests::Part;
use crate::program::{Act, Lane, Sending};

/// Any tag.
const ANY_TAG: i64 = -1;

/// The message was from nobody (`MPI_PROC_NULL`).
const NOBODY: i64 = -3;

const WILD: &str = "receives with wild cards get the messages that they got in the traced run";
const TAKEN: &str = "a message that a matching probe took is received from then on";

/// Where a message comes from.
#[derive(Clone)]
pub enum Source {
    /// Nowhere.
    Nobody,
    /// From there.
    Channel(u32),
    /// From wherever one comes first.
    Pick(u32),
    /// What completes the receive will tell.
    Unknown(Rc<Known>),
}

/// What a wild card stood for: the sender's number and the tag.
pub type Came = (i64, i64);

impl Walk<'_, '_> {
    pub(super) fn send(&mut self, action: &Action<'_>, tables: &Tables) -> Result<()> {
        let Action::Send { mode, form, comm, to, bytes, tag, request, .. } = *action else { return Ok(()) };
        let comm = self.comm(comm, tables)?;
        let channel = self.destination(&comm, to, tag)?;
        let sending = sending(mode);
        match (form, channel) {
            (Form::Blocking, Some(channel)) => self.send_now(sending, channel, bytes),
            (Form::Blocking, None) => {}
            (Form::Immediate, channel) => {
                let part = channel.map(|channel| self.start_send(sending, channel, bytes));
                self.open(request, part.into_iter().collect())?;
            }
            (Form::Persistent | Form::Partitioned, channel) => {
                let in_parts = form == Form::Partitioned;
                let described = channel.map_or(Described::Nothing, |channel| Described::Send {
                    sending,
                    channel,
                    bytes,
                    in_parts,
                });
                self.describe(request, described)?;
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
            Form::Blocking => {
                let source = self.source(&comm, from, tag, Some((source, got_tag)))?;
                self.receive_now(&source)?;
            }
            Form::Immediate => {
                let source = self.source(&comm, from, tag, None)?;
                let part = self.start_receive(&source);
                self.open(request, part.into_iter().collect())?;
            }
            Form::Persistent | Form::Partitioned => {
                let source = self.source(&comm, from, tag, None)?;
                self.describe(request, Described::Receive(source))?;
            }
        }
        Ok(())
    }

    /// The receive is posted before the send begins, so that two ranks that exchange messages never wait for each other in vain.
    pub(super) fn send_receive(&mut self, action: &Action<'_>, tables: &Tables) -> Result<()> {
        let Action::SendReceive { comm, to, from, bytes, tag, want_tag, source, got_tag, request, .. } =
            *action
        else {
            return Ok(());
        };
        let comm = self.comm(comm, tables)?;
        let channel = self.destination(&comm, to, tag)?;
        let came = request.is_none().then_some((source, got_tag));
        let source = self.source(&comm, from, want_tag, came)?;
        if channel.is_none() && request.is_none() {
            return self.receive_now(&source);
        }
        let receive = self.start_receive(&source);
        if request.is_some() {
            let send = channel.map(|channel| self.start_send(Sending::Standard, channel, bytes));
            return self.open(request, receive.into_iter().chain(send).collect());
        }
        if let Some(channel) = channel {
            self.send_now(Sending::Standard, channel, bytes);
        }
        if let Some(part) = receive {
            self.wait(&part);
        }
        Ok(())
    }

    pub(super) fn probe(&mut self, action: &Action<'_>, tables: &Tables) -> Result<()> {
        let Action::Probe { look, comm, from, tag, found, source, got_tag, message, .. } = *action else {
            return Ok(());
        };
        if !found {
            self.code.push(Act::Poll { times: 1 });
            return Ok(());
        }
        let comm = self.comm(comm, tables)?;
        let takes = matches!(look, Look::WaitAndTake | Look::PeekAndTake);
        let found = self.source(&comm, from, tag, Some((source, got_tag)))?;
        match found {
            Source::Channel(channel) => drop(self.code.push(Act::Probe { channel })),
            Source::Pick(pick) => drop(self.code.push(Act::ProbePick { pick })),
            Source::Nobody | Source::Unknown(_) => {}
        }
        // It takes what it found, not what came before.
        self.code.start_at(None);
        if takes {
            self.shared.notes.assume(TAKEN);
            let part = self.start_receive(&found);
            self.requests.take_message(message, part.into_iter().collect(), self.now);
        }
        Ok(())
    }

    pub(super) fn receive_taken(&mut self, message: Option<Slot>, request: Option<Slot>) -> Result<()> {
        let Some(parts) = self.requests.give_message(message) else {
            return self.lack("the probe that took its message is not in the trace");
        };
        if request.is_some() {
            return self.open(request, parts);
        }
        parts.iter().for_each(|part| self.wait(part));
        Ok(())
    }

    fn send_now(&mut self, sending: Sending, channel: u32, bytes: u64) {
        if self.has_threads() {
            let part = self.start_send(sending, channel, bytes);
            return self.wait(&part);
        }
        self.sent(channel);
        self.code.push(Act::Send { sending, channel, bytes });
    }

    fn receive_now(&mut self, source: &Source) -> Result<()> {
        match *source {
            Source::Nobody => {}
            Source::Channel(channel) if !self.code.is_early() => {
                self.received(channel);
                self.code.push(Act::Receive { channel });
            }
            Source::Channel(_) | Source::Pick(_) => {
                if let Some(part) = self.start_receive(source) {
                    self.wait(&part);
                }
            }
            Source::Unknown(_) => return self.lack(super::requests::NO_OUTCOME),
        }
        Ok(())
    }

    /// Waits for what was started; its place is free then.
    pub(super) fn wait(&mut self, part: &Part) {
        let slot = part.slot;
        self.code.push(if part.holds { Act::Wait { slot } } else { Act::Free { slot } });
        self.code.give_slot(slot);
    }

    pub(super) fn start_send(&mut self, sending: Sending, channel: u32, bytes: u64) -> Part {
        self.sent(channel);
        let slot = self.code.take_slot();
        let op = self.code.start(Act::StartSend { sending, slot, channel, bytes });
        // Other threads go on while one waits for a machine that was not so strict where it was traced.
        let holds = sending == Sending::Synchronous || !self.has_threads();
        Part { slot, op, sent: Some(channel), received: None, unknown: None, holds }
    }

    pub(super) fn start_receive(&mut self, source: &Source) -> Option<Part> {
        if let Source::Nobody = source {
            return None;
        }
        let slot = self.code.take_slot();
        let made = |op| Part { slot, op, sent: None, received: None, unknown: None, holds: true };
        Some(match source {
            Source::Nobody => return None,
            Source::Channel(channel) => {
                self.received(*channel);
                let op = self.code.start(Act::StartReceive { slot, channel: *channel });
                Part { received: Some(*channel), ..made(op) }
            }
            Source::Pick(pick) => made(self.code.start(Act::StartPick { slot, pick: *pick })),
            Source::Unknown(comm) => Part { unknown: Some(Rc::clone(comm)), ..made(self.code.keep_place()) },
        })
    }

    /// The channel of a message from this rank; none if it goes to nobody.
    #[inline]
    fn destination(&mut self, comm: &Known, to: Peer, tag: i64) -> Result<Option<u32>> {
        let Some(to) = self.partner(comm, to)? else { return Ok(None) };
        let way = Way { from: self.rank, to, comm: comm.id, tag: Some(self.tag(tag)?), lane: Lane::Message };
        Ok(Some(self.shared.channels.number(way)))
    }

    /// Where a message to this rank comes from; `came` says what wild cards stood for, if that is known yet.
    fn source(&mut self, comm: &Rc<Known>, from: Peer, tag: i64, came: Option<Came>) -> Result<Source> {
        if from == Peer::Nobody {
            return Ok(Source::Nobody);
        }
        if from != Peer::Any && tag != ANY_TAG {
            let Some(from) = self.partner(comm, from)? else { return Ok(Source::Nobody) };
            let way =
                Way { from, to: self.rank, comm: comm.id, tag: Some(self.tag(tag)?), lane: Lane::Message };
            return Ok(Source::Channel(self.shared.channels.number(way)));
        }
        if self.shared.options.wildcards == Wildcards::Rematch {
            let from = if from == Peer::Any { None } else { self.partner(comm, from)? };
            let tag = if tag == ANY_TAG { None } else { Some(self.tag(tag)?) };
            return Ok(match came {
                Some((NOBODY, _)) => Source::Nobody,
                _ => Source::Pick(self.shared.channels.pick(self.rank, Picked { from, comm: comm.id, tag })),
            });
        }
        self.shared.notes.assume(WILD);
        match came {
            Some(came) => self.resolved(comm, came),
            None => Ok(Source::Unknown(Rc::clone(comm))),
        }
    }

    /// Where a message came from that wild cards received.
    pub(super) fn resolved(&mut self, comm: &Rc<Known>, (source, tag): Came) -> Result<Source> {
        if source == NOBODY {
            return Ok(Source::Nobody);
        }
        let Ok(number) = u32::try_from(source) else { return Ok(Source::Unknown(Rc::clone(comm))) };
        let from = self.numbered(comm, number)?;
        let way = Way { from, to: self.rank, comm: comm.id, tag: Some(self.tag(tag)?), lane: Lane::Message };
        Ok(Source::Channel(self.shared.channels.number(way)))
    }

    #[inline]
    fn tag(&self, tag: i64) -> Result<u32> {
        u32::try_from(tag).map_err(|_| self.error("its tag is impossible; trace the program again"))
    }

    #[inline]
    fn sent(&mut self, channel: u32) {
        self.shared.channels.traffic(channel).sends.add(self.now);
    }

    #[inline]
    pub(super) fn received(&mut self, channel: u32) {
        self.shared.channels.traffic(channel).receives.add(self.now);
    }
}

fn sending(mode: Mode) -> Sending {
    match mode {
        Mode::Standard => Sending::Standard,
        Mode::Buffered => Sending::Buffered,
        Mode::Synchronous => Sending::Synchronous,
        Mode::Ready => Sending::Ready,
    }
}
