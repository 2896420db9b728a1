//! Tests of the TOML format.

use panto_schedule::{Algorithm, Collective};
use panto_units::Time;

use super::{LEAST, model};
use crate::{CollectiveSend, Cost, Machine, Protocol, RankMap, Rules, Sharing, Switching, Topology};

const FULL: &str = r#"
name = "full"
about = "all there is"
multitasking = true

[network]
topology = "mesh"
dims = [2, 4]
switching = "cut-through"
header-size = "8B"
setup = { latency = "2us", per-byte = "1us" }
map = [0, 1, 3, 2]
local = "3us"

[network.link]
latency = "5us"
bandwidth = "1MB/s"
packet = "1500B"
pieces = [
    { up-to = "100B", latency = "1us" },
    { multiple-of = 16, remainder = 4, per-byte = "2us" },
]

[network.overhead]
send = "4us"
receive = "2GB/s"
immediate = "1us"
gap = "2us"
control = "3us"

[network.nodes]
size = 2
interface = { latency = "1us" }
inside = "0.5us"

[networks.barrier]
topology = "star"
processors = 4
link = "7us"

[send]
standard = "eager"
limit = "4KiB"

[processor]
copy = "57MB/s"
strided = "140ns"
reduce = "26ns"
daxpy = "210ns"
copies-unexpected = true
poll = "1us"
speed = 2

[storage]
latency = "1us"
bandwidth = "1MB/s"

[collectives]
rules = "puppet"
send = "no-space"
barrier-bytes = 4
algorithm.barrier = "central"
algorithm.broadcast = "chain:4"
"#;

fn us(micros: u64) -> Time {
    Time::from_nanos(micros * 1_000)
}

#[test]
fn all_keys_are_read() {
    let machine = model(FULL).into_machine();
    assert_eq!(
        (machine.name.as_str(), machine.about.as_str(), machine.multitasking),
        ("full", "all there is", true)
    );
    let network = &machine.network;
    assert_eq!(network.topology, Topology::mesh(&[2, 4]).unwrap());
    assert_eq!(network.switching, Switching::CutThrough { header: 8 });
    assert_eq!(network.setup.of(8), us(10));
    assert_eq!(
        [0, 100, 148, 200, 1501].map(|bytes| network.link.of(bytes)),
        [us(1), us(1), us(296), us(205), us(1511)]
    );
    assert_eq!((network.local.of(9), network.map.clone()), (us(3), RankMap::List(vec![0, 1, 3, 2])));
    assert_eq!((network.overheads.send.of(5), network.overheads.receive.of(2000)), (us(4), us(1)));
    let overheads = &network.overheads;
    assert_eq!([overheads.immediate, overheads.gap, overheads.control], [us(1), us(2), us(3)]);
    let nodes = network.nodes.as_ref().unwrap();
    assert_eq!((nodes.size, nodes.interface.of(0), nodes.inside.of(0)), (2, us(1), Time::from_nanos(500)));
    assert_eq!((network.processors(), machine.processors()), (16, 4));
    assert_eq!(machine.protocol, Protocol::Eager { limit: 4096 });
    assert_eq!(machine.processor.strided, Time::from_nanos(140));
    assert!(machine.processor.copies_unexpected);
    assert_eq!((machine.processor.poll, machine.processor.speed), (us(1), crate::Speed::Factor(2.0)));
    assert_eq!(machine.processor.copy.of(57), us(1));
    assert_eq!(machine.storage.of(5), us(6));
    assert_eq!(
        (machine.collectives.rules.clone(), machine.collectives.send),
        (Rules::Puppet, CollectiveSend::NoSpace)
    );
    assert_eq!(machine.collectives.barrier_bytes, 4);
    assert_eq!(machine.collectives.algorithms[&Collective::Barrier], Algorithm::Central);
    assert_eq!(machine.collectives.algorithms[&Collective::Broadcast], Algorithm::Chain { segments: 4 });
}

#[test]
fn a_network_of_a_collective_inherits_missing_keys() {
    let machine = model(FULL).into_machine();
    let barrier = machine.network(Some(Collective::Barrier));
    assert_eq!(barrier.topology, Topology::star(4).unwrap());
    assert_eq!(barrier.link, Cost::constant(us(7)), "a cost in short takes the pieces away");
    assert_eq!(barrier.switching, machine.network.switching);
    assert_eq!(machine.network(Some(Collective::Reduce)), &machine.network);
}

#[test]
fn flows_may_occupy_a_link_for_less_than_their_time() {
    let text = format!(
        "traffic = true\n{LEAST}occupancy = {{ latency = \"1us\", bandwidth = \"1MB/s\" }}\nframe = \"1500B\"\nswitching = \"flow\"\n"
    );
    let machine = model(&text.replace("switching = \"packet\"\n", "")).into_machine();
    assert!(machine.sharing == Sharing::Links && machine.network.frame == Some(1500));
    assert_eq!(machine.network.occupancy.map(|cost| cost.of(5)), Some(us(6)));
    let machine = model(LEAST).into_machine();
    assert!(
        machine.sharing == Sharing::Endpoints
            && machine.network.frame.is_none()
            && machine.network.occupancy.is_none()
    );
}

