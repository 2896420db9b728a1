//! A traced program, written as the tracer would: a stencil on a torus of ranks, with a reduction in each round.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use panto_trace::{
    Action, Comm, Communicator, Datatype, Facts, Form, Head, Mode, Name, Pattern, Peer, Ranks, Recorder,
    Slot, Times, Trace, Type, Until, combine, stream_end, stream_start,
};

/// Writes the trace of a stencil on `side` x `side` ranks into a folder; answers its file.
pub fn write(folder: &Path, side: u32, rounds: u64) -> PathBuf {
    let ranks = folder.join("ranks");
    std::fs::create_dir_all(&ranks).expect("a folder");
    for rank in 0..side * side {
        let mut file = File::create(ranks.join(format!("{rank}.rank"))).expect("writable");
        file.write_all(&stream(rank, side, rounds)).expect("there is room");
    }
    let target = folder.join("stencil.panto");
    let trace = Trace::open(&ranks).expect("all ranks are there");
    combine(&trace, &target, &Facts::default()).expect("one file");
    target
}

fn stream(rank: u32, side: u32, rounds: u64) -> Vec<u8> {
    let ranks = side * side;
    let mut out = stream_start(Head { is_whole: false, rank, ranks }, &Facts::default());
    let mut writer = Writer::new(rank, ranks);
    let (row, column) = (rank / side, rank % side);
    let at = |row: u32, column: u32| (row % side * side + column % side) as i32 - rank as i32;
    // Up, left, right and down; what goes up comes from below.
    let far =
        [at(row + side - 1, column), at(row, column + side - 1), at(row, column + 1), at(row + 1, column)];
    for round in 0..rounds {
        writer.round(far, round);
        if round % 1000 == 999 {
            writer.recorder.seal(0, &mut out);
        }
    }
    writer.recorder.seal(0, &mut out);
    out.extend(stream_end(&Facts::default()));
    out
}

struct Writer {
    recorder: Recorder,
    names: [Name; 4],
    rank: u64,
}

impl Writer {
    fn new(rank: u32, ranks: u32) -> Self {
        let mut recorder = Recorder::new(false);
        let names =
            ["MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce"].map(|name| recorder.name(name));
        recorder.datatype(&Datatype { size: 8, extent: 8, is_derived: false });
        for (made_by, members) in [("MPI_COMM_WORLD", 0..ranks), ("MPI_COMM_SELF", rank..rank + 1)] {
            let made_by = recorder.name(made_by);
            recorder.communicator(&Communicator {
                made_by,
                parent: None,
                ordinal: 0,
                tag: 0,
                rank: rank - members.start,
                members: members.collect(),
                others: None,
                sources: Ranks::default(),
                destinations: Ranks::default(),
            });
        }
        Self { recorder, names, rank: rank.into() }
    }

    fn call(&mut self, name: usize, action: &Action<'_>, before: u64) {
        self.recorder.record(self.names[name], action, Times { before, ..Times::default() });
    }

    fn round(&mut self, far: [i32; 4], round: u64) {
        for (slot, from) in (0..).zip(far) {
            self.call(0, &receive(from, slot), 100);
        }
        for (slot, to) in (0..).zip(far) {
            self.call(1, &send(to, slot), 200);
        }
        let slots = [0, 1, 2, 3, 4, 5, 6, 7];
        let wait =
            Action::Complete { until: Until::WaitAll, requests: &slots, completed: &slots, outcomes: &[] };
        // Times differ from rank to rank and from round to round, as those of a real program do.
        let jitter = (self.rank * 7919 + round * 104_729) % 10_007;
        self.call(2, &wait, 100_000 + jitter);
        self.call(3, &reduction(), 5_000);
    }
}

fn receive(from: i32, slot: u32) -> Action<'static> {
    Action::Receive {
        form: Form::Immediate,
        comm: Comm(0),
        from: Peer::Relative(from),
        datatype: Type(0),
        bytes: 4096,
        // A message has the tag of the side that it comes to.
        tag: slot.into(),
        request: Some(Slot(slot)),
        source: -1,
        got_tag: -1,
        got_bytes: -1,
    }
}

fn send(to: i32, slot: u32) -> Action<'static> {
    Action::Send {
        mode: Mode::Standard,
        form: Form::Immediate,
        comm: Comm(0),
        to: Peer::Relative(to),
        datatype: Type(0),
        bytes: 4096,
        tag: 3 - i64::from(slot),
        request: Some(Slot(4 + slot)),
    }
}

fn reduction() -> Action<'static> {
    Action::Collective {
        pattern: Pattern::AllReduce,
        form: Form::Blocking,
        comm: Comm(0),
        root: Peer::Nobody,
        datatype: Some(Type(0)),
        got_type: Some(Type(0)),
        commutes: true,
        in_place: false,
        bytes: 8,
        room: 8,
        request: None,
        gives: &[],
        gets: &[],
    }
}
