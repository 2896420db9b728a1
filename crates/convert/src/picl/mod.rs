//! PICL's new format, which `ParaGraph` reads (P15): a record a line, in the order of time.
//!
//! The format is that of P. H. Worley, "A new PICL trace file format", ORNL/TM-12125, 1992: `record event seconds node task fields`, and
//! if there are fields, the descriptor of their type (2, integers) and the fields.
//!
//! - A collective call is the event that PICL has for it, any other call a user event: its number, from 1.
//! - What a processor does for a message is a send (`bytes tag node`) or a receive (`tag node`, then `bytes tag node`). A message that takes no
//!   time of its rank there and then begins and ends at one moment.
//! - Waiting is the event of idle processors.
//! - Helpers are further tasks of their rank's node.

mod ahead;
mod ends;

use std::path::Path;

use panto_timeline::{Message, State, Timeline, What};
use panto_units::Time;

use crate::Exported;
use crate::error::{Error, Result};
use crate::moments::{MOST, Moment, Slices, Tracks};
use crate::output::Output;
use crate::text::{EARLY, MOST_DIGITS, Seconds, note, plain};
use ahead::{Ahead, Mail};
use ends::Ends;

/// Digits behind the point of seconds, as PICL itself writes them.
pub const DIGITS: usize = 6;

/// Kinds of records.
const MARK: i32 = -2;
const ENTRY: i32 = -3;
const EXIT: i32 = -4;

/// Events.
const SEND: i64 = -21;
const RECEIVE: i64 = -51;
const IDLE: i64 = -601;
const NODE: i64 = -901;
const LEVELS: i64 = -904;
const CLOSE: i64 = -12;

/// The event of a collective call, by the name of its function.
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

/// Writes a timeline with so many digits behind the point of seconds: [`DIGITS`] as PICL itself does, or up to 12.
pub fn write(timeline: &Timeline, digits: usize, target: &Path) -> Result<Exported> {
    write_in_slices(timeline, digits, target, MOST)
}

fn write_in_slices(timeline: &Timeline, digits: usize, target: &Path, most: usize) -> Result<Exported> {
    if !(1..=MOST_DIGITS).contains(&digits) {
        return Err(Error::Usage(format!("{digits} digits of seconds: 1 to {MOST_DIGITS} are possible")));
    }
    let mut writing = Writing::new(timeline, digits, Output::create(target)?);
    for line in writing.tracks.order() {
        writing.record(ENTRY, NODE, Time::ZERO, line, &[])?;
        writing.record(MARK, LEVELS, Time::ZERO, line, &[1, 1, 1])?;
    }
    let mut ends = Ends::new(timeline)?;
    let mut slices = Slices::new(timeline, most);
    while let Some(slice) = slices.advance()? {
        let ahead = Ahead::new(timeline, &writing.tracks, slice)?;
        for (index, (at, line, moment)) in slice.moments().enumerate() {
            while let Some((end, line)) = ends.before(at) {
                writing.close(end, line)?;
            }
            writing.moment(at, line, moment, ahead.after(slice, index))?;
        }
    }
    while let Some((end, line)) = ends.next() {
        writing.close(end, line)?;
    }
    let notes = writing.notes(timeline);
    Output::finish([writing.out])?;
    Ok(Exported { ranks: timeline.ranks(), operations: writing.records, notes })
}

struct Writing {
    /// The event of each call.
    calls: Vec<i64>,
    tracks: Tracks,
    digits: usize,
    out: Output,
    /// Until when each line works for messages,
    working: Vec<Option<Time>>,
    /// and whether the record of a message is open there.
    open: Vec<bool>,
    records: u64,
    short: u64,
    early: u64,
    aside: u64,
}

