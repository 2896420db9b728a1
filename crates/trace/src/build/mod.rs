//! Building traces in code: imports, examples and tests.
//!
//! A [`Builder`] makes the stream of one rank as the tracer would record it. It begins with
//! `MPI_COMM_WORLD`, `MPI_COMM_SELF` and one datatype, gives requests the lowest free slot and
//! fills blocks. Computation is added with [`compute`](Builder::compute) and belongs to the next
//! call.
//!
//! ```
//! use panto_trace::{Builder, CallForm};
//!
//! let mut builder = Builder::new(0, 2, 8);
//! let receive = builder.receive(CallForm::Immediate, Some(1), Some(7), 800);
//! builder.compute(1_000_000);
//! builder.send(CallForm::Blocking, 1, 7, 800);
//! builder.wait(&receive.into_iter().collect::<Vec<_>>());
//! let stream: Vec<u8> = builder.finish(&panto_trace::Metadata::default());
//! # assert!(stream.starts_with(b"PANTO-TR"));
//! ```

mod requests;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use panto_calls::{Collective, SendMode};

use crate::action::Action;
use crate::field::{CallForm, Comm, Name, Peer, Slot, Type};
use crate::metadata::Metadata;
use crate::ranks::Ranks;
use crate::record::{Recorder, Times};
use crate::stream::{Head, stream_end, stream_start};
use crate::table::{Communicator, Datatype};

/// Events of a block.
const BLOCK: u32 = 1 << 16;

/// Builds the stream of one rank.
pub struct Builder {
    recorder: Recorder,
    out: Vec<u8>,
    rank: u32,
    calls: u64,
    /// Computation since the last call, in nanoseconds.
    before: u64,
    /// Wall-clock time since the last call that is not computation, in nanoseconds.
    pause: u64,
    /// Wall-clock time inside the next call, in nanoseconds.
    inside: u64,
    free: BinaryHeap<Reverse<u32>>,
    slots: u32,
    /// Datatypes by the size of their elements, in bytes.
    types: BTreeMap<u64, Type>,
    /// Names of the functions of messages and waits, once they are defined.
    names: [Option<Name>; MessageCall::COUNT],
    /// Buffers of [`wait`](Self::wait).
    slots_waited: Vec<i64>,
    completed: Vec<i64>,
}

/// Functions that nearly all calls of a schedule are, whose names are looked up once.
#[derive(Clone, Copy)]
enum MessageCall {
    Send,
    Isend,
    Recv,
    Irecv,
    Wait,
    Waitall,
}

impl MessageCall {
    const COUNT: usize = 6;

    fn name(self) -> &'static str {
        match self {
            Self::Send => "MPI_Send",
            Self::Isend => "MPI_Isend",
            Self::Recv => "MPI_Recv",
            Self::Irecv => "MPI_Irecv",
            Self::Wait => "MPI_Wait",
            Self::Waitall => "MPI_Waitall",
        }
    }
}

/// What a rank sends in a collective, or receives from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// No data, or none that is significant on this rank.
    Nothing,
    /// The same number of bytes for each rank.
    Same(u64),
    /// A number of bytes for each rank.
    Each(Vec<i64>),
}

impl Data {
    /// Returns the bytes for each rank, or their sum where they differ.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Nothing => 0,
            Self::Same(bytes) => *bytes,
            Self::Each(list) => list.iter().sum::<i64>() as u64,
        }
    }

    /// Returns the bytes of all ranks where they differ.
    pub fn list(&self) -> &[i64] {
        match self {
            Self::Each(list) => list,
            _ => &[],
        }
    }
}

impl Builder {
    /// `MPI_COMM_WORLD`.
    pub const WORLD: Comm = Comm(0);

    /// `MPI_COMM_SELF`.
    pub const OWN: Comm = Comm(1);

    /// The datatype of messages: the one with the elements that [`new`](Self::new) was given.
    pub const ELEMENT: Type = Type(0);

    /// Begins the stream of a rank, whose messages have elements of this number of bytes.
    pub fn new(rank: u32, ranks: u32, element: u64) -> Self {
        Self::with_metadata(rank, &(0..ranks).collect(), element, &Metadata::default())
    }

    /// Begins a stream with metadata. `world` has all ranks: making that list once is faster than
    /// for each of many ranks.
    pub fn with_metadata(rank: u32, world: &Ranks, element: u64, metadata: &Metadata) -> Self {
        let head = Head { is_whole: false, rank, ranks: world.len(), has_call_sites: false };
        let mut builder = Self {
            recorder: Recorder::new(false),
            out: stream_start(head, metadata),
            rank,
            calls: 0,
            before: 0,
            pause: 0,
            inside: 0,
            free: BinaryHeap::new(),
            slots: 0,
            types: BTreeMap::new(),
            names: [None; MessageCall::COUNT],
            slots_waited: Vec::new(),
            completed: Vec::new(),
        };
        builder.datatype(element);
        builder.predefined("MPI_COMM_WORLD", rank, world.clone());
        builder.predefined("MPI_COMM_SELF", 0, std::iter::once(rank).collect());
        builder
    }

