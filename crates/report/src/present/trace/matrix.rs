//! The communication matrix as characters: rows are senders, columns receivers.

use std::fmt::Write as _;

use panto_trace::{Grid, Summary};
use panto_units::rounded_bytes;

/// Rows and columns that fit a terminal; more ranks are grouped.
const MOST_GROUPS: u32 = 32;

/// Shades, from the fewest to the most bytes.
const SHADES: &[u8] = b".:-=+*#%@";

/// Draws the matrix with a legend and a scale.
pub(super) fn matrix(summary: &Summary) -> String {
    let grid = summary.grid(MOST_GROUPS);
    let cells = || grid.bytes.iter().flatten().filter_map(|bytes| *bytes);
    let (least, most) = (cells().min().unwrap_or(0), cells().max().unwrap_or(0));
    let mut text = String::from("Bytes sent from rank (row) to rank (column)");
    if grid.ranks_in_group > 1 {
        let _ = write!(text, ", {} ranks per cell", grid.ranks_in_group);
    }
    let _ = if least == most {
        writeln!(text, ": @ {}", rounded_bytes(most))
    } else {
        writeln!(text, ": . {} to @ {}", rounded_bytes(least), rounded_bytes(most))
    };
    let width = (grid.bytes.len().saturating_sub(1) as u32 * grid.ranks_in_group).to_string().len();
    for (row, senders) in (0..).zip(&grid.bytes) {
        let shades: String = senders.iter().map(|bytes| shade(*bytes, least, most)).collect();
        let first = row * grid.ranks_in_group;
        let _ = writeln!(text, "{first:>width$}  {}", shades.trim_end());
    }
    let _ = write!(text, "{}", scale(&grid, width));
    text
}

/// Returns the shade of a cell, on a logarithmic scale: byte counts differ by factors.
fn shade(bytes: Option<u64>, least: u64, most: u64) -> char {
    let Some(bytes) = bytes else { return ' ' };
    let [bytes, least, most] = [bytes, least, most].map(|bytes| (bytes.max(1) as f64).ln());
    let share = if most > least { (bytes - least) / (most - least) } else { 1.0 };
    let place = (share * (SHADES.len() - 1) as f64).round() as usize;
    char::from(SHADES[place.min(SHADES.len() - 1)])
}

/// Returns the scale below the columns: the first rank of every eighth column.
fn scale(grid: &Grid, width: usize) -> String {
    let mut line = " ".repeat(width + 2);
    for column in (0..grid.bytes.len()).step_by(8) {
        let label = (column as u32 * grid.ranks_in_group).to_string();
        line = format!("{line:<place$}{label}", place = width + 2 + column);
    }
    line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_trace::Pair;

    #[test]
    fn a_ring_is_two_diagonals() {
        let pair = |from: u32, to: u32, bytes: u64| Pair { from, to, messages: 1, bytes };
        let ring =
            (0..4).flat_map(|rank| [pair(rank, (rank + 1) % 4, 100), pair(rank, (rank + 3) % 4, 100_000)]);
        let summary = Summary { size: 4, pairs: ring.collect(), ..Summary::default() };
        let expected = "Bytes sent from rank (row) to rank (column): . 100B to @ 97.7KiB\n\
                        0   . @\n1  @ .\n2   @ .\n3  . @\n   0\n";
        assert_eq!(matrix(&summary), expected);
    }

    #[test]
    fn many_ranks_are_grouped() {
        let pairs = (0..99).map(|from| Pair { from, to: from + 1, messages: 1, bytes: 10 });
        let summary = Summary { size: 100, pairs: pairs.collect(), ..Summary::default() };
        let text = matrix(&summary);
        assert!(
            text.starts_with(
                "Bytes sent from rank (row) to rank (column), 4 ranks per cell: . 10B to @ 30B\n"
            )
        );
        assert_eq!(text.lines().count(), 27);
    }
}
