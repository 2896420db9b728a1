//! Published figures, read from `data/*.csv`.

use serde::Serialize;

use crate::error::{Error, Result};

/// A figure, or a law, that a document states.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Published {
    /// Its short name.
    pub id: String,
    /// Description of the figure.
    pub quantity: String,
    /// How the simulated figure must compare.
    pub relation: Relation,
    /// The figure, or the bound of a law.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// Tolerance of an equal figure, in per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<f64>,
    /// Whether the model was given it or predicts it, or the document contradicts it.
    pub status: Status,
    /// Document, section, page or figure.
    pub source: String,
    /// How the simulated figure is obtained.
    pub how: String,
    /// What the document says to the contrary, quoted with its section; only of contradicted
    /// figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<String>,
}

/// How the simulated figure must compare with the published one.
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

/// Where a figure stands: whether a model was given it or predicts it, or whether its own document
/// contradicts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The model was fitted to it.
    Given,
    /// The model does not depend on it.
    Predicted,
    /// The document states the contrary elsewhere, so no model can reproduce all of it.
    Contradicted,
}

impl Status {
    /// Parses the status of a table.
    pub(super) fn parse(text: &str) -> std::result::Result<Self, &'static str> {
        match text {
            "given" => Ok(Self::Given),
            "predicted" => Ok(Self::Predicted),
            "contradicted" => Ok(Self::Contradicted),
            _ => Err("the status is none of given, predicted and contradicted"),
        }
    }

    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Predicted => "predicted",
            Self::Contradicted => "contradicted",
        }
    }
}

impl Published {
    /// Returns the unit of the table in seconds, bytes, bytes per second or per cent.
    pub(super) fn scale(&self) -> f64 {
        match self.unit.as_str() {
            "us" | "us/B" => 1e-6,
            "MB/s" => 1e6,
            _ => 1.0,
        }
    }

    /// Returns the figure in seconds, bytes, bytes per second or per cent.
    pub fn si(&self) -> f64 {
        self.value * self.scale()
    }
}

/// Columns of the tables.
const COLUMNS: &str = "id,quantity,relation,value,unit,within,status,source,how,contradiction";
const UNITS: [&str; 7] = ["us", "us/B", "B", "MB/s", "%", "ratio", "count"];

/// Parses a table; `name` is its file, for errors.
pub(super) fn parse(text: &str, name: &str) -> Result<Vec<Published>> {
    let mut lines = text.lines().enumerate();
    match lines.next() {
        Some((_, head)) if head == COLUMNS => {}
        _ => return Err(invalid(name, 1, "unexpected columns")),
    }
    lines.map(|(index, line)| row(line).map_err(|what| invalid(name, index + 1, what))).collect()
}

fn invalid(name: &str, line: usize, reason: &'static str) -> Error {
    Error::InvalidTable { table: name.into(), line, reason }
}

/// Splits a line into cells. Cells with commas are quoted; none contains quotes.
pub(super) fn cells(line: &str) -> Vec<&str> {
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
    let &[id, quantity, relation, value, unit, within, status, source, how, contradiction] = cells.as_slice()
    else {
        return Err("expected ten cells");
    };
    if !UNITS.contains(&unit) {
        return Err("unknown unit");
    }
    let relation = match relation {
        "=" => Relation::Equal,
        "<" => Relation::Less,
        ">" => Relation::More,
        _ => return Err("the relation is none of = < >"),
    };
    let status = Status::parse(status)?;
    if (status == Status::Contradicted) == contradiction.is_empty() {
        return Err("a contradicted figure, and no other, states what contradicts it");
    }
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
        contradiction: (!contradiction.is_empty()).then(|| contradiction.into()),
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
    fn invalid_rows_are_refused() {
        let good = format!("{COLUMNS}\nhop,each hop,=,25,us,2,given,thesis 5.1,from the echo,\n");
        let rows = parse(&good, "data/x.csv").expect("a table");
        assert!((rows[0].si() - 25e-6).abs() < 1e-12 && rows[0].within == Some(2.0));
        for (old, new) in [
            (",=,", ",~,"),
            ("25", "x"),
            (",us,", ",parsecs,"),
            ("given", "guessed"),
            ("given", "contradicted"),
        ] {
            let bad = good.replace(old, new);
            assert!(bad == good || parse(&bad, "data/x.csv").is_err(), "{bad}");
        }
        assert!(parse("", "data/x.csv").is_err());
    }
}
