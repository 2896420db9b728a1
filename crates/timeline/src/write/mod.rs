//! Writing: records are kept by band until there are enough for a block.

mod buffers;
mod out;

use std::path::Path;

use panto_units::Time;

use crate::codec::{Interval, Limits};
use crate::error::{Error, Result};
use crate::head::Head;
use crate::info::TimelineInfo;
use crate::record::{Message, State, StateKind};
use buffers::{Buffers, width};
use out::Out;

/// The default memory of a writer for states and messages, in bytes, for any number of ranks.
pub const MEMORY: usize = 64 << 20;

/// How much was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteSummary {
    /// States of all ranks.
    pub states: u64,
    /// Messages of all ranks.
    pub messages: u64,
    /// The length of the file, in bytes.
    pub bytes: u64,
}

/// Writes a timeline under its final name, block by block: if the program is killed, what was
/// written can be read. A writer that is dropped without [`finish`](Self::finish) leaves an
/// incomplete timeline, with all that was added.
///
/// The first error is kept until [`finish`](Self::finish); nothing is written after it.
#[derive(Debug)]
pub struct Writer {
    out: Out,
    limits: Limits,
    /// The end of the last state of each rank, in picoseconds.
    ends: Vec<u64>,
    states: Buffers<Interval>,
    messages: Buffers<Message>,
    written: WriteSummary,
    failed: Option<Error>,
}

impl Writer {
    /// Creates a timeline. A file with this name is replaced.
    pub fn create(path: &Path, about: &TimelineInfo) -> Result<Self> {
        Self::with_memory(path, about, MEMORY)
    }

    /// Creates a timeline by a writer that keeps about this many bytes of states and messages, and
    /// eight for each rank. With less memory the file becomes longer.
    pub fn with_memory(path: &Path, about: &TimelineInfo, memory: usize) -> Result<Self> {
        if let Some(reason) = about.limit_exceeded() {
            return Err(Error::Unfit { path: path.to_owned(), reason });
        }
        let lines = about.ranks + about.helper_ranks.len() as u32;
        let width = width(lines);
        let head = Head { ranks: about.ranks, helpers: about.helper_ranks.len() as u32, width };
        let out = Out::create(path, head, about)?;
        let limits = Limits {
            lines,
            calls: about.calls.len() as u32,
            message_kinds: about.message_kinds.len() as u32,
        };
        Ok(Self {
            out,
            limits,
            ends: vec![0; lines as usize],
            states: Buffers::new(head, memory / 2),
            messages: Buffers::new(head, memory / 2),
            written: WriteSummary::default(),
            failed: None,
        })
    }

    /// Adds a state of a rank or helper. Those of a rank must come in their order.
    #[inline]
    pub fn state(&mut self, rank: u32, state: State) {
        if self.failed.is_some() {
            return;
        }
        let fits = self.ends.get(rank as usize).is_some_and(|end| *end <= state.from.as_picos())
            && state.from <= state.to
            && state.call.is_none_or(|call| call < self.limits.calls);
        let cause = if let StateKind::Wait(Some(cause)) = state.kind { cause.rank } else { rank };
        if !fits || cause >= self.limits.lines {
            return self.refuse_state(rank, &state);
        }
        self.ends[rank as usize] = state.to.as_picos();
        self.written.states += 1;
        let pushed = self.states.push(Interval::new(rank, &state), &mut self.out);
        self.keep(pushed);
    }

    /// Adds a message, which is stored with the rank that received it.
    #[inline]
    pub fn message(&mut self, message: Message) {
        if self.failed.is_some() {
            return;
        }
        let fits = message.from < self.limits.lines
            && message.to < self.limits.lines
            && u32::from(message.kind) < self.limits.message_kinds;
        if !fits {
            return self.refuse(format!(
                "{message:?} does not fit a timeline of {} ranks and {} message kinds",
                self.limits.lines, self.limits.message_kinds
            ));
        }
        self.written.messages += 1;
        let pushed = self.messages.push(message, &mut self.out);
        self.keep(pushed);
    }

    /// Writes the records that are left, and the index. Returns how much was written, or the first
    /// error.
    pub fn finish(mut self) -> Result<WriteSummary> {
        self.flush();
        if self.failed.is_none() {
            let ended = self.out.end();
            self.keep(ended);
        }
        self.written.bytes = self.out.place();
        self.failed.take().map_or(Ok(self.written), Err)
    }

    fn flush(&mut self) {
        if self.failed.is_none() {
            let flushed = self.states.flush(&mut self.out).and_then(|()| self.messages.flush(&mut self.out));
            self.keep(flushed);
        }
    }

    #[inline]
    fn keep(&mut self, result: Result<()>) {
        if let Err(error) = result {
            self.fail(error);
        }
    }

    /// Keeps the first error; no more records are kept in memory.
    #[cold]
    fn fail(&mut self, error: Error) {
        self.states.forget();
        self.messages.forget();
        self.failed = Some(error);
    }

    #[cold]
    fn refuse_state(&mut self, rank: u32, state: &State) {
        let end = self.ends.get(rank as usize).copied().map(Time::from_picos);
        self.refuse(match end {
            Some(end) if end > state.from => {
                format!("rank {rank}: {state:?} begins before the state before it ends, at {end:?}")
            }
            _ => format!(
                "rank {rank}: {state:?} does not fit a timeline of {} ranks and {} calls, or ends before it begins",
                self.limits.lines, self.limits.calls
            ),
        });
    }

    #[cold]
    fn refuse(&mut self, reason: String) {
        self.fail(Error::Unfit { path: self.out.path().to_owned(), reason });
    }
}

impl Drop for Writer {
    /// Writes what is left: what a program did before it failed is worth reading, too. After
    /// [`finish`](Writer::finish) nothing is left.
    fn drop(&mut self) {
        self.flush();
    }
}
