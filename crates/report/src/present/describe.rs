//! Description of a run from its manifest.

use panto_results::{Manifest, MpiInfo, SimulatedMachine};
use panto_units as units;

use super::{date, phrases, placement};
use crate::table::{Column, Table};

/// Returns the contents of the manifest, one line each.
pub fn describe(manifest: &Manifest) -> Table {
    let mut table = Table::new([Column::text("property"), Column::text("value")]);
    for (what, value) in lines(manifest) {
        table.row([what.to_owned(), value]);
    }
    table
}

/// A name and its value; continuation lines of a value have no name.
type Line = (&'static str, String);

fn lines(manifest: &Manifest) -> Vec<Line> {
    let ranks: Vec<String> = manifest.ranks.iter().map(ToString::to_string).collect();
    let machine = manifest.machine.iter().flat_map(simulated);
    let mpi = manifest.mpi.iter().flat_map(library);
    let ranks = [("clock", manifest.clock.clone()), ("ranks", ranks.join(", "))];
    let lines = machine.chain(host(manifest)).chain(mpi).chain(ranks);
    lines.chain(places(manifest)).chain(effort(manifest)).collect()
}

/// Returns the lines that say that the run was simulated and not measured.
fn simulated(machine: &SimulatedMachine) -> [Line; 4] {
    let changed = if machine.overrides.is_empty() { "none".into() } else { machine.overrides.join(", ") };
    [
        ("simulated", format!("{}: times come from a model and were not measured", machine.name)),
        ("topology", machine.topology.clone()),
        ("sharing", machine.network.clone()),
        ("model overrides", changed),
    ]
}

fn host(manifest: &Manifest) -> [Line; 6] {
    [
        ("host", manifest.host.clone()),
        ("processor", manifest.cpu.clone()),
        ("cores", manifest.cores.to_string()),
        ("system", manifest.system.clone()),
        ("transport", manifest.transport.clone()),
        ("transport settings", manifest.transport_settings.clone()),
    ]
}

fn library(mpi: &MpiInfo) -> [Line; 3] {
    let MpiInfo { version, standard, abi, path, found } = mpi;
    [
        ("MPI", version.clone()),
        ("MPI interface", format!("standard {standard}, ABI {abi}")),
        ("MPI library", format!("{path} ({found})")),
    ]
    .map(|(what, text)| (what, phrases::one_line(&text)))
}

fn places(manifest: &Manifest) -> impl Iterator<Item = Line> {
    let names = std::iter::once("placement").chain(std::iter::repeat(""));
    names.zip(placement(manifest))
}

fn effort(manifest: &Manifest) -> [Line; 6] {
    [
        (
            "precision",
            format!(
                "confidence interval of the median within +-{}",
                units::percent(100.0 * manifest.precision)
            ),
        ),
        ("budget", units::time(manifest.budget_s)),
        ("seed", manifest.seed.to_string()),
        ("panto", format!("{} (result format {})", manifest.panto, manifest.format)),
        ("command", manifest.command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")),
        ("started", date::utc(manifest.started)),
    ]
}

/// Quotes a word of a command line for a shell.
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
