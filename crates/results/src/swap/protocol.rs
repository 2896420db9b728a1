//! The protocols: ten unordered, eleven ordered (T1).

use std::fmt;
use std::str::FromStr;

use panto_calls::SendMode;

use crate::error::{Error, Result};

/// How two ranks carry out one SWAP, or several ranks one SENDRECV.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protocol {
    /// Whether both ranks send at once, or one after the other.
    pub order: Order,
    /// Number among the protocols of its order.
    pub number: u8,
    /// Name, composed of the calls that a program would make.
    pub name: &'static str,
    /// Mode of its sends.
    pub mode: SendMode,
    /// Whether the send is immediate, that of the first rank where ranks alternate.
    pub starts_send: bool,
    /// Whether the receive is posted before the send, that of the first rank where ranks alternate.
    pub posts_receive: bool,
    /// A protocol that is neither of these combinations.
    pub special: Option<Special>,
}

/// Whether both ranks send at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// At once: ping-ping.
    Unordered,
    /// The first rank sends, the second replies: ping-pong.
    Ordered,
}

/// Protocols that are no combination of sends and receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// The message layer's own send-receive call.
    Native,
    /// A rank sends only after its peer has announced that it is ready to receive.
    Handshake,
}

const fn row(
    (order, number): (Order, u8),
    name: &'static str,
    mode: SendMode,
    starts_send: bool,
    posts_receive: bool,
) -> Protocol {
    Protocol { order, number, name, mode, starts_send, posts_receive, special: None }
}

use Order::{Ordered, Unordered};
use SendMode::{Buffered, Ready, Standard, Synchronous};

impl Protocol {
    /// All protocols, in their order.
    pub const ALL: [Self; 21] = [
        row((Unordered, 0), "bsend-recv", Buffered, false, false),
        row((Unordered, 1), "isend-recv", Standard, true, false),
        row((Unordered, 2), "irecv-send", Standard, false, true),
        row((Unordered, 3), "irecv-isend", Standard, true, true),
        row((Unordered, 4), "irecv-rsend", Ready, false, true),
        row((Unordered, 5), "irecv-irsend", Ready, true, true),
        Self {
            special: Some(Special::Native),
            ..row((Unordered, 6), "native-sendrecv", Standard, false, false)
        },
        row((Unordered, 7), "issend-recv", Synchronous, true, false),
        row((Unordered, 8), "irecv-ssend", Synchronous, false, true),
        row((Unordered, 9), "irecv-issend", Synchronous, true, true),
        row((Ordered, 0), "ordered-send", Standard, false, false),
        row((Ordered, 1), "ordered-isend", Standard, true, false),
        row((Ordered, 2), "ordered-irecv-send", Standard, false, true),
        row((Ordered, 3), "ordered-irecv-isend", Standard, true, true),
        row((Ordered, 4), "ordered-irecv-rsend", Ready, false, true),
        row((Ordered, 5), "ordered-irecv-irsend", Ready, true, true),
        Self {
            special: Some(Special::Handshake),
            ..row((Ordered, 6), "ordered-handshake", Standard, false, false)
        },
        row((Ordered, 7), "ordered-issend", Synchronous, true, false),
        row((Ordered, 8), "ordered-irecv-ssend", Synchronous, false, true),
        row((Ordered, 9), "ordered-irecv-issend", Synchronous, true, true),
        row((Ordered, 10), "ordered-ssend", Synchronous, false, false),
    ];

    /// Returns the index among all protocols.
    pub fn place(&self) -> usize {
        Self::ALL.iter().position(|other| other == self).unwrap_or(Self::ALL.len())
    }

    /// Returns the id, such as `(0,3)`.
    pub fn id(&self) -> String {
        format!("({},{})", u8::from(self.order == Ordered), self.number)
    }

    /// Returns whether its sends wait for the receiver.
    pub fn is_synchronous(&self) -> bool {
        self.mode == Synchronous
    }

    /// Returns whether anything can be posted earlier or waited for later. If not, the preposting
    /// loop equals the basic one.
    pub fn can_prepost(&self) -> bool {
        self.starts_send || self.posts_receive
    }

