//! `panto view` writes a timeline as one page, and rejects files that are not timelines (P20).

use std::path::Path;
use std::process::Output;

use super::{command, stderr, stencil, succeeds};

fn run(folder: &Path, words: &str) -> Output {
    command().args(words.split_whitespace()).current_dir(folder).output().expect("the binary starts")
}

#[test]
fn a_timeline_becomes_a_page() {
    let folder = tempfile::tempdir().expect("a directory");
    stencil::write(folder.path(), 2, 10);
    succeeds(&run(folder.path(), "simulate stencil.panto --machine ipsc860 --timeline a.ptl"));
    succeeds(&run(folder.path(), "simulate stencil.panto --machine infiniband --timeline b.ptl"));
    succeeds(&run(folder.path(), "view a.ptl b.ptl --html both.html"));
    let page = std::fs::read_to_string(folder.path().join("both.html")).expect("written");
    assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"), "{}", &page[..80]);
    for word in ["ipsc860", "infiniband", "Content-Security-Policy"] {
        assert!(page.contains(word), "no `{word}` in the page");
    }
    for outside in ["src=\"http", "href=\"http", "@import", "fetch(\"http"] {
        assert!(!page.contains(outside), "the page asks for `{outside}`");
    }
}

#[test]
fn files_that_are_not_timelines_are_rejected() {
    let folder = tempfile::tempdir().expect("a directory");
    std::fs::write(folder.path().join("text.ptl"), "no timeline").expect("writable");
    for (words, said) in
        [("view text.ptl --html x.html", "text.ptl"), ("view none.ptl --html x.html", "none.ptl")]
    {
        let output = run(folder.path(), words);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(stderr(&output).contains(said), "{words}: {}", stderr(&output));
        assert!(!folder.path().join("x.html").exists(), "{words}");
    }
}
