//! The program that the quickstart traces: heat that spreads over a plate, by Jacobi's method.
//!
//! Its computation is timed on this machine; its calls are written down as the tracer would write them, for any number of ranks.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use panto_trace::{
    Action, Comm, Communicator, Datatype, Facts, Form, Head, Mode, Name, Pattern, Peer, Ranks, Recorder,
    Slot, Times, Type, Until, WholeWriter, key, stream_end, stream_start,
};

use crate::failure::Failure;

/// The plate has so many points on each side,
pub const SIDE: usize = 1024;
/// and so many steps are made.
pub const STEPS: usize = 40;
/// After so many steps all ranks agree on how much still changes.
const AGREE: usize = 10;
/// A step that took so much longer than usual was interrupted.
const INTERRUPTED: f64 = 1.5;
/// Bytes of a point.
const POINT: u64 = 8;

/// What a step took here, in nanoseconds for each point of the plate: a sample a step.
pub struct Pace(Vec<f64>);

impl Pace {
    /// Makes some steps on a smaller plate, on one core.
    pub fn measure() -> Self {
        const SMALL: usize = 256;
        const SAMPLES: usize = 101;
        let (mut old, mut new) = (vec![0.5_f64; SMALL * SMALL], vec![0.0_f64; SMALL * SMALL]);
        old[..SMALL].fill(1.0);
        let mut samples = Vec::new();
        for _ in 0..SAMPLES {
            let start = Instant::now();
            step(&old, &mut new, SMALL);
            let points = (SMALL - 2) * (SMALL - 2);
            samples.push(start.elapsed().as_secs_f64() * 1e9 / points as f64);
            std::mem::swap(&mut old, &mut new);
        }
        black_box(&old);
        // The first ones fill the caches, and what interrupted a step is none of its time.
        let kept = samples.split_off(SAMPLES / 5);
        let usual = panto_stats::median(&kept).unwrap_or(1.0);
        Self(kept.into_iter().filter(|sample| *sample < INTERRUPTED * usual).collect())
    }

    /// The time of a step of a rank with so many points: ranks and steps differ as the samples do.
    fn step(&self, rank: u32, step: usize, points: u64) -> u64 {
        let sample = self.0[(rank as usize * 31 + step * 17) % self.0.len()];
        (sample * points as f64) as u64
    }
}

/// Each point becomes the mean of its neighbours.
fn step(old: &[f64], new: &mut [f64], side: usize) {
    for row in 1..side - 1 {
        for at in row * side + 1..(row + 1) * side - 1 {
            new[at] = 0.25 * (old[at - side] + old[at + side] + old[at - 1] + old[at + 1]);
        }
    }
}

/// Writes the trace of the program on so many ranks: a power of two.
pub fn write(path: &Path, ranks: u32, pace: &Pace) -> Result<(), Failure> {
    let mut facts = Facts::default();
    let program = format!("heat on a plate of {SIDE} x {SIDE} points, {STEPS} steps (panto quickstart)");
    facts.set(key::PROGRAM, &program);
    facts.set(key::VERSION, env!("CARGO_PKG_VERSION"));
    let failed = |error: panto_trace::Error| Failure::Usage(error.to_string());
    let mut writer = WholeWriter::create(path, ranks, &facts).map_err(failed)?;
    for rank in 0..ranks {
        writer.begin_stream();
        writer.write(&stream(&Block::of(rank, ranks), pace)).map_err(failed)?;
        writer.end_stream();
    }
    writer.finish().map_err(failed)
}

/// The part of the plate that a rank has.
struct Block {
    rank: u32,
    ranks: u32,
    /// Blocks below each other, and beside each other.
    down: u32,
    across: u32,
}

impl Block {
    /// As square as it can be.
    fn of(rank: u32, ranks: u32) -> Self {
        let down = 1 << (ranks.ilog2() / 2);
        Self { rank, ranks, down, across: ranks / down }
    }

    fn height(&self) -> u64 {
        SIDE as u64 / u64::from(self.down)
    }

    fn width(&self) -> u64 {
        SIDE as u64 / u64::from(self.across)
    }

    /// For each neighbour: how far its number is, the bytes of the common edge, and the tag of what comes from there.
    fn neighbours(&self) -> Vec<(i32, u64, i64)> {
        let (row, column) = (self.rank / self.across, self.rank % self.across);
        let (far, wide, high) = (self.across as i32, self.width() * POINT, self.height() * POINT);
        let all = [
            (row > 0, (-far, wide, 0)),
            (row + 1 < self.down, (far, wide, 1)),
            (column > 0, (-1, high, 2)),
            (column + 1 < self.across, (1, high, 3)),
        ];
        all.into_iter().filter(|(is_there, _)| *is_there).map(|(_, neighbour)| neighbour).collect()
    }
}

