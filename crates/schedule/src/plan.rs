//! One rank's steps as a validated list that may be executed without further checks.

use crate::in_flight::InFlight;
use crate::{Buffer, Error, Fault, Schedule, Span, Step, steps};

/// The sizes of the caller's buffers, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Elements in the input.
    pub input: usize,
    /// Elements in the output.
    pub output: usize,
}

/// One rank's steps, validated.
///
/// An executor that holds buffers of at least [`Plan::input`], [`Plan::output`] and
/// [`Plan::scratch`] elements may use raw memory for them, because for every step:
///
/// - its spans lie inside of their buffers, and the input is never written;
/// - its peer is another rank;
/// - it reads and writes nothing that a started receive still writes, and writes nothing that a
///   started send still reads;
/// - a copy or reduction uses spans of equal length that do not overlap;
///
/// and because every started message is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    rank: usize,
    ranks: usize,
    sizes: Sizes,
    scratch: usize,
    steps: Vec<Step>,
}

impl Plan {
    /// Collects and validates the steps of one rank. Takes O(n log k) for n steps with k messages
    /// between two waits.
    pub fn new(schedule: &dyn Schedule, rank: usize, sizes: Sizes) -> Result<Plan, Error> {
        let ranks = schedule.ranks();
        if rank >= ranks {
            return Err(Error::Rank { rank, ranks });
        }
        let scratch = schedule.scratch(rank);
        let plan = Plan { rank, ranks, sizes, scratch, steps: steps(schedule, rank).collect() };
        plan.validate()?;
        Ok(plan)
    }

    /// Returns the steps, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the scratch space that the steps use, in elements.
    pub fn scratch(&self) -> usize {
        self.scratch
    }

    /// Returns the size of the input that the steps may read, in elements.
    pub fn input(&self) -> usize {
        self.sizes.input
    }

    /// Returns the size of the output that the steps may access, in elements.
    pub fn output(&self) -> usize {
        self.sizes.output
    }

    /// Returns the rank whose steps these are.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    fn validate(&self) -> Result<(), Error> {
        let mut flight = InFlight::default();
        for (number, step) in self.steps.iter().enumerate() {
            self.check(*step, &mut flight).map_err(|fault| self.error(number, fault))?;
        }
        if flight.pending() { Err(self.error(self.steps.len(), Fault::NotWaited)) } else { Ok(()) }
    }

    fn error(&self, step: usize, fault: Fault) -> Error {
        Error::Plan { rank: self.rank, step, fault }
    }

    fn check(&self, step: Step, flight: &mut InFlight) -> Result<(), Fault> {
        match step {
            Step::Send { to, span } => {
                self.peer(to)?;
                self.reads(span, flight)
            }
            Step::Receive { from, span } => {
                self.peer(from)?;
                self.writes(step, span, flight)
            }
            Step::StartSend { to, span } => {
                self.peer(to)?;
                self.reads(span, flight)?;
                flight.start_send(span);
                Ok(())
            }
            Step::StartReceive { from, span } => {
                self.peer(from)?;
                self.writes(step, span, flight)?;
                flight.start_receive(span);
                Ok(())
            }
            Step::WaitAll => {
                flight.wait_all();
                Ok(())
            }
            Step::Copy { from, to: into } | Step::Reduce { from, into, .. } => {
                self.reads(from, flight)?;
                self.writes(step, into, flight)?;
                joins(step, from, into)
            }
        }
    }

    fn peer(&self, peer: usize) -> Result<(), Fault> {
        if peer >= self.ranks {
            return Err(Fault::NoSuchPeer { peer, ranks: self.ranks });
        }
        if peer == self.rank {
            return Err(Fault::SelfMessage);
        }
        Ok(())
    }

    fn reads(&self, span: Span, flight: &InFlight) -> Result<(), Fault> {
        self.bounds(span)?;
        flight.read(span)
    }

    fn writes(&self, step: Step, span: Span, flight: &InFlight) -> Result<(), Fault> {
        if span.buffer == Buffer::Input {
            return Err(Fault::WritesInput(step));
        }
        self.bounds(span)?;
        flight.write(span)
    }

    fn bounds(&self, span: Span) -> Result<(), Fault> {
        let len = match span.buffer {
            Buffer::Input => self.sizes.input,
            Buffer::Output => self.sizes.output,
            Buffer::Scratch => self.scratch,
        };
        match span.end() {
            Some(end) if end <= len => Ok(()),
            _ => Err(Fault::OutOfBounds { span, len }),
        }
    }
}

fn joins(step: Step, from: Span, into: Span) -> Result<(), Fault> {
    if from.len != into.len {
        return Err(Fault::Lengths(step));
    }
    if from.overlaps(into) {
        return Err(Fault::Overlap(step));
    }
    Ok(())
}
