//! The order of calls and messages of one instant.
//!
//! OTF2 has a message inside the call that sends or receives it. A timeline has moments only: at
//! one of them a call may end, another begin, and a message be sent. Measured messages are sent
//! when their call begins, simulated ones when the processor is done with them, and both are
//! received when their call ends. Calls of no duration begin and end at one moment. So the events
//! of a moment are collected for each line, and each message is placed into the call whose function
//! can send or receive.

use panto_timeline::{Message, TimelineInfo};
use panto_units::Time;

use crate::error::Result;
use crate::timeline_events::TimelineEvent;

/// An event in its place.
#[derive(Debug, Clone, Copy)]
pub enum Placed<'a> {
    /// A call begins.
    Enter(u32),
    /// A call ends.
    Leave(u32),
    /// A message is sent.
    Sent(&'a Message),
    /// A message is received.
    Received(&'a Message),
}

/// What a function can do with messages, by its name.
#[derive(Debug, Clone, Copy)]
struct Ability {
    sends: bool,
    receives: bool,
}

impl Ability {
    fn of(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let has = |word: &str| name.contains(word);
        let is_sendrecv = has("sendrecv");
        let completes = has("wait") || has("test");
        let only_sends = has("send") && !is_sendrecv || has("start");
        let only_receives = has("recv") && !is_sendrecv || completes;
        Self { sends: !only_receives, receives: !only_sends && !has("irecv") }
    }
}

/// The events of one moment of a line.
#[derive(Debug, Default)]
struct Moment {
    at: Time,
    /// The call that was open when the moment began.
    open: Option<u32>,
    /// Calls that begin (true) and end, in their order.
    boundaries: Vec<(bool, u32)>,
    /// Messages that are sent (true) and received.
    messages: Vec<(bool, Message)>,
}

/// Puts events of all lines into their places.
pub struct Placement {
    abilities: Vec<Ability>,
    /// Whether messages are sent when their call begins.
    is_measured: bool,
    lines: Vec<Moment>,
}

impl Placement {
    pub fn new(about: &TimelineInfo) -> Self {
        let lines = about.ranks as usize + about.helper_ranks.len();
        Self {
            abilities: about.calls.iter().map(|name| Ability::of(name)).collect(),
            is_measured: about.fact("run") == Some("measured"),
            lines: (0..lines).map(|_| Moment::default()).collect(),
        }
    }

    /// Takes the next event; calls `put` for events of the line whose order is final.
    pub fn event(
        &mut self,
        at: Time,
        line: u32,
        event: TimelineEvent<'_>,
        put: impl FnMut(Time, u32, Placed<'_>) -> Result<()>,
    ) -> Result<()> {
        if self.lines[line as usize].at != at {
            self.end_moment(line, put)?;
        }
        let moment = &mut self.lines[line as usize];
        moment.at = at;
        match event {
            TimelineEvent::Enter(call) => moment.boundaries.push((true, call)),
            TimelineEvent::Leave(call) => moment.boundaries.push((false, call)),
            TimelineEvent::Sent(sent) => moment.messages.push((true, sent.message)),
            TimelineEvent::Received(received) => moment.messages.push((false, received.message)),
            TimelineEvent::Begin(_) | TimelineEvent::End(_) => {}
        }
        Ok(())
    }

    /// Puts what is left.
    pub fn finish(mut self, mut put: impl FnMut(Time, u32, Placed<'_>) -> Result<()>) -> Result<()> {
        (0..self.lines.len() as u32).try_for_each(|line| self.end_moment(line, &mut put))
    }

    fn end_moment(
        &mut self,
        line: u32,
        mut put: impl FnMut(Time, u32, Placed<'_>) -> Result<()>,
    ) -> Result<()> {
        let moment = std::mem::take(&mut self.lines[line as usize]);
        let mut calls = vec![moment.open];
        calls.extend(moment.boundaries.iter().map(|(begins, call)| begins.then_some(*call)));
        let places: Vec<usize> =
            moment.messages.iter().map(|(is_sent, _)| self.place(*is_sent, &calls)).collect();
        let Moment { at, boundaries, messages, .. } = &moment;
        for place in 0..calls.len() {
            if let Some((begins, call)) = place.checked_sub(1).map(|before| boundaries[before]) {
                put(*at, line, if begins { Placed::Enter(call) } else { Placed::Leave(call) })?;
            }
            let here = messages.iter().zip(&places).filter(|(_, found)| **found == place);
            for ((is_sent, message), _) in here {
                put(*at, line, if *is_sent { Placed::Sent(message) } else { Placed::Received(message) })?;
            }
        }
        self.lines[line as usize].open = calls.last().copied().flatten();
        Ok(())
    }

    /// Returns the position among the calls of a moment into which a message belongs.
    fn place(&self, is_sent: bool, calls: &[Option<u32>]) -> usize {
        let can = |call: u32| {
            let ability = self.abilities[call as usize];
            if is_sent { ability.sends } else { ability.receives }
        };
        let able = |call: &Option<u32>| call.is_some_and(can);
        let find = |wanted: &dyn Fn(&Option<u32>) -> bool| {
            if is_sent && self.is_measured {
                calls.iter().rposition(wanted)
            } else {
                calls.iter().position(wanted)
            }
        };
        find(&able).or_else(|| find(&Option::is_some)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline_events::MessageInstance;

    /// Returns the order of one moment at which a call ends and the next begins, with a message.
    fn order(calls: [&str; 2], is_measured: bool, is_sent: bool) -> Vec<String> {
        let run = if is_measured { "measured" } else { "simulated" };
        let about = TimelineInfo {
            ranks: 1,
            facts: vec![("run".into(), run.into())],
            calls: calls.map(String::from).to_vec(),
            ..TimelineInfo::default()
        };
        let time = Time::from_picos;
        let message = Message {
            from: 0,
            to: 0,
            bytes: 1,
            class: 0,
            kind: 0,
            sent: time(5),
            arrived: time(5),
            received: time(5),
        };
        let instance = MessageInstance { message, ordinal: 0 };
        let sent = if is_sent { TimelineEvent::Sent(&instance) } else { TimelineEvent::Received(&instance) };
        let events = [
            (1, TimelineEvent::Enter(0)),
            (5, sent),
            (5, TimelineEvent::Leave(0)),
            (5, TimelineEvent::Enter(1)),
            (9, TimelineEvent::Leave(1)),
        ];
        let (mut placement, mut found) = (Placement::new(&about), Vec::new());
        let mut put = |_, _, placed: Placed<'_>| {
            found.push(match placed {
                Placed::Enter(call) => format!("enter {call}"),
                Placed::Leave(call) => format!("leave {call}"),
                Placed::Sent(_) | Placed::Received(_) => "message".into(),
            });
            Ok(())
        };
        for (at, event) in events {
            placement.event(time(at), 0, event, &mut put).expect("no file");
        }
        placement.finish(&mut put).expect("no file");
        found
    }

    #[test]
    fn messages_are_in_the_call_that_can_have_them() {
        let first = ["enter 0", "message", "leave 0", "enter 1", "leave 1"];
        let second = ["enter 0", "leave 0", "enter 1", "message", "leave 1"];
        assert_eq!(order(["MPI_Send", "MPI_Recv"], true, true), first);
        assert_eq!(order(["MPI_Wait", "MPI_Isend"], false, true), second);
        assert_eq!(order(["MPI_Send", "MPI_Send"], true, true), second);
        assert_eq!(order(["MPI_Send", "MPI_Send"], false, true), first);
        assert_eq!(order(["MPI_Irecv", "MPI_Recv"], false, false), second);
        assert_eq!(order(["MPI_Bcast", "MPI_Bcast"], false, false), first);
    }
}
