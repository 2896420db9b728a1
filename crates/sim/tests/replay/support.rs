//! Small traces, as a tracer would write them, and what becomes of them.

use panto_machine::{Cost, Machine, Network, PerByte, Switching, Topology};
use panto_sim::observe::Unseen;
use panto_sim::program::{Act, Code, Program};
use panto_sim::replay::{self, Error, Options, Replay};
use panto_sim::{Model, Setting, ahead, ordered};
use panto_trace::{
    Action, Comm, Communicator, Datatype, Facts, Form, Head, Mode, Object, Pattern, Peer, Ranks, Recorder,
    Slot, Thing, Times, Trace, Type, Until, stream_end, stream_start,
};
use panto_units::Time;

pub const WORLD: Comm = Comm(0);
/// A type of eight bytes.
pub const DOUBLE: Type = Type(0);

/// Writes the stream of a rank.
pub struct Writer {
    pub recorder: Recorder,
    pub rank: u32,
    pub ranks: u32,
    out: Vec<u8>,
}

impl Writer {
    pub fn new(rank: u32, ranks: u32) -> Self {
        let out = stream_start(Head { is_whole: false, rank, ranks }, &Facts::default());
        let mut writer = Self { recorder: Recorder::new(false), rank, ranks, out };
        writer.recorder.datatype(&Datatype { size: 8, extent: 8, is_derived: false });
        writer.comm("MPI_COMM_WORLD", None, &(0..ranks).collect::<Vec<_>>());
        writer.comm("MPI_COMM_SELF", None, &[rank]);
        writer
    }

    pub fn comm(&mut self, made_by: &str, parent: Option<Comm>, members: &[u32]) -> Comm {
        self.sides(made_by, parent, members, None)
    }

    pub fn sides(
        &mut self,
        made_by: &str,
        parent: Option<Comm>,
        members: &[u32],
        others: Option<&[u32]>,
    ) -> Comm {
        self.communicator(made_by, parent, members, others, (&[], &[]))
    }

    pub fn communicator(
        &mut self,
        made_by: &str,
        parent: Option<Comm>,
        members: &[u32],
        others: Option<&[u32]>,
        (sources, destinations): (&[u32], &[u32]),
    ) -> Comm {
        let list = |ranks: &[u32]| ranks.iter().copied().collect::<Ranks>();
        let place = members.iter().position(|member| *member == self.rank).expect("a member");
        let comm = Communicator {
            made_by: self.recorder.name(made_by),
            parent,
            ordinal: 0,
            tag: 0,
            rank: place as u32,
            members: list(members),
            others: others.map(list),
            sources: list(sources),
            destinations: list(destinations),
        };
        self.recorder.communicator(&comm)
    }

    pub fn window(&mut self) -> Object {
        self.recorder.thing(&Thing { comm: WORLD, name: String::new() })
    }

    /// A call after so many nanoseconds of computation.
    pub fn after(&mut self, before: u64, name: &str, action: &Action<'_>) {
        let name = self.recorder.name(name);
        self.recorder.record(name, action, Times { before, ..Times::default() });
    }

    pub fn call(&mut self, name: &str, action: &Action<'_>) {
        self.after(0, name, action);
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.recorder.seal(0, &mut self.out);
        self.out.extend(stream_end(&Facts::default()));
        self.out
    }

    pub fn killed(mut self) -> Vec<u8> {
        self.recorder.seal(0, &mut self.out);
        self.out
    }

    pub fn send(&mut self, far: i32, bytes: u64) {
        self.call("MPI_Send", &send(Form::Blocking, far, bytes, None));
    }

    pub fn receive(&mut self, far: i32) {
        self.call("MPI_Recv", &receive(Form::Blocking, Peer::Relative(far), None));
    }

    pub fn isend(&mut self, far: i32, bytes: u64, slot: u32) {
        self.call("MPI_Isend", &send(Form::Immediate, far, bytes, Some(Slot(slot))));
    }

    pub fn irecv(&mut self, from: Peer, slot: u32) {
        self.call("MPI_Irecv", &receive(Form::Immediate, from, Some(Slot(slot))));
    }

    pub fn wait_all(&mut self, requests: &[i64]) {
        let completed: Vec<i64> = (0..requests.len() as i64).collect();
        self.call("MPI_Waitall", &complete(Until::WaitAll, requests, &completed, &[]));
    }
}

pub fn send(form: Form, far: i32, bytes: u64, request: Option<Slot>) -> Action<'static> {
    send_to(Mode::Standard, form, Peer::Relative(far), bytes, request)
}

pub fn send_to(mode: Mode, form: Form, to: Peer, bytes: u64, request: Option<Slot>) -> Action<'static> {
    Action::Send { mode, form, comm: WORLD, to, datatype: DOUBLE, bytes, tag: 7, request }
}

pub fn receive(form: Form, from: Peer, request: Option<Slot>) -> Action<'static> {
    let (comm, datatype, bytes, tag) = (WORLD, DOUBLE, 1 << 20, 7);
    let (source, got_tag, got_bytes) = (-1, -1, -1);
    Action::Receive { form, comm, from, datatype, bytes, tag, request, source, got_tag, got_bytes }
}

