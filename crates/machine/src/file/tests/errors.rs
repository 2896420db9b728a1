//! Errors have file, line, key, what was found and what was expected.

use super::{LEAST, refused};
use crate::Machine;

/// The minimal model with one line replaced.
fn with(old: &str, new: &str) -> String {
    assert!(LEAST.contains(old), "{old}");
    refused(&LEAST.replace(old, new))
}

fn and(lines: &str) -> String {
    refused(&format!("{LEAST}{lines}"))
}

fn starts(error: &str, start: &str) {
    assert!(error.starts_with(start), "{error}\nexpected {start}");
}

#[test]
fn values() {
    let expected = "m.toml:5: `network.link.latency` is \"-3us\", expected a time with a unit, from 0 to a \
                    day, such as \"39us\"";
    assert_eq!(with("39us", "-3us"), expected);
    starts(&with("39us", "39"), "m.toml:5: `network.link.latency` is \"39\", expected a time");
    starts(&with("\"39us\"", "39"), "m.toml:5: `network.link.latency` is 39, expected a time");
    starts(
        &with("\"39us\"", "1979-05-27"),
        "m.toml:5: `network.link.latency` is 1979-05-27, expected a time",
    );
    starts(&with("35.5MB/s", "0MB/s"), "m.toml:5: `network.link.bandwidth` is \"0MB/s\", expected a rate");
    starts(
        &with("35.5MB/s", "35 parsecs"),
        "m.toml:5: `network.link.bandwidth` is \"35 parsecs\", expected a rate",
    );
    starts(
        &with("{ latency = \"39us\"", "{ packet = 0"),
        "m.toml:5: `network.link.packet` is 0, expected a size above 0",
    );
    starts(&with("4", "-4"), "m.toml:3: `network.processors` is -4, expected a non-negative integer");
    starts(&with("4", "4.5"), "m.toml:3: `network.processors` is 4.5, expected a non-negative integer");
    starts(&with("4", "[4]"), "m.toml:3: `network.processors` is [4], expected a non-negative integer");
    starts(&and("multitasking = 1"), "m.toml:6: `network` has no key `multitasking`");
    starts(
        &and("[processor]\npoll = \"0s\""),
        "m.toml:7: `processor.poll` is \"0s\", expected a time with a unit, above 0",
    );
    starts(
        &and("[processor]\nspeed = nan"),
        "m.toml:7: `processor.speed` is NaN, expected a number above 0 such as 1.5, or \"daxpy\"",
    );
    starts(
        &and("[collectives]\nalgorithm.barrier = \"ring\""),
        "m.toml:7: `collectives.algorithm.barrier`: found \"ring\", expected one of dissemination",
    );
    starts(
        &with("{ latency = \"39us\", bandwidth = \"35.5MB/s\" }", "7"),
        "m.toml:5: `network.link` is 7, expected a time such as",
    );
    starts(&and("map = 3"), "m.toml:6: `network.map` is 3, expected a list");
}

#[test]
fn choices() {
    let error = with("ring", "rign");
    starts(&error, "m.toml:2: `network.topology` is \"rign\", expected one of complete, linear, ring");
    assert!(error.ends_with("did you mean `ring`?"), "{error}");
    starts(
        &with("packet", "worm"),
        "m.toml:4: `network.switching` is \"worm\", expected one of packet, cut-through",
    );
    starts(
        &and("[send]\nstandard = \"ready\""),
        "m.toml:7: `send.standard` is \"ready\", expected one of buffered",
    );
}

