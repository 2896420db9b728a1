//! Writing the stream of a rank: what every import has in common.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::path::Path;

use panto_trace::{
    Action, Comm, Communicator, Datatype, Facts, Form, Head, Mode, Name, Pattern, Peer, Ranks, Recorder,
    Slot, Times, Type, Until, WholeWriter, key, stream_end, stream_start,
};

use crate::error::Result;

/// `MPI_COMM_WORLD`.
pub const WORLD: Comm = Comm(0);
/// A byte.
pub const BYTE: Type = Type(0);
/// More ranks are a slip.
pub const MOST_RANKS: u32 = 1 << 24;

/// Events of a block.
const BLOCK: u32 = 1 << 16;

/// A trace that is being made.
pub struct Target {
    writer: WholeWriter,
    everybody: Ranks,
    ranks: u32,
    facts: Facts,
    /// Calls so far.
    pub calls: u64,
}

impl Target {
    /// Begins one for so many ranks. `origin` is what it is made from.
    pub fn create(path: &Path, ranks: u32, format: &str, origin: &str) -> Result<Self> {
        let mut facts = Facts::default();
        facts.set(key::PROGRAM, origin);
        facts.set(key::METHOD, &format!("imported from {format}"));
        let writer = WholeWriter::create(path, ranks, &facts)?;
        Ok(Self { writer, everybody: (0..ranks).collect(), ranks, facts, calls: 0 })
    }

    /// Begins the stream of a rank.
    pub fn stream(&self, rank: u32) -> Stream {
        Stream::new(Head { is_whole: false, rank, ranks: self.ranks }, &self.everybody, &self.facts)
    }

    /// Ends the stream of a rank.
    pub fn add(&mut self, stream: Stream) -> Result<()> {
        self.writer.begin_stream();
        let (bytes, calls) = stream.finish();
        self.writer.write(&bytes)?;
        self.writer.end_stream();
        self.calls += calls;
        Ok(())
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<()> {
        Ok(self.writer.finish()?)
    }
}

/// The calls of a rank.
pub struct Stream {
    recorder: Recorder,
    out: Vec<u8>,
    calls: u64,
    /// Computation since the last call, in nanoseconds.
    before: u64,
    /// The number in `MPI_COMM_WORLD`.
    rank: u32,
    free: BinaryHeap<Reverse<u32>>,
    slots: u32,
    /// Types by the size of their elements.
    types: BTreeMap<u64, Type>,
}

/// What a rank gives to a collective, or gets from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// Nothing, or nothing that counts on this rank.
    Nothing,
    /// So many bytes, for each rank the same.
    Same(u64),
    /// Bytes for each rank.
    Each(Vec<i64>),
}

impl Data {
    fn bytes(&self) -> u64 {
        match self {
            Self::Nothing => 0,
            Self::Same(bytes) => *bytes,
            Self::Each(list) => list.iter().sum::<i64>() as u64,
        }
    }

    fn list(&self) -> &[i64] {
        match self {
            Self::Each(list) => list,
            _ => &[],
        }
    }
}

