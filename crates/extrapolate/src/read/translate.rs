//! One event of a trace as shape, partners, numbers and requests.

use panto_trace::{Action, CallForm, Comm, CompletionKind, Datatype, Peer, Slot, Tables, Type};
use smallvec::{SmallVec, smallvec};

use super::Numbers;
use crate::call::{Collective, Partner, Shape, What};

/// A call in parts.
pub struct Translated<'a> {
    pub shape: Shape,
    pub partners: SmallVec<[Partner; 2]>,
    pub numbers: Numbers,
    /// The slot of the request that it makes.
    pub makes: Option<Slot>,
    /// The slots of requests that it starts, completes or frees.
    pub uses: &'a [i64],
}

impl Translated<'_> {
    /// Whether it is `MPI_Init`.
    pub fn is_start(&self) -> bool {
        matches!(self.shape.what, What::Initialise { .. })
    }
}

/// Why an event is not a call of the program that can be repeated.
pub enum Poll {
    /// It found nothing, which depends on time.
    Nothing,
    /// Such a call is not extrapolated.
    Unsupported(String),
}

/// Splits an event.
pub fn translate<'a>(
    function: &str,
    action: &Action<'a>,
    rank: u32,
    tables: &Tables,
) -> Result<Translated<'a>, Poll> {
    let translator = Translator { function, rank, tables };
    translator.translate(action)
}

struct Translator<'t> {
    function: &'t str,
    rank: u32,
    tables: &'t Tables,
}

