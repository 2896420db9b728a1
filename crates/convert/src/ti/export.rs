//! The calls of a rank as actions.

mod collective;
mod requests;
mod spaces;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use panto_trace::{Action, Comm, Form, Look, Mode, Peer, RankTrace, Slot, Tables};

use crate::error::{Error, Result};
use requests::{Message, Request};
pub use spaces::Spaces;

/// Tags of `MPI_COMM_WORLD` stay below this where there are other communicators; theirs begin above it.
const TAGS: i64 = 1 << 20;

/// What is not as it was, and how often.
type Notes = BTreeMap<&'static str, u64>;

/// A rank that is being written.
pub struct Export<'a> {
    spaces: &'a Spaces<'a>,
    rank: u32,
    ranks: u32,
    flops: f64,
    notes: &'a mut Notes,
    lines: Vec<String>,
    requests: FxHashMap<u32, Request>,
    /// Messages that a probe took.
    taken: FxHashMap<u32, Message>,
    /// The call at hand.
    call: String,
    position: u64,
}

impl<'a> Export<'a> {
    pub fn new(spaces: &'a Spaces<'a>, rank: u32, ranks: u32, flops: f64, notes: &'a mut Notes) -> Self {
        Self {
            spaces,
            rank,
            ranks,
            flops,
            notes,
            lines: vec!["init".into()],
            requests: FxHashMap::default(),
            taken: FxHashMap::default(),
            call: String::new(),
            position: 0,
        }
    }

    /// All actions.
    pub fn lines(mut self, rank: &RankTrace) -> Result<Vec<String>> {
        let mut events = rank.events();
        while let Some(event) = events.next()? {
            self.position = event.position();
            event.name().clone_into(&mut self.call);
            let action = event.action()?;
            // Time begins when MPI does.
            if event.before() > 0 && !matches!(action, Action::Initialise { .. }) {
                let flops = event.before() as f64 * self.flops / 1e9;
                self.lines.push(format!("compute {flops}"));
            }
            self.event(&action, event.tables())?;
        }
        if self.requests.values().any(|request| request.parts.iter().any(|part| part.source.is_none())) {
            return Err(self.beyond("the trace does not say what a receive with wild cards got"));
        }
        self.lines.push("finalize".into());
        Ok(self.lines)
    }

    fn beyond(&self, why: &str) -> Error {
        let text = format!(
            "{why}, and a time-independent trace of SimGrid cannot say this; convert to GOAL, or leave it out of the program"
        );
        Error::Beyond { rank: self.rank, call: self.call.clone(), position: self.position, text }
    }

    fn note(&mut self, what: &'static str) {
        *self.notes.entry(what).or_default() += 1;
    }

    fn event(&mut self, action: &Action<'_>, tables: &Tables) -> Result<()> {
        match *action {
            Action::Send { mode, form, comm, to, bytes, tag, request, .. } => {
                self.mode(mode);
                let message = self.outgoing(tables, comm, to, tag, bytes)?;
                self.message(form, message, request)
            }
            Action::Receive { form, comm, from, bytes, tag, request, source, got_tag, got_bytes, .. } => {
                let got = (form == Form::Blocking && source >= 0).then_some([source, got_tag, got_bytes]);
                let message = self.incoming(tables, comm, from, tag, bytes, got)?;
                self.message(form, message, request)
            }
            Action::SendReceive {
                comm,
                to,
                from,
                bytes,
                tag,
                room,
                want_tag,
                source,
                got_tag,
                got_bytes,
                request,
                ..
            } => {
                let got = (source >= 0).then_some([source, got_tag, got_bytes]);
                let incoming = self.incoming(tables, comm, from, want_tag, room, got)?;
                let outgoing = self.outgoing(tables, comm, to, tag, bytes)?;
                self.both(incoming, outgoing, request)
            }
            Action::Start { requests } => requests.iter().try_for_each(|slot| self.start(*slot)),
            Action::Complete { requests, completed, outcomes, .. } => {
                if completed.is_empty() {
                    self.note("looks that found nothing were left out");
                }
                self.complete(tables, requests, completed, outcomes)
            }
            Action::Probe { look, comm, found, source, got_tag, got_bytes, message, .. } => {
                self.note("probes were left out");
                let takes = matches!(look, Look::WaitAndTake | Look::PeekAndTake) && found && source >= 0;
                if let (true, Some(slot)) = (takes, message) {
                    let got = Some([source, got_tag, got_bytes]);
                    if let Some(message) = self.incoming(tables, comm, Peer::Any, -1, 0, got)? {
                        self.taken.insert(slot.0, message);
                    }
                }
                Ok(())
            }
            Action::ReceiveTaken { form, message, request, .. } => {
                let message = message.and_then(|slot| self.taken.remove(&slot.0));
                self.message(form, message, request)
            }
            Action::Free { request } => {
                if let Some(Slot(slot)) = request {
                    self.requests.remove(&slot);
                }
                Ok(())
            }
            Action::Collective { .. } => self.collective(action, tables),
            Action::Communicator { .. } => {
                self.note("communicators are made without messages");
                Ok(())
            }
            Action::Spin { .. } => {
                self.note("looks that found nothing were left out");
                Ok(())
            }
            Action::Initialise { .. }
            | Action::Finalise {}
            | Action::Release { .. }
            | Action::Control { .. }
            | Action::Thread { thread: 0 } => Ok(()),
            Action::Thread { .. } => Err(self.beyond("several threads of the rank called MPI")),
            Action::Abort { .. } => Err(self.beyond("the program was aborted")),
            Action::Cancel { .. } => Err(self.beyond("an operation was cancelled")),
            Action::Partition { .. } => Err(self.beyond("parts of an operation were handled alone")),
            Action::OneSided { .. } => Err(self.beyond("this is one-sided communication")),
            Action::File { .. } => Err(self.beyond("this works on a file")),
            Action::Process { .. } => Err(self.beyond("this starts or joins processes")),
        }
    }