/// The same on another communicator.
pub fn on_comm(action: Action<'static>, other: Comm) -> Action<'static> {
    match action {
        Action::Send { mode, form, to, datatype, bytes, tag, request, .. } => {
            Action::Send { mode, form, comm: other, to, datatype, bytes, tag, request }
        }
        Action::Receive { form, from, datatype, bytes, tag, request, source, got_tag, got_bytes, .. } => {
            let comm = other;
            Action::Receive { form, comm, from, datatype, bytes, tag, request, source, got_tag, got_bytes }
        }
        action => action,
    }
}

pub fn complete<'a>(
    until: Until,
    requests: &'a [i64],
    completed: &'a [i64],
    outcomes: &'a [i64],
) -> Action<'a> {
    Action::Complete { until, requests, completed, outcomes }
}

/// A collective call.
#[derive(Clone, Copy)]
pub struct Together<'a> {
    pub pattern: Pattern,
    pub form: Form,
    pub comm: Comm,
    pub root: Peer,
    pub commutes: bool,
    pub in_place: bool,
    pub bytes: u64,
    pub room: u64,
    pub request: Option<u32>,
    pub gives: &'a [i64],
    pub gets: &'a [i64],
}

impl<'a> Together<'a> {
    /// One of all ranks, which blocks; so many bytes are given and got.
    pub fn new(pattern: Pattern, bytes: u64) -> Self {
        Self {
            pattern,
            form: Form::Blocking,
            comm: WORLD,
            root: Peer::Nobody,
            commutes: true,
            in_place: false,
            bytes,
            room: bytes,
            request: None,
            gives: &[],
            gets: &[],
        }
    }

    pub fn action(self) -> Action<'a> {
        let Self { pattern, form, comm, root, commutes, in_place, bytes, room, request, gives, gets } = self;
        // What is in place is not described where it comes from.
        let datatype = if in_place { None } else { Some(DOUBLE) };
        let bytes = if in_place { 0 } else { bytes };
        let (got_type, request) = (Some(DOUBLE), request.map(Slot));
        Action::Collective {
            pattern,
            form,
            comm,
            root,
            datatype,
            got_type,
            commutes,
            in_place,
            bytes,
            room,
            request,
            gives,
            gets,
        }
    }
}

/// A collective of all ranks that blocks.
pub fn collective(pattern: Pattern, root: Peer, bytes: u64) -> Action<'static> {
    Together { root, ..Together::new(pattern, bytes) }.action()
}

/// Streams of all ranks.
pub fn streams(ranks: u32, write: impl Fn(&mut Writer)) -> Vec<Vec<u8>> {
    let stream = |rank| {
        let mut writer = Writer::new(rank, ranks);
        write(&mut writer);
        writer.finish()
    };
    (0..ranks).map(stream).collect()
}

/// Opens streams as a trace.
pub fn with_trace<T>(streams: &[Vec<u8>], body: impl FnOnce(&Trace) -> T) -> T {
    let folder = tempfile::tempdir().expect("a folder");
    for (rank, stream) in streams.iter().enumerate().filter(|(_, stream)| !stream.is_empty()) {
        std::fs::write(folder.path().join(format!("{rank}.rank")), stream).expect("a file");
    }
    body(&Trace::open(folder.path()).expect("a trace"))
}

/// A message takes a microsecond, and a nanosecond for each byte; nothing else takes time.
pub fn plain(ranks: u32) -> Machine {
    let link = Cost::line(Time::from_nanos(1_000), PerByte::from_secs(1e-9).expect("a time"));
    let topology = Topology::complete(ranks.max(2).into()).expect("a topology");
    Machine::plain("plain", Network::plain(topology, Switching::Packet, link))
}

/// What a program of so many ranks becomes.
pub fn replayed(ranks: u32, write: impl Fn(&mut Writer)) -> Replay {
    tried(ranks, Options::default(), write).expect("a program")
}

pub fn tried(ranks: u32, options: Options, write: impl Fn(&mut Writer)) -> Result<Replay, Error> {
    with_trace(&streams(ranks, write), |trace| replay::program(trace, &plain(ranks), &options))
}

/// What a rank does, with its loops carried out.
pub fn acts(program: &Program, rank: usize) -> Vec<Act> {
    let mut out = Vec::new();
    let code = &program.codes[rank];
    carry_out(code, 0, &mut code.times.iter(), &mut out);
    out
}

/// The same without calls.
pub fn deeds(program: &Program, rank: usize) -> Vec<Act> {
    acts(program, rank).into_iter().filter(|act| !matches!(act, Act::Call { .. })).collect()
}

fn carry_out(code: &Code, from: usize, times: &mut std::slice::Iter<'_, Time>, out: &mut Vec<Act>) {
    for op in &code.ops[from..] {
        match op.act() {
            Act::End => return,
            Act::Repeat { at, times: count } => {
                (0..count).for_each(|_| carry_out(code, at as usize, times, out));
            }
            Act::CallListed { call } => out.push(Act::Call { call, before: *times.next().expect("a time") }),
            act => out.push(act),
        }
    }
}

/// When ranks end, in nanoseconds, on the plain machine.
pub fn ends(replay: &Replay) -> Vec<u64> {
    ends_on(replay, &plain(replay.program.ranks)).iter().map(|time| time.as_picos() / 1_000).collect()
}

/// When ranks end: both ways of simulating agree.
pub fn ends_on(replay: &Replay, machine: &Machine) -> Vec<Time> {
    let program = &replay.program;
    let setting = Setting { machine, model: Model::Fast, paces: &[], noise: None };
    let describe = |halted: panto_sim::Halted| halted.describe(program).to_string();
    let ordered = ordered::run(program, &setting, &mut Unseen).map_err(describe).expect("an end");
    if !program.has_picks() {
        assert_eq!(ahead::run(program, &setting, &mut Unseen).map_err(describe).expect("an end"), ordered);
    }
    ordered[..program.ranks as usize].to_vec()
}