fn stream(block: &Block, pace: &Pace) -> Vec<u8> {
    let (rank, ranks) = (block.rank, block.ranks);
    let mut out = stream_start(Head { is_whole: false, rank, ranks }, &Facts::default());
    let mut scribe = Scribe::new(rank, ranks);
    let (neighbours, points) = (block.neighbours(), block.width() * block.height());
    for step in 0..STEPS {
        scribe.exchange(&neighbours, pace.step(rank, step, points));
        if step % AGREE == AGREE - 1 {
            scribe.call(3, &agreement(), 0);
        }
    }
    scribe.recorder.seal(0, &mut out);
    out.extend(stream_end(&Facts::default()));
    out
}

/// Writes down calls.
struct Scribe {
    recorder: Recorder,
    names: [Name; 4],
}

impl Scribe {
    fn new(rank: u32, ranks: u32) -> Self {
        let mut recorder = Recorder::new(false);
        let names =
            ["MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce"].map(|name| recorder.name(name));
        recorder.datatype(&Datatype { size: POINT, extent: POINT as i64, is_derived: false });
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
        Self { recorder, names }
    }

    fn call(&mut self, name: usize, action: &Action<'_>, before: u64) {
        self.recorder.record(self.names[name], action, Times { before, ..Times::default() });
    }

    /// The edges go to the neighbours while the inside is computed.
    fn exchange(&mut self, neighbours: &[(i32, u64, i64)], computation: u64) {
        let count = neighbours.len() as u32;
        for (slot, neighbour) in (0..).zip(neighbours) {
            self.call(0, &receive(*neighbour, Slot(slot)), 0);
        }
        for (slot, neighbour) in (count..).zip(neighbours) {
            self.call(1, &send(*neighbour, Slot(slot)), 0);
        }
        let slots: Vec<i64> = (0..i64::from(2 * count)).collect();
        let wait =
            Action::Complete { until: Until::WaitAll, requests: &slots, completed: &slots, outcomes: &[] };
        self.call(2, &wait, computation);
    }
}

fn receive((from, bytes, tag): (i32, u64, i64), slot: Slot) -> Action<'static> {
    Action::Receive {
        form: Form::Immediate,
        comm: Comm(0),
        from: Peer::Relative(from),
        datatype: Type(0),
        bytes,
        tag,
        request: Some(slot),
        source: -1,
        got_tag: -1,
        got_bytes: -1,
    }
}

/// What goes up comes from below: the tags of opposite sides differ in the last bit.
fn send((to, bytes, tag): (i32, u64, i64), slot: Slot) -> Action<'static> {
    Action::Send {
        mode: Mode::Standard,
        form: Form::Immediate,
        comm: Comm(0),
        to: Peer::Relative(to),
        datatype: Type(0),
        bytes,
        tag: tag ^ 1,
        request: Some(slot),
    }
}

fn agreement() -> Action<'static> {
    Action::Collective {
        pattern: Pattern::AllReduce,
        form: Form::Blocking,
        comm: Comm(0),
        root: Peer::Nobody,
        datatype: Some(Type(0)),
        got_type: Some(Type(0)),
        commutes: true,
        in_place: false,
        bytes: POINT,
        room: POINT,
        request: None,
        gives: &[],
        gets: &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_the_plate_and_neighbours_are_mutual() {
        for ranks in [1, 2, 4, 16, 64] {
            let all: Vec<Block> = (0..ranks).map(|rank| Block::of(rank, ranks)).collect();
            let points: u64 = all.iter().map(|block| block.width() * block.height()).sum();
            assert_eq!(points, (SIDE * SIDE) as u64);
            for block in &all {
                for (far, bytes, tag) in block.neighbours() {
                    let other = &all[(block.rank as i32 + far) as usize];
                    assert!(other.neighbours().contains(&(-far, bytes, tag ^ 1)), "{ranks} {}", block.rank);
                }
            }
        }
    }

    #[test]
    fn heat_spreads() {
        let mut old = vec![0.0; 16];
        old[..4].fill(4.0);
        let mut new = old.clone();
        step(&old, &mut new, 4);
        assert_eq!(new[4..8], [0.0, 1.0, 1.0, 0.0]);
    }
}
