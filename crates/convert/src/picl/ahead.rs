//! Which message a rank works for: known only when it is sent or received, and wanted when the work begins.

use panto_timeline::{Message, Timeline, What};
use panto_units::Time;
use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::moments::{Moment, Slice, Tracks};

/// One end of a message.
#[derive(Debug, Clone, Copy)]
pub struct Mail {
    /// When it was sent or received there.
    pub at: Time,
    pub is_sent: bool,
    pub message: Message,
}

impl Mail {
    /// Is it no word between a rank and its own helper?
    pub fn is_between_nodes(&self, tracks: &Tracks) -> bool {
        let Message { from, to, .. } = self.message;
        from == to || tracks.place(from).0 != tracks.place(to).0
    }

    /// The order of moments: what is sent comes first.
    fn key(&self) -> (Time, bool) {
        (self.at, !self.is_sent)
    }
}

/// The next message of each line, at each moment of a slice.
pub struct Ahead {
    /// The place of that message in the slice, or beyond its end; or none.
    after: Vec<u32>,
    /// Messages after the end of the slice that lines work for already.
    beyond: Vec<Mail>,
}

const NONE: u32 = u32::MAX;

impl Ahead {
    pub fn new(timeline: &Timeline, tracks: &Tracks, slice: &Slice) -> Result<Self> {
        let moments = slice.len();
        let lines = timeline.ranks() as usize + timeline.about().helps.len();
        let (mut nearest, mut beyond) = (vec![NONE; lines], Vec::new());
        for (line, mail) in look_beyond(timeline, tracks, slice)? {
            nearest[line as usize] = (moments + beyond.len()) as u32;
            beyond.push(mail);
        }
        let mut after = vec![NONE; moments];
        for (place, (_, line, moment)) in slice.moments().enumerate().rev() {
            if matches!(moment, Moment::Begin(_) | Moment::Sent(_) | Moment::Received(_)) {
                after[place] = nearest[line as usize];
            }
            if mail(slice, place).is_some_and(|mail| mail.is_between_nodes(tracks)) {
                nearest[line as usize] = place as u32;
            }
        }
        Ok(Self { after, beyond })
    }

    /// The next message on the line of a moment.
    pub fn after(&self, slice: &Slice, place: usize) -> Option<Mail> {
        match self.after[place] {
            NONE => None,
            found => match (found as usize).checked_sub(slice.len()) {
                None => mail(slice, found as usize),
                Some(beyond) => Some(self.beyond[beyond]),
            },
        }
    }
}

fn mail(slice: &Slice, place: usize) -> Option<Mail> {
    match slice.moment(place) {
        (at, _, Moment::Sent(parcel)) => Some(Mail { at, is_sent: true, message: parcel.message }),
        (at, _, Moment::Received(parcel)) => Some(Mail { at, is_sent: false, message: parcel.message }),
        _ => None,
    }
}

/// The first message after the end of a slice, of each line that works for messages when the slice ends. Work for messages is short, so little
/// is read.
fn look_beyond(timeline: &Timeline, tracks: &Tracks, slice: &Slice) -> Result<FxHashMap<u32, Mail>> {
    let at_work = slice.crossing.iter().filter(|(_, state)| state.what == What::Message);
    let until: FxHashMap<u32, Time> = at_work.map(|(line, state)| (*line, state.to)).collect();
    let mut first: FxHashMap<u32, Mail> = FxHashMap::default();
    let Some(last) = until.values().copied().max() else { return Ok(first) };
    for found in timeline.messages(&(slice.last..=last)) {
        let message = found?;
        for (line, at, is_sent) in [(message.from, message.sent, true), (message.to, message.received, false)]
        {
            let mail = Mail { at, is_sent, message };
            let is_wanted = at > slice.last && until.get(&line).is_some_and(|until| at <= *until);
            if is_wanted
                && mail.is_between_nodes(tracks)
                && first.get(&line).is_none_or(|best| mail.key() < best.key())
            {
                first.insert(line, mail);
            }
        }
    }
    Ok(first)
}
