//! Any input is parsed or rejected without a panic.

use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;

use crate::{Model, builtin};

fn read(text: &str) {
    let _ = Model::recognises(text, Path::new("m"));
    for origin in ["m.toml", "m.puppet"] {
        if let Ok(model) = Model::parse(text, origin, &[]) {
            let _ = (model.figures(), model.machine().check_ranks(1_000));
            let _ = model.with_processors(5_000);
        }
    }
}

/// A byte that has a meaning in a model, or any other.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![any::<u8>(), prop::sample::select(b"0123456789[]{}=.,\"#-\n us".to_vec())]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_words(words in prop::collection::vec(prop::sample::select(WORDS), 0..40)) {
        read(&words.join(" "));
    }

    #[test]
    fn built_ins_with_slips(machine in any::<Index>(), slips in prop::collection::vec((any::<Index>(), byte()), 1..6)) {
        let mut text = machine.get(builtin::all()).text.as_bytes().to_vec();
        for (at, byte) in slips {
            let at = at.index(text.len());
            text[at] = byte;
        }
        read(&String::from_utf8_lossy(&text));
    }

    #[test]
    fn built_ins_with_lines_gone_or_twice(machine in any::<Index>(), line in any::<Index>(), to in any::<Index>()) {
        let mut lines: Vec<&str> = machine.get(builtin::all()).text.lines().collect();
        let line = lines.remove(line.index(lines.len()));
        read(&lines.join("\n"));
        lines.insert(to.index(lines.len()), line);
        read(&lines.join("\n"));
    }

    #[test]
    fn any_override(key in "[a-z.0-9=-]{0,30}", value in ".{0,20}") {
        for name in ["ipsc860", "cm5"] {
            let _ = Model::load(name, &[format!("{key}={value}"), key.clone()]);
        }
    }

    #[test]
    fn known_keys_with_any_value(key in prop::sample::select(KEYS), value in "[-0-9a-z\\[\\]{}=.,\"/]{0,12}") {
        let _ = Model::load("cm5", &[format!("{key}={value}")]);
    }
}

const WORDS: &[&str] = &[
    "\n",
    "\n",
    "\n",
    "network",
    "map",
    "switching",
    "link-speed",
    "packet-size",
    "for",
    "MPI_Bcast",
    "ring",
    "mesh",
    "tree",
    "8",
    "0",
    "1e-6",
    "packet",
    "[network]",
    "=",
    "topology",
    "\"ring\"",
    "processors",
    "link",
    "{",
    "}",
    "latency",
    "\"1us\"",
    "#",
    "switching = \"packet\"\n",
    "topology = \"torus\"\n",
    "dims = [3, 3]\n",
    "link = \"1us\"\n",
    "[networks.barrier]\n",
];

const KEYS: &[&str] = &[
    "topology",
    "widths",
    "arity",
    "processors",
    "map",
    "link",
    "link.pieces",
    "link.pieces.0.latency",
    "overhead.send",
    "overhead.send.pieces.0.multiple-of",
    "nodes.size",
    "most",
    "send.standard",
    "processor.speed",
    "networks.barrier.map",
    "sources",
];
