//! HTTP responses.

use std::io::Write;

use serde_json::json;

use super::{Request, ServedTimeline, Shared};
use crate::data::Query;

/// A response.
#[derive(Debug)]
pub struct Response {
    status: &'static str,
    kind: &'static str,
    body: Vec<u8>,
    is_head: bool,
}

const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const TILE: &str = "application/octet-stream";

const FORBIDDEN: &str = "open the whole address that `panto view` printed: its last part is a token, so that \
                         other users of this host cannot read the timeline";

impl Response {
    fn new(status: &'static str, kind: &'static str, body: Vec<u8>) -> Self {
        Self { status, kind, body, is_head: false }
    }

    /// Returns an error response with a sentence of explanation.
    pub fn refuse(status: &'static str, why: &str) -> Self {
        Self::new(status, TEXT, format!("{why}\n").into_bytes())
    }

    /// Writes the response; the connection is closed after it.
    pub fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let Self { status, kind, body, .. } = self;
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
             Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n",
            body.len()
        );
        out.write_all(head.as_bytes())?;
        if !self.is_head {
            out.write_all(body)?;
        }
        out.flush()
    }
}

impl Shared {
    /// Returns the response to a request.
    pub fn respond(&self, request: &Request) -> Response {
        let port = self.address.port();
        let is_ours =
            |host: &str| request.host == format!("{host}:{port}") || (port == 80 && request.host == host);
        if !is_ours("127.0.0.1") && !is_ours("localhost") {
            let why = format!("this server only accepts requests for {}", self.address);
            return Response::refuse("403 Forbidden", &why);
        }
        let (token, path) = request.path[1..].split_once('/').unwrap_or_default();
        if !self.token.is(token) {
            return Response::refuse("403 Forbidden", FORBIDDEN);
        }
        // The query string is for the page itself.
        let path = path.split('?').next().unwrap_or_default();
        let response = match path {
            "" => Response::new("200 OK", HTML, self.page.clone().into_bytes()),
            path => self.piece(path).unwrap_or_else(|| Response::refuse("404 Not Found", "not found")),
        };
        Response { is_head: request.is_head, ..response }
    }

    /// Returns a piece of a timeline: `t/NUMBER/QUERY`; `None` if it does not exist.
    fn piece(&self, path: &str) -> Option<Response> {
        let (number, query) = path.strip_prefix("t/")?.split_once('/')?;
        let shown = self.shown.get(number.parse::<usize>().ok()?)?;
        shown.respond(&Query::parse(query)?)
    }
}

impl ServedTimeline {
    fn respond(&self, query: &Query) -> Option<Response> {
        let view = match self.view.get() {
            None => {
                let body = json!({"name": self.name, "progress": self.progress.fraction()});
                return Some(Response::new("202 Accepted", JSON, body.to_string().into_bytes()));
            }
            Some(Err(what)) => return Some(Response::refuse("500 Internal Server Error", what)),
            Some(Ok(view)) => view,
        };
        match view.respond(query) {
            Ok(answer) => {
                let kind = if *query == Query::Meta { JSON } else { TILE };
                answer.map(|answer| Response::new("200 OK", kind, answer.bytes))
            }
            Err(error) => Some(Response::refuse("500 Internal Server Error", &error.to_string())),
        }
    }
}
