//! Tests of PUPPET's grammar.

use panto_schedule::Collective;
use panto_units::Time;

use super::refused_as;
use crate::{CollectiveSend, Machine, Model, Protocol, RankMap, Rules, Switching, Topology};

const CUBE: &str = "\
# a hypercube as in section 5.6
network hypercube 3
map 0 1 2 3 4 5 6 7
switching packet
link-speed 1449.848e-6 1.008644e-6   # of the Ethernet
packet-size 1500
";

fn parse(text: &str) -> Machine {
    Model::parse(text, "cube", &[]).unwrap_or_else(|error| panic!("{error}\n{text}")).into_machine()
}

fn refused(text: &str) -> String {
    refused_as(text, "cube.puppet", &[])
}

fn and(lines: &str) -> String {
    refused(&format!("{CUBE}{lines}"))
}

#[test]
fn five_options_make_a_network() {
    let machine = parse(CUBE);
    assert_eq!((machine.name.as_str(), machine.multitasking), ("cube", true));
    assert_eq!(machine.network.topology, Topology::hypercube(3).unwrap());
    assert_eq!((machine.network.switching, machine.protocol), (Switching::Packet, Protocol::Buffered));
    assert_eq!(machine.network.map, RankMap::List((0..8).collect()));
    assert_eq!(machine.network.link.of(1501), Time::from_picos(2 * 1_449_848_000 + 1_513_974_644));
    assert_eq!((machine.collectives.rules, machine.networks.len()), (Rules::Puppet, 0));
}

#[test]
fn global_options() {
    let machine = parse(&format!("barrier-size 4\ncoll-sendtype nospace\n{CUBE}"));
    assert_eq!((machine.collectives.barrier_bytes, machine.collectives.send), (4, CollectiveSend::NoSpace));
    assert_eq!(
        parse(&format!("{CUBE}coll-sendtype synchronous")).collectives.send,
        CollectiveSend::Synchronous
    );
}

#[test]
fn the_last_applicable_line_decides() {
    assert_eq!(parse(&format!("{CUBE}network ring 8")).network.topology, Topology::ring(8).unwrap());
    let own = "network star 8 for MPI_Bcast MPI_Barrier\nlink-speed 5e-6 0 for MPI_Bcast\n";
    let machine = parse(&format!("{CUBE}{own}"));
    let operations: Vec<Collective> = machine.networks.keys().copied().collect();
    assert_eq!(operations, [Collective::Broadcast, Collective::Barrier]);
    let broadcast = machine.network(Some(Collective::Broadcast));
    assert_eq!((broadcast.topology.name(), broadcast.link.of(9)), ("star", Time::from_nanos(5_000)));
    assert_eq!(machine.network(Some(Collective::Barrier)).link, machine.network.link);
    assert_eq!(parse(&format!("{own}{CUBE}")).networks.len(), 0, "a later line for all is for all");
    let sends = parse(&format!("{CUBE}network complete 8 for MPI_Send"));
    assert_eq!((sends.network.topology.name(), sends.networks.len()), ("complete", 11));
}

#[test]
fn options_beyond_the_figure() {
    let worm = parse(&format!("{CUBE}switching wormhole\nflit-size 2\n"));
    assert_eq!(worm.network.switching, Switching::Wormhole { flit: 2 });
    let cut = parse(&format!("{CUBE}switching cut-through\nheader-size 8\ncontrol-speed 1e-6 0.5e-6"));
    assert_eq!(cut.network.switching, Switching::CutThrough { header: 8 });
    assert_eq!(cut.network.setup.of(8), Time::from_nanos(5_000));
    let circuit = parse(&format!("{CUBE}switching circuit\ncontrol-size 4\nflit-size 3"));
    assert_eq!(circuit.network.switching, Switching::Circuit { control: 4 });
    assert_eq!(circuit.network.setup, circuit.network.link, "t0 is t where no control speed is given");
    assert_eq!(parse(&format!("{CUBE}packet-size infinite")).network.link.piece(0).packet, None);
    let own = parse(&format!("{CUBE}packet-size infinite for MPI_Bcast\n"));
    assert_eq!(own.network(Some(Collective::Broadcast)).link.piece(0).packet, None, "and inherits none");
    assert_eq!(parse(&format!("{CUBE}link-speed 39us 1ns")).network.link.of(0), Time::from_nanos(39_000));
}

