//! From the events of a rank to its calls.
//!
//! A call is an MPI function with the events in it. Several completions in one function are one
//! wait; a send and a receive in one function are one call that does both. An event outside of any
//! MPI function is a call of no duration.

use panto_trace::{Action, Builder, CallForm, Comm, Data, Peer, SendMode, Slot};
use rustc_hash::FxHashMap;

use super::Omitted;
use super::collective;
use super::definitions::{Communicator, Definitions};
use super::events::{Event, EventKind, Operation, Transfer};
use super::outcomes::{Outcome, Outcomes, RankSizes};
use crate::stream::RankStream;

/// Writes the calls of a rank.
pub struct Caller<'a> {
    stream: Builder,
    definitions: &'a Definitions,
    outcomes: &'a Outcomes,
    sizes: &'a RankSizes,
    omitted: &'a mut Omitted,
    comms: FxHashMap<u32, OwnComm>,
    /// Collectives so far, by communicator.
    collectives: FxHashMap<u32, u64>,
    /// Receives and collectives with requests so far.
    started: usize,
    /// Slots of pending requests.
    requests: FxHashMap<u64, Slot>,
    /// The open MPI function, and how many are open, one in the other.
    function: Option<Function>,
    depth: u32,
    /// Until when everything is written, in nanoseconds.
    until: u64,
    has_begun: bool,
    has_ended: bool,
}

/// A communicator as the rank sees it.
struct OwnComm {
    comm: Comm,
    rank: u32,
    size: u32,
    is_inter: bool,
}

/// An MPI function that is open.
struct Function {
    region: u32,
    begin: u64,
    calls: Vec<Call>,
}

/// An event that becomes a call, or a part of one.
#[derive(Clone, Copy)]
enum Call {
    Send(Transfer, Option<u64>),
    Receive(Transfer, Option<u64>),
    Complete(u64),
    Test(u64),
    Collective(Operation, Option<u64>),
    /// An event without a call.
    Nothing,
}

impl<'a> Caller<'a> {
    pub fn new(
        mut stream: Builder,
        rank: u32,
        definitions: &'a Definitions,
        outcomes: &'a Outcomes,
        sizes: &'a RankSizes,
        omitted: &'a mut Omitted,
    ) -> Self {
        stream.keep_stamps();
        let comms = own_comms(&mut stream, rank, definitions);
        Self {
            stream,
            definitions,
            outcomes,
            sizes,
            omitted,
            comms,
            collectives: FxHashMap::default(),
            started: 0,
            requests: FxHashMap::default(),
            function: None,
            depth: 0,
            until: 0,
            has_begun: false,
            has_ended: false,
        }
    }

    /// Takes the next event. An error says what is wrong with it.
    pub fn event(&mut self, event: &Event) -> Result<(), String> {
        let call = match event.kind {
            EventKind::Enter(region) => {
                self.enter(region, event.time);
                return Ok(());
            }
            EventKind::Leave(region) => return self.leave(region, event.time),
            EventKind::Send { message, request } => Call::Send(message, request),
            EventKind::Received { message, request: None } => Call::Receive(message, None),
            EventKind::Received { request: Some(request), .. }
            | EventKind::Collective { request: Some(request), .. }
            | EventKind::Completed(request) => Call::Complete(request),
            EventKind::Tested(request) => Call::Test(request),
            EventKind::Collective { operation, request: None } => Call::Collective(operation, None),
            EventKind::ReceiveStarted(request) | EventKind::CollectiveStarted(request) => self.start(request),
            EventKind::OneSided => {
                self.omitted.one_sided += 1;
                Call::Nothing
            }
            EventKind::Other => return Ok(()),
        };
        match &mut self.function {
            Some(function) => {
                function.calls.push(call);
                Ok(())
            }
            None => self.function_ends("", event.time, event.time, &[call]),
        }
    }

    /// Returns what a request that is started now turns out to be.
    fn start(&mut self, request: u64) -> Call {
        self.started += 1;
        match self.outcomes.started(self.started - 1) {
            Some(Outcome::Received(message)) => Call::Receive(message, Some(request)),
            Some(Outcome::Collective(operation)) => Call::Collective(operation, Some(request)),
            None => {
                self.omitted.incomplete += 1;
                Call::Nothing
            }
        }
    }

    fn enter(&mut self, region: u32, time: u64) {
        let is_mpi = self.definitions.regions.get(&region).is_some_and(|region| region.is_mpi);
        if self.depth > 0 {
            self.depth += 1;
        } else if is_mpi {
            self.depth = 1;
            self.function = Some(Function { region, begin: time, calls: Vec::new() });
        }
    }

    fn leave(&mut self, region: u32, time: u64) -> Result<(), String> {
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 {
            return Ok(());
        }
        let Some(function) = self.function.take() else { return Ok(()) };
        if function.region != region {
            return Err("a function ends that is not the last one that began".into());
        }
        let definitions = self.definitions;
        let name = definitions.regions.get(&region).map_or("", |region| region.name.as_str());
        self.function_ends(name, function.begin, time, &function.calls)
    }

