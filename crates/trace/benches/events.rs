//! The speed of writing and reading events, and their size in the file. Run
//! `cargo bench -p panto-trace`, or add `-- 10` for ten million events only.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use panto_trace::{
    Action, CallForm, Comm, Communicator, CompletionKind, Datatype, Head, Metadata, Name, Peer, Recorder,
    SendMode, Slot, Times, Trace, Type, stream_end, stream_start,
};

/// Bytes of a block, as in the tracer.
const BLOCK_BYTES: usize = 256 << 10;

fn main() {
    let millions = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(100);
    let folder = tempfile::tempdir().expect("a folder for the traces");
    for (name, round) in [("stencil", stencil as Round), ("irregular", irregular)] {
        let path = folder.path().join(name);
        let start = Instant::now();
        let events = write(&path, millions * 1_000_000, round);
        let writing = start.elapsed().as_secs_f64();
        let length = path.metadata().expect("the trace was written").len();
        let start = Instant::now();
        assert_eq!(read(&path), events);
        let reading = start.elapsed().as_secs_f64();
        println!(
            "{name}: {events} events, {:.2} bytes each; written {:.1} M/s, read {:.1} M/s; peak memory {} so far",
            length as f64 / events as f64,
            events as f64 / writing / 1e6,
            events as f64 / reading / 1e6,
            peak_memory()
        );
    }
}

/// Records one round of a program.
type Round = fn(&mut Writer, u64);

struct Writer {
    recorder: Recorder,
    names: [Name; 3],
    datatype: Type,
    events: u64,
    random: u64,
}

impl Writer {
    fn new() -> Self {
        let mut recorder = Recorder::new(false);
        let names = ["MPI_Irecv", "MPI_Isend", "MPI_Waitall"].map(|name| recorder.name(name));
        let datatype = recorder.datatype(&Datatype { size: 8, extent: 8, is_derived: false });
        recorder.communicator(&Communicator {
            made_by: names[0],
            parent: None,
            ordinal: 0,
            tag: 0,
            rank: 500,
            members: (0..1000).collect(),
            others: None,
            sources: std::iter::empty().collect(),
            destinations: std::iter::empty().collect(),
        });
        Self { recorder, names, datatype, events: 0, random: 1 }
    }

    /// Returns a pseudo-random number below a bound; good enough for times.
    fn random(&mut self, bound: u64) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % bound
    }

    fn record(&mut self, name: usize, action: &Action<'_>, before: u64) {
        self.recorder.record(self.names[name], action, Times { before, ..Times::default() });
        self.events += 1;
    }

    fn receive(&mut self, far: i32, bytes: u64, tag: i64, slot: u32) {
        let action = Action::Receive {
            form: CallForm::Immediate,
            comm: Comm(0),
            from: Peer::Relative(far),
            datatype: self.datatype,
            bytes,
            tag,
            request: Some(Slot(slot)),
            source: -1,
            got_tag: -1,
            got_bytes: -1,
        };
        let before = 60 + self.random(60);
        self.record(0, &action, before);
    }

    fn send(&mut self, far: i32, bytes: u64, tag: i64, slot: u32) {
        let action = Action::Send {
            mode: SendMode::Standard,
            form: CallForm::Immediate,
            comm: Comm(0),
            to: Peer::Relative(far),
            datatype: self.datatype,
            bytes,
            tag,
            request: Some(Slot(slot)),
        };
        let before = 150 + self.random(200);
        self.record(1, &action, before);
    }

    fn wait(&mut self, before: u64) {
        let all = [0, 1, 2, 3, 4, 5, 6, 7];
        let action = Action::Complete {
            until: CompletionKind::WaitAll,
            requests: &all,
            completed: &all,
            outcomes: &[],
        };
        self.record(2, &action, before);
    }
}

const NEIGHBOURS: [i32; 4] = [-32, -1, 1, 32];

/// A halo exchange with four neighbours.
fn stencil(writer: &mut Writer, _: u64) {
    for (slot, far) in (0..).zip(NEIGHBOURS) {
        writer.receive(far, 4096, 7, slot);
    }
    for (slot, far) in (4..).zip(NEIGHBOURS) {
        writer.send(far, 4096, 7, slot);
    }
    let before = 250_000 + writer.random(20_000);
    writer.wait(before);
}

/// A halo exchange with sizes and tags that change with each call, and partners that change now and
/// then.
fn irregular(writer: &mut Writer, round: u64) {
    for slot in 0..4 {
        let (far, bytes) = (writer.random(40) as i32 - 20, writer.random(100_000));
        writer.receive(far, bytes, round as i64, slot);
    }
    for slot in 4..8 {
        let (far, bytes) = (writer.random(40) as i32 - 20, writer.random(100_000));
        writer.send(far, bytes, round as i64, slot);
    }
    let before = writer.random(1_000_000);
    writer.wait(before);
}

fn write(path: &Path, events: u64, round: Round) -> u64 {
    let mut file = File::create(path).expect("the trace can be written");
    let mut out = stream_start(
        Head { is_whole: false, rank: 500, ranks: 1000, has_call_sites: false },
        &Metadata::default(),
    );
    let mut writer = Writer::new();
    for number in 0.. {
        round(&mut writer, number);
        let is_done = writer.events >= events;
        if writer.recorder.bytes() >= BLOCK_BYTES || is_done {
            writer.recorder.seal(0, &mut out);
            file.write_all(&out).expect("there is room");
            out.clear();
        }
        if is_done {
            break;
        }
    }
    file.write_all(&stream_end(&Metadata::default())).expect("there is room");
    writer.events
}

/// Reads all events with all their fields, and returns their number.
fn read(path: &Path) -> u64 {
    let trace = Trace::open(path).expect("the trace is sound");
    let mut events = trace.ranks()[0].events();
    let (mut count, mut bytes_sent, mut computation) = (0, 0_u64, 0);
    while let Some(event) = events.next().expect("the trace is sound") {
        count += 1;
        computation += event.before();
        if let Action::Send { bytes, .. } = event.action().expect("the call makes sense") {
            bytes_sent += bytes;
        }
    }
    assert!(bytes_sent > 0 && computation > 0, "the sums are used, so the work is done");
    count
}

/// Returns the peak memory of this process, as counted by the kernel.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".into(), |peak| peak.trim().to_owned())
}
