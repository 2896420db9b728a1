//! What the documents say, from `data/*.csv`.

use serde::Serialize;

use crate::error::{Error, Result};

/// A figure, or a law, that a document states.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Published {
    /// Its short name.
    pub id: String,
    /// What it is, in words.
    pub quantity: String,
    /// How the figure of the model must compare.
    pub relation: Relation,
    /// The figure, or the bound of a law.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// Per cent by which an equal figure may differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<f64>,
    /// Was it told to the model, or does it follow?
    pub status: Status,
    /// Document, section, page or figure.
    pub source: String,
    /// How the simulated figure is obtained.
    pub how: String,
}

/// How the figure of the model must compare with the published one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// About equal.
    Equal,
    /// A law: less.
    Less,
    /// A law: more.
    More,
}

/// Was a figure told to the model, or does it follow?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The model was made from it.
    Given,
    /// The model knows nothing of it.
    Predicted,
}

impl Published {
    /// What a unit of the table is in seconds, bytes, bytes a second, per cent.
    pub(super) fn scale(&self) -> f64 {
        match self.unit.as_str() {
            "us" | "us/B" => 1e-6,
            "MB/s" => 1e6,
            _ => 1.0,
        }
    }

    /// The figure in seconds, bytes, bytes a second, per cent.
    pub fn si(&self) -> f64 {
        self.value * self.scale()
    }
}

/// Columns of the tables. Texts hold no commas, so that a line is what stands between them.
const COLUMNS: &str = "id,quantity,relation,value,unit,within,status,source,how";
const UNITS: [&str; 7] = ["us", "us/B", "B", "MB/s", "%", "ratio", "count"];

/// Reads a table. `name` stands in errors.
pub(super) fn parse(text: &str, name: &str) -> Result<Vec<Published>> {
    let mut lines = text.lines().enumerate();
    match lines.next() {
        Some((_, head)) if head == COLUMNS => {}
        _ => return Err(wrong(name, 1, "the columns are not the expected ones")),
    }
    lines.map(|(index, line)| row(line).map_err(|what| wrong(name, index + 1, what))).collect()
}

fn wrong(name: &str, line: usize, what: &str) -> Error {
    Error::BadFile { path: name.into(), line, what: what.into() }
}

/// The cells of a line. One that has commas stands between quotes; none has quotes inside.
fn cells(line: &str) -> Vec<&str> {
    let mut cells = Vec::new();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let quoted = text.strip_prefix('"').and_then(|text| text.split_once('"'));
        let (cell, after) = match quoted {
            Some((cell, after)) => (cell, after.strip_prefix(',')),
            None => text.split_once(',').map_or((text, None), |(cell, after)| (cell, Some(after))),
        };
        cells.push(cell);
        rest = after;
    }
    cells
}

fn row(line: &str) -> std::result::Result<Published, &'static str> {
    let cells = cells(line);
    let &[id, quantity, relation, value, unit, within, status, source, how] = cells.as_slice() else {
        return Err("there are not nine cells");
    };
    if !UNITS.contains(&unit) {
        return Err("the unit is not known");
    }
    let relation = match relation {
        "=" => Relation::Equal,
        "<" => Relation::Less,
        ">" => Relation::More,
        _ => return Err("the relation is none of = < >"),
    };
    let status = match status {
        "given" => Status::Given,
        "predicted" => Status::Predicted,
        _ => return Err("the status is neither given nor predicted"),
    };
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    Ok(Published {
        id: id.into(),
        quantity: quantity.into(),
        relation,
        value: number(value).ok_or("the value is not a number")?,
        unit: unit.into(),
        within: if within.is_empty() {
            None
        } else {
            Some(number(within).ok_or("`within` is not a number")?)
        },
        status,
        source: source.into(),
        how: how.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_between_quotes_have_commas() {
        assert_eq!(cells("a,\"b, c\",,d"), ["a", "b, c", "", "d"]);
        assert_eq!(cells("\"a, b\""), ["a, b"]);
    }

    #[test]
    fn a_row_is_read_and_slips_are_named() {
        let good = format!("{COLUMNS}\nhop,each hop,=,25,us,2,given,thesis 5.1,from the echo\n");
        let rows = parse(&good, "data/x.csv").expect("a table");
        assert!((rows[0].si() - 25e-6).abs() < 1e-12 && rows[0].within == Some(2.0));
        for (old, new) in
            [(",=,", ",~,"), ("25", "x"), (",us,", ",parsecs,"), ("given", "guessed"), (",hop", "")]
        {
            let bad = good.replace(old, new);
            assert!(bad == good || parse(&bad, "data/x.csv").is_err(), "{bad}");
        }
        assert!(parse("", "data/x.csv").is_err());
    }
}
