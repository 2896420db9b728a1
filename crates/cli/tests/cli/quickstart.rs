//! The first command that a newcomer types.

use super::{line, succeeds};

#[test]
fn quickstart_says_what_matters_and_writes_a_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("report.html");
    let text = succeeds(&line(&format!("quickstart -t 3s -o {}", path.display())));
    for word in ["A message of 8 bytes takes", "peak bandwidth", "barrier", "Next:"] {
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
    let page = std::fs::read_to_string(&path).expect("written");
    assert!(page.starts_with("<!DOCTYPE html>") || page.starts_with("<!doctype html>"));
    assert!(page.matches("<svg").count() >= 10, "a plot a kernel");
    // The name of SVG's name space is no address that is asked for, and the empty icon keeps browsers from asking.
    let rest = page.replace("http://www.w3.org/", "").replace("<link rel=\"icon\" href=\"data:,\"/>", "");
    for outside in ["http://", "https://", "<script src", "<link "] {
        assert!(!rest.contains(outside), "the page asks for something outside: {outside}");
    }
}
