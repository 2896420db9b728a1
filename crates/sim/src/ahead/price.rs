//! What messages cost, remembered by size and way.
//!
//! Without traffic a message's costs depend on its size, on what it is for, and on how far it goes. Channels that agree in the last two
//! are of one *class*, and there are few classes and few sizes: the costs of each pair are found in a table that stays in the cache,
//! and no channel has to remember its own.

use panto_machine::{Machine, Network, Transit};
use panto_units::Time;

use super::prepared::Prepared;
use crate::costs;
use crate::engine::Manner;
use crate::program::{Channel, Lane, Program, Sending};
use crate::setting::Setting;

/// A class in so many binary digits; those above are the channel's own.
pub(super) const CLASS_BITS: u32 = 29;
const WAY_BITS: u32 = 25;
/// Too far to be told from what is farther: never remembered.
const FAR: u32 = (1 << WAY_BITS) - 1;
const LANES: usize = 1 << (CLASS_BITS - WAY_BITS);
const SENDINGS: [Sending; 4] = [Sending::Standard, Sending::Buffered, Sending::Synchronous, Sending::Ready];

const TABLE_BITS: u32 = 12;
const TABLE: usize = 1 << TABLE_BITS;
/// No class.
const NOBODY: u32 = u32::MAX;

/// What messages of one size cost on channels of one class.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Price {
    bytes: u64,
    class: u32,
    /// For each way to send: is it buffered, over a network?
    plain: u32,
    /// Before it leaves.
    pub(super) sending: Time,
    /// After it has left.
    pub(super) gap: Time,
    /// From its start to its arrival.
    pub(super) transit: Time,
    /// After it has come.
    pub(super) receiving: Time,
    /// The same, if nobody expected it.
    pub(super) unexpected: Time,
}

const _: () = assert!(size_of::<Price>() == 64);

impl Price {
    /// Is a message that is sent so complete at once, with nothing special about it?
    #[inline]
    pub(super) fn is_plain(&self, sending: Sending) -> bool {
        self.plain & (1 << sending as u32) != 0
    }
}

/// Costs on a machine.
pub(super) struct Prices<'a> {
    machine: &'a Machine,
    prepared: &'a Prepared<'a>,
    table: Box<[Price; TABLE]>,
    /// To start a send or receive that is waited for later, for each lane.
    starting: [Time; LANES],
    /// Does nobody pay for receiving?
    pub(super) receives_free: bool,
}

impl<'a> Prices<'a> {
    pub(super) fn new(prepared: &'a Prepared<'a>, setting: &Setting<'a>) -> Self {
        let machine = setting.machine;
        let none = Price {
            bytes: 0,
            class: NOBODY,
            plain: 0,
            sending: Time::ZERO,
            gap: Time::ZERO,
            transit: Time::ZERO,
            receiving: Time::ZERO,
            unexpected: Time::ZERO,
        };
        let mut starting = [Time::ZERO; LANES];
        for lane in lanes() {
            starting[number(lane) as usize] = costs::posting(machine, lane.operation());
        }
        let networks = || std::iter::once(&machine.network).chain(machine.networks.values());
        let receives_free = !machine.processor.copies_unexpected
            && networks().all(|network| network.overheads.receive.is_free());
        let table = vec![none; TABLE].into_boxed_slice().try_into().expect("so many");
        Self { machine, prepared, table, starting, receives_free }
    }

    /// To start something on a channel of a class that is waited for later.
    #[inline]
    pub(super) fn starting(&self, class: u32) -> Time {
        self.starting[(class >> WAY_BITS) as usize % LANES]
    }

    /// The costs of a message on a channel of a class.
    #[inline]
    pub(super) fn of(&mut self, class: u32, channel: u32, bytes: u64) -> &Price {
        let mixed = (bytes ^ u64::from(class) << 35).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (mixed >> (u64::BITS - TABLE_BITS)) as usize % TABLE;
        let price = &self.table[place];
        if price.bytes != bytes || price.class != class {
            self.find(place, class, channel, bytes);
        }
        &self.table[place]
    }

    #[cold]
    fn find(&mut self, place: usize, class: u32, channel: u32, bytes: u64) {
        let channel = &self.prepared.channels()[channel as usize];
        let price =
            Price { class: if is_far(class) { NOBODY } else { class }, bytes, ..self.ask(channel, bytes) };
        self.table[place] = price;
    }

