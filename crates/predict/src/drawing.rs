//! From a simulation to a timeline: every interval and every message.

use std::path::Path;

use panto_schedule::Collective;
use panto_sim::observe::{Activity, Cause, Observer, Passed};
use panto_sim::program::{Channel, Lane, Program};
use panto_timeline::{About, Message, State, What, Writer, Written};
use panto_units::Time;

/// Writes a timeline while a program is simulated.
pub struct Drawing<'a> {
    writer: Writer,
    channels: &'a [Channel],
    /// The function that each rank or helper is in,
    within: Vec<Option<u32>>,
    /// and the last moment that was seen of it.
    last: Vec<Time>,
}

impl<'a> Drawing<'a> {
    /// Begins a file. `facts` say what it is of.
    pub fn create(
        path: &Path,
        program: &'a Program,
        facts: Vec<(String, String)>,
    ) -> Result<Self, panto_timeline::Error> {
        let collectives = Collective::ALL.iter().map(ToString::to_string);
        let about = About {
            ranks: program.ranks,
            helps: program.helps.clone(),
            facts,
            calls: program.calls.clone(),
            lanes: ["message".to_owned(), "aside".to_owned()].into_iter().chain(collectives).collect(),
        };
        let lines = program.codes.len();
        Ok(Self {
            writer: Writer::create(path, &about)?,
            channels: &program.channels,
            within: vec![None; lines],
            last: vec![Time::ZERO; lines],
        })
    }

    /// Ends the file.
    pub fn finish(self) -> Result<Written, panto_timeline::Error> {
        self.writer.finish()
    }

    fn state(&mut self, rank: u32, what: What, from: Time, to: Time) {
        // Computation stands before the call that it leads to.
        let call = self.within[rank as usize].filter(|_| what != What::Compute);
        self.last[rank as usize] = to;
        self.writer.state(rank, State { what, call, from, to });
    }
}

impl Observer for Drawing<'_> {
    fn call(&mut self, rank: u32, call: u32, _at: Time) {
        self.within[rank as usize] = Some(call);
    }

    fn worked(&mut self, rank: u32, activity: Activity, from: Time, to: Time) {
        let what = match activity {
            Activity::Compute => What::Compute,
            Activity::Message => What::Message,
            Activity::Combine => What::Combine,
            Activity::Access => What::Access,
        };
        self.state(rank, what, from, to);
    }

    fn waited(&mut self, rank: u32, from: Time, to: Time, cause: Cause) {
        let cause = panto_timeline::Cause { rank: cause.rank, at: cause.at };
        self.state(rank, What::Wait(Some(cause)), from, to);
    }

    fn received(&mut self, rank: u32, message: Passed) {
        let channel = self.channels[message.channel as usize];
        self.writer.message(Message {
            from: channel.from,
            to: rank,
            bytes: message.bytes,
            class: channel.class,
            lane: lane(channel.lane),
            sent: message.sent,
            arrived: message.arrived,
            received: self.last[rank as usize].max(message.arrived),
        });
    }
}

/// The place of a lane's name.
fn lane(lane: Lane) -> u16 {
    match lane {
        Lane::Message => 0,
        Lane::Aside => 1,
        Lane::Collective(collective) => 2 + collective as u16,
    }
}