#[test]
fn keys() {
    assert_eq!(
        with("latency", "latncy"),
        "m.toml:5: `network.link` has no key `latncy`, did you mean `latency`?"
    );
    assert_eq!(
        with("topology", "topolgy"),
        "m.toml:2: `network` has no key `topolgy`, did you mean `topology`?"
    );
    starts(
        &and("[colour]"),
        "m.toml:6: a model has no key `colour`; valid keys: name, about, year, groups, quality, base, network",
    );
    starts(&and("[networks.bcast]"), "m.toml:6: `networks` has no key `bcast`");
    starts(
        &and("[networks]\nbarier.link = \"1us\""),
        "m.toml:7: `networks` has no key `barier`, did you mean `barrier`?",
    );
    starts(
        &with("bandwidth", "per-byte = \"1us\", bandwidth"),
        "m.toml:5: `network.link.per-byte`: conflicts with `bandwidth`",
    );
    starts(&and("arity = 3"), "m.toml:6: `network.arity`: topology ring does not use it; it uses processors");
    starts(&and("flit-size = 3"), "m.toml:6: `network.flit-size`: this switching does not use it");
    starts(
        &and("occupancy = \"1us\""),
        "m.toml:6: `network.occupancy`: valid only with switching = \"flow\"",
    );
    starts(&and("pipelined = true"), "m.toml:6: `network.pipelined`: valid only with switching = \"flow\"");
    starts(
        &and("flow-rates = [\"1MB/s\"]"),
        "m.toml:6: `network.flow-rates`: valid only with switching = \"flow\"",
    );
    let flow = |more: &str| refused(&format!("{}{more}", LEAST.replace("\"packet\"", "\"flow\"")));
    starts(
        &flow("flow-rates = [\"1MB/s\"]"),
        "m.toml:6: `network.flow-rates`: valid only with topology = \"fat-tree\"",
    );
    starts(&flow("flow-rates = [3]"), "m.toml:6: `network.flow-rates` is");
    starts(
        &flow("pipelined = true\nframe = \"1500B\""),
        "m.toml:6: `network.pipelined`: not supported with a bus, frames or nodes",
    );
    starts(&and("hop = \"1us\"\nsetup = \"1us\""), "m.toml:6: `network.hop`: conflicts with `setup`");
    starts(
        &and("[send]\nstandard = \"eager\"\nlimit = 1\nabove = 1"),
        "m.toml:9: `send.above`: valid only with `standard = \"handshake\"`",
    );
    starts(&and("name = 3\nname = 4"), "m.toml:7: invalid TOML: duplicate key");
}

#[test]
fn missing_keys() {
    assert_eq!(
        refused(""),
        "m.toml: `network` is missing, expected a table with topology, switching and link"
    );
    starts(
        &with("topology = \"ring\"", ""),
        "m.toml:1: `network.topology` is missing, expected one of complete",
    );
    starts(&with("processors = 4", ""), "m.toml:2: `network.processors` is missing, expected an integer");
    starts(&with("switching = \"packet\"", ""), "m.toml:1: `network.switching` is missing, expected packet");
    starts(&with("link =", "local ="), "m.toml:1: `network.link` is missing, expected a table");
    starts(
        &with("\"packet\"", "\"wormhole\""),
        "m.toml:1: `network.flit-size` is missing, expected the size of a flit",
    );
    starts(&and("[send]\nstandard = \"eager\""), "m.toml:6: `send.limit` is missing");
    starts(&and("[network.nodes]"), "m.toml:6: `network.nodes.size` is missing");
    starts(
        &with("latency", "pieces = [{ latency = \"1us\" }], latency"),
        "m.toml:5: `network.link.pieces.0.up-to` is missing",
    );
}

#[test]
fn sizes() {
    starts(&with("4", "0"), "m.toml:3: `network.processors`: 0 processors of a ring: the minimum is 1");
    starts(
        &with("4", "1000000000000"),
        "m.toml:3: `network.processors`: 1000000000000 processors of a ring: the maximum is",
    );
    let huge = with("\"ring\"\nprocessors = 4", "\"torus\"\ndims = [1000000, 1000000]");
    starts(&huge, "m.toml:3: `network.dims`: torus 1000000x1000000 has too many processors");
    starts(
        &with("\"ring\"\nprocessors = 4", "\"hypercube\"\nprocessors = 6"),
        "m.toml:3: `network.processors`: found 6",
    );
    starts(&with("4", &"9".repeat(80)), "m.toml:3: `network.processors` is 999");
    starts(&and("[network.nodes]\nsize = 0"), "m.toml:7: `network.nodes.size`: found 0");
    starts(
        &and("[network.nodes]\nsize = 1000000000"),
        "m.toml:6: `network.nodes`: the nodes have 4000000000 processors",
    );
}

