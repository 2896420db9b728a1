//! Programs with common communication patterns, for the simulator.

use panto_sim::program::{Channel, ChannelKind, Code, Op, PackedOp, Program, SendMode};

/// A communication pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// A ring: each rank sends to the right and receives from the left.
    Ring,
    /// A halo exchange with four neighbours on a 2-D torus, all at once.
    Halo2,
    /// A halo exchange with six neighbours on a 3-D torus, all at once.
    Halo3,
    /// A wavefront: from north and west to south and east.
    Wavefront,
    /// A broadcast from rank 0 along a binomial tree.
    Broadcast,
    /// Dissemination: the distance of the partners doubles each round.
    Dissemination,
    /// Recursive doubling: in each round the partner differs in one bit.
    Doubling,
    /// An all-to-all exchange, all messages at once.
    Alltoall,
    /// A halo exchange on a 3-D torus, then recursive doubling.
    Application,
}

impl Pattern {
    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Halo2 => "halo2",
            Self::Halo3 => "halo3",
            Self::Wavefront => "wavefront",
            Self::Broadcast => "broadcast",
            Self::Dissemination => "dissemination",
            Self::Doubling => "doubling",
            Self::Alltoall => "alltoall",
            Self::Application => "application",
        }
    }

    /// Returns the number of channels to a rank, used or not.
    fn degree(self, ranks: u32) -> u32 {
        match self {
            Self::Ring | Self::Broadcast => 1,
            Self::Wavefront => 2,
            Self::Halo2 => 4,
            Self::Halo3 => 6,
            Self::Dissemination | Self::Doubling => ranks.next_power_of_two().ilog2(),
            Self::Alltoall => ranks,
            Self::Application => 6 + ranks.next_power_of_two().ilog2(),
        }
    }
}

/// The representation of repeated rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Unrolled: every executed operation is in memory.
    Flat,
    /// A loop: one round is in memory.
    Looped,
}

/// Returns a program and the number of operations it executes.
pub fn program(pattern: Pattern, ranks: u32, rounds: u64, bytes: u64, form: Form) -> (Program, u64) {
    let degree = pattern.degree(ranks);
    let mut channels: Vec<Channel> = (0..ranks * degree)
        .map(|number| Channel {
            from: number / degree,
            to: number / degree,
            match_key: 0,
            kind: ChannelKind::PointToPoint,
        })
        .collect();
    let mut executed = 0;
    let codes = (0..ranks)
        .map(|rank| {
            let mut builder = RoundBuilder {
                rank,
                ranks,
                degree,
                bytes,
                slots: 0,
                ops: Vec::new(),
                channels: &mut channels,
            };
            builder.round(pattern);
            let (body, slots) = (builder.ops, builder.slots);
            executed += body.len() as u64 * rounds;
            Code { ops: repeated(&body, rounds, form), times: Vec::new(), slots }
        })
        .collect();
    (Program { codes, ranks, channels, ..Program::default() }, executed)
}

fn repeated(body: &[PackedOp], rounds: u64, form: Form) -> Vec<PackedOp> {
    let end = PackedOp::from(Op::End);
    match form {
        Form::Flat => {
            let mut ops = body.repeat(rounds as usize);
            ops.push(end);
            ops
        }
        Form::Looped => {
            let mut ops = Vec::with_capacity(body.len() + 3);
            ops.extend([Op::Repeat { at: 2, times: rounds }.into(), end]);
            ops.extend(body);
            ops.push(end);
            ops
        }
    }
}

/// Returns the sides of a grid of `ranks` ranks, as equal as powers of two can be.
fn sides(ranks: u32, dimensions: u32) -> Vec<u32> {
    let bits = ranks.ilog2();
    (0..dimensions).map(|nth| 1 << ((bits + nth) / dimensions)).collect()
}

/// Builds the operations of one rank in a round.
struct RoundBuilder<'a> {
    rank: u32,
    ranks: u32,
    degree: u32,
    bytes: u64,
    slots: u32,
    ops: Vec<PackedOp>,
    channels: &'a mut [Channel],
}

