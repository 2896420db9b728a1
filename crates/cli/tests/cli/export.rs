//! `panto export` of timelines and traces (P15), and `panto man`.

use std::path::Path;

use crate::{stderr, stencil, succeeds};

/// Runs `panto` with the words of a line in a folder.
fn run(folder: &Path, line: &str) -> std::process::Output {
    crate::command().args(line.split_whitespace()).current_dir(folder).output().expect("the binary starts")
}

/// Returns a folder with `stencil.panto` and its timeline `stencil.ptl`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    stencil::write(folder.path(), 2, 10);
    succeeds(&run(folder.path(), "simulate stencil.panto --machine infiniband --timeline stencil.ptl"));
    folder
}

fn refused(folder: &Path, line: &str) -> String {
    let output = run(folder, line);
    assert_eq!(output.status.code(), Some(2), "{line}");
    stderr(&output)
}

#[test]
fn a_timeline_goes_to_every_viewer() {
    let folder = folder();
    for (output, files) in [
        ("a.picl", &["a.picl"][..]),
        ("a.pftrace", &["a.pftrace"]),
        ("a.prv", &["a.prv", "a.pcf", "a.row"]),
        ("a.paje", &["a.paje"]),
        ("a.csv", &["a.states.csv", "a.messages.csv"]),
        ("a.otf2", &["a.otf2/traces.otf2"]),
    ] {
        let said = succeeds(&run(folder.path(), &format!("export stencil.ptl -o {output}")));
        assert!(said.starts_with(&format!("wrote {}: 4 ranks, ", files.join(", "))), "{said}");
        for file in files {
            let bytes = std::fs::read(folder.path().join(file)).expect("it was written");
            assert!(!bytes.is_empty(), "{file}");
        }
    }
    let imported = succeeds(&run(folder.path(), "convert a.otf2 -o back.panto"));
    assert!(imported.starts_with("wrote back.panto: 4 ranks, "), "{imported}");
    let prediction = succeeds(&run(folder.path(), "simulate a.otf2/traces.otf2 -m infiniband"));
    assert!(prediction.contains("4 ranks"), "{prediction}");
    let refused = refused(folder.path(), "export stencil.ptl -o a.otf2");
    assert!(refused.contains("a.otf2: exists already; remove it"), "{refused}");
    let by_option = succeeds(&run(folder.path(), "export stencil.ptl -o other --to paje"));
    assert!(by_option.starts_with("wrote other: 4 ranks"), "{by_option}");
    let [one, other] =
        ["a.paje", "other"].map(|name| std::fs::read(folder.path().join(name)).expect("bytes"));
    assert!(one == other);
    let digits = succeeds(&run(folder.path(), "export stencil.ptl -o fine.picl --digits 9"));
    assert!(digits.contains("user events: 1 "), "{digits}");
    let text = std::fs::read_to_string(folder.path().join("fine.picl")).expect("text");
    assert!(text.starts_with("-3 -901 0.000000000 0 0 0\n-2 -904 0.000000000 0 0 3 2 1 1 1\n"), "{text}");
}

#[test]
fn a_trace_goes_to_other_simulators_from_here_too() {
    let folder = folder();
    for name in ["goal", "ti"] {
        succeeds(&run(folder.path(), &format!("export stencil.panto -o exported.{name}")));
        succeeds(&run(folder.path(), &format!("convert stencil.panto -o converted.{name}")));
    }
    let goal = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("text");
    assert_eq!(goal("exported.goal"), goal("converted.goal"));
}

#[test]
fn files_that_cannot_be_exported_are_rejected() {
    let folder = folder();
    let path = folder.path();
    let said = refused(path, "export stencil.ptl -o stencil.what");
    assert!(
        said.contains("use --to with one of picl, perfetto, paraver, paje, otf2, csv, timeline, goal, ti"),
        "{said}"
    );
    let said = refused(path, "export stencil.panto -o a.prv");
    assert!(said.contains("panto simulate stencil.panto --machine M --timeline FILE"), "{said}");
    let said = refused(path, "export stencil.ptl -o a.goal");
    assert!(said.contains("is a timeline, but other simulators take traces"), "{said}");
    let said = refused(path, "export stencil.ptl -o stencil.ptl --to paje");
    assert!(said.contains("would be overwritten"), "{said}");
    let said = refused(path, "export stencil.ptl -o a.picl --digits 0");
    assert!(said.contains("expected 1 to 12"), "{said}");
    std::fs::write(path.join("text.ptl"), "no timeline").expect("writable");
    let said = refused(path, "export text.ptl -o a.paje");
    assert!(said.contains("this is not a timeline"), "{said}");
}

#[test]
fn what_is_sound_of_a_broken_timeline_can_be_had() {
    let folder = folder();
    let path = folder.path();
    let bytes = std::fs::read(path.join("stencil.ptl")).expect("a timeline");
    std::fs::write(path.join("cut.ptl"), &bytes[..bytes.len() - 20]).expect("writable");
    std::fs::write(path.join("a.csv"), "").expect("writable");
    let said = refused(path, "export cut.ptl -o a.paje");
    assert!(
        said.contains("incomplete") && said.contains("use --salvage to export the part before the damage"),
        "{said}"
    );
    assert!(!path.join("a.paje").exists());
    let said = succeeds(&run(path, "export cut.ptl -o a.paje --salvage"));
    assert!(said.contains("note: cut.ptl: incomplete"), "{said}");
    // With a damaged block, an earlier output file stays and no partial file remains.
    let mut damaged = bytes;
    let place = damaged.windows(5).position(|mark| mark == b"PTLb\x01").expect("states") + 60;
    damaged[place] ^= 1;
    std::fs::write(path.join("damaged.ptl"), damaged).expect("writable");
    let before = std::fs::read(path.join("a.paje")).expect("it was written");
    let said = refused(path, "export damaged.ptl -o a.paje");
    assert!(said.contains("damaged at byte"), "{said}");
    assert!(std::fs::read(path.join("a.paje")).expect("it is still there") == before);
    let left = std::fs::read_dir(path).expect("a folder").flatten();
    let parts = left.filter(|file| file.file_name().to_string_lossy().ends_with(".part")).count();
    assert_eq!(parts, 0);
}

#[test]
fn man_pages_say_what_help_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = succeeds(&run(folder.path(), "man"));
    assert!(page.contains(".TH panto 1") && page.contains("panto\\-simulate(1)"), "{page}");
    let said = succeeds(&run(folder.path(), "man --dir deep/man1"));
    assert_eq!(said, "wrote the man pages to deep/man1\n");
    for (name, words) in [
        ("panto.1", "panto\\-export(1)"),
        ("panto-export.1", "Export timelines for other viewers"),
        ("panto-trace-merge.1", "merge"),
    ] {
        let path = folder.path().join("deep/man1").join(name);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(text.contains(words), "{name}:\n{text}");
    }
    assert!(!folder.path().join("deep/man1/panto-help.1").exists());
}