impl Stream {
    fn new(head: Head, everybody: &Ranks, facts: &Facts) -> Self {
        let mut recorder = Recorder::new(false);
        let types =
            BTreeMap::from([(1, recorder.datatype(&Datatype { size: 1, extent: 1, is_derived: false }))]);
        let alone = std::iter::once(head.rank).collect();
        for (made_by, rank, members) in
            [("MPI_COMM_WORLD", head.rank, everybody.clone()), ("MPI_COMM_SELF", 0, alone)]
        {
            let made_by = recorder.name(made_by);
            recorder.communicator(&Communicator {
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
        let out = stream_start(head, facts);
        let free = BinaryHeap::new();
        let mut stream = Self { recorder, out, calls: 0, before: 0, rank: head.rank, free, slots: 0, types };
        stream.call("MPI_Init", &Action::Initialise { threads: 0 });
        stream
    }

    /// Computes for so many nanoseconds.
    pub fn compute(&mut self, nanos: u64) {
        self.before = self.before.saturating_add(nanos);
    }

    /// Makes a call after what was computed.
    pub fn call(&mut self, name: &str, action: &Action<'_>) {
        let name: Name = self.recorder.name(name);
        let times = Times { before: std::mem::take(&mut self.before), ..Times::default() };
        self.recorder.record(name, action, times);
        self.calls += 1;
        if self.recorder.events() >= BLOCK {
            self.recorder.seal(0, &mut self.out);
        }
    }

    /// Another rank, as this one sees it; none is any.
    pub fn peer(&self, rank: Option<u32>) -> Peer {
        // Both are below `MOST_RANKS`.
        rank.map_or(Peer::Any, |rank| Peer::Relative(rank as i32 - self.rank as i32))
    }

    /// Sends bytes; a form that is not blocking gets a place.
    pub fn send(&mut self, form: Form, to: u32, tag: u32, bytes: u64) -> Option<Slot> {
        let (request, to) = (self.place(form), self.peer(Some(to)));
        let name = if request.is_some() { "MPI_Isend" } else { "MPI_Send" };
        let (mode, tag) = (Mode::Standard, tag.into());
        self.call(name, &Action::Send { mode, form, comm: WORLD, to, datatype: BYTE, bytes, tag, request });
        request
    }

    /// Receives up to so many bytes; likewise. No tag is any.
    pub fn receive(&mut self, form: Form, from: Option<u32>, tag: Option<u32>, bytes: u64) -> Option<Slot> {
        let (request, from) = (self.place(form), self.peer(from));
        let name = if request.is_some() { "MPI_Irecv" } else { "MPI_Recv" };
        self.call(
            name,
            &Action::Receive {
                form,
                comm: WORLD,
                from,
                datatype: BYTE,
                bytes,
                tag: tag.map_or(-1, i64::from),
                request,
                source: -1,
                got_tag: -1,
                got_bytes: -1,
            },
        );
        request
    }

    fn place(&mut self, form: Form) -> Option<Slot> {
        (form == Form::Immediate).then(|| {
            let lowest = self.free.pop().map(|Reverse(slot)| slot);
            Slot(lowest.unwrap_or_else(|| {
                self.slots += 1;
                self.slots - 1
            }))
        })
    }

    /// Waits for what was started.
    pub fn wait(&mut self, requests: &[Slot]) {
        let (name, until) = match requests {
            [] => return,
            [_] => ("MPI_Wait", Until::Wait),
            _ => ("MPI_Waitall", Until::WaitAll),
        };
        let places: Vec<i64> = requests.iter().map(|slot| slot.0.into()).collect();
        let completed: Vec<i64> = (0..places.len() as i64).collect();
        self.call(name, &Action::Complete { until, requests: &places, completed: &completed, outcomes: &[] });
        self.free.extend(requests.iter().map(|slot| Reverse(slot.0)));
    }

    /// Looks for what was started, and finds that it is not complete.
    pub fn look(&mut self, request: Slot) {
        let places = [request.0.into()];
        let action =
            Action::Complete { until: Until::Test, requests: &places, completed: &[], outcomes: &[] };
        self.call("MPI_Test", &action);
    }

    /// A blocking collective of all ranks, of elements of so many bytes.
    pub fn collective(
        &mut self,
        name: &str,
        pattern: Pattern,
        root: Option<u32>,
        element: u64,
        gives: &Data,
        gets: &Data,
    ) {
        let datatype = self.datatype(element);
        let of = |data: &Data| (*data != Data::Nothing).then_some(datatype);
        let action = Action::Collective {
            pattern,
            form: Form::Blocking,
            comm: WORLD,
            root: root.map_or(Peer::Nobody, |root| self.peer(Some(root))),
            datatype: of(gives),
            got_type: of(gets),
            commutes: true,
            in_place: false,
            bytes: gives.bytes(),
            room: gets.bytes(),
            request: None,
            gives: gives.list(),
            gets: gets.list(),
        };
        self.call(name, &action);
    }

    fn datatype(&mut self, size: u64) -> Type {
        let recorder = &mut self.recorder;
        let new = || recorder.datatype(&Datatype { size, extent: size as i64, is_derived: false });
        *self.types.entry(size).or_insert_with(new)
    }

    fn finish(mut self) -> (Vec<u8>, u64) {
        self.call("MPI_Finalize", &Action::Finalise {});
        self.recorder.seal(0, &mut self.out);
        let mut facts = Facts::default();
        facts.set(key::CALLS, &self.calls);
        self.out.extend(stream_end(&facts));
        (self.out, self.calls)
    }
}
