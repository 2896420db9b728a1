//! Programs of any format, opened as traces.

use std::path::Path;

use panto_convert::program::{self, ProgramFormat};
use panto_convert::{Error, ti};

use crate::support::{folder, from_goal};

const GOAL: &str = "// Two ranks.\nnum_ranks 2\nrank 0 {\n send 8b to 1\n}\nrank 1 {\n recv 8b from 0\n}\n";
const TI: &str = "# Two ranks.\n0 init\n1 init\n0 send 1 0 8\n1 recv 0 0 8\n0 finalize\n1 finalize\n";

/// Content counts before the extension.
#[test]
fn formats_are_detected() {
    let folder = folder();
    for (name, content, expected) in [
        ("a", GOAL, Some(ProgramFormat::Goal)),
        ("a.ti", GOAL, Some(ProgramFormat::Goal)),
        ("b", TI, Some(ProgramFormat::Ti)),
        ("b.goal", TI, Some(ProgramFormat::Ti)),
        ("c", "3 4 5\n", None),
        ("d", "num_rank 2\n", None),
        ("e", "", None),
        ("f.goal", "", Some(ProgramFormat::Goal)),
        ("g.bin", "", Some(ProgramFormat::Goal)),
        ("h.ti", "rank0.txt\nrank1.txt\n", Some(ProgramFormat::Ti)),
        ("i.toml", "[network]\nnum_ranks = 2\n", None),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("a file");
        assert_eq!(ProgramFormat::detect(&path).expect("a readable file"), expected, "{name}");
    }
    assert!(matches!(ProgramFormat::detect(&folder.path().join("none")), Err(Error::File { .. })));
}

/// The trace has the path of the file, and nothing stays in the folder for temporary files.
#[test]
fn programs_are_opened() {
    let folder = folder();
    let open = |path: &Path| program::open(path, ti::FLOPS);
    for (name, content) in [("a.goal", GOAL), ("b.ti", TI)] {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("a file");
        let program = open(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((program.trace.path(), program.trace.size()), (&*path, 2));
        assert_eq!(program.imported.map(|(_, imported)| imported.ranks), Some(2));
        assert!(program.trace.ranks()[1].events().next().expect("valid events").is_some(), "{name}");
    }
    let (trace, _) = from_goal(folder.path(), GOAL);
    assert!(open(&trace).expect("a trace").imported.is_none());
    for (name, content, expected) in [
        ("c.goal", "num_ranks 2\nrank 5 {\n}\n", "c.goal:2:6: rank 5 out of range"),
        ("d.txt", "hello\n", "d.txt: this is not a trace"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("a file");
        let error = open(&path).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(open(&folder.path().join("none.goal")).is_err());
    let own = format!("panto-{}-", std::process::id());
    let entries = std::fs::read_dir(std::env::temp_dir()).expect("a folder").flatten();
    let left: Vec<_> = entries
        .map(|entry| entry.file_name())
        .filter(|name| name.to_string_lossy().starts_with(&own))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
