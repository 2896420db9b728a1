//! Golden files: exports of a small timeline, inspected by eye and opened in other tools.
//! `PANTO_BLESS=1 cargo test -p panto-convert` rewrites them.

use std::path::Path;

use panto_convert::{csv, paje, paraver, perfetto, picl};

use crate::support::folder;
use crate::timelines::small;
use crate::wire;

#[test]
fn exports_match_golden_files() {
    let folder = folder();
    let timeline = small(folder.path());
    let target = |name: &str| folder.path().join(name);
    picl::write(&timeline, picl::DECIMALS, &target("small.picl")).expect("PICL");
    paraver::write(&timeline, &target("small.prv")).expect("Paraver");
    paje::write(&timeline, &target("small.paje")).expect("Paje");
    csv::write(&timeline, &target("small.csv")).expect("CSV");
    perfetto::write(&timeline, &target("small.pftrace")).expect("Perfetto");
    // As text, so that differences are readable.
    let trace = std::fs::read(target("small.pftrace")).expect("a trace");
    std::fs::write(target("small.perfetto.txt"), wire::text(&wire::trace(&trace))).expect("text");
    let names = ["small.picl", "small.prv", "small.pcf", "small.row", "small.paje", "small.states.csv"];
    for name in names.into_iter().chain(["small.messages.csv", "small.perfetto.txt"]) {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
        let written = std::fs::read_to_string(target(name)).expect("text");
        if std::env::var_os("PANTO_BLESS").is_some() {
            std::fs::write(&golden, &written).expect("writable");
        }
        let expected = std::fs::read_to_string(&golden).expect("PANTO_BLESS=1 writes it");
        assert!(written == expected, "{name} differs:\n{written}");
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").flatten().collect();
    assert!(left.iter().all(|file| !file.file_name().to_string_lossy().ends_with(".part")), "{left:?}");
}

#[test]
fn failed_exports_keep_previous_files() {
    let folder = folder();
    let timeline = small(folder.path());
    let target = folder.path().join("missing/out.paje");
    let error = paje::write(&timeline, &target).expect_err("no such folder").to_string();
    assert!(error.contains("missing/out.paje"), "{error}");
    let error = paje::write(&timeline, folder.path()).expect_err("a folder").to_string();
    assert!(error.contains("directory"), "{error}");
    // The second of three files cannot be written: the first keeps its previous content.
    let (trace, meanings) = (folder.path().join("out.prv"), folder.path().join("out.pcf"));
    std::fs::write(&trace, "before").expect("writable");
    std::fs::create_dir(&meanings).expect("a folder");
    assert!(paraver::write(&timeline, &trace).is_err());
    assert_eq!(std::fs::read_to_string(&trace).expect("text"), "before");
}