    /// Writes the calls of an MPI function.
    fn function_ends(&mut self, name: &str, begin: u64, end: u64, calls: &[Call]) -> Result<(), String> {
        let is_first = matches!(name, "MPI_Init" | "MPI_Init_thread");
        if is_first && !self.has_begun {
            self.stream.pause(begin);
            self.begin(name, end.saturating_sub(begin));
            self.until = end;
            return Ok(());
        }
        if !self.has_begun {
            self.begin("MPI_Init", 0);
        }
        self.stream.compute(begin.saturating_sub(self.until));
        self.until = end.max(self.until);
        let inside = end.saturating_sub(begin);
        if name == "MPI_Finalize" && !self.has_ended {
            self.complete_all();
            self.end(inside);
            return Ok(());
        }
        let before = self.stream.calls();
        self.stream.inside(inside);
        self.calls(name, calls)?;
        if self.stream.calls() == before {
            self.stream.inside(0);
            self.stream.pause(inside);
            if calls.is_empty() {
                *self.omitted.calls.entry(name.to_owned()).or_default() += 1;
            }
        }
        Ok(())
    }

    fn begin(&mut self, name: &str, inside: u64) {
        self.has_begun = true;
        self.stream.inside(inside);
        self.stream.call(name, &Action::Initialise { threads: 0 });
    }

    fn end(&mut self, inside: u64) {
        self.has_ended = true;
        self.stream.inside(inside);
        self.stream.call("MPI_Finalize", &Action::Finalise {});
    }

    fn calls(&mut self, name: &str, calls: &[Call]) -> Result<(), String> {
        if let [Call::Send(sent, None), Call::Receive(received, None)]
        | [Call::Receive(received, None), Call::Send(sent, None)] = calls
        {
            return self.send_receive(name, *sent, *received);
        }
        let mut completed = Vec::new();
        for call in calls {
            match *call {
                Call::Send(message, request) => self.send(name, message, request)?,
                Call::Receive(message, request) => self.receive(name, message, request)?,
                Call::Collective(operation, request) => self.collective(name, &operation, request)?,
                Call::Complete(request) => match self.requests.remove(&request) {
                    Some(slot) => completed.push(slot),
                    None => self.omitted.unknown_requests += 1,
                },
                Call::Test(request) => {
                    if let Some(slot) = self.requests.get(&request) {
                        self.stream.test_incomplete(*slot);
                    }
                }
                Call::Nothing => {}
            }
        }
        self.stream.wait(&completed);
        Ok(())
    }

    fn comm(&self, comm: u32) -> Result<&OwnComm, String> {
        self.comms.get(&comm).ok_or_else(|| format!("communicator {comm} is not one of this rank"))
    }

    /// Returns a communicator and a rank of it; no rank if the partner is none.
    fn partner(&self, message: Transfer) -> Result<(Comm, Peer), String> {
        let OwnComm { comm, rank, .. } = *self.comm(message.comm)?;
        Ok((comm, Peer::Relative(message.partner.wrapping_sub(rank) as i32)))
    }

    fn send(&mut self, name: &str, message: Transfer, request: Option<u64>) -> Result<(), String> {
        let (comm, to) = self.partner(message)?;
        let form = form(request);
        let slot = self.stream.request(form);
        let default = if request.is_some() { "MPI_Isend" } else { "MPI_Send" };
        let name = if name.contains("send") { name } else { default };
        let (datatype, tag) = (Builder::ELEMENT, message.tag.into());
        let (mode, bytes) = (mode(name), message.bytes);
        self.stream.call(name, &Action::Send { mode, form, comm, to, datatype, bytes, tag, request: slot });
        self.requests.extend(request.zip(slot));
        Ok(())
    }

    fn receive(&mut self, name: &str, message: Transfer, request: Option<u64>) -> Result<(), String> {
        let (comm, from) = self.partner(message)?;
        let form = form(request);
        let slot = self.stream.request(form);
        let default = if request.is_some() { "MPI_Irecv" } else { "MPI_Recv" };
        let name = if name.contains("recv") { name } else { default };
        let action = Action::Receive {
            form,
            comm,
            from,
            datatype: Builder::ELEMENT,
            bytes: message.bytes,
            tag: message.tag.into(),
            request: slot,
            source: -1,
            got_tag: -1,
            got_bytes: -1,
        };
        self.stream.call(name, &action);
        self.requests.extend(request.zip(slot));
        Ok(())
    }

