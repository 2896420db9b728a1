//! Rules as the simulator reads them.

use panto_machine::Rules;
use panto_schedule::Collective;
use panto_schedule::rules::{Row, Table};

use super::choice::Chosen;

/// What was found, and for all other collectives what `base` says.
pub(super) fn table(base: &Rules, found: &[(Collective, Chosen)]) -> Table {
    let rows: Vec<Row> = found.iter().flat_map(|(collective, chosen)| rows(*collective, chosen)).collect();
    // The last row of each collective has no conditions, which is all that a table asks for.
    base.table().with(&rows).unwrap_or_else(|_| base.table().clone())
}

/// The same as the text of a file.
pub(super) fn text(base: &Rules, found: &[(Collective, Chosen)]) -> String {
    format!(
        "# Fitted rules; collectives that were not measured are as {base} does them.\n{}",
        table(base, found)
    )
}

/// The first that fits decides, so that upper limits are enough.
fn rows(collective: Collective, chosen: &Chosen) -> Vec<Row> {
    let mut rows = Vec::new();
    for (ranks, sizes) in &chosen.groups {
        for (bytes, algorithm) in sizes {
            let mut row = Row::always(collective, *algorithm);
            row.ranks = 0..=ranks.unwrap_or(usize::MAX);
            // What each rank brings or gets: for most collectives that is the size itself.
            row.block = 0..=bytes.map_or(usize::MAX, |bytes| bytes as usize);
            rows.push(row);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_schedule::rules::{mpich, openmpi};

    #[test]
    fn tables_survive_being_written() {
        for (base, table) in [(Rules::Mpich, mpich()), (Rules::OpenMpi, openmpi())] {
            assert_eq!(&Table::parse(&text(&base, &[])).unwrap(), table);
        }
    }
}
