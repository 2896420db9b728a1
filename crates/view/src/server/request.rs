//! Parser of HTTP requests.

use std::io::Read;

use super::respond::Response;

/// Upper limit of a request's header, in bytes.
const MAX_HEADER_BYTES: usize = 8192;

/// A request.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// Whether only the header is requested.
    pub is_head: bool,
    pub path: String,
    /// Value of the header field `Host`.
    pub host: String,
}

impl Request {
    /// Reads the header of a request; returns an error response if it is invalid.
    pub fn read(stream: &mut impl Read) -> Result<Self, Response> {
        let (mut head, mut buffer) = (Vec::new(), [0; 1024]);
        while !head.windows(4).any(|end| end == b"\r\n\r\n") {
            if head.len() > MAX_HEADER_BYTES {
                return Err(Response::refuse(
                    "431 Request Header Fields Too Large",
                    "request header too long",
                ));
            }
            match stream.read(&mut buffer) {
                Ok(0) => return Err(Response::refuse("400 Bad Request", "incomplete request")),
                Ok(length) => head.extend(&buffer[..length]),
                Err(_) => return Err(Response::refuse("408 Request Timeout", "request timed out")),
            }
        }
        let text = std::str::from_utf8(&head).ok();
        text.and_then(parse).unwrap_or_else(|| Err(Response::refuse("400 Bad Request", "invalid request")))
    }
}

/// Parses a header: `None` if it is malformed, an error response if it is well-formed and not
/// allowed.
fn parse(head: &str) -> Option<Result<Request, Response>> {
    let mut lines = head.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, path, version) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !version.starts_with("HTTP/1.") || !path.starts_with('/') {
        return None;
    }
    let fields = lines.filter_map(|line| line.split_once(':'));
    let mut hosts = fields
        .filter(|(name, _)| name.eq_ignore_ascii_case("host"))
        .map(|(_, value)| value.trim().to_ascii_lowercase());
    let (host, none) = (hosts.next()?, hosts.next());
    if none.is_some() {
        return None;
    }
    let is_head = match method {
        "GET" => false,
        "HEAD" => true,
        _ => return Some(Err(Response::refuse("405 Method Not Allowed", "only GET and HEAD are supported"))),
    };
    Some(Ok(Request { is_head, path: path.to_owned(), host }))
}
