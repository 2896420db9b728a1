//! The timeline of a regular program: a halo exchange with four neighbours on a torus of ranks.

use panto_timeline::{Cause, Message, State, StateKind, TimelineInfo};
use panto_units::Time;

/// An entry of the timeline.
#[derive(Debug, Clone, Copy)]
pub enum Event {
    /// A state of a rank.
    State(u32, State),
    /// A message between ranks.
    Message(Message),
}

/// A generator of the timeline of `side` x `side` ranks.
pub struct Halo {
    side: u32,
    clocks: Vec<u64>,
    /// The time when each rank sent to each of its four neighbours, in picoseconds.
    sent: Vec<[u64; 4]>,
    random: u64,
    /// The range over which computations vary, in nanoseconds.
    jitter: u64,
}

/// Time to post a receive, in picoseconds.
const POST: u64 = 100_000;
/// Time to send a message, in picoseconds.
const SEND: u64 = 700_000;
/// Time to receive a message, in picoseconds.
const RECEIVE: u64 = 800_000;
/// Network time of a message to the left, right, up and down, in picoseconds.
const TRAVEL: [u64; 4] = [2_345_678, 2_345_678, 9_876_543, 9_876_543];
/// Size of a message to the left, right, up and down, in bytes.
const BYTES: [u64; 4] = [4096, 4096, 65_536, 65_536];

const IRECV: u32 = 0;
const ISEND: u32 = 1;
const WAITALL: u32 = 2;

impl Halo {
    /// Creates a generator at time 0.
    pub fn new(side: u32, jitter: u64) -> Self {
        let ranks = (side * side) as usize;
        Self { side, clocks: vec![0; ranks], sent: vec![[0; 4]; ranks], random: 1, jitter }
    }

    /// Returns the description of the timeline.
    pub fn about(&self) -> TimelineInfo {
        TimelineInfo {
            ranks: self.side * self.side,
            helper_ranks: Vec::new(),
            facts: vec![("program".into(), "halo".into()), ("machine".into(), "torus".into())],
            calls: ["MPI_Irecv", "MPI_Isend", "MPI_Waitall"].map(String::from).to_vec(),
            message_kinds: ["message", "broadcast"].map(String::from).to_vec(),
        }
    }

    /// Generates one iteration of all ranks, one rank after the other.
    pub fn step(&mut self, mut emit: impl FnMut(Event)) {
        for rank in 0..self.side * self.side {
            self.leave(rank, &mut emit);
        }
        for rank in 0..self.side * self.side {
            self.gather(rank, &mut emit);
        }
    }

    fn leave(&mut self, rank: u32, emit: &mut impl FnMut(Event)) {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let compute = 1_000 * (250_000 + (self.random >> 33) % self.jitter.max(1));
        self.work(rank, StateKind::Compute, None, compute, emit);
        for _ in 0..4 {
            self.work(rank, StateKind::Message, Some(IRECV), POST, emit);
        }
        for direction in 0..4 {
            self.work(rank, StateKind::Message, Some(ISEND), SEND, emit);
            self.sent[rank as usize][direction] = self.clocks[rank as usize];
        }
    }

    fn gather(&mut self, rank: u32, emit: &mut impl FnMut(Event)) {
        for direction in 0..4 {
            // The left neighbour sent to its right.
            let from = self.neighbour(rank, direction);
            let sent = self.sent[from as usize][direction ^ 1];
            let arrived = sent + TRAVEL[direction];
            let clock = self.clocks[rank as usize];
            if arrived > clock {
                let cause = Cause { rank: from, at: Time::from_picos(sent) };
                self.work(rank, StateKind::Wait(Some(cause)), Some(WAITALL), arrived - clock, emit);
            }
            self.work(rank, StateKind::Message, Some(WAITALL), RECEIVE, emit);
            let [sent, arrived, received] = [sent, arrived, self.clocks[rank as usize]].map(Time::from_picos);
            let bytes = BYTES[direction];
            emit(Event::Message(Message {
                from,
                to: rank,
                bytes,
                class: 3,
                kind: 0,
                sent,
                arrived,
                received,
            }));
        }
    }

    fn neighbour(&self, rank: u32, direction: usize) -> u32 {
        let (x, y, side) = (rank % self.side, rank / self.side, self.side);
        let (x, y) = match direction {
            0 => ((x + side - 1) % side, y),
            1 => ((x + 1) % side, y),
            2 => (x, (y + side - 1) % side),
            _ => (x, (y + 1) % side),
        };
        y * side + x
    }

    fn work(
        &mut self,
        rank: u32,
        what: StateKind,
        call: Option<u32>,
        length: u64,
        emit: &mut impl FnMut(Event),
    ) {
        let clock = &mut self.clocks[rank as usize];
        let (from, to) = (Time::from_picos(*clock), Time::from_picos(*clock + length));
        *clock += length;
        emit(Event::State(rank, State { kind: what, call, from, to }));
    }
}
