//! `panto view` writes a timeline as one page, and rejects files that are not timelines (P20).

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Output, Stdio};

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

/// Any user of the host can connect to the port; the printed address is what lets one in.
#[test]
fn the_printed_address_contains_a_token() {
    let folder = tempfile::tempdir().expect("a directory");
    stencil::write(folder.path(), 2, 10);
    succeeds(&run(folder.path(), "simulate stencil.panto --machine ipsc860 --timeline a.ptl"));
    let mut server = command()
        .args(["view", "a.ptl", "--no-browser"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let mut url = String::new();
    BufReader::new(server.stdout.take().expect("a pipe")).read_line(&mut url).expect("an address");
    let (address, path) =
        url.trim().strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("a URL");
    let status = |path: &str| {
        let mut stream = TcpStream::connect(address).expect("it listens");
        write!(stream, "GET /{path} HTTP/1.1\r\nHost: {address}\r\n\r\n").expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer.lines().next().unwrap_or_default().to_owned()
    };
    let found = [path, "", "t/0/meta"].map(status);
    server.kill().expect("it runs");
    server.wait().expect("it ended");
    assert_eq!(path.len(), 33, "{url}");
    assert_eq!(found, ["HTTP/1.1 200 OK", "HTTP/1.1 403 Forbidden", "HTTP/1.1 403 Forbidden"]);
}
