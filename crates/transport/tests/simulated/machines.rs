//! Machines for tests.

use std::sync::Arc;

use panto_machine::{Cost, Machine, Network, Overheads, PerByte, Processor, Protocol, Switching, Topology};
use panto_transport::Time;
use panto_transport::simulated::{Sharing, Simulated};

/// A machine with 1 us and 1 ns per byte between any two processors.
pub(crate) fn simple(processors: u64, protocol: Protocol) -> Machine {
    let overhead = |nanos| Cost::constant(Time::from_nanos(nanos));
    let link = Cost::line(Time::from_nanos(1_000), PerByte::from_secs(1e-9).expect("a rate"));
    let topology = Topology::complete(processors).expect("few");
    let network = Network {
        overheads: Overheads { send: overhead(100), receive: overhead(200), ..Overheads::default() },
        local: overhead(50),
        ..Network::plain(topology, Switching::Flow { header: 0 }, link)
    };
    Machine { protocol, ..Machine::plain("simple", network) }
}

pub(crate) fn world(machine: Machine, model: Sharing) -> Simulated {
    Simulated::new(Arc::new(machine), model)
}

pub(crate) const PROTOCOLS: [Protocol; 4] = [
    Protocol::Buffered,
    Protocol::Synchronous,
    Protocol::Handshake { above: 100 },
    Protocol::Eager { limit: 4096 },
];

/// A machine on which everything costs something: a ring with shared links.
pub(crate) fn busy(processors: u64, protocol: Protocol) -> Machine {
    let mut machine = simple(processors, protocol);
    machine.network.topology = Topology::ring(processors).expect("few");
    machine.network.switching = Switching::CutThrough { header: 4 };
    machine.network.setup = Cost::constant(Time::from_nanos(70));
    machine.network.overheads.immediate = Time::from_nanos(30);
    machine.network.overheads.gap = Time::from_nanos(250);
    machine.network.overheads.control = Time::from_nanos(400);
    let rate = |nanos: f64| PerByte::from_secs(nanos * 1e-9).expect("a rate");
    machine.processor = Processor {
        copy: rate(0.5),
        reduce: rate(0.75),
        strided: Time::from_nanos(10),
        daxpy: Time::from_nanos(20),
        copies_unexpected: true,
        ..Processor::default()
    };
    machine
}
