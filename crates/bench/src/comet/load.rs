//! The background load of the contention kernel.
//!
//! One rank streams messages to another for as long as the echo repeats. The load starts before the
//! tester reads its clock and stops after it: the tester waits for the notice that a first window
//! has gone through, and orders the source to stop when it has read its clock again. Neither is in
//! the timed region.

use panto_transport::{Result, Selector, SendMode, Tag, Transport};

use super::contention_roles::ContentionRoles;
use super::tag;
use crate::measure::Checked;
use crate::pattern;

/// Messages between two acknowledgements: enough to keep the link busy, too few to flood the
/// receiver.
const WINDOW: u64 = 8;

/// Background load of one rank.
pub(super) struct Load<'a, T> {
    transport: &'a T,
    cast: ContentionRoles,
    part: Part,
    data: Vec<u8>,
    round: u64,
    /// Whether the stream of this sample is still to be sent; it belongs to the first repetition.
    due: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Source,
    Sink,
    Tester,
    None,
}

impl Part {
    fn of(rank: usize, cast: ContentionRoles) -> Self {
        match rank {
            _ if rank == cast.source => Self::Source,
            _ if rank == cast.sink => Self::Sink,
            _ if rank == cast.tester => Self::Tester,
            _ => Self::None,
        }
    }
}

impl<'a, T: Transport> Load<'a, T> {
    /// Creates a load with messages of `bytes`; 0 is no load.
    pub(super) fn new(transport: &'a T, cast: ContentionRoles, bytes: usize) -> Self {
        let part = if bytes == 0 { Part::None } else { Part::of(transport.rank(), cast) };
        let bytes = if matches!(part, Part::Source | Part::Sink) { bytes } else { 0 };
        Self { transport, cast, part, data: vec![0; bytes], round: 0, due: false }
    }

    pub(super) fn prepare(&mut self, round: u64) {
        self.round = round;
        match self.part {
            Part::Source => pattern::fill(&mut self.data, self.cast.source, round),
            _ => self.data.fill(0),
        }
    }

    /// Starts the load, and lets the tester wait until it runs.
    pub(super) fn begin(&mut self) -> Result<()> {
        self.due = true;
        match self.part {
            Part::Source => {
                (0..WINDOW).try_for_each(|_| self.send_load())?;
                self.wait_for(self.cast.sink, tag::LOAD_ACK)?;
                self.tell(self.cast.tester, tag::LOAD_STARTED)
            }
            Part::Tester => self.wait_for(self.cast.source, tag::LOAD_STARTED),
            Part::Sink | Part::None => Ok(()),
        }
    }

    /// Runs the background stream of a sample, in its first repetition: the source sends, the sink
    /// receives.
    pub(super) fn run(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.due) {
            return Ok(());
        }
        match self.part {
            Part::Source => self.stream(),
            Part::Sink => self.drain(),
            Part::Tester | Part::None => Ok(()),
        }
    }

    /// Stops the load, after the clock was read.
    pub(super) fn end(&self) -> Result<()> {
        if self.part == Part::Tester { self.tell(self.cast.source, tag::LOAD_STOP) } else { Ok(()) }
    }

    pub(super) fn verify(&self) -> Checked {
        match self.part {
            Part::Sink => pattern::check(&self.data, self.cast.source, self.round),
            _ => Ok(()),
        }
    }

    fn stream(&self) -> Result<()> {
        loop {
            for _ in 0..WINDOW {
                if self.transport.try_probe(Selector::new(self.cast.tester, tag::LOAD_STOP))?.is_some() {
                    return self.finish();
                }
                self.send_load()?;
            }
            self.wait_for(self.cast.sink, tag::LOAD_ACK)?;
        }
    }

    /// Ends the stream with an empty message: those of the load are never empty.
    fn finish(&self) -> Result<()> {
        self.wait_for(self.cast.tester, tag::LOAD_STOP)?;
        self.tell(self.cast.sink, tag::LOAD)
    }

    fn drain(&mut self) -> Result<()> {
        let want = Selector::new(self.cast.source, tag::LOAD);
        let mut seen = 0;
        while self.transport.receive(&mut self.data, want)?.len > 0 {
            seen += 1;
            if seen % WINDOW == 0 {
                self.tell(self.cast.source, tag::LOAD_ACK)?;
            }
        }
        Ok(())
    }

    fn send_load(&self) -> Result<()> {
        self.transport.send(SendMode::Standard, &self.data, self.cast.sink, tag::LOAD)
    }

    fn tell(&self, rank: usize, tag: Tag) -> Result<()> {
        self.transport.send(SendMode::Standard, &[], rank, tag)
    }

    fn wait_for(&self, rank: usize, tag: Tag) -> Result<()> {
        self.transport.receive(&mut [], Selector::new(rank, tag)).map(drop)
    }
}
