//! What the thesis says, from `data/puppet.csv`.

use crate::error::Error;

/// Was a figure used for the fit, or does it follow?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Used for the fit.
    Given,
    /// It follows.
    Predicted,
}

/// A figure of the thesis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    pub(super) table: String,
    pub(super) row: String,
    pub(super) column: String,
    pub(super) value: f64,
    pub(super) status: Status,
}

/// All figures that are needed here.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Published(Vec<Figure>);

const NAME: &str = "data/puppet.csv";
const COLUMNS: &str = "table,row,column,value,unit,status,source";

impl Published {
    /// The table that comes with the program.
    pub(super) fn known() -> Result<Self, Error> {
        Self::parse(include_str!("../../../../data/puppet.csv"))
    }

    fn parse(text: &str) -> Result<Self, Error> {
        let mut lines = (1..).zip(text.lines());
        if lines.next().is_none_or(|(_, head)| head != COLUMNS) {
            return Err(Error::new(format!("{NAME}:1: the columns are not {COLUMNS}")));
        }
        let figure =
            |(number, line)| row(line).map_err(|what| Error::new(format!("{NAME}:{number}: {what}")));
        lines.map(figure).collect::<Result<_, _>>().map(Self)
    }

    /// A figure, in seconds, ratios, per cent.
    pub(super) fn value(&self, table: &str, row: &str, column: &str) -> Result<f64, Error> {
        self.figure(table, row, column).map(|figure| figure.value)
    }

    /// A figure.
    pub(super) fn figure(&self, table: &str, row: &str, column: &str) -> Result<&Figure, Error> {
        let is_it = |figure: &&Figure| figure.table == table && figure.row == row && figure.column == column;
        let missing = || Error::new(format!("{NAME} has no {table}, {row}, {column}"));
        self.0.iter().find(is_it).ok_or_else(missing)
    }

    /// The figures of a row, in their order.
    pub(super) fn row(&self, table: &str, row: &str) -> Vec<f64> {
        let of_row = self.0.iter().filter(|figure| figure.table == table && figure.row == row);
        of_row.map(|figure| figure.value).collect()
    }
}

/// Texts hold no commas, so that a cell is what stands between them.
fn row(line: &str) -> Result<Figure, &'static str> {
    let cells: Vec<&str> = line.split(',').collect();
    let &[table, row, column, value, unit, status, source] = cells.as_slice() else {
        return Err("there are not seven cells");
    };
    let scale = match unit {
        "us" | "us/B" => 1e-6,
        "s" | "%" | "ratio" => 1.0,
        _ => return Err("the unit is none of us us/B s % ratio"),
    };
    let status = match status {
        "given" => Status::Given,
        "predicted" => Status::Predicted,
        _ => return Err("the status is neither given nor predicted"),
    };
    if source.is_empty() {
        return Err("nothing says where it stands");
    }
    let value = value.parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
    Ok(Figure {
        table: table.into(),
        row: row.into(),
        column: column.into(),
        value: value.ok_or("the value is not a number above 0")? * scale,
        status,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        let published = Published::known().unwrap();
        let count = |table: &str| published.0.iter().filter(|figure| figure.table == table).count();
        assert_eq!(["5.2.1", "A.1", "A.4", "A.5", "A.6", "A.7"].map(count), [2, 10, 60, 22, 18, 8]);
        let given = published.0.iter().filter(|figure| figure.status == Status::Given).count();
        assert_eq!(given, 25);
        assert!((published.value("5.2.1", "link", "startup").unwrap() - 1.449_848e-3).abs() < 1e-12);
    }

    #[test]
    fn the_square_roots_are_those_of_the_speed_ups() {
        let published = Published::known().unwrap();
        for size in ["10000", "20000", "40000", "80000"] {
            for processors in [2, 4, 8, 16, 32] {
                let value =
                    |what: &str| published.value("A.4", size, &format!("{processors} {what}")).unwrap();
                assert!((value("typical").sqrt() - value("square-root")).abs() < 1e-4, "{size} {processors}");
            }
        }
    }

    #[test]
    fn slips_are_named() {
        let good = format!("{COLUMNS}\nA.7,ring,2,1.98,ratio,predicted,thesis p. 100\n");
        assert!(Published::parse(&good).is_ok());
        for (old, new) in [
            ("1.98", "x"),
            ("ratio", "yards"),
            ("predicted", "guessed"),
            (",ring", ""),
            ("thesis p. 100", ""),
        ] {
            let error = Published::parse(&good.replace(old, new)).unwrap_err().to_string();
            assert!(error.starts_with("data/puppet.csv:2: "), "{error}");
        }
        assert!(Published::parse("").is_err());
    }
}
