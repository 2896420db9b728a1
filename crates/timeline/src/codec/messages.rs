//! Blocks of messages, which are stored with the rank that received them.

use panto_units::Time;

use super::column::{COLUMNS, Columns, RUNS, split};
use super::{Frame, Last, Limits, Record, Runs, Selection, Span, put_runs};
use crate::block::Kind;
use crate::record::Message;
use panto_container::varint;

/// The sender, relative to the receiver.
const SENDERS: usize = 1;
const BYTES: usize = 2;
const CLASSES: usize = 3;
const KINDS: usize = 4;
/// When it was received, relative to the message before.
const RECEIVED: usize = 5;
/// How long it had been there before that.
const KEPT: usize = 6;
/// How long it was in flight.
const TRAVELLED: usize = 7;

/// Expected times, for as many partners as a rank has in most programs.
type Expected = Last<64>;

impl Record for Message {
    const KIND: Kind = Kind::Messages;

    type Seen = Self;

    fn rank(&self) -> u32 {
        self.to
    }

    fn span(&self) -> (u64, u64) {
        (self.first().as_picos(), self.last().as_picos())
    }

    fn encode(records: &[Self], frame: &Frame, columns: &mut Columns) {
        let (mut kept, mut travelled) = (Expected::new(), Expected::new());
        let mut began = frame.first;
        for run in put_runs(records, frame, columns) {
            let mut clock = began;
            began = run[0].received.as_picos();
            for message in run {
                let [sent, arrived, received] =
                    [message.sent, message.arrived, message.received].map(Time::as_picos);
                let far = message.from.wrapping_sub(message.to);
                varint::put_change(&mut columns[SENDERS], u64::from(message.to), u64::from(message.from));
                varint::put(&mut columns[BYTES], message.bytes);
                varint::put(&mut columns[CLASSES], u64::from(message.class));
                varint::put(&mut columns[KINDS], u64::from(message.kind));
                varint::put_change(&mut columns[RECEIVED], clock, received);
                kept.put(far, received.wrapping_sub(arrived), &mut columns[KEPT]);
                travelled.put(far, arrived.wrapping_sub(sent), &mut columns[TRAVELLED]);
                clock = received;
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
        let mut runs = Runs::new(columns[RUNS], frame);
        let mut messages = Decoder { columns, limits, kept: Expected::new(), travelled: Expected::new() };
        let mut span = Span::new();
        let mut began = frame.first;
        while !runs.are_over() {
            let (rank, count) = runs.take()?;
            let mut clock = began;
            for place in 0..count {
                let message = messages.take(rank, clock)?;
                clock = message.received.as_picos();
                if place == 0 {
                    began = clock;
                }
                let (first, last) = message.span();
                span.include(first, last);
                if selection.has(rank, first, last) {
                    out.push(message);
                }
            }
        }
        (span.fits(frame) && messages.is_used_up()).then_some(())
    }
}

struct Decoder<'a> {
    columns: [&'a [u8]; COLUMNS],
    limits: &'a Limits,
    kept: Expected,
    travelled: Expected,
}

impl Decoder<'_> {
    /// Returns the next message; `received` of the one before is given.
    #[inline]
    fn take(&mut self, to: u32, clock: u64) -> Option<Message> {
        let columns = &mut self.columns;
        let from = varint::take_change(&mut columns[SENDERS], u64::from(to))?;
        let from = u32::try_from(from).ok().filter(|from| *from < self.limits.lines)?;
        let far = from.wrapping_sub(to);
        let kind = u16::try_from(varint::take(&mut columns[KINDS])?).ok();
        let received = varint::take_change(&mut columns[RECEIVED], clock)?;
        let arrived = received.wrapping_sub(self.kept.take(far, &mut columns[KEPT])?);
        let sent = arrived.wrapping_sub(self.travelled.take(far, &mut columns[TRAVELLED])?);
        Some(Message {
            from,
            to,
            bytes: varint::take(&mut columns[BYTES])?,
            class: u32::try_from(varint::take(&mut columns[CLASSES])?).ok()?,
            kind: kind.filter(|kind| u32::from(*kind) < self.limits.message_kinds)?,
            sent: Time::from_picos(sent),
            arrived: Time::from_picos(arrived),
            received: Time::from_picos(received),
        })
    }

    fn is_used_up(&self) -> bool {
        self.columns[SENDERS..].iter().all(|column| column.is_empty())
    }
}
