//! Tests of `--set`.

use panto_units::Time;

use super::{LEAST, Model, refused_as, strings};
use crate::{Machine, Protocol};

fn set(overrides: &[&str]) -> Machine {
    Model::parse(LEAST, "m.toml", &strings(overrides))
        .unwrap_or_else(|error| panic!("{error}"))
        .into_machine()
}

fn refused(overrides: &[&str]) -> String {
    refused_as(LEAST, "m.toml", overrides)
}

fn us(micros: u64) -> Time {
    Time::from_nanos(micros * 1_000)
}

#[test]
fn the_last_override_decides() {
    assert_eq!(set(&["network.link.latency=2us"]).network.link.of(0), us(2));
    assert_eq!(set(&["link.latency=2us"]).network.link.of(0), us(2), "the short form");
    assert_eq!(set(&["link.latency=2us", "link.latency=3us"]).network.link.of(0), us(3));
    assert_eq!(set(&["link.latency = \"2us\""]).network.link.of(0), us(2), "quotes and blanks do no harm");
    assert_eq!(set(&["processors=9"]).processors(), 9);
    assert_eq!(set(&["topology=mesh", "dims=[2, 3]"]).processors(), 6);
    assert!(set(&["multitasking=true"]).multitasking);
    assert_eq!(set(&["networks.barrier.link=5us"]).networks.len(), 1);
}

#[test]
fn bandwidth_and_per_byte_replace_each_other() {
    assert_eq!(set(&["link.per-byte=1us"]).network.link.of(10), us(49));
    assert_eq!(set(&["link.per-byte=1us", "link.bandwidth=500kB/s"]).network.link.of(10), us(59));
}

#[test]
fn the_order_of_a_choice_and_its_dependents_does_not_matter() {
    let eager = Protocol::Eager { limit: 4096 };
    assert_eq!(set(&["send.limit=4K", "send.standard=eager"]).protocol, eager);
    assert_eq!(set(&["send.standard=eager", "send.limit=4K"]).protocol, eager);
    let machine = Model::load("ipsc860", &strings(&["send.standard=synchronous"])).unwrap().into_machine();
    assert_eq!(machine.protocol, Protocol::Synchronous, "the size of the handshake goes with the handshake");
}

#[test]
fn pieces_stay_unless_they_are_set() {
    let text = LEAST.replace("latency", "pieces = [{ up-to = 10, latency = \"1us\" }], latency");
    let link = |overrides: &[&str]| {
        let machine = Model::parse(&text, "m.toml", &strings(overrides)).unwrap().into_machine();
        [machine.network.link.of(0), machine.network.link.of(355)]
    };
    assert_eq!(link(&[]), [us(1), us(49)]);
    assert_eq!(link(&["link.latency=2us"]), [us(1), us(12)]);
    assert_eq!(link(&["link.pieces.0.latency=7us"]), [us(7), us(49)]);
    assert_eq!(link(&["link.pieces=[]"]), [us(39), us(49)]);
    assert_eq!(link(&["link=5us"]), [us(5), us(5)]);
    let error = |set| refused_as(&text, "m.toml", &[set]);
    assert_eq!(
        error("link.pieces.1.latency=1us"),
        "--set link.pieces.1.latency=1us: piece 1 is out of range: `network.link.pieces` has piece 0 only"
    );
    assert!(
        error("link.pieces.0.latncy=1us")
            .contains("`network.link.pieces.0` has no key `latncy`, did you mean")
    );
    assert!(error("link.pieces.0=1us").contains("expected a key of the piece"));
}

#[test]
fn a_part_of_a_cost_shorthand() {
    let machine = set(&["local=3us", "local.bandwidth=1MB/s"]);
    assert_eq!(machine.network.local.of(4), us(7));
}

#[test]
fn errors_name_the_option() {
    let error = "--set link.latncy=2us: `network.link` has no key `latncy`, did you mean `latency`?";
    assert_eq!(refused(&["link.latncy=2us"]), error);
    assert_eq!(
        refused(&["linc.latency=2us"]),
        "--set linc.latency=2us: a model has no key `linc`, did you mean `link`?"
    );
    assert!(
        refused(&["link.latency=-2us"])
            .starts_with("--set link.latency=-2us: `network.link.latency` is \"-2us\", expected")
    );
    assert!(refused(&["link.latency"]).starts_with("--set link.latency: expected KEY=VALUE"));
    assert!(refused(&["=3"]).contains("is not a key"));
    assert!(refused(&["base=cm5"]).contains("name that machine"));
    assert!(refused(&[&format!("{}x=1", "link.".repeat(100_000))]).contains("is not a key"));
    assert!(
        refused(&["map=[9]"]).starts_with("--set map=[9]: `network.map`: rank 0 is mapped to processor 9")
    );
    assert!(refused(&["topology=mesh"]).starts_with("--set topology=mesh: `network.dims` is missing"));
}
