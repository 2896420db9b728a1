//! Tests of the server: accepted and rejected requests.

use std::io::{Read, Write};
use std::net::TcpStream;

use panto_timeline::{TimelineInfo, Writer};

use super::*;

/// A server of a small timeline, until the process ends.
struct Running {
    _folder: tempfile::TempDir,
    /// Host and port.
    address: String,
    /// Path of the page.
    root: String,
}

impl Running {
    fn get(&self, path: &str) -> String {
        get(&self.address, &format!("{}{path}", self.root))
    }
}

fn server() -> Running {
    let (folder, server) = stopped();
    let running = running(folder, &server);
    std::thread::spawn(move || server.run());
    running
}

fn running(folder: tempfile::TempDir, server: &Server) -> Running {
    let address = server.shared.address.to_string();
    let root = server.url().strip_prefix(&format!("http://{address}")).expect("its address").to_owned();
    Running { _folder: folder, address, root }
}

/// Returns a server that does not yet accept connections.
fn stopped() -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("<small>.ptl");
    Writer::create(&path, &TimelineInfo { ranks: 2, ..TimelineInfo::default() })
        .and_then(Writer::finish)
        .expect("it can be written");
    (folder, serve(&[path], 0).expect("there is a free port"))
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
    let server = server();
    assert!(server.address.starts_with("127.0.0.1:"));
    let page = server.get("");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("Content-Security-Policy"), "{page}");
    assert!(page.contains("&lt;small&gt;.ptl") && !page.contains("<small>"));
    assert!(server.get("?renderer=canvas").starts_with("HTTP/1.1 200"));
    let meta = loop {
        let answer = server.get("t/0/meta");
        if !answer.starts_with("HTTP/1.1 202") {
            break answer;
        }
    };
    assert!(meta.contains("\"ranks\":2"), "{meta}");
    assert!(server.get("t/0/states/0/0/0/0").starts_with("HTTP/1.1 200"));
}

#[test]
fn foreign_host_names_are_rejected() {
    let server = server();
    let port = server.address.rsplit(':').next().expect("a port");
    let with =
        |host: &str| ask(&server.address, &format!("GET {} HTTP/1.1\r\nHost: {host}\r\n\r\n", server.root));
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

/// Every user of the host can connect, but not every one knows the token.
#[test]
fn requests_without_the_token_are_rejected() {
    let (server, other) = (server(), server());
    let token = server.root.trim_matches('/');
    for path in [
        "/",
        "/t/0/meta",
        "/?",
        other.root.as_str(),
        &format!("/{}/", &token[1..]),
        &format!("/{token}0/t/0/meta"),
        &format!("//{token}/"),
        &format!("/?{token}/"),
        &format!("/{}", token.to_uppercase()),
        &format!("/{token}"),
    ] {
        let answer = get(&server.address, path);
        assert!(answer.starts_with("HTTP/1.1 403"), "{path}: {answer}");
        assert!(answer.contains("address that `panto view` printed") && !answer.contains(token), "{answer}");
    }
    assert!(server.get("").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_thread_that_cannot_be_started_is_an_error_response() {
    let (folder, server) = stopped();
    let running = running(folder, &server);
    let failures = AtomicUsize::new(MAX_CONNECTIONS + 1);
    std::thread::spawn(move || {
        server.run_on(|job| {
            match failures.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)) {
                Ok(_) => Err(std::io::ErrorKind::WouldBlock.into()),
                Err(_) => spawn(job),
            }
        });
    });
    for _ in 0..=MAX_CONNECTIONS {
        let mut answer = String::new();
        let mut stream = TcpStream::connect(&running.address).expect("it listens");
        stream.read_to_string(&mut answer).expect("it answers");
        assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("cannot start a thread"), "{answer}");
    }
    assert!(running.get("").starts_with("HTTP/1.1 200"));
}

#[test]
fn nothing_else_is_served() {
    let server = server();
    for path in
        ["etc/passwd", "../Cargo.toml", "t/1/meta", "t/0/", "t/0/../../x", "t/0/states/0/0/0", "x?y", "/"]
    {
        assert!(server.get(path).starts_with("HTTP/1.1 404"), "{path}");
    }
    let (address, root) = (server.address, server.root);
    let host = format!("Host: {address}\r\n\r\n");
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "get"] {
        assert!(
            ask(&address, &format!("{method} {root} HTTP/1.1\r\n{host}")).starts_with("HTTP/1.1 405"),
            "{method}"
        );
    }
    let head = ask(&address, &format!("HEAD {root} HTTP/1.1\r\n{host}"));
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"));
}

#[test]
fn malformed_requests_are_rejected() {
    let server = server();
    let address = &server.address;
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
        let answer = ask(address, request);
        assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    let twice = ask(address, &format!("GET / HTTP/1.1\r\nHost: {address}\r\nHost: evil.example\r\n\r\n"));
    assert!(twice.starts_with("HTTP/1.1 400"), "{twice}");
    assert!(server.get("").starts_with("HTTP/1.1 200"));
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
