//! Export of a rank's calls as actions.

mod collective;
mod requests;
mod tag_spaces;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use panto_trace::{Action, CallForm, Comm, Peer, ProbeKind, RankTrace, SendMode, Slot, Tables};

use crate::error::{Error, Result};
use requests::{Message, Request};
pub use tag_spaces::TagSpaces;

/// Number of tags reserved for each communicator where there are several: communicator `n` uses
/// tags from `n * TAGS` on.
const TAGS: i64 = 1 << 20;

/// What differs from the original, and how often.
type Notes = BTreeMap<&'static str, u64>;

/// Export state of one rank.
pub struct Export<'a> {
    spaces: &'a TagSpaces<'a>,
    rank: u32,
    ranks: u32,
    flops: f64,
    notes: &'a mut Notes,
    lines: Vec<String>,
    requests: FxHashMap<u32, Request>,
    /// Messages received by matched probes (`MPI_Mprobe`), by message slot.
    taken: FxHashMap<u32, Message>,
    /// Name of the current call.
    call: String,
    position: u64,
}

impl<'a> Export<'a> {
    pub fn new(spaces: &'a TagSpaces<'a>, rank: u32, ranks: u32, flops: f64, notes: &'a mut Notes) -> Self {
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

    /// Returns all actions of the rank.
    pub fn lines(mut self, rank: &RankTrace) -> Result<Vec<String>> {
        let mut events = rank.events();
        while let Some(event) = events.next()? {
            self.position = event.position();
            event.name().clone_into(&mut self.call);
            let action = event.action()?;
            // Time starts at the end of `MPI_Init`.
            if event.before() > 0 && !matches!(action, Action::Initialise { .. }) {
                let flops = event.before() as f64 * self.flops / 1e9;
                self.lines.push(format!("compute {flops}"));
            }
            self.event(&action, event.tables())?;
        }
        if self.requests.values().any(|request| request.parts.iter().any(|part| part.source.is_none())) {
            return Err(self.unsupported("the trace does not record what a wildcard receive matched"));
        }
        self.lines.push("finalize".into());
        Ok(self.lines)
    }

    fn unsupported(&self, why: &str) -> Error {
        let text = format!(
            "{why}; time-independent traces cannot express it: convert to GOAL, or remove it from the program"
        );
        Error::Unsupported { rank: self.rank, call: self.call.clone(), position: self.position, text }
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
                let got = (form == CallForm::Blocking && source >= 0).then_some([source, got_tag, got_bytes]);
                let message = self.incoming(tables, comm, from, tag, bytes, got)?;
                self.message(form, message, request)
            }
            Action::SendReceive {
                comm,
                to,
                from,
                bytes,
                tag,
                receive_bytes,
                want_tag,
                source,
                got_tag,
                got_bytes,
                request,
                ..
            } => {
                let got = (source >= 0).then_some([source, got_tag, got_bytes]);
                let incoming = self.incoming(tables, comm, from, want_tag, receive_bytes, got)?;
                let outgoing = self.outgoing(tables, comm, to, tag, bytes)?;
                self.both(incoming, outgoing, request)
            }
            Action::Start { requests } => requests.iter().try_for_each(|slot| self.start(*slot)),
            Action::Complete { requests, completed, outcomes, .. } => {
                if completed.is_empty() {
                    self.note("unsuccessful tests omitted");
                }
                self.complete(tables, requests, completed, outcomes)
            }
            Action::Probe { look, comm, found, source, got_tag, got_bytes, message, .. } => {
                self.note("probes omitted");
                let takes = matches!(look, ProbeKind::Mprobe | ProbeKind::Improbe) && found && source >= 0;
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
                self.note("communicators created without messages");
                Ok(())
            }
            Action::Spin { .. } => {
                self.note("unsuccessful tests omitted");
                Ok(())
            }
            Action::Initialise { .. }
            | Action::Finalise {}
            | Action::Release { .. }
            | Action::Control { .. }
            | Action::Thread { thread: 0 } => Ok(()),
            Action::Thread { .. } => Err(self.unsupported("several threads of the rank call MPI")),
            Action::Abort { .. } => Err(self.unsupported("the program aborted")),
            Action::Cancel { .. } => Err(self.unsupported("an operation was cancelled")),
            Action::Partition { .. } => Err(self.unsupported("partitioned communication")),
            Action::OneSided { .. } => Err(self.unsupported("one-sided communication")),
            Action::File { .. } => Err(self.unsupported("file access")),
            Action::Process { .. } => Err(self.unsupported("dynamic process management")),
        }
    }

    fn mode(&mut self, mode: SendMode) {
        if mode != SendMode::Standard {
            self.note("buffered, synchronous or ready sends written as standard sends");
        }
    }

    /// Returns the message of a send; `None` if the destination is `MPI_PROC_NULL`.
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

    /// Returns the message of a receive; `None` if the source is `MPI_PROC_NULL`. `got` holds
    /// source, tag and bytes of the matched message, where wildcards were used and the match is
    /// recorded.
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

    /// Returns a peer's rank in `MPI_COMM_WORLD`; `None` for `MPI_PROC_NULL`.
    fn partner(&self, tables: &Tables, comm: Comm, peer: Peer) -> Result<Option<u32>> {
        let own = tables.comm(comm).map_or(0, |comm| comm.rank);
        match (peer, peer.rank(own)) {
            (_, Some(number)) => self.member(tables, comm, number.into()).map(Some),
            (Peer::Null, None) => Ok(None),
            _ => Err(self.unsupported("the peer is not a rank of the communicator")),
        }
    }

    /// Returns the rank in `MPI_COMM_WORLD` of a member of a communicator.
    fn member(&self, tables: &Tables, comm: Comm, number: i64) -> Result<u32> {
        let known = tables.comm(comm);
        let members = known.map(|known| known.others.as_ref().unwrap_or(&known.members));
        let member =
            members.zip(u32::try_from(number).ok()).and_then(|(members, number)| members.get(number));
        let inside = member.filter(|member| *member < self.ranks);
        inside.ok_or_else(|| self.unsupported("the peer is not in MPI_COMM_WORLD"))
    }

    /// Returns a tag that encodes the communicator, too.
    fn tag(&self, comm: Comm, tag: i64) -> Result<i64> {
        let number = self.spaces.number(self.rank, comm);
        if number == 0 && self.spaces.others == 0 {
            return Ok(tag);
        }
        let new = (0..TAGS)
            .contains(&tag)
            .then(|| i64::from(number) * TAGS + tag)
            .filter(|tag| *tag <= i64::from(i32::MAX));
        new.ok_or_else(|| self.unsupported("tag and communicator do not fit in one tag"))
    }
}
