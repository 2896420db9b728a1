//! Channels in the words of the engine.

use panto_schedule::Collective;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::{ChannelId, Engine, Label, Within};
use crate::large::Large;
use crate::prefetch;
use crate::program::{Channel, Lane, Pick, Program};

/// A channel in the words of the engine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    /// The engine's name for the way from one to the other.
    pub(super) way: ChannelId,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) tag: u32,
    pub(super) lane: Lane,
}

impl Route {
    /// The messages of the channel.
    #[inline]
    pub(super) fn within(self) -> Within {
        Within::one(self.from, self.tag)
    }

    #[inline]
    pub(super) fn is_aside(self) -> bool {
        self.lane == Lane::Aside
    }

    #[inline]
    pub(super) fn operation(self) -> Option<Collective> {
        self.lane.operation()
    }
}

/// All channels.
///
/// A tag is a class and a lane, numbered in their order: channels of one class that differ in their lanes are not the same, and
/// those of a range of classes have a range of tags.
pub(super) struct Routes {
    all: Large<Route>,
    picks: Vec<Within>,
    /// By sender, receiver and tag, where picks must know.
    find: FxHashMap<(u32, u32, u32), u32>,
}

impl Routes {
    pub(super) fn new(program: &Program, engine: &mut Engine) -> Self {
        let mut tags: Vec<(u32, u8)> = program
            .channels
            .iter()
            .map(|channel| (channel.class, number(channel.lane)))
            .collect::<FxHashSet<_>>()
            .into_iter()
            .collect();
        tags.sort_unstable();
        let by_tag: FxHashMap<(u32, u8), u32> = tags.iter().copied().zip(0..).collect();
        let mut route = |channel: &Channel| Route {
            way: engine.channel(channel.from, channel.to),
            from: channel.from,
            to: channel.to,
            tag: by_tag[&(channel.class, number(channel.lane))],
            lane: channel.lane,
        };
        let all = Large::collect(program.channels.iter().map(&mut route));
        let picks = program.picks.iter().map(|pick| within(pick, &tags)).collect();
        let known = if program.has_picks() { &*all } else { &[] };
        let find = known.iter().zip(0..).map(|(route, id)| ((route.from, route.to, route.tag), id)).collect();
        Self { all, picks, find }
    }

    #[inline]
    pub(super) fn get(&self, channel: u32) -> Route {
        self.all[channel as usize]
    }

    /// The channel's route will be needed soon.
    #[inline]
    pub(super) fn touch(&self, channel: u32) {
        prefetch::soon(self.all.get(channel as usize));
    }

    /// What a pick accepts.
    pub(super) fn pick(&self, pick: u32) -> Within {
        self.picks[pick as usize]
    }

    /// The channel of a message that a pick got; none if the program does not name it.
    pub(super) fn find(&self, to: u32, label: Label) -> Option<u32> {
        self.find.get(&(label.source, to, label.tag)).copied()
    }
}

/// The tags of a pick's classes. Where no channel has such a class, no message comes: then the range is empty.
fn within(pick: &Pick, tags: &[(u32, u8)]) -> Within {
    let before = |class: u32| tags.partition_point(|(other, _)| *other < class) as u32;
    let (first, end) = (before(pick.classes.start), before(pick.classes.end));
    match end.checked_sub(1) {
        Some(last) if first <= last => Within { source: pick.from, first, last },
        _ => Within { source: pick.from, first: 1, last: 0 },
    }
}

/// Names a lane.
#[inline]
pub(super) fn number(lane: Lane) -> u8 {
    match lane {
        Lane::Message => 0,
        Lane::Aside => 1,
        Lane::Collective(collective) => 2 + collective as u8,
    }
}
