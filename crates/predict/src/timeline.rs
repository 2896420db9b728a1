//! Records a simulation as a timeline: every interval and every message.

use std::path::Path;

use panto_schedule::Collective;
use panto_sim::observe::{Activity, Cause, Observer, ReceivedMessage};
use panto_sim::program::{Channel, ChannelKind, Program};
use panto_timeline::{Message, State, StateKind, TimelineInfo, WriteSummary, Writer};
use panto_trace::{OpenRegions, RegionNames};
use panto_units::Time;

/// An observer that writes a timeline file while a program is simulated.
pub struct TimelineRecorder<'a> {
    writer: Writer,
    channels: &'a [Channel],
    /// The function that each rank or helper is in.
    within: Vec<Option<u32>>,
    names: RegionNames,
    /// The regions that each rank or helper is in.
    regions: Vec<OpenRegions>,
    /// The end of the last interval of each rank or helper.
    last: Vec<Time>,
}

impl<'a> TimelineRecorder<'a> {
    /// Creates the file. `facts` describe the simulation.
    pub fn create(
        path: &Path,
        program: &'a Program,
        facts: Vec<(String, String)>,
    ) -> Result<Self, panto_timeline::Error> {
        let names = RegionNames::new(program.calls.clone());
        let collectives = Collective::ALL.iter().map(ToString::to_string);
        let mut about = TimelineInfo {
            ranks: program.ranks,
            helper_ranks: program.helper_homes.clone(),
            facts,
            calls: names.names.clone(),
            message_kinds: ["message".to_owned(), "aside".to_owned()]
                .into_iter()
                .chain(collectives)
                .collect(),
        };
        about.set_sites(program.call_sites.iter().cloned());
        let lines = program.codes.len();
        Ok(Self {
            writer: Writer::create(path, &about)?,
            channels: &program.channels,
            within: vec![None; lines],
            names,
            regions: vec![OpenRegions::default(); lines],
            last: vec![Time::ZERO; lines],
        })
    }

    /// Completes the file.
    pub fn finish(self) -> Result<WriteSummary, panto_timeline::Error> {
        self.writer.finish()
    }

    fn state(&mut self, rank: u32, what: StateKind, from: Time, to: Time) {
        // Computation comes before the next call and belongs to none, but to the innermost region.
        let call = match what {
            StateKind::Compute => self.regions[rank as usize].innermost(),
            _ => self.within[rank as usize],
        };
        self.last[rank as usize] = to;
        self.writer.state(rank, State { kind: what, call, from, to });
    }
}

impl Observer for TimelineRecorder<'_> {
    fn call(&mut self, rank: u32, call: u32, _at: Time) {
        if !self.regions[rank as usize].event(&self.names, call) {
            self.within[rank as usize] = Some(call);
        }
    }

    fn worked(&mut self, rank: u32, activity: Activity, from: Time, to: Time) {
        let what = match activity {
            Activity::Compute => StateKind::Compute,
            Activity::Message => StateKind::Message,
            Activity::Combine => StateKind::Combine,
            Activity::Access => StateKind::Access,
        };
        self.state(rank, what, from, to);
    }

    fn waited(&mut self, rank: u32, from: Time, to: Time, cause: Cause) {
        let cause = panto_timeline::Cause { rank: cause.rank, at: cause.at };
        self.state(rank, StateKind::Wait(Some(cause)), from, to);
    }

    fn received(&mut self, rank: u32, message: ReceivedMessage) {
        let channel = self.channels[message.channel as usize];
        self.writer.message(Message {
            from: channel.from,
            to: rank,
            bytes: message.bytes,
            class: channel.match_key,
            kind: message_kind(channel.kind),
            sent: message.sent,
            arrived: message.arrived,
            received: self.last[rank as usize].max(message.arrived),
        });
    }
}

/// Returns the index of the name of a message kind in the file.
fn message_kind(kind: ChannelKind) -> u16 {
    match kind {
        ChannelKind::PointToPoint => 0,
        ChannelKind::Helper => 1,
        ChannelKind::Collective(collective) => 2 + collective as u16,
    }
}