    fn send_receive(&mut self, name: &str, sent: Transfer, received: Transfer) -> Result<(), String> {
        if sent.comm != received.comm {
            return Err("one function sends and receives on different communicators".into());
        }
        let ((comm, to), (_, from)) = (self.partner(sent)?, self.partner(received)?);
        let action = Action::SendReceive {
            comm,
            to,
            from,
            datatype: Builder::ELEMENT,
            receive_type: Builder::ELEMENT,
            replace: name.ends_with("_replace"),
            bytes: sent.bytes,
            tag: sent.tag.into(),
            receive_bytes: received.bytes,
            want_tag: received.tag.into(),
            source: -1,
            got_tag: -1,
            got_bytes: -1,
            request: None,
        };
        let name = if name.is_empty() { "MPI_Sendrecv" } else { name };
        self.stream.call(name, &action);
        Ok(())
    }

    fn collective(&mut self, name: &str, operation: &Operation, request: Option<u64>) -> Result<(), String> {
        let number = self.collectives.entry(operation.comm).or_default();
        *number += 1;
        let all = self.sizes.of(operation.comm, *number - 1);
        let OwnComm { comm, rank, size, is_inter } = *self.comm(operation.comm)?;
        if is_inter {
            return Err("a collective on an intercommunicator, which cannot be imported".into());
        }
        let Some(call) = collective::call(operation, rank, size, all) else {
            *self.omitted.calls.entry(name.to_owned()).or_default() += 1;
            return Ok(());
        };
        if call.is_rooted && operation.root >= size {
            return Err(format!("a collective of {size} ranks has rank {} as its root", operation.root));
        }
        let form = form(request);
        let slot = self.stream.request(form);
        let of = |data: &Data| (*data != Data::Nothing).then_some(Builder::ELEMENT);
        let root = operation.root.wrapping_sub(rank) as i32;
        let action = Action::Collective {
            pattern: call.collective.into(),
            form,
            comm,
            root: if call.is_rooted { Peer::Relative(root) } else { Peer::Null },
            datatype: of(&call.sends),
            receive_type: of(&call.receives),
            commutes: true,
            in_place: false,
            bytes: call.sends.bytes(),
            receive_bytes: call.receives.bytes(),
            request: slot,
            send_sizes: call.sends.list(),
            receive_sizes: call.receives.list(),
        };
        let name = if name.starts_with("MPI_") { name } else { call.name };
        self.stream.call(name, &action);
        self.requests.extend(request.zip(slot));
        Ok(())
    }

    fn complete_all(&mut self) {
        let mut slots: Vec<Slot> = self.requests.drain().map(|(_, slot)| slot).collect();
        slots.sort_unstable();
        self.stream.wait(&slots);
    }

    /// Ends the rank; returns its stream.
    pub fn finish(mut self) -> RankStream {
        if !self.has_begun {
            self.begin("MPI_Init", 0);
        }
        if !self.has_ended {
            self.complete_all();
            self.end(0);
        }
        RankStream::complete(self.stream)
    }
}

fn form(request: Option<u64>) -> CallForm {
    if request.is_some() { CallForm::Immediate } else { CallForm::Blocking }
}

/// Returns the mode of a send, by the function's name.
fn mode(name: &str) -> SendMode {
    match name.trim_start_matches("MPI_").trim_start_matches('I').to_ascii_lowercase().as_bytes() {
        [b'b', b's', ..] => SendMode::Buffered,
        [b's', b's', ..] => SendMode::Synchronous,
        [b'r', b's', ..] => SendMode::Ready,
        _ => SendMode::Standard,
    }
}

/// Defines the communicators of a rank.
fn own_comms(stream: &mut Builder, rank: u32, definitions: &Definitions) -> FxHashMap<u32, OwnComm> {
    let mut comms = FxHashMap::default();
    let ranks = definitions.rank_locations.len() as u32;
    for (number, comm) in &definitions.comms {
        let own = match comm {
            Communicator::World => OwnComm { comm: Builder::WORLD, rank, size: ranks, is_inter: false },
            Communicator::Own => OwnComm { comm: Builder::OWN, rank: 0, size: 1, is_inter: false },
            Communicator::Ranks { members, others } => {
                let place = |side: &[u32]| side.iter().position(|member| *member == rank);
                let (own, other, place) = match (place(members), others.as_deref()) {
                    (Some(place), others) => (&members[..], others, place),
                    (None, Some(others)) => match place(others) {
                        Some(place) => (others, Some(&members[..]), place),
                        None => continue,
                    },
                    (None, None) => continue,
                };
                let comm = stream.communicator(i64::from(*number), place as u32, own, other);
                OwnComm { comm, rank: place as u32, size: own.len() as u32, is_inter: other.is_some() }
            }
        };
        comms.insert(*number, own);
    }
    comms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_follow_from_names() {
        let modes = [
            ("MPI_Send", SendMode::Standard),
            ("MPI_Isend", SendMode::Standard),
            ("MPI_Issend", SendMode::Synchronous),
            ("MPI_Bsend", SendMode::Buffered),
            ("MPI_Irsend", SendMode::Ready),
            ("MPI_Sendrecv", SendMode::Standard),
        ];
        for (name, expected) in modes {
            assert_eq!(mode(name), expected, "{name}");
        }
    }
}
