//! What messages cost, cached by size and message class.
//!
//! Without contention a message's costs depend on its size, on the kind of its channel
//! (point-to-point, or which collective) and on the distance it travels. Channels that agree in the
//! last two are of one *message class*. There are few classes and few sizes, so the costs of each
//! pair are found in a direct-mapped table that stays in the cache, and computed again after a
//! collision; no channel has to store its own. The table grows where collisions are frequent:
//! looking into the L2 or L3 cache takes less time than computing the costs again.

use panto_machine::{Machine, Network, Sharing, Transit};
use panto_units::Time;

use super::prepared::PreparedProgram;
use crate::config::RunConfig;
use crate::costs;
use crate::engine::SendProtocol;
use crate::program::{Channel, ChannelKind, Program, SendMode};

/// Bits of a message class in a channel's state; those above are state bits.
pub(super) const CLASS_BITS: u32 = 29;
/// Bits of the distance in a message class; those above are the channel's kind.
const DISTANCE_BITS: u32 = 25;
/// A distance too large to be told from larger ones: its costs are not cached.
const FAR: u32 = (1 << DISTANCE_BITS) - 1;
/// Number of channel kinds that fit in a message class.
const KINDS: usize = 1 << (CLASS_BITS - DISTANCE_BITS);
/// All send modes.
const SEND_MODES: [SendMode; 4] =
    [SendMode::Standard, SendMode::Buffered, SendMode::Synchronous, SendMode::Ready];

/// Log2 of the number of entries that the cost table begins with: 256 KiB.
const MIN_TABLE_BITS: u32 = 12;
/// Log2 of the most entries of the cost table: 4 MiB.
const MAX_TABLE_BITS: u32 = 16;
/// How many times each entry is filled before the table grows.
const FILLS_PER_ENTRY: usize = 2;
/// The class of an entry that matches no message.
const NO_CLASS: u32 = u32::MAX;

/// What messages of one size cost on channels of one class. One cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct MessageCost {
    bytes: u64,
    class: u32,
    /// A bit for each send mode: is such a message eager, sent over a network?
    plain: u32,
    /// Overhead before it is sent.
    pub(super) sending: Time,
    /// From its injection until that of the sender's next message.
    pub(super) injecting: Time,
    /// The time that the receiver's ejection port needs for it; zero if ports are not shared.
    pub(super) ejecting: Time,
    /// From injection to arrival.
    pub(super) transit: Time,
    /// Overhead after it has arrived.
    pub(super) receiving: Time,
    /// Overhead after it has arrived, if it was unexpected.
    pub(super) unexpected: Time,
}

const _: () = assert!(size_of::<MessageCost>() == 64);

impl MessageCost {
    /// No costs, of no message.
    const FREE: Self = Self {
        bytes: 0,
        class: NO_CLASS,
        plain: 0,
        sending: Time::ZERO,
        injecting: Time::ZERO,
        ejecting: Time::ZERO,
        transit: Time::ZERO,
        receiving: Time::ZERO,
        unexpected: Time::ZERO,
    };

    /// Returns whether a send in this mode completes at once and depends on nothing else.
    #[inline]
    pub(super) fn is_plain(&self, mode: SendMode) -> bool {
        self.plain & (1 << mode as u32) != 0
    }
}

/// The costs of messages on a machine: a direct-mapped cache.
pub(super) struct CostTable<'a> {
    machine: &'a Machine,
    prepared: &'a PreparedProgram<'a>,
    table: Vec<MessageCost>,
    /// How often a hash is shifted to be an index of the table.
    shift: u32,
    /// How often an entry was filled since the table grew.
    fills: usize,
    /// Overhead of starting a non-blocking operation, for each channel kind.
    start_overheads: [Time; KINDS],
    /// Whether receiving has no overhead on any network, and needs no port.
    pub(super) receives_free: bool,
    /// Whether messages share the ports of their endpoints.
    pub(super) shares_ports: bool,
}

impl<'a> CostTable<'a> {
    pub(super) fn new(prepared: &'a PreparedProgram<'a>, config: &RunConfig<'a>) -> Self {
        let machine = config.machine;
        let mut start_overheads = [Time::ZERO; KINDS];
        for kind in kinds() {
            start_overheads[kind_number(kind) as usize] = costs::post_overhead(machine, kind.operation());
        }
        let networks = || std::iter::once(&machine.network).chain(machine.networks.values());
        let shares_ports = config.sharing == Sharing::Endpoints;
        let receives_free = !shares_ports
            && !machine.processor.copies_unexpected
            && networks().all(|network| network.overheads.receive.is_free());
        let (table, shift) = (vec![MessageCost::FREE; 1 << MIN_TABLE_BITS], u64::BITS - MIN_TABLE_BITS);
        Self { machine, prepared, table, shift, fills: 0, start_overheads, receives_free, shares_ports }
    }

    /// Returns the overhead of starting a non-blocking operation on a channel of a class.
    #[inline]
    pub(super) fn start_overhead(&self, class: u32) -> Time {
        self.start_overheads[(class >> DISTANCE_BITS) as usize % KINDS]
    }

    /// Returns the costs of a message on a channel, which is of the given class.
    #[inline]
    pub(super) fn of(&mut self, class: u32, channel: u32, bytes: u64) -> &MessageCost {
        // Fibonacci hashing: multiplying by 2^64 / golden ratio spreads keys over the highest bits.
        let hash = (bytes ^ u64::from(class) << 35).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut place = (hash >> self.shift) as usize;
        let cost = &self.table[place];
        if cost.bytes != bytes || cost.class != class {
            place = self.fill(hash, class, channel, bytes);
        }
        &self.table[place]
    }

