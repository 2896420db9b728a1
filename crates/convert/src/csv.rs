//! Comma-separated values: a file of states and a file of messages, for spreadsheets and data frames.

use std::path::{Path, PathBuf};

use panto_timeline::{About, Cause, Message, State, Timeline, What};

use crate::Exported;
use crate::error::Result;
use crate::moments::{MOST, Moment, Tracks, for_each};
use crate::output::Output;
use crate::text::{MOST_DIGITS, Seconds, field, word};

/// Columns of the states.
pub const STATES: &str = "rank,helper,begin_s,end_s,what,call,for_rank,for_helper,since_s";

/// Columns of the messages.
pub const MESSAGES: &str =
    "from_rank,from_helper,to_rank,to_helper,bytes,class,lane,sent_s,arrived_s,received_s";

/// The two files that `target` stands for: `run.csv` is `run.states.csv` and `run.messages.csv`.
pub fn files(target: &Path) -> [PathBuf; 2] {
    ["states.csv", "messages.csv"].map(|extension| target.with_extension(extension))
}

/// Writes states in the order in which they begin, and messages in the order in which they were sent. Times are exact.
pub fn write(timeline: &Timeline, target: &Path) -> Result<Exported> {
    let [states, messages] = files(target);
    let mut files = Files {
        about: timeline.about(),
        tracks: Tracks::new(timeline.about()),
        states: Output::create(&states)?,
        messages: Output::create(&messages)?,
        rows: 0,
    };
    files.states.text(format_args!("{STATES}\n"))?;
    files.messages.text(format_args!("{MESSAGES}\n"))?;
    for_each(timeline, MOST, |_, line, moment| match moment {
        Moment::Begin(state) => files.state(line, state),
        Moment::Sent(parcel) => files.message(&parcel.message),
        _ => Ok(()),
    })?;
    Output::finish([files.states, files.messages])?;
    Ok(Exported { ranks: timeline.ranks(), operations: files.rows, notes: Vec::new() })
}

struct Files<'a> {
    about: &'a About,
    tracks: Tracks,
    states: Output,
    messages: Output,
    rows: u64,
}

impl Files<'_> {
    fn state(&mut self, line: u32, state: &State) -> Result<()> {
        self.rows += 1;
        let (rank, helper) = self.tracks.place(line);
        let [begin, end] = [state.from, state.to].map(|time| Seconds(time, MOST_DIGITS));
        let call = state.call.map_or("", |call| &self.about.calls[call as usize]);
        let (what, call) = (word(state.what), field(call));
        let out = &mut self.states;
        out.text(format_args!("{rank},{helper},{begin},{end},{what},{call},"))?;
        match state.what {
            What::Wait(Some(Cause { rank, at })) => {
                let (rank, helper) = self.tracks.place(rank);
                out.text(format_args!("{rank},{helper},{}\n", Seconds(at, MOST_DIGITS)))
            }
            _ => out.bytes(b",,\n"),
        }
    }

    fn message(&mut self, message: &Message) -> Result<()> {
        self.rows += 1;
        let [(from, by), (to, at)] = [message.from, message.to].map(|line| self.tracks.place(line));
        let Message { bytes, class, sent, arrived, received, .. } = *message;
        let lane = field(&self.about.lanes[usize::from(message.lane)]);
        let [sent, arrived, received] = [sent, arrived, received].map(|time| Seconds(time, MOST_DIGITS));
        self.messages
            .text(format_args!("{from},{by},{to},{at},{bytes},{class},{lane},{sent},{arrived},{received}\n"))
    }
}