#[test]
fn maps() {
    assert_eq!(
        and("map = []"),
        "m.toml:6: `network.map`: it is empty, expected the processors of ranks 0, 1, 2, ..."
    );
    let error = "m.toml:6: `network.map`: rank 1 is mapped to processor 4, but processors are 0 to 3";
    assert_eq!(and("map = [0, 4]"), error);
    let error = and("map = [0, 1, 2]\n[networks.barrier]\nmap = [3, 1, 3]");
    starts(&error, "m.toml:8: `networks.barrier.map`: the map of this network places rank 2 differently");
    let error = and("[networks.barrier]\nprocessors = 3");
    starts(
        &error,
        "m.toml:2: `networks.barrier.topology`: the map of this network places rank 3 differently",
    );
    super::model(&format!("{LEAST}map = [0, 1, 0]\n[networks.barrier]\nmap = [3, 1, 3]"));
    super::model(&format!("{LEAST}[networks.barrier]\nprocessors = 5"));
    let shared = format!("multitasking = true\n{LEAST}[networks.barrier]\nprocessors = 1000000000");
    starts(
        &refused(&shared),
        "m.toml:3: `networks.barrier.topology`: the map of this network places rank 4 differently",
    );
    let list =
        format!("multitasking = true\n{LEAST}[networks.barrier]\nprocessors = 1000000000\nmap = [5, 6]");
    starts(
        &refused(&list),
        "m.toml:9: `networks.barrier.map`: the map of this network places rank 2 differently",
    );
}

#[test]
fn files_that_are_not_models() {
    starts(&refused("{\"a\": 3}"), "m.toml:1: invalid TOML");
    starts(&refused(&"garbage! ".repeat(120_000)), "m.toml:1: invalid TOML");
    starts(&refused(&format!("a = {}", "[".repeat(1 << 20))), "m.toml:1: invalid TOML");
    starts(&refused(&format!("{}a = 1", "a.".repeat(1 << 19))), "m.toml:1: invalid TOML");
    starts(&refused(&format!("{}a = 1", "a.".repeat(20))), "m.toml:1: a model has no key `a`");
}

#[test]
fn files() {
    let directory = tempfile::tempdir().unwrap();
    let load = |path: &std::path::Path| Machine::load(path.to_str().unwrap(), &[]).unwrap_err().to_string();
    let path = directory.path().join("binary.toml");
    std::fs::write(&path, b"name = 1\n\xff\xfe").unwrap();
    assert!(load(&path).ends_with("binary.toml:2: invalid UTF-8"), "{}", load(&path));
    assert!(
        load(directory.path()).ends_with("is a directory, expected a file"),
        "{}",
        load(directory.path())
    );
    let large = directory.path().join("large.toml");
    std::fs::File::create(&large).unwrap().set_len(1 << 40).unwrap();
    assert!(load(&large).contains("larger than 16MiB"), "{}", load(&large));
    for missing in ["nowhere.toml", "./nowhere", "models/nowhere"] {
        let error = Machine::load(missing, &[]).unwrap_err().to_string();
        assert_eq!(error, format!("cannot read {missing}: no such file"));
    }
    let error = Machine::load("ipsc680", &[]).unwrap_err().to_string();
    assert!(
        error.contains("unknown machine `ipsc680`: neither a model file nor a built-in machine")
            && error.contains("did you mean `ipsc860`?"),
        "{error}"
    );
}
