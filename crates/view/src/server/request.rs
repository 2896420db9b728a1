//! What a browser asks for.

use std::io::Read;

use super::respond::Response;

/// The longest head of a request.
const LONGEST: usize = 8192;

/// What a browser asks for.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// Only the head of the answer is wanted.
    pub is_head: bool,
    pub path: String,
    /// The host that the browser believes to speak to.
    pub host: String,
}

impl Request {
    /// Reads the head of a request, or says what is wrong with it.
    pub fn read(stream: &mut impl Read) -> Result<Self, Response> {
        let (mut head, mut buffer) = (Vec::new(), [0; 1024]);
        while !head.windows(4).any(|end| end == b"\r\n\r\n") {
            if head.len() > LONGEST {
                return Err(Response::refuse("431 Request Header Fields Too Large", "too long a request"));
            }
            match stream.read(&mut buffer) {
                Ok(0) => return Err(Response::refuse("400 Bad Request", "the request ends too early")),
                Ok(length) => head.extend(&buffer[..length]),
                Err(_) => return Err(Response::refuse("408 Request Timeout", "the request did not come")),
            }
        }
        let text = std::str::from_utf8(&head).ok();
        text.and_then(parse).unwrap_or_else(|| Err(Response::refuse("400 Bad Request", "this is no request")))
    }
}

/// None if it makes no sense; an answer if it does, and is not for us.
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
        _ => return Some(Err(Response::refuse("405 Method Not Allowed", "only GET and HEAD are answered"))),
    };
    Some(Ok(Request { is_head, path: path.to_owned(), host }))
}
