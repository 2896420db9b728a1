//! `[send.buffer]`: finite space for messages that are sent before they are received.

use crate::buffer::{BufferSide, SendBuffer};
use crate::file::error::Error;
use crate::file::section::Section;
use crate::file::tree::Value;
use crate::machine::Protocol;

/// Reads the table; `None` if it is missing, or if `space = "infinite"`.
pub fn buffer(section: &Section<'_>, protocol: Protocol) -> Result<Option<SendBuffer>, Error> {
    if !section.exists() || is_infinite(section) {
        return Ok(None);
    }
    let side = section.choice("at", &BufferSide::NAMED)?;
    let side = side.ok_or_else(|| section.missing("at", "\"receiver\" or \"sender\""))?;
    let space = section.positive_bytes("space")?;
    let space = space.ok_or_else(|| section.missing("space", "a size such as \"800B\""))?;
    let unit = section.positive_bytes("unit")?.unwrap_or(1);
    if unit > space {
        return Err(section.error("unit", format!("a unit of {unit} bytes exceeds the space of {space}")));
    }
    let buffer = SendBuffer { side, space, unit };
    check_protocol(section, buffer, protocol)?;
    Ok(Some(buffer))
}

/// Returns whether the space is unlimited, which removes a limit that is inherited.
fn is_infinite(section: &Section<'_>) -> bool {
    matches!(section.node("space").map(|node| &node.value), Some(Value::Text(text)) if text == "infinite")
}

/// Standard sends must be buffered somewhere, and what a receiver reserves must hold each message
/// that is sent without asking.
fn check_protocol(section: &Section<'_>, buffer: SendBuffer, protocol: Protocol) -> Result<(), Error> {
    let largest = match protocol {
        Protocol::Synchronous => {
            return Err(section.error("at", "synchronous sends are not buffered; remove the table"));
        }
        Protocol::Handshake { above: largest } | Protocol::Eager { limit: largest } => Some(largest),
        Protocol::Buffered => None,
    };
    match (buffer.side, largest) {
        (BufferSide::Receiver, None) => Err(section.error(
            "at",
            "buffers of the receiver need a largest message that is sent without asking: \
             set `send.standard` to \"handshake\" or \"eager\"",
        )),
        (BufferSide::Receiver, Some(largest)) if buffer.units_of(largest).is_none() => {
            let (units, unit) = (buffer.units(), buffer.unit);
            let text = format!(
                "{units} units of {unit} bytes cannot hold a message of {largest} bytes, which is sent without \
                 asking"
            );
            Err(section.error("space", text))
        }
        _ => Ok(()),
    }
}
