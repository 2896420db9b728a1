//! PICL's new format, read by `ParaGraph` (P15): one record per line, in time order.
//!
//! The format is that of P. H. Worley, "A new PICL trace file format", ORNL/TM-12125, 1992: `record
//! event seconds node task fields`, and if there are fields, the descriptor of their type (2,
//! integers) and the fields.
//!
//! - A collective call is the event that PICL has for it, any other call a user event: its number,
//!   counted from 1.
//! - A communication state is a send (`bytes tag node`) or a receive (`tag node`, then `bytes tag
//!   node`). A message that takes no processor time begins and ends at one instant.
//! - Waiting is the event of idle processors.
//! - Helpers are further tasks of their rank's node.

mod ends;
mod lookahead;

use std::path::Path;

use panto_timeline::{Message, State, StateKind, Timeline};
use panto_units::Time;

use crate::ExportSummary;
use crate::error::{Error, Result};
use crate::output::Output;
use crate::text::{EARLY, MAX_DECIMALS, Seconds, note, plain};
use crate::timeline_events::{MAX_EVENTS, Slices, TimelineEvent, Tracks};
use ends::Ends;
use lookahead::{Lookahead, MessageEnd};

/// Decimals of seconds, as PICL itself writes them.
pub const DECIMALS: usize = 6;

/// Record types.
const MARK: i32 = -2;
const ENTRY: i32 = -3;
const EXIT: i32 = -4;

/// Event types.
const SEND: i64 = -21;
const RECEIVE: i64 = -51;
const IDLE: i64 = -601;
const NODE: i64 = -901;
const LEVELS: i64 = -904;
const CLOSE: i64 = -12;

/// Returns the event of a collective call by the name of its function.
pub(crate) fn collective(call: &str) -> Option<i64> {
    let name = call.strip_prefix("MPI_")?;
    Some(match name.strip_suffix("_c").unwrap_or(name) {
        "Barrier" => -402,
        "Allgather" | "Allgatherv" => -780,
        "Allreduce" => -782,
        "Alltoall" | "Alltoallv" | "Alltoallw" => -783,
        "Bcast" => -785,
        "Gather" | "Gatherv" => -786,
        "Reduce" => -790,
        "Reduce_scatter" | "Reduce_scatter_block" => -791,
        "Scan" | "Exscan" => -792,
        "Scatter" | "Scatterv" => -793,
        _ => return None,
    })
}

/// Writes a timeline with `digits` decimals of seconds: [`DECIMALS`] as PICL itself does, or up to
/// 12.
pub fn write(timeline: &Timeline, digits: usize, target: &Path) -> Result<ExportSummary> {
    write_in_slices(timeline, digits, target, MAX_EVENTS)
}

fn write_in_slices(timeline: &Timeline, digits: usize, target: &Path, most: usize) -> Result<ExportSummary> {
    if !(1..=MAX_DECIMALS).contains(&digits) {
        return Err(Error::Usage(format!(
            "invalid number of decimals {digits}; expected 1 to {MAX_DECIMALS}"
        )));
    }
    let mut writer = Writer::new(timeline, digits, Output::create(target)?);
    for line in writer.tracks.order() {
        writer.record(ENTRY, NODE, Time::ZERO, line, &[])?;
        writer.record(MARK, LEVELS, Time::ZERO, line, &[1, 1, 1])?;
    }
    let mut ends = Ends::new(timeline)?;
    let mut slices = Slices::new(timeline, most);
    while let Some(slice) = slices.advance()? {
        let lookahead = Lookahead::new(timeline, &writer.tracks, slice)?;
        for (index, (at, line, event)) in slice.events().enumerate() {
            while let Some((end, line)) = ends.before(at) {
                writer.close(end, line)?;
            }
            writer.event(at, line, event, lookahead.after(slice, index))?;
        }
    }
    while let Some((end, line)) = ends.next() {
        writer.close(end, line)?;
    }
    let notes = writer.notes(timeline);
    Output::finish([writer.out])?;
    Ok(ExportSummary { ranks: timeline.ranks(), operations: writer.records, notes })
}

struct Writer {
    /// Event of each call.
    calls: Vec<i64>,
    tracks: Tracks,
    digits: usize,
    out: Output,
    /// End of the current communication state of each line.
    working: Vec<Option<Time>>,
    /// Whether a message record is open on each line.
    open: Vec<bool>,
    records: u64,
    short: u64,
    early: u64,
    between_helpers: u64,
}

impl Writer {
    fn new(timeline: &Timeline, digits: usize, out: Output) -> Self {
        let about = timeline.about();
        let lines = about.ranks as usize + about.helper_ranks.len();
        let event = |(number, call): (i64, &String)| collective(call).unwrap_or(number);
        Self {
            calls: (1..).zip(&about.calls).map(event).collect(),
            tracks: Tracks::new(about),
            digits,
            out,
            working: vec![None; lines],
            open: vec![false; lines],
            records: 0,
            short: 0,
            early: 0,
            between_helpers: 0,
        }
    }