impl RoundBuilder<'_> {
    fn round(&mut self, pattern: Pattern) {
        match pattern {
            Pattern::Ring => self.ring(),
            Pattern::Halo2 => self.halo(2),
            Pattern::Halo3 => self.halo(3),
            Pattern::Wavefront => self.wavefront(),
            Pattern::Broadcast => self.broadcast(),
            Pattern::Dissemination => self.dissemination(),
            Pattern::Doubling => self.doubling(0),
            Pattern::Alltoall => self.alltoall(),
            Pattern::Application => {
                self.halo(3);
                self.doubling(6);
            }
        }
    }

    fn push(&mut self, op: Op) {
        self.ops.push(op.into());
    }

    /// Returns the `nth` channel to a rank, with this rank as its source.
    fn to(&mut self, to: u32, nth: u32) -> u32 {
        let number = to * self.degree + nth;
        self.channels[number as usize].from = self.rank;
        number
    }

    fn send(&mut self, to: u32, nth: u32) {
        let (channel, bytes) = (self.to(to, nth), self.bytes);
        self.push(Op::Send { mode: SendMode::Standard, channel, bytes });
    }

    fn receive(&mut self, nth: u32) {
        self.push(Op::Receive { channel: self.rank * self.degree + nth });
    }

    /// Starts receives on the given channels of this rank and sends to others, each with its
    /// channel index; waits for all.
    fn exchange(&mut self, from: impl Iterator<Item = u32>, to: impl Iterator<Item = (u32, u32)>) {
        let mut slot = 0;
        for nth in from {
            self.push(Op::StartReceive { slot, channel: self.rank * self.degree + nth });
            slot += 1;
        }
        for (to, nth) in to {
            let (channel, bytes) = (self.to(to, nth), self.bytes);
            self.push(Op::StartSend { mode: SendMode::Standard, slot, channel, bytes });
            slot += 1;
        }
        (0..slot).for_each(|slot| self.push(Op::Wait { slot }));
        self.slots = self.slots.max(slot);
    }

    fn ring(&mut self) {
        self.send((self.rank + 1) % self.ranks, 0);
        self.receive(0);
    }

    fn halo(&mut self, dimensions: u32) {
        let mut neighbours = Vec::new();
        let mut stride = 1;
        for side in sides(self.ranks, dimensions) {
            let place = self.rank / stride % side;
            let at = |place: u32| self.rank - self.rank / stride % side * stride + place * stride;
            neighbours.push(at((place + side - 1) % side));
            neighbours.push(at((place + 1) % side));
            stride *= side;
        }
        // A message to the left is received from the right.
        let to: Vec<(u32, u32)> = (0..).zip(neighbours).map(|(nth, to)| (to, nth ^ 1)).collect();
        self.exchange(0..2 * dimensions, to.into_iter());
    }

    fn wavefront(&mut self) {
        let side = sides(self.ranks, 2)[0];
        let (row, column) = (self.rank / side, self.rank % side);
        if column > 0 {
            self.receive(0);
        }
        if row > 0 {
            self.receive(1);
        }
        if column + 1 < side {
            self.send(self.rank + 1, 0);
        }
        if self.rank + side < self.ranks {
            self.send(self.rank + side, 1);
        }
    }

    fn broadcast(&mut self) {
        // The number of trailing zero bits of a rank is its number of children.
        let bits = if self.rank == 0 { self.ranks.ilog2() } else { self.rank.trailing_zeros() };
        if self.rank != 0 {
            self.receive(0);
        }
        (0..bits).rev().for_each(|bit| self.send(self.rank | 1 << bit, 0));
    }

    fn dissemination(&mut self) {
        for round in 0..self.degree {
            self.send((self.rank + (1 << round)) % self.ranks, round);
            self.receive(round);
        }
    }

    fn doubling(&mut self, first: u32) {
        for round in first..self.degree {
            self.send(self.rank ^ 1 << (round - first), round);
            self.receive(round);
        }
    }

    fn alltoall(&mut self) {
        let (rank, ranks) = (self.rank, self.ranks);
        let others = move || (1..ranks).map(move |far| (rank + far) % ranks);
        self.exchange((1..ranks).map(|far| (rank + ranks - far) % ranks), others().map(|to| (to, rank)));
    }
}
