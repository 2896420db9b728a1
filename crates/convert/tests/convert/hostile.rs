//! Random input is rejected or read, without a panic.

use panto_convert::{goal, ti};
use proptest::prelude::*;

use crate::support::folder;

const GOAL: [&str; 22] = [
    "num_ranks 2\n",
    "rank 0 {\n",
    "rank 1 {",
    "}\n",
    "a: ",
    "b: ",
    "calc 5",
    "send 8b to 1",
    "recv 8 b from 0",
    " tag 3",
    " cpu 1",
    " nic 0",
    "\n",
    "; ",
    "a requires b\n",
    "b irequires a\n",
    "-1",
    "/*",
    "*/",
    "//",
    "18446744073709551615",
    "é",
];

const TI: [&str; 24] = [
    "0 ",
    "1 ",
    "init\n",
    "finalize\n",
    "compute ",
    "send ",
    "irecv ",
    "wait ",
    "waitall\n",
    "test ",
    "bcast ",
    "reduce ",
    "alltoallv ",
    "gatherv ",
    "reducescatter ",
    "1e6 ",
    "0 ",
    "1 ",
    "-1 ",
    "nan ",
    "1e300 ",
    "\n",
    "6 ",
    "é",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn schedules(words in prop::collection::vec(prop::sample::select(&GOAL[..]), 0..60), begins in any::<bool>()) {
        let folder = folder();
        let text = if begins { format!("num_ranks 2\nrank 0 {{\n{}", words.concat()) } else { words.concat() };
        let _ = goal::read(&mut text.as_bytes(), "s.goal", &folder.path().join("t.panto"));
    }

    #[test]
    fn bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let folder = folder();
        let path = folder.path().join("t.ti");
        std::fs::write(&path, &bytes).expect("a file");
        let target = folder.path().join("t.panto");
        let _ = goal::read(&mut &bytes[..], "s.goal", &target);
        let _ = ti::read(&path, 1e9, &target);
        // A binary schedule of one rank, which begins behind its table.
        let start = [4223_u64.to_le_bytes(), 1_u64.to_le_bytes(), [0; 8]].concat();
        let _ = goal::read(&mut &[&start[..], &bytes[..]].concat()[..], "s.bin", &target);
        let end = 22 + bytes.len() as u64;
        let head = [&start[..14], &22_u64.to_le_bytes(), &end.to_le_bytes(), &bytes[..]].concat();
        let _ = goal::read(&mut &head[..], "s.bin", &target);
    }

    #[test]
    fn actions(words in prop::collection::vec(prop::sample::select(&TI[..]), 0..60)) {
        let folder = folder();
        let path = folder.path().join("t.ti");
        std::fs::write(&path, format!("0 init\n1 init\n{}", words.concat())).expect("a file");
        let _ = ti::read(&path, 1e9, &folder.path().join("t.panto"));
    }
}
