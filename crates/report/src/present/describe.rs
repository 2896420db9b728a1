//! How it was measured, for people.

use panto_bench::results::{Manifest, Simulated};
use panto_units as units;

use super::date;
use crate::table::{Column, Table};

/// Everything of the manifest, a line each.
pub fn describe(manifest: &Manifest) -> Table {
    let mut table = Table::new([Column::text("what"), Column::text("value")]);
    for (what, value) in lines(manifest) {
        table.row([what.to_owned(), value]);
    }
    table
}

fn lines(manifest: &Manifest) -> Vec<(&'static str, String)> {
    manifest.machine.iter().flat_map(simulated).chain(measured(manifest)).collect()
}

/// The first thing to know: that nothing was measured.
fn simulated(machine: &Simulated) -> [(&'static str, String); 4] {
    let changed = if machine.overrides.is_empty() { "nothing".into() } else { machine.overrides.join(", ") };
    [
        ("simulated", format!("{}: times come from a model, nothing was measured", machine.name)),
        ("topology", machine.topology.clone()),
        ("network", machine.network.clone()),
        ("changed in the model", changed),
    ]
}

fn measured(manifest: &Manifest) -> [(&'static str, String); 14] {
    let ranks: Vec<String> = manifest.ranks.iter().map(ToString::to_string).collect();
    [
        ("host", manifest.host.clone()),
        ("processor", manifest.cpu.clone()),
        ("cores", manifest.cores.to_string()),
        ("system", manifest.system.clone()),
        ("transport", manifest.transport.clone()),
        ("transport settings", manifest.transport_settings.clone()),
        ("clock", manifest.clock.clone()),
        ("ranks", ranks.join(", ")),
        (
            "precision",
            format!("interval of the median within +-{}", units::percent(100.0 * manifest.precision)),
        ),
        ("budget", units::time(manifest.budget_s)),
        ("seed", manifest.seed.to_string()),
        ("panto", format!("{} (result format {})", manifest.panto, manifest.format)),
        ("command", manifest.command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
        ("started", date::utc(manifest.started)),
    ]
}

/// A word of a command line so that a shell reads it back as one.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_with_spaces_are_quoted() {
        assert_eq!(quoted("--sizes=1,2"), "--sizes=1,2");
        assert_eq!(quoted("a file"), "'a file'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
