//! `[send.buffer]`.

use super::{LEAST, refused};
use crate::{BufferSide, Machine, SendBuffer};

const RECEIVER: &str = "[send]\nstandard = \"handshake\"\nabove = \"100B\"\n\
                        [send.buffer]\nat = \"receiver\"\nspace = \"800B\"\nunit = \"100B\"\n";

fn parse(lines: &str) -> Machine {
    Machine::parse(&format!("{LEAST}{lines}"), "m.toml").unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn both_sides_are_read_and_written() {
    let receiver = SendBuffer { side: BufferSide::Receiver, space: 800, unit: 100 };
    let sender = SendBuffer { side: BufferSide::Sender, space: 65_536, unit: 1 };
    let lines = "[send.buffer]\nat = \"sender\"\nspace = \"64KiB\"\n";
    for (lines, expected) in [(RECEIVER, Some(receiver)), (lines, Some(sender)), ("", None)] {
        let machine = parse(lines);
        assert_eq!(machine.buffer, expected);
        let written = Machine::parse(&machine.to_toml().unwrap(), "m.toml").unwrap();
        assert_eq!(written.buffer, expected);
    }
}

#[test]
fn a_limit_can_be_removed() {
    let text = format!("{LEAST}{RECEIVER}");
    let set = |set: &str| crate::Model::parse(&text, "m.toml", &[set.into()]).unwrap().into_machine().buffer;
    assert!(set("link.latency=1us").is_some());
    assert_eq!(set("send.buffer.space=infinite"), None);
    assert_eq!(set("send.standard=synchronous"), None, "the buffer goes with the protocol");
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |old: &str, new: &str| {
        assert!(RECEIVER.contains(old));
        refused(&format!("{LEAST}{}", RECEIVER.replace(old, new)))
    };
    for (old, new, expected) in [
        ("at = \"receiver\"\n", "", "`send.buffer.at` is missing, expected \"receiver\" or \"sender\""),
        ("receiver", "reciever", "did you mean `receiver`?"),
        ("space = \"800B\"\n", "", "`send.buffer.space` is missing"),
        ("800B", "90B", "`send.buffer.unit`: a unit of 100 bytes exceeds the space of 90"),
        ("unit = \"100B\"", "unit = \"60B\"\nspase = 3", "`send.buffer` has no key `spase`"),
        ("above = \"100B\"", "above = \"900B\"", "8 units of 100 bytes cannot hold a message of 900 bytes"),
        ("\"handshake\"\nabove = \"100B\"", "\"buffered\"", "set `send.standard` to \"handshake\" or"),
        ("\"handshake\"\nabove = \"100B\"", "\"synchronous\"", "synchronous sends are not buffered"),
    ] {
        let error = refused(old, new);
        assert!(error.contains(expected), "{error}\nexpected {expected}");
        assert!(error.starts_with("m.toml:"), "{error}");
    }
}