    fn ask(&self, channel: &Channel, bytes: u64) -> Price {
        let (machine, operation) = (self.machine, channel.lane.operation());
        let zero = Price {
            bytes,
            class: NOBODY,
            plain: 0,
            sending: Time::ZERO,
            gap: Time::ZERO,
            transit: Time::ZERO,
            receiving: Time::ZERO,
            unexpected: Time::ZERO,
        };
        if channel.lane == Lane::Aside {
            return zero;
        }
        let is_plain = |sending: &Sending| {
            bytes >> 63 == 0 && costs::manner(machine, operation, *sending, bytes) == Manner::Buffered
        };
        let plain = SENDINGS.iter().filter(|sending| is_plain(sending)).map(|&sending| 1 << sending as u32);
        let network = machine.network(operation);
        let (from, to) = ends(self.prepared.program(), network, channel);
        let carried = costs::carried(machine, operation, bytes);
        Price {
            plain: plain.sum(),
            sending: costs::sending(machine, operation, bytes, false),
            gap: network.overheads.gap,
            transit: network.transit(from, to, carried).arrives,
            receiving: costs::receiving(machine, operation, bytes, false),
            unexpected: costs::receiving(machine, operation, bytes, true),
            ..zero
        }
    }
}

fn lanes() -> impl Iterator<Item = Lane> {
    let collectives = panto_schedule::Collective::ALL.into_iter().map(Lane::Collective);
    std::iter::once(Lane::Message).chain(collectives)
}

/// A number for each lane, [`Lane::Aside`] last.
fn number(lane: Lane) -> u32 {
    match lane {
        Lane::Message => 0,
        Lane::Collective(collective) => 1 + collective as u32,
        Lane::Aside => LANES as u32 - 1,
    }
}

const _: () = assert!(panto_schedule::Collective::ALL.len() + 2 <= LANES);

/// Is it too far to be told from what is farther?
pub(crate) fn is_far(class: u32) -> bool {
    class & FAR == FAR
}

/// Where a channel's ends are on a network.
pub(crate) fn ends(program: &Program, network: &Network, channel: &Channel) -> (u32, u32) {
    let processors = network.processors();
    let place = |code: u32| network.map.processor(program.home(code) as usize, processors);
    (place(channel.from), place(channel.to))
}

/// The class of a channel: what it is for, and how far it goes. [`Network::transit`] tells the same ways apart.
pub(crate) fn class(program: &Program, machine: &Machine, channel: &Channel) -> u32 {
    let lane = number(channel.lane) << WAY_BITS;
    if channel.lane == Lane::Aside {
        return lane;
    }
    let network = machine.network(channel.lane.operation());
    let (from, to) = ends(program, network, channel);
    let size = network.nodes.as_ref().map_or(1, |nodes| nodes.size);
    let way = if from == to {
        0
    } else if from / size == to / size {
        1
    } else {
        network.topology.distance(from / size, to / size).saturating_add(2).min(FAR)
    };
    lane | way
}

/// Can a message of a channel need an answer, so that somebody must know when receives are posted?
pub(super) fn needs_answers(prepared: &Prepared<'_>, machine: &Machine, number: u32) -> bool {
    let (channel, reach) = (&prepared.channels()[number as usize], prepared.reach(number));
    let standard = costs::standard(machine, channel.lane.operation(), reach.most());
    channel.lane != Lane::Aside
        && (reach.asks() || matches!(standard, Manner::Rendezvous | Manner::Synchronous))
}

/// How long the parts of a message take.
pub(crate) struct Ways {
    pub(crate) gap: Time,
    /// A request to send,
    pub(crate) there: Time,
    /// the answer,
    pub(crate) back: Time,
    /// and the bytes.
    pub(crate) data: Transit,
}

/// How long the parts of a message on a channel take.
pub(crate) fn ways(program: &Program, machine: &Machine, channel: &Channel, bytes: u64) -> Ways {
    let operation = channel.lane.operation();
    let network = machine.network(operation);
    let (from, to) = ends(program, network, channel);
    let control = network.overheads.control;
    Ways {
        gap: network.overheads.gap,
        there: control + network.transit(from, to, 0).arrives,
        back: control + network.transit(to, from, 0).arrives,
        data: network.transit(from, to, costs::carried(machine, operation, bytes)),
    }
}