    fn mode(&mut self, mode: Mode) {
        if mode != Mode::Standard {
            self.note("buffered, synchronous and ready sends became standard ones");
        }
    }

    /// What is sent; nothing if to nobody.
    fn outgoing(
        &self,
        tables: &Tables,
        comm: Comm,
        to: Peer,
        tag: i64,
        bytes: u64,
    ) -> Result<Option<Message>> {
        let Some(to) = self.partner(tables, comm, to)? else { return Ok(None) };
        let tag = Some(self.tag(comm, tag)?);
        Ok(Some(Message { sends: true, comm, other: Some(to), tag, bytes }))
    }

    /// What is received; nothing if from nobody. `got` are source, tag and bytes, where wild cards were used and they are known.
    fn incoming(
        &self,
        tables: &Tables,
        comm: Comm,
        from: Peer,
        tag: i64,
        bytes: u64,
        got: Option<[i64; 3]>,
    ) -> Result<Option<Message>> {
        let mut message = Message { sends: false, comm, other: None, tag: None, bytes };
        if let Some([source, tag, bytes]) = got {
            message.other = Some(self.member(tables, comm, source)?);
            message.tag = Some(self.tag(comm, tag)?);
            message.bytes = u64::try_from(bytes).unwrap_or(0);
            return Ok(Some(message));
        }
        if from == Peer::Any || tag < 0 {
            return Ok(Some(message));
        }
        message.tag = Some(self.tag(comm, tag)?);
        message.other = self.partner(tables, comm, from)?;
        Ok(message.other.is_some().then_some(message))
    }

    /// The number of another rank in `MPI_COMM_WORLD`; none if it is nobody.
    fn partner(&self, tables: &Tables, comm: Comm, peer: Peer) -> Result<Option<u32>> {
        let own = tables.comm(comm).map_or(0, |comm| comm.rank);
        match (peer, peer.rank(own)) {
            (_, Some(number)) => self.member(tables, comm, number.into()).map(Some),
            (Peer::Nobody, None) => Ok(None),
            _ => Err(self.beyond("its partner is not a rank of the communicator")),
        }
    }

    /// A member's number in `MPI_COMM_WORLD`.
    fn member(&self, tables: &Tables, comm: Comm, number: i64) -> Result<u32> {
        let known = tables.comm(comm);
        let members = known.map(|known| known.others.as_ref().unwrap_or(&known.members));
        let member =
            members.zip(u32::try_from(number).ok()).and_then(|(members, number)| members.get(number));
        let inside = member.filter(|member| *member < self.ranks);
        inside.ok_or_else(|| self.beyond("its partner is not in MPI_COMM_WORLD"))
    }

    /// A tag that tells communicators apart, too.
    fn tag(&self, comm: Comm, tag: i64) -> Result<i64> {
        let number = self.spaces.number(self.rank, comm);
        if number == 0 && self.spaces.others == 0 {
            return Ok(tag);
        }
        let new = (0..TAGS)
            .contains(&tag)
            .then(|| i64::from(number) * TAGS + tag)
            .filter(|tag| *tag <= i64::from(i32::MAX));
        new.ok_or_else(|| self.beyond("its tag and communicator do not fit in one tag"))
    }
}