    /// Writes an event; `after` is the next message of its line.
    fn event(
        &mut self,
        at: Time,
        line: u32,
        event: TimelineEvent<'_>,
        after: Option<MessageEnd>,
    ) -> Result<()> {
        match event {
            TimelineEvent::Enter(call) => self.record(ENTRY, self.calls[call as usize], at, line, &[]),
            TimelineEvent::Leave(call) => self.record(EXIT, self.calls[call as usize], at, line, &[]),
            TimelineEvent::Begin(state) => {
                self.count_if_short(state);
                match state.kind {
                    StateKind::Wait(_) => self.record(ENTRY, IDLE, at, line, &[]),
                    StateKind::Message => {
                        self.working[line as usize] = Some(state.to);
                        self.expect(at, line, after)
                    }
                    _ => Ok(()),
                }
            }
            TimelineEvent::End(state) => match state.kind {
                StateKind::Wait(_) => self.record(EXIT, IDLE, at, line, &[]),
                StateKind::Message => {
                    self.working[line as usize] = None;
                    Ok(())
                }
                _ => Ok(()),
            },
            TimelineEvent::Sent(instance) => {
                self.early += u64::from(instance.message.received < instance.message.sent);
                self.message(line, MessageEnd { at, is_sent: true, message: instance.message }, after)
            }
            TimelineEvent::Received(instance) => {
                self.message(line, MessageEnd { at, is_sent: false, message: instance.message }, after)
            }
        }
    }

    /// Opens the record of the next message if the current communication state carries it.
    fn expect(&mut self, at: Time, line: u32, end: Option<MessageEnd>) -> Result<()> {
        let until = self.working[line as usize];
        match end.filter(|end| until.is_some_and(|until| end.at <= until)) {
            Some(end) => {
                self.open[line as usize] = true;
                self.entry(at, line, &end)
            }
            None => Ok(()),
        }
    }

    fn message(&mut self, line: u32, end: MessageEnd, after: Option<MessageEnd>) -> Result<()> {
        if !end.is_between_nodes(&self.tracks) {
            self.between_helpers += u64::from(end.is_sent);
            return Ok(());
        }
        if !std::mem::take(&mut self.open[line as usize]) {
            self.entry(end.at, line, &end)?;
        }
        let Message { bytes, class, from, .. } = end.message;
        if end.is_sent {
            self.record(EXIT, SEND, end.at, line, &[])?;
        } else {
            let fields = [as_field(bytes), class.into(), self.node(from)];
            self.record(EXIT, RECEIVE, end.at, line, &fields)?;
        }
        self.expect(end.at, line, after)
    }

    fn entry(&mut self, at: Time, line: u32, end: &MessageEnd) -> Result<()> {
        let Message { bytes, class, from, to, .. } = end.message;
        if end.is_sent {
            self.record(ENTRY, SEND, at, line, &[as_field(bytes), class.into(), self.node(to)])
        } else {
            self.record(ENTRY, RECEIVE, at, line, &[class.into(), self.node(from)])
        }
    }

    fn node(&self, line: u32) -> i64 {
        self.tracks.rank_and_helper(line).0.into()
    }

    fn close(&mut self, at: Time, line: u32) -> Result<()> {
        self.record(MARK, CLOSE, at, line, &[])?;
        self.record(EXIT, NODE, at, line, &[])
    }

    fn record(&mut self, kind: i32, event: i64, at: Time, line: u32, fields: &[i64]) -> Result<()> {
        self.records += 1;
        let ((node, task), time, count) =
            (self.tracks.rank_and_helper(line), Seconds(at, self.digits), fields.len());
        let out = &mut self.out;
        out.text(format_args!("{kind} {event} {time} {node} {task} {count}"))?;
        if count > 0 {
            out.bytes(b" 2")?;
        }
        for field in fields {
            out.text(format_args!(" {field}"))?;
        }
        out.bytes(b"\n")
    }

    fn count_if_short(&mut self, state: &State) {
        let unit = 10_u64.pow((MAX_DECIMALS - self.digits) as u32);
        let [from, to] = [state.from, state.to].map(|time| time.as_picos() / unit);
        self.short += u64::from(from == to);
    }

    fn notes(&self, timeline: &Timeline) -> Vec<String> {
        let calls = timeline.about().calls.iter().zip(&self.calls).filter(|(_, event)| **event > 0);
        let users: Vec<String> = calls.map(|(call, event)| format!("{event} {}", plain(call))).collect();
        let users = (!users.is_empty()).then(|| format!("user events: {}", users.join(", ")));
        let digits = self.digits;
        let short = format!("states shorter than the resolution of {digits} decimals of a second");
        let between_helpers = "messages between ranks and their own helpers omitted";
        let counts =
            [note(self.short, &short), note(self.early, EARLY), note(self.between_helpers, between_helpers)];
        users.into_iter().chain(counts.into_iter().flatten()).collect()
    }
}

/// Converts a byte count to a field, which is signed.
fn as_field(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline_events::test_timeline;

    #[test]
    fn output_does_not_depend_on_slices() {
        let folder = tempfile::tempdir().expect("a folder");
        let timeline = test_timeline::timeline(folder.path());
        let written = |most: usize| {
            let target = folder.path().join("out.picl");
            write_in_slices(&timeline, 12, &target, most).unwrap_or_else(|error| panic!("{error}"));
            std::fs::read_to_string(&target).expect("text")
        };
        let whole = written(MAX_EVENTS);
        assert!(whole.lines().count() > 2000, "{whole}");
        for most in [1, 7, 100] {
            assert!(written(most) == whole, "in slices of {most}");
        }
    }
}
