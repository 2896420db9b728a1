//! What something costs by its size.

use panto_units::Time;

use crate::cost::{Cost, PerByte, Piece, Residue};
use crate::file::error::Error;
use crate::file::schema::short_cost;
use crate::file::section::Section;
use crate::file::tree::Value;

/// A cost inside a section, as a table or in short; nothing if it is not there.
pub fn cost(section: &Section<'_>, key: &str) -> Result<Cost, Error> {
    if let Some(Value::Text(text)) = section.node(key).map(|node| &node.value) {
        return Ok(match short_cost(text) {
            Some("bandwidth") => Cost::line(Time::ZERO, section.per_byte(key)?.unwrap_or_default()),
            _ => Cost::constant(section.time(key)?.unwrap_or_default()),
        });
    }
    let path = section.name(key);
    let table = section.inner(key, &path);
    let rest = line(&table)?;
    let Some(Value::List(list)) = table.node("pieces").map(|node| &node.value) else {
        return Ok(Cost::new(Vec::new(), rest));
    };
    let mut pieces = Vec::with_capacity(list.len());
    for (index, node) in list.iter().enumerate() {
        let path = format!("{path}.pieces.{index}");
        if let Value::Table(table) = &node.value {
            pieces.push(piece(&Section::new(table, &path, &node.place))?);
        }
    }
    Ok(Cost::new(pieces, rest))
}

fn piece(section: &Section<'_>) -> Result<Piece, Error> {
    let up_to = section.bytes("up-to")?;
    let modulus = section.some_bytes("multiple-of")?;
    let remainder = section.bytes("remainder")?;
    if up_to.is_none() && modulus.is_none() {
        return Err(section.missing("up-to", "`up-to` or `multiple-of`: for which sizes this piece holds"));
    }
    let residue = match (modulus, remainder.unwrap_or(0)) {
        (Some(modulus), remainder) if remainder < modulus => Some(Residue { modulus, remainder }),
        (Some(modulus), _) => {
            return Err(
                section.error("remainder", format!("it must be less than `multiple-of`, which is {modulus}"))
            );
        }
        (None, _) if remainder.is_some() => {
            return Err(section.error("remainder", "it means nothing without `multiple-of`"));
        }
        (None, _) => None,
    };
    Ok(Piece { up_to, residue, ..line(section)? })
}

/// Start-up, rate and packets.
fn line(section: &Section<'_>) -> Result<Piece, Error> {
    if section.has("bandwidth") && section.has("per-byte") {
        return Err(section.error("per-byte", "`bandwidth` says the same; give one of them"));
    }
    let key = if section.has("bandwidth") { "bandwidth" } else { "per-byte" };
    Ok(Piece {
        startup: section.time("latency")?.unwrap_or_default(),
        per_byte: section.per_byte(key)?.unwrap_or(PerByte::ZERO),
        packet: packet(section)?,
        ..Piece::default()
    })
}

/// Bytes of a packet. Whoever inherits packets can take them away.
fn packet(section: &Section<'_>) -> Result<Option<u64>, Error> {
    match section.node("packet").map(|node| &node.value) {
        Some(Value::Text(text)) if text == "infinite" => Ok(None),
        _ => section.some_bytes("packet"),
    }
}