#[test]
fn all_networks() {
    for (network, processors) in [
        ("complete 4", 4),
        ("linear 4", 4),
        ("ring 4", 4),
        ("star 4", 4),
        ("bus 4", 4),
        ("mesh 2 3", 6),
        ("torus 2 3 4", 24),
        ("hypercube 2", 4),
        ("tree 2 2", 7),
        ("fat-tree 4 1 2", 16),
        ("dragonfly 2 2 2", 8),
    ] {
        let machine = parse(&format!("{CUBE}map 0\nnetwork {network}"));
        assert_eq!(machine.network.processors(), processors, "{network}");
    }
}

#[test]
fn a_network_from_a_file() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("net.txt"), "0: 1\n1: 0\n").unwrap();
    let path = directory.path().join("m.model");
    std::fs::write(&path, format!("{CUBE}map 0 1\nnetwork custom net.txt")).unwrap();
    let machine = Machine::load(path.to_str().unwrap(), &["link.latency=1us".to_owned()]).unwrap();
    assert_eq!((machine.network.processors(), machine.network.link.of(0)), (2, Time::from_nanos(1_000)));
}

#[test]
fn missing_options() {
    let text = "network ring 4\npacket-size 8\n";
    let error = "cube.puppet: the network of point-to-point messages is missing map, switching, link-speed: a network needs \
                 network, map, switching, link-speed, packet-size";
    assert_eq!(refused(text), error);
    let own = CUBE.replace("packet-size 1500", "packet-size 1500 for MPI_Send MPI_Bcast");
    assert!(
        refused(&own).starts_with("cube.puppet: the network of reduce is missing packet-size"),
        "{}",
        refused(&own)
    );
    assert!(and("switching wormhole").contains("`network.flit-size` is missing"));
}

#[test]
fn errors_name_the_line() {
    let cases = [
        ("netwrk ring 3", "has no command `netwrk`, did you mean `network`?"),
        ("network ring", "`network`: found `ring`, expected complete n, linear n"),
        ("network ring four", "`network`: found `four`, expected an integer"),
        ("network", "`network`: found nothing, expected complete n"),
        ("switching store", "`switching`: found `store`, expected packet, cut-through"),
        ("link-speed 1", "`link-speed`: found `1`, expected two times in seconds"),
        ("link-speed -1 0", "`link-speed`: found `-1`, expected a time in seconds, not negative"),
        ("link-speed nan 0", "`link-speed`: found `nan`, expected a time"),
        ("link-speed 1e99 0", "`network.link.latency` is \"1000"),
        ("packet-size 0", "`network.link.packet` is 0, expected a size above 0"),
        ("packet-size", "`packet-size`: found nothing, expected a size"),
        ("map", "`map`: found nothing, expected the processors"),
        ("map 0 8", "`network.map`: rank 1 is mapped to processor 8"),
        ("barrier-size x", "`barrier-size`: found `x`, expected a size"),
        ("coll-sendtype ready", "`coll-sendtype`: found `ready`, expected buffered, synchronous or nospace"),
        ("network ring 8 for", "`for` needs operations such as MPI_Bcast"),
        ("network ring 8 for MPI_Bcats", "unknown operation `MPI_Bcats`, did you mean `MPI_Bcast`?"),
        (
            "network ring 1000000000000",
            "`network.processors`: 1000000000000 processors of a ring: the maximum is",
        ),
        (
            "map 1 1 2 for MPI_Bcast",
            "`networks.broadcast.map`: the map of this network places rank 1 differently",
        ),
    ];
    for (line, expected) in cases {
        let error = and(line);
        assert!(error.starts_with("cube.puppet:7: ") && error.contains(expected), "{line}: {error}");
    }
}

#[test]
fn recognised_by_its_contents() {
    use std::path::Path;
    let knows = |text: &str, name: &str| Model::recognises(text, Path::new(name));
    assert!(knows(CUBE, "cube") && knows("", "x.puppet") && knows("", "x.toml") && knows("\n[network]", "x"));
    assert!(knows("# c\nname = \"x\"\n", "x") && knows("network.hop = \"1us\"", "x"));
    assert!(!knows("{\"manifest\": 1}\n", "run.jsonl") && !knows("", "x") && !knows("hello", "x"));
}
