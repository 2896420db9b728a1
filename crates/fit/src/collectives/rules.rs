//! Rules as the text that the simulator reads.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use panto_machine::Rules;
use panto_schedule::Collective;
use panto_schedule::rules::Row;

use super::choice::Chosen;

/// What was found, and for all other collectives what `base` says.
pub(super) fn text(base: &Rules, found: &[(Collective, Chosen)]) -> String {
    let mut text = format!("# Fitted rules; collectives that were not measured are as {base} does them.\n");
    for (collective, chosen) in found {
        own(&mut text, *collective, chosen);
    }
    let measured = |collective: Collective| found.iter().any(|(other, _)| *other == collective);
    for row in base.table().rows().filter(|row| !measured(row.collective)) {
        let _ = writeln!(text, "{} {}{}", row.collective, row.algorithm, conditions(row));
    }
    text
}

fn own(text: &mut String, collective: Collective, chosen: &Chosen) {
    for (ranks, rules) in &chosen.groups {
        let ranks = ranks.map_or_else(String::new, |most| format!(" ranks<={most}"));
        for (bytes, algorithm) in rules {
            let bytes = bytes.map_or_else(String::new, |most| format!(" bytes<={most}"));
            let _ = writeln!(text, "{collective} {algorithm}{ranks}{bytes}");
        }
    }
}

fn conditions(row: &Row) -> String {
    let range = |name: &str, range: &RangeInclusive<usize>| {
        let from = (*range.start() > 0).then(|| format!(" {name}>={}", range.start()));
        let to = (*range.end() < usize::MAX).then(|| format!(" {name}<={}", range.end()));
        from.unwrap_or_default() + &to.unwrap_or_default()
    };
    let power = if row.power_of_two { " power-of-two" } else { "" };
    [("ranks", &row.ranks), ("bytes", &row.bytes), ("block", &row.block), ("share", &row.share)]
        .into_iter()
        .map(|(name, limits)| range(name, limits))
        .collect::<String>()
        + power
}

#[cfg(test)]
mod tests {
    use super::*;
    use panto_schedule::rules::{Table, mpich, openmpi};

    #[test]
    fn tables_survive_being_written() {
        for (base, table) in [(Rules::Mpich, mpich()), (Rules::OpenMpi, openmpi())] {
            let again = Table::parse(&text(&base, &[])).unwrap();
            let plain = |table: &Table| {
                table.rows().map(|row| Row { note: String::new(), ..row.clone() }).collect::<Vec<_>>()
            };
            assert_eq!(plain(&again), plain(table));
        }
    }
}