impl Writing {
    fn new(timeline: &Timeline, digits: usize, out: Output) -> Self {
        let about = timeline.about();
        let lines = about.ranks as usize + about.helps.len();
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
            aside: 0,
        }
    }

    /// `after` is the next message of this line.
    fn moment(&mut self, at: Time, line: u32, moment: Moment<'_>, after: Option<Mail>) -> Result<()> {
        match moment {
            Moment::Enter(call) => self.record(ENTRY, self.calls[call as usize], at, line, &[]),
            Moment::Leave(call) => self.record(EXIT, self.calls[call as usize], at, line, &[]),
            Moment::Begin(state) => {
                self.notice(state);
                match state.what {
                    What::Wait(_) => self.record(ENTRY, IDLE, at, line, &[]),
                    What::Message => {
                        self.working[line as usize] = Some(state.to);
                        self.expect(at, line, after)
                    }
                    _ => Ok(()),
                }
            }
            Moment::End(state) => match state.what {
                What::Wait(_) => self.record(EXIT, IDLE, at, line, &[]),
                What::Message => {
                    self.working[line as usize] = None;
                    Ok(())
                }
                _ => Ok(()),
            },
            Moment::Sent(parcel) => {
                self.early += u64::from(parcel.message.received < parcel.message.sent);
                self.message(line, Mail { at, is_sent: true, message: parcel.message }, after)
            }
            Moment::Received(parcel) => {
                self.message(line, Mail { at, is_sent: false, message: parcel.message }, after)
            }
        }
    }

    /// Begins the record of a message that the line works for.
    fn expect(&mut self, at: Time, line: u32, mail: Option<Mail>) -> Result<()> {
        let until = self.working[line as usize];
        match mail.filter(|mail| until.is_some_and(|until| mail.at <= until)) {
            Some(mail) => {
                self.open[line as usize] = true;
                self.entry(at, line, &mail)
            }
            None => Ok(()),
        }
    }

    fn message(&mut self, line: u32, mail: Mail, after: Option<Mail>) -> Result<()> {
        if !mail.is_between_nodes(&self.tracks) {
            self.aside += u64::from(mail.is_sent);
            return Ok(());
        }
        if !std::mem::take(&mut self.open[line as usize]) {
            self.entry(mail.at, line, &mail)?;
        }
        let Message { bytes, class, from, .. } = mail.message;
        if mail.is_sent {
            self.record(EXIT, SEND, mail.at, line, &[])?;
        } else {
            let fields = [as_field(bytes), class.into(), self.node(from)];
            self.record(EXIT, RECEIVE, mail.at, line, &fields)?;
        }
        self.expect(mail.at, line, after)
    }

    fn entry(&mut self, at: Time, line: u32, mail: &Mail) -> Result<()> {
        let Message { bytes, class, from, to, .. } = mail.message;
        if mail.is_sent {
            self.record(ENTRY, SEND, at, line, &[as_field(bytes), class.into(), self.node(to)])
        } else {
            self.record(ENTRY, RECEIVE, at, line, &[class.into(), self.node(from)])
        }
    }

    fn node(&self, line: u32) -> i64 {
        self.tracks.place(line).0.into()
    }

    fn close(&mut self, at: Time, line: u32) -> Result<()> {
        self.record(MARK, CLOSE, at, line, &[])?;
        self.record(EXIT, NODE, at, line, &[])
    }

    fn record(&mut self, kind: i32, event: i64, at: Time, line: u32, fields: &[i64]) -> Result<()> {
        self.records += 1;
        let ((node, task), time, count) = (self.tracks.place(line), Seconds(at, self.digits), fields.len());
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

    fn notice(&mut self, state: &State) {
        let unit = 10_u64.pow((MOST_DIGITS - self.digits) as u32);
        let [from, to] = [state.from, state.to].map(|time| time.as_picos() / unit);
        self.short += u64::from(from == to);
    }

    fn notes(&self, timeline: &Timeline) -> Vec<String> {
        let calls = timeline.about().calls.iter().zip(&self.calls).filter(|(_, event)| **event > 0);
        let users: Vec<String> = calls.map(|(call, event)| format!("{event} {}", plain(call))).collect();
        let users = (!users.is_empty()).then(|| format!("user events: {}", users.join(", ")));
        let digits = self.digits;
        let short = format!("states are shorter than the last of {digits} digits of seconds");
        let aside = "messages between ranks and their own helpers are left out";
        let counts = [note(self.short, &short), note(self.early, EARLY), note(self.aside, aside)];
        users.into_iter().chain(counts.into_iter().flatten()).collect()
    }
}

/// Fields are signed.
fn as_field(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moments::trial;

    #[test]
    fn slices_leave_no_mark() {
        let folder = tempfile::tempdir().expect("a folder");
        let timeline = trial::timeline(folder.path());
        let written = |most: usize| {
            let target = folder.path().join("out.picl");
            write_in_slices(&timeline, 12, &target, most).unwrap_or_else(|error| panic!("{error}"));
            std::fs::read_to_string(&target).expect("text")
        };
        let whole = written(MOST);
        assert!(whole.lines().count() > 2000, "{whole}");
        for most in [1, 7, 100] {
            assert!(written(most) == whole, "in slices of {most}");
        }
    }
}
