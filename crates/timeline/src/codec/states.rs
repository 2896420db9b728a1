//! Blocks of states.

use panto_units::Time;

use super::column::{COLUMNS, Columns, split};
use super::{Frame, Last, Limits, Record, Runs, Selection, Span, put_runs};
use crate::block::Kind;
use crate::record::{Cause, State, StateKind};
use panto_container::varint;

/// The kind of state, and the call.
const KINDS: usize = 1;
/// The time from the end of the state before.
const GAPS: usize = 2;
/// The duration of computation.
const COMPUTED: usize = 3;
/// The duration of other work.
const WORKED: usize = 4;
/// The duration of waiting.
const WAITED: usize = 5;
/// The rank for which it waited, relative to its own.
const CAUSES: usize = 6;
/// The time from that rank's operation to the end of waiting.
const AGES: usize = 7;

/// Bits of the state's kind; the number of the call plus one is above them.
const CODE_BITS: u32 = 3;

/// Expected durations, for as many kinds of states as most programs have.
type Lengths = Last<256>;
/// Expected ages, for as many partners as a rank has in most programs.
type Ages = Last<64>;

/// A state as it is kept until its block is written, in fewer bytes.
#[derive(Debug, Clone, Copy)]
pub struct Interval {
    rank: u32,
    kind: u32,
    from: u64,
    to: u64,
    at: u64,
    cause: u32,
}

impl Interval {
    pub fn new(rank: u32, state: &State) -> Self {
        let (code, cause) = match state.kind {
            StateKind::Compute => (0, None),
            StateKind::Message => (1, None),
            StateKind::Combine => (2, None),
            StateKind::Access => (3, None),
            StateKind::Wait(None) => (4, None),
            StateKind::Wait(cause) => (5, cause),
        };
        let kind = code | state.call.map_or(0, |call| call + 1) << CODE_BITS;
        let (cause, at) = cause.map_or((rank, 0), |cause| (cause.rank, cause.at.as_picos()));
        Self { rank, kind, from: state.from.as_picos(), to: state.to.as_picos(), at, cause }
    }
}

/// Returns the column with durations of this kind.
#[inline]
fn lengths(kind: u32) -> usize {
    match code(kind) {
        0 => COMPUTED,
        4 | 5 => WAITED,
        _ => WORKED,
    }
}

#[inline]
fn code(kind: u32) -> u32 {
    kind & ((1 << CODE_BITS) - 1)
}

#[inline]
fn has_cause(kind: u32) -> bool {
    code(kind) == 5
}

impl Record for Interval {
    const KIND: Kind = Kind::States;

    type Seen = (u32, State);

    fn rank(&self) -> u32 {
        self.rank
    }

    fn span(&self) -> (u64, u64) {
        (self.from, self.to)
    }

    fn encode(records: &[Self], frame: &Frame, columns: &mut Columns) {
        let (mut last_lengths, mut last_ages) = (Lengths::new(), Ages::new());
        let mut began = frame.first;
        for run in put_runs(records, frame, columns) {
            varint::put_change(&mut columns[GAPS], began, run[0].from);
            began = run[0].from;
            let mut clock = began;
            for (place, state) in run.iter().enumerate() {
                if place > 0 {
                    varint::put(&mut columns[GAPS], state.from - clock);
                }
                clock = state.to;
                varint::put(&mut columns[KINDS], u64::from(state.kind));
                last_lengths.put(state.kind, state.to - state.from, &mut columns[lengths(state.kind)]);
                if has_cause(state.kind) {
                    varint::put_change(&mut columns[CAUSES], u64::from(state.rank), u64::from(state.cause));
                    let far = state.cause.wrapping_sub(state.rank);
                    last_ages.put(far, state.to.wrapping_sub(state.at), &mut columns[AGES]);
                }
            }
        }
    }

    fn decode(
        payload: &[u8],
        frame: &Frame,
        limits: &Limits,
        selection: &Selection,
        out: &mut Vec<Self::Seen>,
    ) -> Option<()> {
        let columns = split(payload)?;
        let mut runs = Runs::new(columns[super::column::RUNS], frame);
        let mut states = Decoder { columns, limits, lengths: Lengths::new(), ages: Ages::new() };
        let mut span = Span::new();
        let mut began = frame.first;
        while !runs.are_over() {
            let (rank, count) = runs.take()?;
            began = varint::take_change(&mut states.columns[GAPS], began)?;
            let mut clock = began;
            for place in 0..count {
                if place > 0 {
                    clock = clock.checked_add(varint::take(&mut states.columns[GAPS])?)?;
                }
                let state = states.take(rank, clock)?;
                let from = std::mem::replace(&mut clock, state.to.as_picos());
                span.include(from, clock);
                if selection.has(rank, from, clock) {
                    out.push((rank, state));
                }
            }
        }
        (span.fits(frame) && states.is_used_up()).then_some(())
    }
}

struct Decoder<'a> {
    columns: [&'a [u8]; COLUMNS],
    limits: &'a Limits,
    lengths: Lengths,
    ages: Ages,
}

impl Decoder<'_> {
    /// Returns the next state, which begins at `from`.
    #[inline]
    fn take(&mut self, rank: u32, from: u64) -> Option<State> {
        let kind = u32::try_from(varint::take(&mut self.columns[KINDS])?).ok()?;
        let call = match kind >> CODE_BITS {
            0 => None,
            call if call <= self.limits.calls => Some(call - 1),
            _ => return None,
        };
        let to = from.checked_add(self.lengths.take(kind, &mut self.columns[lengths(kind)])?)?;
        let state_kind = match code(kind) {
            0 => StateKind::Compute,
            1 => StateKind::Message,
            2 => StateKind::Combine,
            3 => StateKind::Access,
            4 => StateKind::Wait(None),
            5 => StateKind::Wait(Some(self.take_cause(rank, to)?)),
            _ => return None,
        };
        Some(State { kind: state_kind, call, from: Time::from_picos(from), to: Time::from_picos(to) })
    }

    #[inline]
    fn take_cause(&mut self, rank: u32, to: u64) -> Option<Cause> {
        let cause = varint::take_change(&mut self.columns[CAUSES], u64::from(rank))?;
        let cause = u32::try_from(cause).ok().filter(|cause| *cause < self.limits.lines)?;
        let age = self.ages.take(cause.wrapping_sub(rank), &mut self.columns[AGES])?;
        Some(Cause { rank: cause, at: Time::from_picos(to.wrapping_sub(age)) })
    }

    fn is_used_up(&self) -> bool {
        self.columns[KINDS..].iter().all(|column| column.is_empty())
    }
}
