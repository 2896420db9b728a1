//! A bus: one link for all processors, which carries one frame at a time.
//!
//! A message is cut into frames of the link's packet size (wormhole: into flits), and waiting
//! messages are served round robin, one frame each. A message without contention takes t(s), with d
//! t0(h) before its first frame where the switching has a header.
//!
//! The time of k frames has a closed form, so all rounds in which no message finishes are one
//! event: a message of a million frames costs no more to simulate than a short one.

use std::collections::VecDeque;

use panto_machine::{Network, PerByte, Switching};

use super::{Injected, Passage, Ticket, Transfer};

/// The state of a bus.
#[derive(Debug, Default)]
pub(super) struct Bus {
    /// The waiting messages in the order of service, the current one first.
    queue: VecDeque<Job>,
    /// When the current frame, or the first of the current rounds, began.
    began: u64,
    /// The number of messages that have one frame left.
    on_last_frame: usize,
    /// The end of the current frame or rounds.
    until: u64,
    /// The number of whole rounds until then; 0 for a single frame.
    rounds: u64,
}

/// A waiting message.
#[derive(Debug, Clone, Copy)]
struct Job {
    ticket: Ticket,
    framing: Framing,
    /// Frames sent so far.
    sent: u64,
}

/// A message as frames; times in picoseconds.
#[derive(Debug, Clone, Copy)]
struct Framing {
    frames: u64,
    /// The time of the header, before the first frame.
    header: u64,
    /// The start-up of each frame.
    startup: u64,
    per_byte: PerByte,
    /// Bytes of a full frame.
    packet: u64,
    bytes: u64,
}

impl Bus {
    #[inline]
    pub(super) fn inject(
        &mut self,
        network: &Network,
        now: u64,
        ticket: Ticket,
        transfer: Transfer,
    ) -> Injected {
        if self.queue.is_empty() {
            self.began = now;
        } else {
            self.interrupt(now);
        }
        let job = Job { ticket, framing: Framing::of(network, transfer.bytes), sent: 0 };
        self.on_last_frame += usize::from(job.left() == 1);
        self.queue.push_back(job);
        self.schedule();
        Injected::Pending
    }

    #[inline]
    pub(super) fn next(&self) -> Option<u64> {
        (!self.queue.is_empty()).then_some(self.until)
    }

    #[inline]
    pub(super) fn advance(&mut self, now: u64, done: &mut impl FnMut(u64, Ticket, Passage)) {
        while !self.queue.is_empty() && self.until <= now {
            let end = self.until;
            if self.rounds > 0 {
                self.complete_rounds(self.rounds);
            } else if let Some(ticket) = self.complete_frame() {
                done(end, ticket, Passage::at(end));
            }
            self.began = end;
            self.schedule();
        }
    }

    /// Schedules the next event: all rounds in which no message finishes, or one frame.
    fn schedule(&mut self) {
        let Some(first) = self.queue.front() else { return };
        self.rounds = 0;
        if self.on_last_frame == 0 {
            self.rounds = self.queue.iter().map(|job| job.left() - 1).min().unwrap_or(0);
        }
        let time = if self.rounds > 0 { self.time(self.rounds) } else { first.time(1) };
        self.until = self.began.saturating_add(time);
    }

    /// The time of this number of rounds.
    fn time(&self, rounds: u64) -> u64 {
        self.queue.iter().fold(0, |sum: u64, job| sum.saturating_add(job.time(rounds)))
    }

    /// Counts completed rounds.
    fn complete_rounds(&mut self, rounds: u64) {
        self.on_last_frame = 0;
        for job in &mut self.queue {
            job.sent += rounds;
            self.on_last_frame += usize::from(job.left() == 1);
        }
    }

    /// Counts a frame of the first message; returns its ticket if that was its last.
    fn complete_frame(&mut self) -> Option<Ticket> {
        let mut job = self.queue.pop_front()?;
        job.sent += 1;
        match job.left() {
            0 => {
                self.on_last_frame -= 1;
                return Some(job.ticket);
            }
            1 => self.on_last_frame += 1,
            _ => {}
        }
        self.queue.push_back(job);
        None
    }

    /// Ends the current rounds early, at the frame that is in service at `now`.
    fn interrupt(&mut self, now: u64) {
        if self.rounds == 0 {
            return;
        }
        // The number of whole rounds that end by now, by bisection; the last round is incomplete.
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
            self.complete_rounds(least);
        }
        for _ in 0..self.queue.len() {
            let end = self.queue.front().map_or(u64::MAX, |job| self.began.saturating_add(job.time(1)));
            if end > now {
                return;
            }
            self.complete_frame();
            self.began = end;
        }
    }
}

impl Job {
    fn left(&self) -> u64 {
        self.framing.frames - self.sent
    }

    /// The time of its next frames.
    fn time(&self, frames: u64) -> u64 {
        self.framing.time(self.sent + frames) - self.framing.time(self.sent)
    }
}

impl Framing {
    #[inline]
    fn of(network: &Network, bytes: u64) -> Self {
        if let Switching::Wormhole { flit } = network.switching {
            let startup = network.link.of(flit).as_picos();
            let frames = bytes.div_ceil(flit).max(1);
            return Self { frames, header: 0, startup, per_byte: PerByte::ZERO, packet: flit, bytes };
        }
        let piece = network.link.piece(bytes);
        Self {
            frames: piece.packets(bytes),
            header: network.switching.header(&network.setup).as_picos(),
            startup: piece.startup.as_picos(),
            per_byte: piece.per_byte,
            packet: piece.packet.unwrap_or(bytes),
            bytes,
        }
    }

    /// The time of the first frames, with the header.
    #[inline]
    fn time(&self, frames: u64) -> u64 {
        if frames == 0 {
            return 0;
        }
        let bytes = frames.saturating_mul(self.packet).min(self.bytes);
        self.header
            .saturating_add(self.startup.saturating_mul(frames))
            .saturating_add(self.per_byte.of(bytes).as_picos())
    }
}
