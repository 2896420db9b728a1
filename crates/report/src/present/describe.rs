//! How it was measured, for people.

use panto_bench::results::{Manifest, Mpi, Simulated};
use panto_units as units;

use super::{date, placement, words};
use crate::table::{Column, Table};

/// Everything of the manifest, a line each.
pub fn describe(manifest: &Manifest) -> Table {
    let mut table = Table::new([Column::text("what"), Column::text("value")]);
    for (what, value) in lines(manifest) {
        table.row([what.to_owned(), value]);
    }
    table
}

/// A name and its value; further lines of a value have no name.
type Line = (&'static str, String);

fn lines(manifest: &Manifest) -> Vec<Line> {
    let ranks: Vec<String> = manifest.ranks.iter().map(ToString::to_string).collect();
    let machine = manifest.machine.iter().flat_map(simulated);
    let mpi = manifest.mpi.iter().flat_map(library);
    let ranks = [("clock", manifest.clock.clone()), ("ranks", ranks.join(", "))];
    let lines = machine.chain(host(manifest)).chain(mpi).chain(ranks);
    lines.chain(places(manifest)).chain(effort(manifest)).collect()
}

/// The first thing to know: that nothing was measured.
fn simulated(machine: &Simulated) -> [Line; 4] {
    let changed = if machine.overrides.is_empty() { "nothing".into() } else { machine.overrides.join(", ") };
    [
        ("simulated", format!("{}: times come from a model, nothing was measured", machine.name)),
        ("topology", machine.topology.clone()),
        ("network", machine.network.clone()),
        ("changed in the model", changed),
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

fn library(mpi: &Mpi) -> [Line; 3] {
    let Mpi { version, standard, abi, path, found } = mpi;
    [
        ("MPI", version.clone()),
        ("MPI interface", format!("standard {standard}, ABI {abi}")),
        ("MPI library", format!("{path} ({found})")),
    ]
    .map(|(what, text)| (what, words::printable(&text)))
}

fn places(manifest: &Manifest) -> impl Iterator<Item = Line> {
    let names = std::iter::once("placement").chain(std::iter::repeat(""));
    names.zip(placement(&manifest.placement))
}

fn effort(manifest: &Manifest) -> [Line; 6] {
    [
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
