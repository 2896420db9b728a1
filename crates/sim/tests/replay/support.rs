//! Builds small traces as the tracer writes them, and runs their programs.

use panto_machine::{Cost, Machine, Network, PerByte, Switching, Topology};
use panto_sim::observe::NoObserver;
use panto_sim::program::{Code, Op, Program};
use panto_sim::replay::{self, Error, Options, Replay};
use panto_sim::{RunConfig, Sharing, ahead, ordered};
use panto_trace::{
    Action, Builder, CallForm, CollectiveKind, Comm, Communicator, CompletionKind, Metadata, Peer, Ranks,
    SendMode, Slot, Trace, Type, WindowOrFile, WindowOrFileId,
};
use panto_units::Time;

pub const WORLD: Comm = Comm(0);
/// A type of eight bytes.
pub const DOUBLE: Type = Type(0);

/// Writes the stream of a rank.
pub struct Writer {
    builder: Builder,
    pub rank: u32,
    pub ranks: u32,
}

impl Writer {
    pub fn new(rank: u32, ranks: u32) -> Self {
        Self { builder: Builder::new(rank, ranks, 8), rank, ranks }
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
        let recorder = self.builder.recorder();
        let comm = Communicator {
            made_by: recorder.name(made_by),
            parent,
            ordinal: 0,
            tag: 0,
            rank: place as u32,
            members: list(members),
            others: others.map(list),
            sources: list(sources),
            destinations: list(destinations),
        };
        recorder.communicator(&comm)
    }

    pub fn window(&mut self) -> WindowOrFileId {
        self.builder.recorder().window_or_file(&WindowOrFile { comm: WORLD, name: String::new() })
    }

    /// A call after a computation in nanoseconds.
    pub fn after(&mut self, before: u64, name: &str, action: &Action<'_>) {
        self.builder.compute(before);
        self.builder.call(name, action);
    }

    /// Ends the current block.
    pub fn seal(&mut self) {
        self.builder.seal();
    }

    pub fn call(&mut self, name: &str, action: &Action<'_>) {
        self.after(0, name, action);
    }

    pub fn finish(self) -> Vec<u8> {
        self.builder.finish(&Metadata::default())
    }

    pub fn killed(self) -> Vec<u8> {
        self.builder.finish_killed()
    }

    pub fn send(&mut self, far: i32, bytes: u64) {
        self.call("MPI_Send", &send(CallForm::Blocking, far, bytes, None));
    }

    pub fn receive(&mut self, far: i32) {
        self.call("MPI_Recv", &receive(CallForm::Blocking, Peer::Relative(far), None));
    }

    pub fn isend(&mut self, far: i32, bytes: u64, slot: u32) {
        self.call("MPI_Isend", &send(CallForm::Immediate, far, bytes, Some(Slot(slot))));
    }

    pub fn irecv(&mut self, from: Peer, slot: u32) {
        self.call("MPI_Irecv", &receive(CallForm::Immediate, from, Some(Slot(slot))));
    }

    pub fn wait_all(&mut self, requests: &[i64]) {
        let completed: Vec<i64> = (0..requests.len() as i64).collect();
        self.call("MPI_Waitall", &complete(CompletionKind::WaitAll, requests, &completed, &[]));
    }
}

pub fn send(form: CallForm, far: i32, bytes: u64, request: Option<Slot>) -> Action<'static> {
    send_to(SendMode::Standard, form, Peer::Relative(far), bytes, request)
}

pub fn send_to(
    mode: SendMode,
    form: CallForm,
    to: Peer,
    bytes: u64,
    request: Option<Slot>,
) -> Action<'static> {
    Action::Send { mode, form, comm: WORLD, to, datatype: DOUBLE, bytes, tag: 7, request }
}

pub fn receive(form: CallForm, from: Peer, request: Option<Slot>) -> Action<'static> {
    let (comm, datatype, bytes, tag) = (WORLD, DOUBLE, 1 << 20, 7);
    let (source, got_tag, got_bytes) = (-1, -1, -1);
    Action::Receive { form, comm, from, datatype, bytes, tag, request, source, got_tag, got_bytes }
}

/// The action on another communicator.
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
    until: CompletionKind,
    requests: &'a [i64],
    completed: &'a [i64],
    outcomes: &'a [i64],
) -> Action<'a> {
    Action::Complete { until, requests, completed, outcomes }
}

/// A collective call.
#[derive(Clone, Copy)]
pub struct Together<'a> {
    pub pattern: CollectiveKind,
    pub form: CallForm,
    pub comm: Comm,
    pub root: Peer,
    pub commutes: bool,
    pub in_place: bool,
    pub bytes: u64,
    pub receive_bytes: u64,
    pub request: Option<u32>,
    pub send_sizes: &'a [i64],
    pub receive_sizes: &'a [i64],
}

