//! CSV export: one file of states and one of messages, for spreadsheets and data frames.

use std::path::{Path, PathBuf};

use panto_timeline::{Cause, Message, State, StateKind, Timeline, TimelineInfo};

use crate::ExportSummary;
use crate::error::Result;
use crate::output::Output;
use crate::text::{MAX_DECIMALS, Seconds, field, state_name};
use crate::timeline_events::{MAX_EVENTS, TimelineEvent, Tracks, for_each};

/// Header row of the states file.
pub const STATES: &str = "rank,helper,begin_s,end_s,what,call,for_rank,for_helper,since_s";

/// Header row of the messages file.
pub const MESSAGES: &str =
    "from_rank,from_helper,to_rank,to_helper,bytes,class,lane,sent_s,arrived_s,received_s";

/// Returns the two files written for `target`: `run.csv` stands for `run.states.csv` and
/// `run.messages.csv`.
pub fn files(target: &Path) -> [PathBuf; 2] {
    ["states.csv", "messages.csv"].map(|extension| target.with_extension(extension))
}

/// Writes states ordered by their start and messages ordered by their send time. Times are exact
/// (seconds with 12 decimals at most).
pub fn write(timeline: &Timeline, target: &Path) -> Result<ExportSummary> {
    let [states, messages] = files(target);
    let mut writer = Writer {
        about: timeline.about(),
        tracks: Tracks::new(timeline.about()),
        states: Output::create(&states)?,
        messages: Output::create(&messages)?,
        rows: 0,
    };
    writer.states.text(format_args!("{STATES}\n"))?;
    writer.messages.text(format_args!("{MESSAGES}\n"))?;
    for_each(timeline, MAX_EVENTS, |_, line, event| match event {
        TimelineEvent::Begin(state) => writer.state(line, state),
        TimelineEvent::Sent(instance) => writer.message(&instance.message),
        _ => Ok(()),
    })?;
    Output::finish([writer.states, writer.messages])?;
    Ok(ExportSummary { ranks: timeline.ranks(), operations: writer.rows, notes: Vec::new() })
}

struct Writer<'a> {
    about: &'a TimelineInfo,
    tracks: Tracks,
    states: Output,
    messages: Output,
    rows: u64,
}

impl Writer<'_> {
    fn state(&mut self, line: u32, state: &State) -> Result<()> {
        self.rows += 1;
        let (rank, helper) = self.tracks.rank_and_helper(line);
        let [begin, end] = [state.from, state.to].map(|time| Seconds(time, MAX_DECIMALS));
        let call = state.call.map_or("", |call| &self.about.calls[call as usize]);
        let (what, call) = (state_name(state.kind), field(call));
        let out = &mut self.states;
        out.text(format_args!("{rank},{helper},{begin},{end},{what},{call},"))?;
        match state.kind {
            StateKind::Wait(Some(Cause { rank, at })) => {
                let (rank, helper) = self.tracks.rank_and_helper(rank);
                out.text(format_args!("{rank},{helper},{}\n", Seconds(at, MAX_DECIMALS)))
            }
            _ => out.bytes(b",,\n"),
        }
    }

    fn message(&mut self, message: &Message) -> Result<()> {
        self.rows += 1;
        let [(from, by), (to, at)] = [message.from, message.to].map(|line| self.tracks.rank_and_helper(line));
        let Message { bytes, class, sent, arrived, received, .. } = *message;
        let kind = field(&self.about.message_kinds[usize::from(message.kind)]);
        let [sent, arrived, received] = [sent, arrived, received].map(|time| Seconds(time, MAX_DECIMALS));
        self.messages
            .text(format_args!("{from},{by},{to},{at},{bytes},{class},{kind},{sent},{arrived},{received}\n"))
    }
}
