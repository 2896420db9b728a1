//! Tests of the server: accepted and rejected requests.

use std::io::{Read, Write};
use std::net::TcpStream;

use panto_timeline::{TimelineInfo, Writer};

use super::*;

/// Starts a server of a small timeline; returns its address.
fn server() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("<small>.ptl");
    Writer::create(&path, &TimelineInfo { ranks: 2, ..TimelineInfo::default() })
        .and_then(Writer::finish)
        .expect("it can be written");
    let server = serve(&[path], 0).expect("there is a free port");
    let address = server.shared.address.to_string();
    std::thread::spawn(move || server.run());
    (folder, address)
}

/// Sends a request and returns the response.
fn ask(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(request.as_bytes()).expect("it reads");
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("it answers");
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(address: &str, path: &str) -> String {
    ask(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n"))
}

#[test]
fn the_page_and_its_pieces_are_served() {
    let (_folder, address) = server();
    assert!(address.starts_with("127.0.0.1:"));
    let page = get(&address, "/");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("Content-Security-Policy"), "{page}");
    assert!(page.contains("&lt;small&gt;.ptl") && !page.contains("<small>"));
    assert!(get(&address, "/?renderer=canvas").starts_with("HTTP/1.1 200"));
    let meta = loop {
        let answer = get(&address, "/t/0/meta");
        if !answer.starts_with("HTTP/1.1 202") {
            break answer;
        }
    };
    assert!(meta.contains("\"ranks\":2"), "{meta}");
    assert!(get(&address, "/t/0/states/0/0/0/0").starts_with("HTTP/1.1 200"));
}

#[test]
fn foreign_host_names_are_rejected() {
    let (_folder, address) = server();
    let port = address.rsplit(':').next().expect("a port");
    let with = |host: &str| ask(&address, &format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    assert!(with(&format!("LocalHost:{port}")).starts_with("HTTP/1.1 200"));
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost.evil.example",
        "",
    ] {
        assert!(with(host).starts_with("HTTP/1.1 403"), "{host}");
    }
}

#[test]
fn nothing_else_is_served() {
    let (_folder, address) = server();
    for path in [
        "/etc/passwd",
        "/../Cargo.toml",
        "/t/1/meta",
        "/t/0/",
        "/t/0/../../x",
        "/t/0/states/0/0/0",
        "/x?y",
        "//",
    ] {
        assert!(get(&address, path).starts_with("HTTP/1.1 404"), "{path}");
    }
    let host = format!("Host: {address}\r\n\r\n");
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "get"] {
        assert!(
            ask(&address, &format!("{method} / HTTP/1.1\r\n{host}")).starts_with("HTTP/1.1 405"),
            "{method}"
        );
    }
    let head = ask(&address, &format!("HEAD / HTTP/1.1\r\n{host}"));
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"));
}

#[test]
fn malformed_requests_are_rejected() {
    let (_folder, address) = server();
    let long = format!("GET / HTTP/1.1\r\nX: {}\r\n", "x".repeat(20_000));
    for request in [
        "",
        "\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET x HTTP/1.1\r\nHost: a\r\n\r\n",
        "\u{0}\u{1}\r\n\r\n",
        &long,
    ] {
        let answer = ask(&address, request);
        assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    let twice = ask(&address, &format!("GET / HTTP/1.1\r\nHost: {address}\r\nHost: evil.example\r\n\r\n"));
    assert!(twice.starts_with("HTTP/1.1 400"), "{twice}");
    assert!(get(&address, "/").starts_with("HTTP/1.1 200"));
}

#[test]
fn invalid_timelines_are_errors_at_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("broken.ptl");
    std::fs::write(&path, "PANTO-TL and then nothing that makes sense, for more than a head")
        .expect("it can be written");
    let error = serve(&[path], 0).err().expect("it is broken").to_string();
    assert!(error.contains("broken.ptl") && error.contains("damaged"), "{error}");
    let missing = serve(&[folder.path().join("none.ptl")], 0).err().expect("there is none").to_string();
    assert!(missing.contains("none.ptl"), "{missing}");
}
