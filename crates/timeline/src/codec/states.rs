//! Blocks of states.

use panto_units::Time;

use super::column::{COLUMNS, Columns, split};
use super::{Frame, Last, Limits, Record, Runs, Span, Wanted, put_runs};
use crate::block::Kind;
use crate::record::{Cause, State, What};
use crate::varint;

/// What was done and in which call.
const KINDS: usize = 1;
/// From the end of the state before.
const GAPS: usize = 2;
/// How long the rank computed.
const COMPUTED: usize = 3;
/// How long it did other work.
const WORKED: usize = 4;
/// How long it waited.
const WAITED: usize = 5;
/// For whom, as a number from its own.
const CAUSES: usize = 6;
/// How long before the end of waiting that rank did what ended it.
const AGES: usize = 7;

/// Bits for what was done; the call, counted from one, is above them.
const CODE_BITS: u32 = 3;

/// As many expected lengths as there are kinds of states in most programs.
type Lengths = Last<256>;
/// As many expected ages as a rank has partners in most programs.
type Ages = Last<64>;

/// A state as it is kept until its block is written: in fewer bytes.
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
        let (code, cause) = match state.what {
            What::Compute => (0, None),
            What::Message => (1, None),
            What::Combine => (2, None),
            What::Access => (3, None),
            What::Wait(None) => (4, None),
            What::Wait(cause) => (5, cause),
        };
        let kind = code | state.call.map_or(0, |call| call + 1) << CODE_BITS;
        let (cause, at) = cause.map_or((rank, 0), |cause| (cause.rank, cause.at.as_picos()));
        Self { rank, kind, from: state.from.as_picos(), to: state.to.as_picos(), at, cause }
    }
}

/// The column with lengths of this kind.
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
        wanted: &Wanted,
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
                if wanted.has(rank, from, clock) {
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
    /// The next state, which begins then.
    #[inline]
    fn take(&mut self, rank: u32, from: u64) -> Option<State> {
        let kind = u32::try_from(varint::take(&mut self.columns[KINDS])?).ok()?;
        let call = match kind >> CODE_BITS {
            0 => None,
            call if call <= self.limits.calls => Some(call - 1),
            _ => return None,
        };
        let to = from.checked_add(self.lengths.take(kind, &mut self.columns[lengths(kind)])?)?;
        let what = match code(kind) {
            0 => What::Compute,
            1 => What::Message,
            2 => What::Combine,
            3 => What::Access,
            4 => What::Wait(None),
            5 => What::Wait(Some(self.take_cause(rank, to)?)),
            _ => return None,
        };
        Some(State { what, call, from: Time::from_picos(from), to: Time::from_picos(to) })
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
