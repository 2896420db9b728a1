//! The figures of PUPPET's thesis, read from `data/puppet.csv`.

use super::contradictions::Contradiction;
use crate::Status;
use crate::error::{Error, Result};

/// A figure of the thesis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    pub(super) table: String,
    pub(super) row: String,
    pub(super) column: String,
    pub(super) value: f64,
    pub(super) status: Status,
    pub(super) contradiction: Option<Contradiction>,
}

/// The figures of the thesis that are reproduced.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Published(Vec<Figure>);

const NAME: &str = "data/puppet.csv";
const COLUMNS: &str = "table,row,column,value,unit,status,source,contradiction";

impl Published {
    /// Parses the built-in table.
    pub(super) fn builtin() -> Result<Self> {
        Self::parse(include_str!("../../../../data/puppet.csv"))
    }

    fn parse(text: &str) -> Result<Self> {
        let mut lines = (1..).zip(text.lines());
        if lines.next().is_none_or(|(_, head)| head != COLUMNS) {
            return Err(Error::InvalidTable { table: NAME.into(), line: 1, reason: "unexpected columns" });
        }
        let figure = |(line, text)| {
            row(text).map_err(|reason| Error::InvalidTable { table: NAME.into(), line, reason })
        };
        lines.map(figure).collect::<Result<_>>().map(Self)
    }

    /// Returns the value of a figure: in seconds, as a ratio, or in per cent.
    pub(super) fn value(&self, table: &str, row: &str, column: &str) -> Result<f64> {
        self.figure(table, row, column).map(|figure| figure.value)
    }

    /// Returns a figure.
    pub(super) fn figure(&self, table: &str, row: &str, column: &str) -> Result<&Figure> {
        let is_it = |figure: &&Figure| figure.table == table && figure.row == row && figure.column == column;
        let missing = || Error::MissingFigure { table: NAME.into(), id: format!("{table}, {row}, {column}") };
        self.0.iter().find(is_it).ok_or_else(missing)
    }

    /// Returns the values of a row, in their order.
    pub(super) fn row(&self, table: &str, row: &str) -> Vec<f64> {
        let of_row = self.0.iter().filter(|figure| figure.table == table && figure.row == row);
        of_row.map(|figure| figure.value).collect()
    }
}

/// Parses a row. No cell contains a comma.
fn row(line: &str) -> std::result::Result<Figure, &'static str> {
    let cells: Vec<&str> = line.split(',').collect();
    let &[table, row, column, value, unit, status, source, contradiction] = cells.as_slice() else {
        return Err("expected eight cells");
    };
    let scale = match unit {
        "us" | "us/B" => 1e-6,
        "s" | "%" | "ratio" => 1.0,
        _ => return Err("the unit is none of us us/B s % ratio"),
    };
    let status = Status::parse(status)?;
    let contradiction = match contradiction {
        "" => None,
        name => Some(Contradiction::parse(name).ok_or("unknown contradiction")?),
    };
    if (status == Status::Contradicted) != contradiction.is_some() {
        return Err("a contradicted figure, and no other, names what contradicts it");
    }
    if source.is_empty() {
        return Err("no source");
    }
    let value = value.parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
    Ok(Figure {
        table: table.into(),
        row: row.into(),
        column: column.into(),
        value: value.ok_or("the value is not a number above 0")? * scale,
        status,
        contradiction,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_complete() {
        let published = Published::builtin().unwrap();
        let count = |table: &str| published.0.iter().filter(|figure| figure.table == table).count();
        assert_eq!(["5.2.1", "A.1", "A.4", "A.5", "A.6", "A.7"].map(count), [2, 14, 60, 22, 18, 8]);
        assert_eq!(["5.2.2", "A.1 measured", "A.2", "A.2 measured"].map(count), [2, 14, 8, 8]);
        assert_eq!(["A.3", "A.3 measured"].map(count), [43, 43]);
        let given = published.0.iter().filter(|figure| figure.status == Status::Given).count();
        assert_eq!(given, 13);
        let contradicted = published.0.iter().filter(|figure| figure.status == Status::Contradicted).count();
        assert_eq!(contradicted, 66);
        assert!((published.value("5.2.1", "link", "startup").unwrap() - 1.449_848e-3).abs() < 1e-12);
    }

    #[test]
    fn the_square_roots_are_those_of_the_speed_ups() {
        let published = Published::builtin().unwrap();
        for size in ["10000", "20000", "40000", "80000"] {
            for processors in [2, 4, 8, 16, 32] {
                let value =
                    |what: &str| published.value("A.4", size, &format!("{processors} {what}")).unwrap();
                assert!((value("typical").sqrt() - value("square-root")).abs() < 1e-4, "{size} {processors}");
            }
        }
    }

    #[test]
    fn invalid_rows_are_refused_with_their_line() {
        let good = format!("{COLUMNS}\nA.7,ring,2,1.98,ratio,predicted,thesis p. 100,\n");
        assert!(Published::parse(&good).is_ok());
        for (old, new) in [
            ("1.98", "x"),
            ("ratio", "yards"),
            ("predicted", "guessed"),
            ("predicted", "contradicted"),
            (",ring", ""),
            ("thesis p. 100", ""),
        ] {
            let error = Published::parse(&good.replace(old, new)).unwrap_err().to_string();
            assert!(error.starts_with("data/puppet.csv:2: "), "{error}");
        }
        assert!(Published::parse("").is_err());
    }
}
