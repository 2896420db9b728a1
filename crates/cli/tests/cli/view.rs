//! `panto view` writes a timeline as one page, and rejects files that are not timelines (P20).

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Output, Stdio};

use panto_trace::{Builder, CallForm, Metadata};

use super::{command, stderr, stdout, stencil, succeeds};

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

/// Writes a trace with the moments of calls, as a folder of ranks' files: rank 1 receives a message
/// that rank 0 sends a millisecond later.
fn late_sender(folder: &Path) {
    let [mut sender, mut receiver] = [0, 1].map(|rank| {
        let mut rank = Builder::new(rank, 2, 1);
        rank.keep_stamps();
        rank
    });
    sender.compute(1_000_000);
    sender.inside(2_000);
    sender.send(CallForm::Blocking, 1, 7, 100);
    receiver.inside(1_003_000);
    receiver.receive(CallForm::Blocking, Some(0), Some(7), 100);
    let folder = folder.join("run.panto");
    std::fs::create_dir(&folder).expect("writable");
    for (name, rank) in [("0.rank", sender), ("1.rank", receiver)] {
        std::fs::write(folder.join(name), rank.finish(&Metadata::default())).expect("writable");
    }
}

/// A trace with the moments of calls is a measured timeline for every command that takes one.
#[test]
fn a_measured_run_is_shown_and_exported() {
    let folder = tempfile::tempdir().expect("a directory");
    late_sender(folder.path());
    succeeds(&run(folder.path(), "simulate run.panto --machine infiniband --timeline predicted.ptl"));
    succeeds(&run(folder.path(), "view run.panto predicted.ptl --html both.html"));
    succeeds(&run(folder.path(), "report run.panto predicted.ptl -o report.html"));
    for page in ["both.html", "report.html"] {
        let page = std::fs::read_to_string(folder.path().join(page)).expect("written");
        assert!(page.contains("run.panto") && page.contains("infiniband"));
    }
    succeeds(&run(folder.path(), "export run.panto -o run.csv"));
    let messages = std::fs::read_to_string(folder.path().join("run.messages.csv")).expect("written");
    assert!(messages.contains("0.001000000000,0.001003000000"), "{messages}");
    succeeds(&run(folder.path(), "export run.panto -o run.ptl"));
    let shown = succeeds(&run(folder.path(), "info run.ptl"));
    assert!(shown.contains("late sender  MPI_Recv  1.00ms"), "{shown}");
    let json = succeeds(&run(folder.path(), "info run.ptl --format json"));
    assert!(json.contains("\"kind\":\"late sender\""), "{json}");
}

/// Where the prediction differs from the run: in the receive, which waits for computation.
#[test]
fn a_measured_run_is_compared_with_a_prediction() {
    let folder = tempfile::tempdir().expect("a directory");
    late_sender(folder.path());
    succeeds(&run(folder.path(), "simulate run.panto --machine infiniband --speed 2 --timeline half.ptl"));
    let shown = succeeds(&run(folder.path(), "compare run.panto half.ptl"));
    assert!(shown.contains("run.panto: 1.00ms; half.ptl: 501us; ratio 0.499"), "{shown}");
    assert!(
        shown.contains("computation  1.00ms          0s  500us          0s      -500us  rank 0"),
        "{shown}"
    );
    let json = succeeds(&run(folder.path(), "compare run.panto half.ptl --format json"));
    assert!(json.contains("\"function\":\"MPI_Recv\""), "{json}");
    let output = run(folder.path(), "compare run.panto half.ptl --plot x.svg");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn a_trace_without_moments_says_how_to_record_them() {
    let folder = tempfile::tempdir().expect("a directory");
    stencil::write(folder.path(), 2, 10);
    for words in ["view stencil.panto --html x.html", "export stencil.panto -o x.ptl"] {
        let output = run(folder.path(), words);
        assert_eq!(output.status.code(), Some(2), "{words}: {}", stdout(&output));
        assert!(stderr(&output).contains("panto trace --stamps"), "{words}: {}", stderr(&output));
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
