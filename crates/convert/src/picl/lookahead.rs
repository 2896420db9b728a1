//! Lookahead: the message that a rank's communication state is about. It is known only when the
//! message is sent or received, and PICL needs it when the state begins.

use panto_timeline::{Message, StateKind, Timeline};
use panto_units::Time;
use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::timeline_events::{Slice, TimelineEvent, Tracks};

/// One end of a message.
#[derive(Debug, Clone, Copy)]
pub struct MessageEnd {
    /// Time of the send or receive.
    pub at: Time,
    pub is_sent: bool,
    pub message: Message,
}

impl MessageEnd {
    /// Returns false for signals between a rank and its own helper.
    pub fn is_between_nodes(&self, tracks: &Tracks) -> bool {
        let Message { from, to, .. } = self.message;
        from == to || tracks.rank_and_helper(from).0 != tracks.rank_and_helper(to).0
    }

    /// Sort key: time, then sends before receives.
    fn key(&self) -> (Time, bool) {
        (self.at, !self.is_sent)
    }
}

/// For each event of a slice, the next message on its line.
pub struct Lookahead {
    /// Index of that message in the slice, beyond its end an index into `beyond`, or [`NONE`].
    after: Vec<u32>,
    /// Messages after the end of the slice whose communication states begin in it.
    beyond: Vec<MessageEnd>,
}

const NONE: u32 = u32::MAX;

impl Lookahead {
    pub fn new(timeline: &Timeline, tracks: &Tracks, slice: &Slice) -> Result<Self> {
        let events = slice.len();
        let lines = timeline.ranks() as usize + timeline.about().helper_ranks.len();
        let (mut nearest, mut beyond) = (vec![NONE; lines], Vec::new());
        for (line, end) in look_beyond(timeline, tracks, slice)? {
            nearest[line as usize] = (events + beyond.len()) as u32;
            beyond.push(end);
        }
        let mut after = vec![NONE; events];
        for (place, (_, line, event)) in slice.events().enumerate().rev() {
            if matches!(event, TimelineEvent::Begin(_) | TimelineEvent::Sent(_) | TimelineEvent::Received(_))
            {
                after[place] = nearest[line as usize];
            }
            if end(slice, place).is_some_and(|end| end.is_between_nodes(tracks)) {
                nearest[line as usize] = place as u32;
            }
        }
        Ok(Self { after, beyond })
    }

    /// Returns the next message on the line of an event.
    pub fn after(&self, slice: &Slice, place: usize) -> Option<MessageEnd> {
        match self.after[place] {
            NONE => None,
            found => match (found as usize).checked_sub(slice.len()) {
                None => end(slice, found as usize),
                Some(beyond) => Some(self.beyond[beyond]),
            },
        }
    }
}

fn end(slice: &Slice, place: usize) -> Option<MessageEnd> {
    match slice.event(place) {
        (at, _, TimelineEvent::Sent(instance)) => {
            Some(MessageEnd { at, is_sent: true, message: instance.message })
        }
        (at, _, TimelineEvent::Received(instance)) => {
            Some(MessageEnd { at, is_sent: false, message: instance.message })
        }
        _ => None,
    }
}

/// Returns the first message after the end of a slice, for each line that is in a communication
/// state when the slice ends. Communication states are short, so little is read.
fn look_beyond(timeline: &Timeline, tracks: &Tracks, slice: &Slice) -> Result<FxHashMap<u32, MessageEnd>> {
    let at_work = slice.crossing.iter().filter(|(_, state)| state.kind == StateKind::Message);
    let until: FxHashMap<u32, Time> = at_work.map(|(line, state)| (*line, state.to)).collect();
    let mut first: FxHashMap<u32, MessageEnd> = FxHashMap::default();
    let Some(last) = until.values().copied().max() else { return Ok(first) };
    for found in timeline.messages(&(slice.last..=last)) {
        let message = found?;
        for (line, at, is_sent) in [(message.from, message.sent, true), (message.to, message.received, false)]
        {
            let end = MessageEnd { at, is_sent, message };
            let is_wanted = at > slice.last && until.get(&line).is_some_and(|until| at <= *until);
            if is_wanted
                && end.is_between_nodes(tracks)
                && first.get(&line).is_none_or(|best| end.key() < best.key())
            {
                first.insert(line, end);
            }
        }
    }
    Ok(first)
}
