//! Builds costs.

use panto_units::Time;

use crate::cost::{Cost, PerByte, Piece, Residue};
use crate::file::error::Error;
use crate::file::schema::cost_shorthand;
use crate::file::section::Section;
use crate::file::tree::Value;

/// The cost of a key, as a table or a shorthand; zero if the key is missing.
pub fn cost(section: &Section<'_>, key: &str) -> Result<Cost, Error> {
    if let Some(Value::Text(text)) = section.node(key).map(|node| &node.value) {
        return Ok(match cost_shorthand(text) {
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
            pieces.push(piece(&Section::new(table, &path, &node.location))?);
        }
    }
    Ok(Cost::new(pieces, rest))
}

fn piece(section: &Section<'_>) -> Result<Piece, Error> {
    let up_to = section.bytes("up-to")?;
    let modulus = section.positive_bytes("multiple-of")?;
    let remainder = section.bytes("remainder")?;
    if up_to.is_none() && modulus.is_none() {
        return Err(
            section.missing("up-to", "`up-to` or `multiple-of`: the sizes that this piece applies to")
        );
    }
    let residue = match (modulus, remainder.unwrap_or(0)) {
        (Some(modulus), remainder) if remainder < modulus => Some(Residue { modulus, remainder }),
        (Some(modulus), _) => {
            return Err(
                section.error("remainder", format!("it must be less than `multiple-of`, which is {modulus}"))
            );
        }
        (None, _) if remainder.is_some() => {
            return Err(section.error("remainder", "it requires `multiple-of`"));
        }
        (None, _) => None,
    };
    Ok(Piece { up_to, residue, ..line(section)? })
}

/// The latency, rate and packet size of a cost or piece.
fn line(section: &Section<'_>) -> Result<Piece, Error> {
    if section.has("bandwidth") && section.has("per-byte") {
        return Err(section.error("per-byte", "conflicts with `bandwidth`; use one of them"));
    }
    let key = if section.has("bandwidth") { "bandwidth" } else { "per-byte" };
    Ok(Piece {
        startup: section.time("latency")?.unwrap_or_default(),
        per_byte: section.per_byte(key)?.unwrap_or(PerByte::ZERO),
        packet: packet(section)?,
        ..Piece::default()
    })
}

/// The packet size; `infinite` removes one that is inherited.
fn packet(section: &Section<'_>) -> Result<Option<u64>, Error> {
    match section.node("packet").map(|node| &node.value) {
        Some(Value::Text(text)) if text == "infinite" => Ok(None),
        _ => section.positive_bytes("packet"),
    }
}
