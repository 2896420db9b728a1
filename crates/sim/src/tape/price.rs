//! What parcels and chores cost in each lane.

use panto_machine::{Machine, Transit};
use panto_units::Time;
use rustc_hash::FxHashMap;

use super::step::{Chore, Parcel};
use super::{LANES, Tape};
use crate::ahead::price::{self, ways};
use crate::costs;
use crate::program::{Channel, Lane, Program, Way};
use crate::setting::Setting;

/// A time for each lane, in picoseconds.
pub(super) type Times = [u64; LANES];

/// What a parcel costs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Price {
    /// Before it leaves,
    pub(super) sending: Times,
    /// and if it is waited for later.
    pub(super) started: Times,
    /// After it has left.
    pub(super) gap: Times,
    /// From its start to its arrival.
    pub(super) arrives: Times,
    /// From its start until it has left.
    pub(super) leaves: Times,
    /// A request to send it,
    pub(super) there: Times,
    /// and the answer.
    pub(super) back: Times,
    /// After it has come.
    pub(super) receiving: Times,
    /// The same, if nobody expected it.
    pub(super) unexpected: Times,
}

/// What everything costs.
pub(super) struct Prices {
    table: Vec<Price>,
    /// Of each parcel: many have the same.
    parcels: Vec<u32>,
    chores: Vec<Times>,
}

/// How far it is there and back, in each lane: messages of one size over the same ways cost the same.
type Ways = [(u32, u32); LANES];

impl Prices {
    pub(super) fn new(tape: &Tape<'_>, settings: &[Setting<'_>]) -> Self {
        let machine = |lane: usize| settings[lane.min(settings.len() - 1)].machine;
        let program = tape.program;
        let (mut prices, mut known) = (Vec::new(), FxHashMap::<(Ways, u64, Option<u32>), u32>::default());
        let mut number = |parcel: &Parcel| {
            let channel = &program.channels[parcel.channel as usize];
            let ways: Ways = std::array::from_fn(|lane| there_and_back(program, machine(lane), channel));
            // What is too far to be told apart is never the same.
            let alone = ways.iter().any(|way| price::is_far(way.0) || price::is_far(way.1));
            let key = (ways, parcel.bytes, alone.then_some(parcel.channel));
            *known.entry(key).or_insert_with(|| {
                prices.push(price_of(program, machine, channel, parcel.bytes));
                prices.len() as u32 - 1
            })
        };
        let parcels = tape.parcels.iter().map(&mut number).collect();
        let chore =
            |chore: &Chore| std::array::from_fn(|lane| time(program, machine(lane), chore).as_picos());
        Self { parcels, table: prices, chores: tape.chores.iter().map(chore).collect() }
    }

    #[inline]
    pub(super) fn of(&self, parcel: u32) -> &Price {
        &self.table[self.parcels[parcel as usize] as usize]
    }

    #[inline]
    pub(super) fn chore(&self, chore: u32) -> &Times {
        &self.chores[chore as usize]
    }
}

fn there_and_back(program: &Program, machine: &Machine, channel: &Channel) -> (u32, u32) {
    let back = Channel { from: channel.to, to: channel.from, ..*channel };
    (price::class(program, machine, channel), price::class(program, machine, &back))
}

fn price_of<'m>(
    program: &Program,
    machine: impl Fn(usize) -> &'m Machine,
    channel: &Channel,
    bytes: u64,
) -> Price {
    let mut price = Price::default();
    if channel.lane == Lane::Aside {
        return price;
    }
    let operation = channel.lane.operation();
    for lane in 0..LANES {
        let machine = machine(lane);
        let ways = ways(program, machine, channel, bytes);
        let Transit { leaves, arrives } = ways.data;
        let times = [
            (&mut price.sending, costs::sending(machine, operation, bytes, false)),
            (&mut price.started, costs::sending(machine, operation, bytes, true)),
            (&mut price.gap, ways.gap),
            (&mut price.arrives, arrives),
            (&mut price.leaves, leaves),
            (&mut price.there, ways.there),
            (&mut price.back, ways.back),
            (&mut price.receiving, costs::receiving(machine, operation, bytes, false)),
            (&mut price.unexpected, costs::receiving(machine, operation, bytes, true)),
        ];
        for (place, time) in times {
            place[lane] = time.as_picos();
        }
    }
    price
}

fn time(program: &Program, machine: &Machine, chore: &Chore) -> Time {
    match *chore {
        Chore::Start(lane) => costs::posting(machine, lane.operation()),
        Chore::Poll { times } => costs::polling(machine, times),
        Chore::Copy { bytes } => machine.processor.copy.of(bytes),
        Chore::Reduce { bytes } => machine.processor.reduce.of(bytes),
        Chore::File { bytes } => machine.storage.of(bytes),
        Chore::Remote { way, parcel: Parcel { channel, bytes } } => {
            remote(program, machine, way, &program.channels[channel as usize], bytes)
        }
    }
}

fn remote(program: &Program, machine: &Machine, way: Way, channel: &Channel, bytes: u64) -> Time {
    let ends = price::ends(program, &machine.network, channel);
    costs::remote(machine, way, ends, bytes)
}
