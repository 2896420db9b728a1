//! Channels of the whole program, and how many messages each carries.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::{Channel, Lane, Pick};

/// Stands in place of a tag for what is not the program's own: collectives, and what they are made of.
const NO_TAG: i64 = -1;

/// What two ranks, or helpers, agree on for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Way {
    /// Who sends.
    pub from: u32,
    /// Who receives.
    pub to: u32,
    /// The communicator.
    pub comm: u32,
    /// The tag, if it has one.
    pub tag: Option<u32>,
    /// What it is for.
    pub lane: Lane,
}

/// A call in a rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    /// Its number in the rank.
    pub position: u64,
    /// The function.
    pub call: u32,
}

/// How often something was done, and where last.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count {
    /// How often.
    pub number: u64,
    /// By which call for the last time.
    pub last: Place,
}

/// What a channel carries.
#[derive(Debug, Clone, Copy, Default)]
pub struct Traffic {
    /// Messages sent.
    pub sends: Count,
    /// Messages received.
    pub receives: Count,
}

/// All channels.
#[derive(Default)]
pub struct Channels {
    known: FxHashMap<Way, u32>,
    all: Vec<Channel>,
    traffic: Vec<Traffic>,
    /// Communicators and tags, by the numbers that they have for now.
    classes: Vec<(u32, i64)>,
    class_numbers: FxHashMap<(u32, i64), u32>,
    picks: Vec<Picked>,
    pick_numbers: FxHashMap<Picked, u32>,
    /// Who receives with wild cards, and on which communicator.
    picking: FxHashSet<(u32, u32)>,
}

/// A receive with wild cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Picked {
    /// From whom, if it must be this one.
    pub from: Option<u32>,
    /// The communicator.
    pub comm: u32,
    /// The tag, if it must be this one.
    pub tag: Option<u32>,
}

impl Channels {
    /// The number of a channel.
    #[inline]
    pub fn number(&mut self, way: Way) -> u32 {
        if let Some(number) = self.known.get(&way) {
            return *number;
        }
        let class = self.class(way.comm, way.tag.map_or(NO_TAG, i64::from));
        let number = self.all.len() as u32;
        self.all.push(Channel { from: way.from, to: way.to, class, lane: way.lane });
        self.traffic.push(Traffic::default());
        self.known.insert(way, number);
        number
    }

    fn class(&mut self, comm: u32, tag: i64) -> u32 {
        let next = self.classes.len() as u32;
        *self.class_numbers.entry((comm, tag)).or_insert_with(|| {
            self.classes.push((comm, tag));
            next
        })
    }

    /// The number of a receive with wild cards.
    pub fn pick(&mut self, to: u32, picked: Picked) -> u32 {
        self.picking.insert((to, picked.comm));
        let next = self.picks.len() as u32;
        *self.pick_numbers.entry(picked).or_insert_with(|| {
            self.picks.push(picked);
            next
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// What a channel carries.
    #[inline]
    pub fn traffic(&mut self, channel: u32) -> &mut Traffic {
        &mut self.traffic[channel as usize]
    }

    /// Channels whose sends and receives differ in number, but for those from which receives with wild cards may have taken some.
    pub fn unequal(&self) -> impl Iterator<Item = (u32, Channel, Traffic)> {
        let all = (0..).zip(&self.all).zip(&self.traffic);
        let unequal = all.filter(|(_, traffic)| traffic.sends.number != traffic.receives.number);
        unequal.map(|((number, channel), traffic)| (number, *channel, *traffic)).filter(|(_, channel, _)| {
            let (comm, _) = self.classes[channel.class as usize];
            !self.picking.contains(&(channel.to, comm))
        })
    }

    /// The tag of a class, if it has one.
    pub fn tag(&self, class: u32) -> Option<u32> {
        u32::try_from(self.classes[class as usize].1).ok()
    }

    /// Numbers communicators and tags so that those of one communicator are neighbours.
    pub fn finish(mut self) -> (Vec<Channel>, Vec<Pick>) {
        let mut order: Vec<u32> = (0..self.classes.len() as u32).collect();
        order.sort_unstable_by_key(|class| self.classes[*class as usize]);
        let mut place = vec![0; order.len()];
        (0..).zip(&order).for_each(|(number, class)| place[*class as usize] = number);
        self.all.iter_mut().for_each(|channel| channel.class = place[channel.class as usize]);
        let sorted: Vec<(u32, i64)> = order.iter().map(|class| self.classes[*class as usize]).collect();
        let place_of = |comm: u32, tag: i64| sorted.partition_point(|class| *class < (comm, tag)) as u32;
        let pick = |picked: &Picked| {
            let (first, end) = picked.tag.map_or((0, i64::MAX), |tag| (i64::from(tag), i64::from(tag) + 1));
            Pick { from: picked.from, classes: place_of(picked.comm, first)..place_of(picked.comm, end) }
        };
        let picks = self.picks.iter().map(pick).collect();
        (self.all, picks)
    }
}

impl Count {
    /// Once more.
    #[inline]
    pub fn add(&mut self, place: Place) {
        self.number += 1;
        self.last = place;
    }

    /// One of them never was.
    pub fn take_back(&mut self) {
        self.number -= 1;
    }
}