impl Translator<'_> {
    fn translate<'a>(&self, action: &Action<'a>) -> Result<Translated<'a>, Poll> {
        match *action {
            Action::Initialise { threads } => Ok(self.plain(What::Initialise { threads })),
            Action::Finalise {} => Ok(self.plain(What::Finalise)),
            Action::Control { level } => Ok(self.plain(What::Control { level })),
            Action::Send { mode, form, comm, to, datatype, bytes, tag, request } => {
                let what = What::Send { mode, form: self.form(form)? };
                let mut call = self.message(what, comm, &[to], datatype, [bytes as i64, tag])?;
                call.makes = request;
                Ok(call)
            }
            Action::Receive { .. } => self.receive(action),
            Action::SendReceive { .. } => self.send_receive(action),
            Action::Start { requests } => Ok(self.using(What::Start, requests)),
            Action::Complete { until, requests, completed, .. } => self.complete(until, requests, completed),
            Action::Collective { .. } => self.collective(action),
            Action::Communicator { parent, comm, request } => {
                let what =
                    What::Communicator { made: comm.map(|comm| comm.0), has_request: request.is_some() };
                let mut call = self.plain(what);
                call.shape.comm = Some(parent.0);
                call.makes = request;
                Ok(call)
            }
            Action::Release { comm: Some(comm) } => Ok(self.plain(What::Release { comm: comm.0 })),
            Action::Release { comm: None } | Action::Spin { .. } | Action::Thread { thread: 0 } => {
                Err(Poll::Nothing)
            }
            Action::Thread { .. } => Err(self.unsupported(" by a second thread")),
            _ => Err(self.unsupported("")),
        }
    }

    fn unsupported(&self, about: &str) -> Poll {
        Poll::Unsupported(format!("{}{about}", self.function))
    }

    fn form(&self, form: CallForm) -> Result<CallForm, Poll> {
        if form == CallForm::Partitioned { Err(self.unsupported("")) } else { Ok(form) }
    }

    fn plain<'a>(&self, what: What) -> Translated<'a> {
        let shape = Shape {
            function: self.function.to_owned(),
            what,
            comm: None,
            is_derived: [false; 2],
            moves: false,
        };
        Translated { shape, partners: SmallVec::new(), numbers: Numbers::default(), makes: None, uses: &[] }
    }

    fn using<'a>(&self, what: What, requests: &'a [i64]) -> Translated<'a> {
        Translated { uses: requests, ..self.plain(what) }
    }

    /// Returns the rank of the program that a number of a communicator means.
    fn member(&self, comm: Comm, number: Option<u32>) -> Option<Partner> {
        let members = &self.tables.comm(comm)?.members;
        members.get(number?).map(Partner::Rank)
    }

    fn partner(&self, comm: Comm, peer: Peer) -> Result<Partner, Poll> {
        let info = self.tables.comm(comm).ok_or_else(|| self.unsupported(" on an unknown communicator"))?;
        if info.others.is_some() {
            return Err(self.unsupported(" on an intercommunicator"));
        }
        match peer {
            Peer::Null => Ok(Partner::Null),
            Peer::Relative(_) => self
                .member(comm, peer.rank(info.rank))
                .ok_or_else(|| self.unsupported(" with a partner outside of its communicator")),
            Peer::Any | Peer::Root => Err(self.unsupported("")),
        }
    }

    fn type_of(&self, datatype: Type) -> Datatype {
        let unknown = Datatype { size: 1, extent: 1, is_derived: false };
        self.tables.datatype(datatype).copied().unwrap_or(unknown)
    }

    fn message<'a>(
        &self,
        what: What,
        comm: Comm,
        peers: &[Peer],
        datatype: Type,
        [bytes, tag]: [i64; 2],
    ) -> Result<Translated<'a>, Poll> {
        let mut call = self.plain(what);
        call.shape.comm = Some(comm.0);
        call.partners = peers.iter().map(|peer| self.partner(comm, *peer)).collect::<Result<_, _>>()?;
        let datatype = self.type_of(datatype);
        call.shape.is_derived[0] = datatype.is_derived;
        call.numbers.single = smallvec![bytes, tag, datatype.size as i64, datatype.extent];
        Ok(call)
    }

    /// Returns the source and the tag of a receive, as matched where they are wildcards.
    fn matched(&self, comm: Comm, peers: (Peer, i64), found: (i64, i64)) -> Result<(Peer, i64), Poll> {
        let ((from, tag), (source, got_tag)) = (peers, found);
        let own = self.tables.comm(comm).map_or(self.rank, |comm| comm.rank);
        let is_open = from == Peer::Any || tag < 0;
        if is_open && source < 0 {
            return Err(self.unsupported(" with a wildcard and a request"));
        }
        let from = if from == Peer::Any { Peer::Relative((source - i64::from(own)) as i32) } else { from };
        Ok((from, if tag < 0 { got_tag } else { tag }))
    }

    fn receive<'a>(&self, action: &Action<'a>) -> Result<Translated<'a>, Poll> {
        let Action::Receive { form, comm, from, datatype, bytes, tag, request, source, got_tag, got_bytes } =
            *action
        else {
            return Err(self.unsupported(""));
        };
        let what = What::Receive { form: self.form(form)?, any_source: from == Peer::Any, any_tag: tag < 0 };
        let (peer, tag) = self.matched(comm, (from, tag), (source, got_tag))?;
        let mut call = self.message(what, comm, &[peer], datatype, [bytes as i64, tag])?;
        call.numbers.single.push(got_bytes);
        call.makes = request;
        Ok(call)
    }

    fn send_receive<'a>(&self, action: &Action<'a>) -> Result<Translated<'a>, Poll> {
        let Action::SendReceive {
            comm,
            to,
            from,
            datatype,
            receive_type,
            replace,
            bytes,
            tag,
            receive_bytes,
            want_tag,
            source,
            got_tag,
            got_bytes,
            request,
        } = *action
        else {
            return Err(self.unsupported(""));
        };
        let what = What::SendReceive {
            replace,
            has_request: request.is_some(),
            any_source: from == Peer::Any,
            any_tag: want_tag < 0,
        };
        let (peer, want_tag) = self.matched(comm, (from, want_tag), (source, got_tag))?;
        let mut call = self.message(what, comm, &[to, peer], datatype, [bytes as i64, tag])?;
        let received = self.type_of(receive_type);
        call.shape.is_derived[1] = received.is_derived;
        call.numbers.single.extend([
            receive_bytes as i64,
            want_tag,
            received.size as i64,
            received.extent,
            got_bytes,
        ]);
        call.makes = request;
        Ok(call)
    }

    fn complete<'a>(
        &self,
        until: CompletionKind,
        requests: &'a [i64],
        completed: &[i64],
    ) -> Result<Translated<'a>, Poll> {
        if completed.is_empty() {
            return Err(Poll::Nothing);
        }
        if completed.len() < requests.len() {
            return Err(self.unsupported(" that completes a part of its requests"));
        }
        Ok(self.using(What::Complete { until }, requests))
    }

    fn collective<'a>(&self, action: &Action<'a>) -> Result<Translated<'a>, Poll> {
        let Action::Collective {
            pattern,
            form,
            comm,
            root,
            datatype,
            receive_type,
            commutes,
            in_place,
            bytes,
            receive_bytes,
            request,
            send_sizes,
            receive_sizes,
        } = *action
        else {
            return Err(self.unsupported(""));
        };
        if pattern.is_among_neighbors() {
            return Err(self.unsupported(""));
        }
        let mut call = self.plain(What::Collective(Collective {
            kind: pattern,
            form: self.form(form)?,
            commutes,
            in_place,
            has_type: [datatype.is_some(), receive_type.is_some()],
            has_list: [!send_sizes.is_empty(), !receive_sizes.is_empty()],
        }));
        call.shape.comm = Some(comm.0);
        call.partners = smallvec![self.partner(comm, root)?];
        for (place, (datatype, bytes)) in
            [(datatype, bytes), (receive_type, receive_bytes)].into_iter().enumerate()
        {
            let element = datatype.map(|datatype| self.type_of(datatype));
            call.shape.is_derived[place] = element.is_some_and(|element| element.is_derived);
            let sizes = element.map_or((0, 0), |element| (element.size as i64, element.extent));
            call.numbers.single.extend([bytes as i64, sizes.0, sizes.1]);
        }
        call.numbers.lists = [send_sizes.to_vec(), receive_sizes.to_vec()];
        call.makes = request;
        Ok(call)
    }
}
