//! Writes rules as text that the parser reads.

use std::fmt;
use std::ops::RangeInclusive;

use super::{ALL, Row, Table};

/// Writes one rule per line.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows().try_for_each(|row| writeln!(f, "{row}"))
    }
}

/// Writes `broadcast binomial ranks<=8 bytes<=2048  # reason`.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.collective, self.algorithm)?;
        let ranges =
            [("ranks", &self.ranks), ("bytes", &self.bytes), ("block", &self.block), ("share", &self.share)];
        ranges.into_iter().try_for_each(|(key, range)| conditions(f, key, range))?;
        if self.power_of_two {
            f.write_str(" power-of-two")?;
        }
        // A note ends with its line.
        let note = self.note.replace(char::is_control, " ");
        if note.is_empty() { Ok(()) } else { write!(f, "  # {note}") }
    }
}

fn conditions(f: &mut fmt::Formatter<'_>, key: &str, range: &RangeInclusive<usize>) -> fmt::Result {
    if range.start() > ALL.start() {
        write!(f, " {key}>={}", range.start())?;
    }
    if range.end() < ALL.end() {
        write!(f, " {key}<={}", range.end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Table, mpich, openmpi, puppet};

    #[test]
    fn what_is_written_is_read_again() {
        for table in [mpich(), openmpi(), puppet()] {
            assert_eq!(Table::parse(&table.to_string()).as_ref(), Ok(table));
        }
    }
}