    /// Returns the same protocol with sends of another mode.
    pub fn with_mode(&self, mode: SendMode) -> Option<&'static Self> {
        let shape = |p: &Self| (p.order, p.starts_send, p.posts_receive, p.special, p.mode);
        let wanted = (self.order, self.starts_send, self.posts_receive, self.special, mode);
        Self::ALL.iter().find(|other| shape(other) == wanted)
    }
}

/// Formats the id and the name.
impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id(), self.name)
    }
}

/// Parses an id or a name.
impl FromStr for Protocol {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let named = |protocol: &&Self| protocol.id() == plain || protocol.name == plain;
        Self::ALL.iter().find(named).copied().ok_or_else(|| unknown(text))
    }
}

/// The protocols that a list names: ids, names, `all`, `unordered`, `ordered`. Each comes once, in
/// their order.
///
/// ```
/// use panto_results::swap::parse_protocols;
/// let named = |text| parse_protocols(text).unwrap().iter().map(|p| p.to_string()).collect::<Vec<_>>();
/// assert_eq!(named("(1,10), irecv-isend"), ["(0,3) irecv-isend", "(1,10) ordered-ssend"]);
/// assert_eq!(named("ordered").len(), 11);
/// assert!(parse_protocols("(0,10)").is_err());
/// ```
pub fn parse_protocols(text: &str) -> Result<Vec<Protocol>> {
    let mut chosen = Vec::new();
    for word in words(text) {
        match word.as_str() {
            "all" => chosen.extend(Protocol::ALL),
            "unordered" => chosen.extend(Protocol::ALL.iter().filter(|p| p.order == Unordered)),
            "ordered" => chosen.extend(Protocol::ALL.iter().filter(|p| p.order == Ordered)),
            word => chosen.push(word.parse()?),
        }
    }
    chosen.sort_by_key(Protocol::place);
    chosen.dedup();
    Ok(chosen)
}

/// Splits at commas, except for those within an id.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut inside) = (vec![String::new()], false);
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        inside = (inside || c == '(') && c != ')';
        match words.last_mut() {
            Some(word) if c != ',' || inside => word.push(c),
            _ => words.push(String::new()),
        }
    }
    words
}

fn unknown(text: &str) -> Error {
    let names: Vec<&str> = Protocol::ALL.iter().map(|protocol| protocol.name).collect();
    Error::usage(format!(
        "unknown protocol `{text}`; use (0,0) to (0,9), (1,0) to (1,10), a name ({}), or `all`, `unordered` or `ordered`",
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_are_unordered_and_eleven_ordered() {
        let numbers = |order| -> Vec<u8> {
            Protocol::ALL.iter().filter(|p| p.order == order).map(|protocol| protocol.number).collect()
        };
        assert_eq!(numbers(Unordered), (0..10).collect::<Vec<u8>>());
        assert_eq!(numbers(Ordered), (0..11).collect::<Vec<u8>>());
    }

    #[test]
    fn ids_and_names_are_read_back_and_differ() {
        for protocol in Protocol::ALL {
            assert_eq!(protocol.id().parse::<Protocol>().unwrap(), protocol);
            assert_eq!(protocol.name.parse::<Protocol>().unwrap(), protocol);
        }
    }

    #[test]
    fn what_is_not_there_is_refused_with_what_is() {
        for text in ["(0,10)", "(1,11)", "(2,0)", "send", "", "(0,3", "(0,1),,(0,2)"] {
            let error = parse_protocols(text).unwrap_err().to_string();
            assert!(error.contains("(0,0) to (0,9)") && error.contains("irecv-isend"), "{text}: {error}");
        }
    }

    #[test]
    fn the_same_with_another_mode() {
        let with = |id: &str, mode| id.parse::<Protocol>().unwrap().with_mode(mode).map(Protocol::id);
        assert_eq!(with("(0,8)", Standard).as_deref(), Some("(0,2)"));
        assert_eq!(with("(1,5)", Standard).as_deref(), Some("(1,3)"));
        assert_eq!(with("(1,10)", Standard).as_deref(), Some("(1,0)"));
        assert_eq!(with("(0,0)", Standard), None);
        assert_eq!(with("(1,6)", Synchronous), None);
    }
}
