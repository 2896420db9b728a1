//! Selected rules as a rule table.

use panto_machine::Rules;
use panto_schedule::Collective;
use panto_schedule::rules::{Row, Table};

use super::choice::SelectedRules;

/// Returns the selected rules, with those of `base` for all other collectives.
pub(super) fn table(base: &Rules, found: &[(Collective, SelectedRules)]) -> Table {
    let rows: Vec<Row> = found.iter().flat_map(|(collective, chosen)| rows(*collective, chosen)).collect();
    // The last row of each collective has no conditions, which is all that a table requires.
    base.table().with(&rows).unwrap_or_else(|_| base.table().clone())
}

/// Returns the rules as the text of a rules file.
pub(super) fn text(base: &Rules, found: &[(Collective, SelectedRules)]) -> String {
    format!("# Fitted rules; those of {base} for collectives that were not measured.\n{}", table(base, found))
}

/// Returns the rows of a collective. The first that matches decides, so upper limits are enough.
fn rows(collective: Collective, chosen: &SelectedRules) -> Vec<Row> {
    let mut rows = Vec::new();
    for (ranks, sizes) in &chosen.groups {
        for (bytes, algorithm) in sizes {
            let mut row = Row::always(collective, *algorithm);
            row.ranks = 0..=ranks.unwrap_or(usize::MAX);
            // Bytes that each rank contributes or receives: for most collectives the size itself.
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
    fn written_tables_parse_back() {
        for (base, table) in [(Rules::Mpich, mpich()), (Rules::OpenMpi, openmpi())] {
            assert_eq!(&Table::parse(&text(&base, &[])).unwrap(), table);
        }
    }
}
