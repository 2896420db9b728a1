//! What `panto tune` prints and writes for people.

use std::collections::BTreeMap;

use panto_report::table::{Column, Table};
use panto_tune::{Gain, SizeChoice, Summary, TunedCollective};
use panto_units::{bytes, percent, time};

use super::directory::Directory;
use crate::format::Format;
use crate::print;

/// Prints the choices, and how to use them.
pub(super) fn print(summary: &Summary, directory: &Directory, format: Format) {
    if format == Format::Json {
        let json = serde_json::to_string_pretty(summary).unwrap_or_default();
        return print::line(json);
    }
    print::text(tables(summary));
    print::line(usage(summary, directory));
}

/// Returns a table for each collective.
fn tables(summary: &Summary) -> String {
    let tables: Vec<String> = summary.tuning.collectives.iter().map(|tuned| table(summary, tuned)).collect();
    tables.join("\n")
}

fn table(summary: &Summary, tuned: &TunedCollective) -> String {
    if tuned.sizes.is_empty() {
        return format!("{}: nothing was measured in the time; raise it with -t 5min\n", tuned.name);
    }
    let caption = format!("{} on {} ranks of {}", tuned.name, summary.tuning.ranks, summary.library);
    let columns = ["size", "default", "chosen", "time", "saved", "95% interval"];
    let columns = columns.map(|name| if name == "chosen" { Column::text(name) } else { Column::right(name) });
    let mut table = Table::new(columns).caption(caption);
    for size in &tuned.sizes {
        table.row(row(size));
    }
    table.to_string()
}

fn row(size: &SizeChoice) -> [String; 6] {
    let nanos = |nanos: f64| time(nanos * 1e-9);
    let (size_text, default) = (bytes(size.bytes), nanos(size.default.median_ns));
    let Some(((name, timing), gain)) = size.chosen.as_ref().zip(size.gain()) else {
        return [size_text, default, "default".into(), String::new(), String::new(), String::new()];
    };
    let Gain { share, low, high } = gain;
    let is_exact = low.to_bits() == high.to_bits();
    let interval = if is_exact {
        "exact".into()
    } else {
        format!("{} to {}", percent(100.0 * low), percent(100.0 * high))
    };
    [size_text, default, name.clone(), nanos(timing.median_ns), percent(100.0 * share), interval]
}

/// Returns what to do with the files.
fn usage(summary: &Summary, directory: &Directory) -> String {
    let path = directory.path().display();
    let sizes = || summary.tuning.collectives.iter().flat_map(|tuned| &tuned.sizes);
    let (all, changed) = (sizes().count(), sizes().filter(|size| size.chosen.is_some()).count());
    if summary.is_simulated {
        return format!(
            "At {changed} of {all} sizes another algorithm is faster than the one that the rules of the model choose. The files \
             are in {path}.\npanto.rules is for models: --set collectives.rules={path}/panto.rules.\nopenmpi.rules names the \
             fastest algorithm that Open MPI has, at every size. It cannot be checked without the machine."
        );
    }
    if changed == 0 {
        return format!(
            "At none of {all} sizes is another algorithm faster beyond doubt: the library's own choice stays.\nThe samples are \
             in {path}."
        );
    }
    format!(
        "At {changed} of {all} sizes another algorithm is faster beyond doubt. The files are in {path}.\nUse them: . \
         {path}/environment.sh, then start the program with {} ranks as always.",
        summary.tuning.ranks
    )
}

/// Returns a shell script that sets the variables.
pub(super) fn environment(variables: &BTreeMap<String, String>) -> String {
    let line = |(name, value): (&String, &String)| format!("export {name}={}\n", quoted(value));
    let lines: String = variables.iter().map(line).collect();
    format!("# Written by `panto tune`; README.txt describes it.\n{lines}")
}

/// Quotes a value for a shell.
fn quoted(value: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+:".contains(letter);
    if value.chars().all(is_plain) { value.into() } else { format!("'{}'", value.replace('\'', r"'\''")) }
}

/// Returns the text for people who find the directory.
pub(super) fn readme(summary: &Summary, directory: &Directory) -> String {
    let (tables, usage) = (tables(summary), usage(summary, directory));
    format!(
        "Algorithms of collectives, by `panto tune`.\n\n{tables}\n{usage}\n{}",
        method(summary, directory)
    )
}

/// Returns how it was measured, where it holds, and how to check it; nothing of a simulation.
fn method(summary: &Summary, directory: &Directory) -> String {
    if summary.is_simulated {
        return String::new();
    }
    let scope = if summary.nodes > 1 {
        "With MPICH on several nodes the choice holds for communicators of any number of ranks, because a collective there \
         consists of collectives of fewer ranks."
    } else {
        "The choice holds for communicators of this number of ranks; others keep the library's own."
    };
    format!(
        "\n{scope} It was measured with blocking calls that all ranks enter together, reductions with sums of doubles, on \
         otherwise idle nodes. Measure again after a change of the library, the nodes or the number of ranks.\n\nCheck it: \
         panto tune --check {} -- mpirun -n {}\n",
        directory.path().display(),
        summary.tuning.ranks
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_for_a_shell() {
        let variables =
            [("A", "/tmp/my files/it's.json"), ("B", "1")].map(|(a, b)| (a.into(), b.into())).into();
        let text = environment(&variables);
        assert!(text.ends_with("export A='/tmp/my files/it'\\''s.json'\nexport B=1\n"), "{text}");
    }
}