impl<'a> Together<'a> {
    /// A blocking collective of all ranks that sends and receives `bytes` bytes.
    pub fn new(pattern: impl Into<CollectiveKind>, bytes: u64) -> Self {
        Self {
            pattern: pattern.into(),
            form: CallForm::Blocking,
            comm: WORLD,
            root: Peer::Null,
            commutes: true,
            in_place: false,
            bytes,
            receive_bytes: bytes,
            request: None,
            send_sizes: &[],
            receive_sizes: &[],
        }
    }

    pub fn action(self) -> Action<'a> {
        let Self {
            pattern,
            form,
            comm,
            root,
            commutes,
            in_place,
            bytes,
            receive_bytes,
            request,
            send_sizes,
            receive_sizes,
        } = self;
        // Data in place is described by the receive buffer only.
        let datatype = if in_place { None } else { Some(DOUBLE) };
        let bytes = if in_place { 0 } else { bytes };
        let (receive_type, request) = (Some(DOUBLE), request.map(Slot));
        Action::Collective {
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
        }
    }
}

/// A blocking collective of all ranks.
pub fn collective(pattern: impl Into<CollectiveKind>, root: Peer, bytes: u64) -> Action<'static> {
    Together { root, ..Together::new(pattern, bytes) }.action()
}

/// The streams of all ranks.
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

/// A machine on which a message takes a microsecond and a nanosecond per byte, and nothing else
/// takes time.
pub fn plain(ranks: u32) -> Machine {
    let link = Cost::line(Time::from_nanos(1_000), PerByte::from_secs(1e-9).expect("a time"));
    let topology = Topology::complete(ranks.max(2).into()).expect("a topology");
    Machine::plain("plain", Network::plain(topology, Switching::Packet, link))
}

/// Replays a program of `ranks` ranks.
pub fn replayed(ranks: u32, write: impl Fn(&mut Writer)) -> Replay {
    tried(ranks, Options::default(), write).expect("a program")
}

pub fn tried(ranks: u32, options: Options, write: impl Fn(&mut Writer)) -> Result<Replay, Error> {
    with_trace(&streams(ranks, write), |trace| {
        let machine = plain(ranks);
        let replay = replay::program(trace, &machine, &options);
        let on_threads = replay::program_on(trace, &machine, &options, 3);
        match (&replay, on_threads) {
            (Ok(one), Ok(many)) => assert_same(one, &many),
            (one, many) => assert_eq!(
                one.as_ref().err().map(ToString::to_string),
                many.err().map(|error| error.to_string()),
                "on several threads"
            ),
        }
        replay
    })
}

/// Asserts that two replays are the same, except for how loops are stored.
pub fn assert_same(one: &Replay, other: &Replay) {
    let (program, others) = (&one.program, &other.program);
    assert_eq!((program.ranks, &program.helper_homes), (others.ranks, &others.helper_homes));
    assert_eq!((&program.channels, &program.wildcards), (&others.channels, &others.wildcards));
    assert_eq!(program.calls, others.calls);
    assert_eq!((&one.assumptions, &one.warnings), (&other.assumptions, &other.warnings));
    assert_eq!(one.computation, other.computation);
    for rank in 0..program.codes.len() {
        assert_eq!(acts(program, rank), acts(others, rank), "rank {rank}");
    }
}

/// The operations of a rank with its loops unrolled.
pub fn acts(program: &Program, rank: usize) -> Vec<Op> {
    let mut out = Vec::new();
    let code = &program.codes[rank];
    carry_out(code, 0, &mut code.times.iter(), &mut out);
    out
}

/// The operations of a rank with its loops unrolled, without calls.
pub fn operations(program: &Program, rank: usize) -> Vec<Op> {
    acts(program, rank).into_iter().filter(|act| !matches!(act, Op::Call { .. })).collect()
}

fn carry_out(code: &Code, from: usize, times: &mut std::slice::Iter<'_, Time>, out: &mut Vec<Op>) {
    for op in &code.ops[from..] {
        match op.unpack() {
            Op::End => return,
            Op::Repeat { at, times: count } => {
                (0..count).for_each(|_| carry_out(code, at as usize, times, out));
            }
            Op::CallListed { call } => out.push(Op::Call { call, before: *times.next().expect("a time") }),
            act => out.push(act),
        }
    }
}

/// The end of each rank in nanoseconds on the plain machine.
pub fn ends(replay: &Replay) -> Vec<u64> {
    ends_on(replay, &plain(replay.program.ranks)).iter().map(|time| time.as_picos() / 1_000).collect()
}

/// The end of each rank; asserts that both engines agree.
pub fn ends_on(replay: &Replay, machine: &Machine) -> Vec<Time> {
    let program = &replay.program;
    let config = RunConfig { machine, sharing: Sharing::None, compute_scales: &[], noise: None };
    let describe = |halted: panto_sim::RunError| halted.describe(program).to_string();
    let ordered = ordered::run(program, &config, &mut NoObserver).map_err(describe).expect("an end");
    if !program.has_wildcards() {
        assert_eq!(ahead::run(program, &config, &mut NoObserver).map_err(describe).expect("an end"), ordered);
    }
    ordered[..program.ranks as usize].to_vec()
}
