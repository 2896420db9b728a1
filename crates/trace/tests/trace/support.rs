//! Small traces, written as the tracer writes them, and the reading of all their events.

use std::path::{Path, PathBuf};

use panto_trace::{
    Action, CallForm, Comm, Communicator, CompletionKind, Datatype, Head, Metadata, Peer, RankTrace, Ranks,
    Recorder, SendMode, Slot, Stamps, Times, Trace, Type, stream_end, stream_start,
};

/// Writes the stream of a rank.
pub struct Writer {
    pub recorder: Recorder,
    pub rank: u32,
    out: Vec<u8>,
    wall: u64,
}

pub const WORLD: Comm = Comm(0);
pub const SELF: Comm = Comm(1);

impl Writer {
    pub fn new(rank: u32, ranks: u32) -> Self {
        Self::with_stamps(rank, ranks, false)
    }

    pub fn with_stamps(rank: u32, ranks: u32, has_stamps: bool) -> Self {
        Self::begin(rank, ranks, has_stamps, false)
    }

    pub fn with_sites(rank: u32, ranks: u32) -> Self {
        Self::begin(rank, ranks, false, true)
    }

    fn begin(rank: u32, ranks: u32, has_stamps: bool, has_call_sites: bool) -> Self {
        let mut facts = Metadata::default();
        facts.set("host", "here");
        let out = stream_start(Head { is_whole: false, rank, ranks, has_call_sites }, &facts);
        let mut writer = Self { recorder: Recorder::new(has_stamps), rank, out, wall: 0 };
        writer.recorder.datatype(&Datatype { size: 8, extent: 8, is_derived: false });
        writer.comm("MPI_COMM_WORLD", None, 0, 0, &(0..ranks).collect::<Vec<_>>());
        writer.comm("MPI_COMM_SELF", None, 0, 0, &[rank]);
        writer
    }

    /// Defines an intracommunicator.
    pub fn comm(
        &mut self,
        made_by: &str,
        parent: Option<Comm>,
        ordinal: u32,
        tag: i64,
        members: &[u32],
    ) -> Comm {
        self.intercomm(made_by, parent, ordinal, tag, members, None)
    }

    pub fn intercomm(
        &mut self,
        made_by: &str,
        parent: Option<Comm>,
        ordinal: u32,
        tag: i64,
        members: &[u32],
        others: Option<&[u32]>,
    ) -> Comm {
        let place = members.iter().position(|member| *member == self.rank).unwrap_or(0);
        let comm = Communicator {
            made_by: self.recorder.name(made_by),
            parent,
            ordinal,
            tag,
            rank: place as u32,
            members: members.iter().copied().collect(),
            others: others.map(|others| others.iter().copied().collect()),
            sources: Ranks::default(),
            destinations: Ranks::default(),
        };
        self.recorder.communicator(&comm)
    }

    pub fn call(&mut self, name: &str, action: &Action<'_>, before: u64) {
        self.timed(name, action, Times { before, ..Times::default() });
    }

    pub fn timed(&mut self, name: &str, action: &Action<'_>, times: Times) {
        let name = self.recorder.name(name);
        self.recorder.record(name, action, times);
    }

    pub fn send(&mut self, far: i32, bytes: u64, before: u64) {
        self.call("MPI_Send", &send(CallForm::Blocking, far, bytes, None), before);
    }

    pub fn finalise(&mut self) {
        self.call("MPI_Finalize", &Action::Finalise {}, 5);
    }

    pub fn seal(&mut self) {
        self.wall += 1000;
        self.recorder.seal(self.wall, &mut self.out);
    }

    /// Returns the sealed blocks, which are all that remains of a killed program.
    pub fn killed(self) -> Vec<u8> {
        self.out
    }

    /// Returns the whole stream.
    pub fn finish(mut self) -> Vec<u8> {
        self.seal();
        let mut facts = Metadata::default();
        facts.set("wall_ns", &5_000);
        self.out.extend(stream_end(&facts));
        self.out
    }
}

pub fn send(form: CallForm, far: i32, bytes: u64, request: Option<Slot>) -> Action<'static> {
    Action::Send {
        mode: SendMode::Standard,
        form,
        comm: WORLD,
        to: Peer::Relative(far),
        datatype: Type(0),
        bytes,
        tag: 7,
        request,
    }
}

pub fn test<'a>(requests: &'a [i64], completed: &'a [i64]) -> Action<'a> {
    Action::Complete { until: CompletionKind::Test, requests, completed, outcomes: &[] }
}

/// Writes streams as the files of a folder.
pub fn folder(at: &Path, streams: &[(u32, Vec<u8>)]) -> PathBuf {
    std::fs::create_dir_all(at).expect("a folder");
    for (rank, bytes) in streams {
        std::fs::write(at.join(format!("{rank}.rank")), bytes).expect("a file");
    }
    at.to_owned()
}

/// Combines streams into one trace.
pub fn whole(target: &Path, streams: &[(u32, Vec<u8>)]) -> PathBuf {
    let ranks = folder(&target.with_extension("ranks"), streams);
    let trace = Trace::open(&ranks).expect("sound streams");
    let mut facts = Metadata::default();
    facts.set("command", "mpirun -n 2 ./app");
    panto_trace::combine(&trace, target, &facts).expect("a whole trace");
    target.to_owned()
}

/// An event as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub name: String,
    pub action: String,
    pub before: u64,
    pub stamps: Option<Stamps>,
}

/// Returns the events of a rank up to its end or to an error, and that error.
pub fn events(rank: &RankTrace) -> (Vec<Seen>, Option<String>) {
    let mut seen = Vec::new();
    let mut events = rank.events();
    loop {
        match events.next() {
            Ok(Some(event)) => match event.action() {
                Ok(action) => seen.push(Seen {
                    name: event.name().to_owned(),
                    action: format!("{action:?}"),
                    before: event.before(),
                    stamps: event.stamps(),
                }),
                Err(error) => return (seen, Some(error.to_string())),
            },
            Ok(None) => return (seen, None),
            Err(error) => {
                assert!(matches!(events.next(), Ok(None)), "after an error there are no more");
                return (seen, Some(error.to_string()));
            }
        }
    }
}

/// Returns the events of each rank of an intact trace.
pub fn all_events(path: &Path) -> Vec<Vec<Seen>> {
    let trace = Trace::open(path).expect("a trace");
    let read = |rank: &RankTrace| {
        let (seen, error) = events(rank);
        assert_eq!(error, None);
        seen
    };
    trace.ranks().iter().map(read).collect()
}