    fn predefined(&mut self, name: &str, rank: u32, members: Ranks) {
        let made_by = self.recorder.name(name);
        self.recorder.communicator(&Communicator {
            made_by,
            parent: None,
            ordinal: 0,
            tag: 0,
            rank,
            members,
            others: None,
            sources: Ranks::default(),
            destinations: Ranks::default(),
        });
    }

    /// Returns the recorder, for definitions that the builder has no function for.
    pub fn recorder(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    /// Returns the rank.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// Returns the number of calls so far.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Returns the datatype with elements of this number of bytes.
    pub fn datatype(&mut self, size: u64) -> Type {
        let recorder = &mut self.recorder;
        let new = || recorder.datatype(&Datatype { size, extent: size as i64, is_derived: false });
        *self.types.entry(size).or_insert_with(new)
    }

    /// Adds computation before the next call, in nanoseconds.
    pub fn compute(&mut self, nanos: u64) {
        self.before = self.before.saturating_add(nanos);
    }

    /// Adds wall-clock time before the next call that is not computation, in nanoseconds.
    pub fn pause(&mut self, nanos: u64) {
        self.pause = self.pause.saturating_add(nanos);
    }

    /// Keeps the wall-clock times of the calls that follow: each begins when the computation before
    /// it ends.
    pub fn keep_stamps(&mut self) {
        self.recorder.keep_stamps();
    }

    /// Sets the wall-clock time inside the next call, in nanoseconds.
    pub fn inside(&mut self, nanos: u64) {
        self.inside = nanos;
    }

    /// Adds a call.
    pub fn call(&mut self, name: &str, action: &Action<'_>) {
        let name = self.recorder.name(name);
        self.record(name, action);
    }

    fn message_call(&mut self, call: MessageCall, action: &Action<'_>) {
        let recorder = &mut self.recorder;
        let name = *self.names[call as usize].get_or_insert_with(|| recorder.name(call.name()));
        self.record(name, action);
    }

    fn record(&mut self, name: Name, action: &Action<'_>) {
        let before = std::mem::take(&mut self.before);
        let gap = before.saturating_add(std::mem::take(&mut self.pause));
        let times = Times { before, gap, inside: std::mem::take(&mut self.inside) };
        self.recorder.record(name, action, times);
        self.calls += 1;
        if self.recorder.events() >= BLOCK {
            self.seal();
        }
    }

    /// Ends the current block.
    pub fn seal(&mut self) {
        self.recorder.seal(0, &mut self.out);
    }

    /// Returns another rank of `MPI_COMM_WORLD`, relative to this one; none is a wildcard.
    pub fn peer(&self, rank: Option<u32>) -> Peer {
        rank.map_or(Peer::Any, |rank| Peer::Relative(rank.wrapping_sub(self.rank) as i32))
    }

    /// Adds a standard send. Returns the slot of its request, unless it is blocking.
    pub fn send(&mut self, form: CallForm, to: u32, tag: u32, bytes: u64) -> Option<Slot> {
        let (request, to) = (self.request(form), self.peer(Some(to)));
        let call = if request.is_some() { MessageCall::Isend } else { MessageCall::Send };
        let (mode, tag, comm, datatype) = (SendMode::Standard, tag.into(), Self::WORLD, Self::ELEMENT);
        self.message_call(call, &Action::Send { mode, form, comm, to, datatype, bytes, tag, request });
        request
    }

    /// Adds a receive into a buffer of this number of bytes. No source or tag is a wildcard.
    /// Returns the slot of its request, unless it is blocking.
    pub fn receive(
        &mut self,
        form: CallForm,
        from: Option<u32>,
        tag: Option<u32>,
        bytes: u64,
    ) -> Option<Slot> {
        let (request, from) = (self.request(form), self.peer(from));
        let call = if request.is_some() { MessageCall::Irecv } else { MessageCall::Recv };
        let action = Action::Receive {
            form,
            comm: Self::WORLD,
            from,
            datatype: Self::ELEMENT,
            bytes,
            tag: tag.map_or(-1, i64::from),
            request,
            source: -1,
            got_tag: -1,
            got_bytes: -1,
        };
        self.message_call(call, &action);
        request
    }

    /// Adds a blocking collective of all ranks, on elements of `element` bytes.
    pub fn collective(
        &mut self,
        name: &str,
        collective: Collective,
        root: Option<u32>,
        element: u64,
        sends: &Data,
        receives: &Data,
    ) {
        let datatype = self.datatype(element);
        let of = |data: &Data| (*data != Data::Nothing).then_some(datatype);
        let action = Action::Collective {
            pattern: collective.into(),
            form: CallForm::Blocking,
            comm: Self::WORLD,
            root: root.map_or(Peer::Null, |root| self.peer(Some(root))),
            datatype: of(sends),
            receive_type: of(receives),
            commutes: true,
            in_place: false,
            bytes: sends.bytes(),
            receive_bytes: receives.bytes(),
            request: None,
            send_sizes: sends.list(),
            receive_sizes: receives.list(),
        };
        self.call(name, &action);
    }

    /// Returns the complete stream, with the metadata of its end.
    pub fn finish(self, metadata: &Metadata) -> Vec<u8> {
        let mut out = self.finish_killed();
        out.extend(stream_end(metadata));
        out
    }

    /// Returns the stream of a rank that was killed: it has no end.
    pub fn finish_killed(mut self) -> Vec<u8> {
        self.seal();
        self.out
    }
}