    /// Computes the costs of a message; returns their place in the table.
    #[cold]
    fn fill(&mut self, hash: u64, class: u32, channel: u32, bytes: u64) -> usize {
        self.fills += 1;
        if self.fills > FILLS_PER_ENTRY * self.table.len() && self.table.len() < 1 << MAX_TABLE_BITS {
            self.grow();
        }
        let place = (hash >> self.shift) as usize;
        let channel = &self.prepared.channels()[channel as usize];
        let cost = MessageCost {
            class: if is_far(class) { NO_CLASS } else { class },
            bytes,
            ..self.compute(channel, bytes)
        };
        self.table[place] = cost;
        place
    }

    /// Makes room for the sizes of a program whose messages collide often: quadruples the table,
    /// whose entries are computed again.
    fn grow(&mut self) {
        self.shift -= 2;
        self.fills = 0;
        self.table = vec![MessageCost::FREE; 1 << (u64::BITS - self.shift)];
    }

    fn compute(&self, channel: &Channel, bytes: u64) -> MessageCost {
        let (machine, operation) = (self.machine, channel.kind.operation());
        let zero = MessageCost { bytes, ..MessageCost::FREE };
        if channel.kind == ChannelKind::Helper {
            return zero;
        }
        let is_plain = |mode: &SendMode| {
            bytes >> 63 == 0
                && costs::send_protocol(machine, operation, *mode, bytes) == SendProtocol::Buffered
        };
        let plain = SEND_MODES.iter().filter(|mode| is_plain(mode)).map(|&mode| 1 << mode as u32);
        let network = machine.network(operation);
        let (from, to) = ends(self.prepared.program(), network, channel);
        let carried = costs::network_bytes(machine, operation, bytes);
        let port_time = if self.shares_ports { network.port_time(from, to, carried) } else { Time::ZERO };
        MessageCost {
            plain: plain.sum(),
            sending: costs::send_overhead(machine, operation, bytes, false),
            injecting: network.overheads.gap.max(port_time),
            ejecting: port_time,
            transit: network.transit(from, to, carried).arrives,
            receiving: costs::receive_overhead(machine, operation, bytes, false),
            unexpected: costs::receive_overhead(machine, operation, bytes, true),
            ..zero
        }
    }
}

/// Returns the channel kinds that use a network.
fn kinds() -> impl Iterator<Item = ChannelKind> {
    let collectives = panto_schedule::Collective::ALL.into_iter().map(ChannelKind::Collective);
    std::iter::once(ChannelKind::PointToPoint).chain(collectives)
}

/// Returns the number of a channel kind, [`ChannelKind::Helper`] last.
fn kind_number(kind: ChannelKind) -> u32 {
    match kind {
        ChannelKind::PointToPoint => 0,
        ChannelKind::Collective(collective) => 1 + collective as u32,
        ChannelKind::Helper => KINDS as u32 - 1,
    }
}

const _: () = assert!(panto_schedule::Collective::ALL.len() + 2 <= KINDS);

/// Returns whether the distance of a class is too large to be told from larger ones.
pub(crate) fn is_far(class: u32) -> bool {
    class & FAR == FAR
}

/// Returns the processors at a channel's two ends.
pub(crate) fn ends(program: &Program, network: &Network, channel: &Channel) -> (u32, u32) {
    let processors = network.processors();
    let place = |code: u32| network.map.processor(program.home(code) as usize, processors);
    (place(channel.from), place(channel.to))
}

/// Returns the message class of a channel: its kind and its distance, as far as
/// [`Network::transit`] tells distances apart.
pub(crate) fn class(program: &Program, machine: &Machine, channel: &Channel) -> u32 {
    let kind = kind_number(channel.kind) << DISTANCE_BITS;
    if channel.kind == ChannelKind::Helper {
        return kind;
    }
    let network = machine.network(channel.kind.operation());
    let (from, to) = ends(program, network, channel);
    let size = network.nodes.as_ref().map_or(1, |nodes| nodes.size);
    let distance = if from == to {
        0
    } else if from / size == to / size {
        1
    } else {
        network.topology.distance(from / size, to / size).saturating_add(2).min(FAR)
    };
    kind | distance
}

/// Returns whether a message of a channel can wait for its receive, so that the times of posted
/// receives must be recorded.
pub(super) fn needs_receive_times(prepared: &PreparedProgram<'_>, machine: &Machine, number: u32) -> bool {
    let (channel, sends) = (&prepared.channels()[number as usize], prepared.sends(number));
    let standard = costs::standard_protocol(machine, channel.kind.operation(), sends.max_bytes());
    channel.kind != ChannelKind::Helper
        && (sends.has_explicit_mode()
            || matches!(standard, SendProtocol::Rendezvous | SendProtocol::Synchronous))
}

/// How long the parts of a message take.
pub(crate) struct TransitTimes {
    /// Gap until the sender may inject the next message.
    pub(crate) gap: Time,
    /// The time that each port needs for the data, if ports are shared.
    pub(crate) port: Time,
    /// The request to send.
    pub(crate) rts: Time,
    /// The clear to send.
    pub(crate) cts: Time,
    /// The data.
    pub(crate) data: Transit,
}

/// Returns how long the parts of a message on a channel take.
pub(crate) fn transit_times(
    program: &Program,
    machine: &Machine,
    channel: &Channel,
    bytes: u64,
) -> TransitTimes {
    let operation = channel.kind.operation();
    let network = machine.network(operation);
    let (from, to) = ends(program, network, channel);
    let control = network.overheads.control;
    let carried = costs::network_bytes(machine, operation, bytes);
    TransitTimes {
        gap: network.overheads.gap,
        port: network.port_time(from, to, carried),
        rts: control + network.transit(from, to, 0).arrives,
        cts: control + network.transit(to, from, 0).arrives,
        data: network.transit(from, to, carried),
    }
}