#[test]
fn endpoints_and_levels_may_limit_flows() {
    let text = "[network]\ntopology = \"fat-tree\"\narity = 2\nwidths = [1, 1, 2]\nswitching = \"flow\"\nhop = \"1us\"\n\
                link = \"1MB/s\"\npipelined = true\nflow-rates = [\"1MB/s\", \"0.25MB/s\"]\n\
                overhead = { send = { latency = \"3us\", per-byte = \"2us\" }, receive = { latency = \"4us\", per-byte = \"1us\" } }\n\
                [networks.barrier]\npipelined = false\nflow-rates = []\n";
    let machine = model(text).into_machine();
    let network = &machine.network;
    assert_eq!((network.send_overhead(10), network.receive_overhead(10)), (us(3), us(4)));
    // The sender is the slowest, then the second level, which also applies to those above.
    let times = [1, 2, 4].map(|to| network.between(0, to, 10));
    assert_eq!(times, [us(2 + 20), us(4 + 40), us(6 + 40)]);
    assert_eq!(network.transit(0, 2, 10).leaves, us(1 + 40));
    assert_eq!(network.port_time(0, 1, 10), us(20));
    let barrier = machine.network(Some(Collective::Barrier));
    assert_eq!((barrier.send_overhead(10), barrier.between(0, 1, 10)), (us(23), us(2 + 10)));
    let written = Machine::parse(&machine.to_toml().unwrap(), "m.toml").unwrap();
    assert_eq!((written.network, written.networks), (machine.network, machine.networks));
    // Both belong to flows, and the rates to the levels of a fat tree.
    let other = Machine::load("cm5", &["network.switching=packet".into()]).unwrap().network;
    assert!(!other.pipelined && other.flow_rates.is_empty());
    let sets = ["network.topology=star".into(), "network.processors=32".into()];
    let other = Machine::load("cm5", &sets).unwrap().network;
    assert!(other.pipelined && other.flow_rates.is_empty());
}

#[test]
fn few_keys_are_required() {
    let machine = model(LEAST).into_machine();
    assert_eq!((machine.name.as_str(), machine.processors()), ("m", 4));
    assert_eq!((machine.protocol, machine.multitasking), (Protocol::Buffered, false));
    assert!(machine.network.local.is_free() && machine.network.setup.is_free());
    assert!(machine.storage.is_free());
    assert!(machine.processor.poll > Time::ZERO);
}

#[test]
fn every_topology_has_a_name() {
    let sizes = [
        ("complete", "processors = 8", 8),
        ("linear", "processors = 8", 8),
        ("ring", "processors = 8", 8),
        ("star", "processors = 8", 8),
        ("bus", "processors = 8", 8),
        ("mesh", "dims = [2, 3]", 6),
        ("torus", "dims = [2, 3, 4]", 24),
        ("hypercube", "dimensions = 3", 8),
        ("hypercube", "processors = 8", 8),
        ("tree", "arity = 2\nlevels = 2", 7),
        ("tree", "arity = 2\nlevels = 2\nleaves = true", 4),
        ("fat-tree", "arity = 4\nwidths = [1, 2]", 16),
        ("dragonfly", "groups = 3\nrouters = 2\nhosts = 2", 12),
    ];
    for (name, size, processors) in sizes {
        let text =
            format!("[network]\ntopology = \"{name}\"\n{size}\nswitching = \"packet\"\nlink = \"1us\"");
        let machine = model(&text).into_machine();
        assert_eq!((machine.network.topology.name(), machine.processors()), (name, processors), "{name}");
    }
}

#[test]
fn a_graph_file_is_relative_to_its_model() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("net.txt"), "1\n2\n0\n").unwrap();
    let path = directory.path().join("m.toml");
    let text = "[network]\ntopology = \"graph\"\nfile = \"net.txt\"\nswitching = \"packet\"\nlink = \"1us\"";
    std::fs::write(&path, text).unwrap();
    let machine = Machine::load(path.to_str().unwrap(), &[]).unwrap();
    assert_eq!((machine.processors(), machine.network.topology.distance(1, 0)), (3, 2));
    std::fs::write(directory.path().join("net.txt"), "1\n0\n3\n2\n").unwrap();
    let error = Machine::load(path.to_str().unwrap(), &[]).unwrap_err().to_string();
    assert!(error.contains("m.toml:3: `network.file`:") && error.contains("not connected"), "{error}");
}

#[test]
fn the_examples_of_the_documentation_are_valid() {
    let text = include_str!("../../../../../docs/machines.md");
    let block = |begin: &str| text.split_once(begin).unwrap().1.split_once("```").unwrap().0;
    let machine = model(block("```toml\n")).into_machine();
    assert_eq!((machine.name.as_str(), machine.network.processors()), ("idea", 32));
    let puppet = crate::Model::parse(
        block("```\nnetwork").replacen(" hyper", "network hyper", 1).as_str(),
        "m.puppet",
        &[],
    );
    assert_eq!(puppet.unwrap().machine().network.topology, Topology::hypercube(4).unwrap());
}
