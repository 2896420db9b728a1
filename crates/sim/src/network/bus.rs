//! A bus: one server for all, one frame at a time.
//!
//! A message is cut into frames of the link's packet size (a worm into its flits). The messages that wait stand in a ring: the bus
//! carries one frame of the first, which then goes to the back if it has more. A message alone takes t(s), with d t0(h) before its
//! first frame where the switching has a header.
//!
//! Whole rounds in which nobody finishes are taken in one leap, because the time of k frames is known in closed form; so a
//! message of a million frames costs no more than a small one.

use std::collections::VecDeque;

use panto_machine::{Network, PerByte, Switching};

use super::{Carried, Load, Passage, Ticket};

/// A network that is one bus.
#[derive(Debug, Default)]
pub(super) struct Bus {
    /// The messages that wait, from the one in service on.
    ring: VecDeque<Job>,
    /// When the frame in service began.
    began: u64,
    /// How many of the ring have but one frame to go.
    ending: usize,
    /// When the present leap ends, if somebody is in service.
    until: u64,
    /// Rounds of the present leap; one frame only if 0.
    rounds: u64,
}

/// A message that waits.
#[derive(Debug, Clone, Copy)]
struct Job {
    ticket: Ticket,
    cut: Cut,
    /// Frames that have passed.
    passed: u64,
}

/// A message cut into frames.
#[derive(Debug, Clone, Copy)]
struct Cut {
    frames: u64,
    before: u64,
    startup: u64,
    per_byte: PerByte,
    packet: u64,
    bytes: u64,
}

impl Bus {
    #[inline]
    pub(super) fn inject(&mut self, network: &Network, now: u64, ticket: Ticket, load: Load) -> Carried {
        if self.ring.is_empty() {
            self.began = now;
        } else {
            self.interrupt(now);
        }
        let job = Job { ticket, cut: Cut::of(network, load.bytes), passed: 0 };
        self.ending += usize::from(job.left() == 1);
        self.ring.push_back(job);
        self.leap();
        Carried::Later
    }

    #[inline]
    pub(super) fn next(&self) -> Option<u64> {
        (!self.ring.is_empty()).then_some(self.until)
    }

    #[inline]
    pub(super) fn advance(&mut self, now: u64, done: &mut impl FnMut(u64, Ticket, Passage)) {
        while !self.ring.is_empty() && self.until <= now {
            let end = self.until;
            if self.rounds > 0 {
                self.pass(self.rounds);
            } else if let Some(ticket) = self.frame() {
                done(end, ticket, Passage::together(end));
            }
            self.began = end;
            self.leap();
        }
    }

    /// Decides how far nobody finishes, or takes one frame.
    fn leap(&mut self) {
        let Some(first) = self.ring.front() else { return };
        self.rounds = 0;
        if self.ending == 0 {
            self.rounds = self.ring.iter().map(|job| job.left() - 1).min().unwrap_or(0);
        }
        let time = if self.rounds > 0 { self.time(self.rounds) } else { first.time(1) };
        self.until = self.began.saturating_add(time);
    }

    /// The time of so many rounds.
    fn time(&self, rounds: u64) -> u64 {
        self.ring.iter().fold(0, |sum: u64, job| sum.saturating_add(job.time(rounds)))
    }

    /// So many rounds have passed.
    fn pass(&mut self, rounds: u64) {
        self.ending = 0;
        for job in &mut self.ring {
            job.passed += rounds;
            self.ending += usize::from(job.left() == 1);
        }
    }

    /// A frame of the first has passed; the answer is its ticket if that was the last.
    fn frame(&mut self) -> Option<Ticket> {
        let mut job = self.ring.pop_front()?;
        job.passed += 1;
        match job.left() {
            0 => {
                self.ending -= 1;
                return Some(job.ticket);
            }
            1 => self.ending += 1,
            _ => {}
        }
        self.ring.push_back(job);
        None
    }

    /// Ends a leap of several rounds at the frame that is in service at `now`, which is before the leap's end.
    fn interrupt(&mut self, now: u64) {
        if self.rounds == 0 {
            return;
        }
        // The most whole rounds that end by now. Of the last round less than all is over.
        let (mut least, mut most) = (0, self.rounds);
        while least < most {
            let middle = least + (most - least).div_ceil(2);
            if self.began.saturating_add(self.time(middle)) <= now {
                least = middle;
            } else {
                most = middle - 1;
            }
        }
        if least > 0 {
            self.began = self.began.saturating_add(self.time(least));
            self.pass(least);
        }
        for _ in 0..self.ring.len() {
            let end = self.ring.front().map_or(u64::MAX, |job| self.began.saturating_add(job.time(1)));
            if end > now {
                return;
            }
            self.frame();
            self.began = end;
        }
    }
}

impl Job {
    fn left(&self) -> u64 {
        self.cut.frames - self.passed
    }

    /// The time of the next so many frames.
    fn time(&self, frames: u64) -> u64 {
        self.cut.time(self.passed + frames) - self.cut.time(self.passed)
    }
}

impl Cut {
    #[inline]
    fn of(network: &Network, bytes: u64) -> Self {
        if let Switching::Wormhole { flit } = network.switching {
            let startup = network.link.of(flit).as_picos();
            let frames = bytes.div_ceil(flit).max(1);
            return Self { frames, before: 0, startup, per_byte: PerByte::ZERO, packet: flit, bytes };
        }
        let piece = network.link.piece(bytes);
        Self {
            frames: piece.packets(bytes),
            before: network.switching.header(&network.setup).as_picos(),
            startup: piece.startup.as_picos(),
            per_byte: piece.per_byte,
            packet: piece.packet.unwrap_or(bytes),
            bytes,
        }
    }

    /// The time of the first so many frames.
    #[inline]
    fn time(&self, frames: u64) -> u64 {
        if frames == 0 {
            return 0;
        }
        let bytes = frames.saturating_mul(self.packet).min(self.bytes);
        self.before
            .saturating_add(self.startup.saturating_mul(frames))
            .saturating_add(self.per_byte.of(bytes).as_picos())
    }
}
