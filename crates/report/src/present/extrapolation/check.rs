//! An extrapolated trace beside the trace of a real run.

use panto_trace::{RankSummary, Summary};
use panto_units::{grouped, one_line, percent, rounded_bytes, time};
use serde_json::{Value, json};

use crate::table::{Column, Table};

/// An extrapolated trace beside the trace of a real run.
pub struct ExtrapolationCheck<'a> {
    /// The extrapolated trace.
    pub made: &'a Summary,
    /// The real one.
    pub real: &'a Summary,
    /// The programs that both name.
    pub programs: [Option<&'a str>; 2],
    /// The machine's name, and the predicted times from both traces, in seconds.
    pub predicted: (&'a str, [f64; 2]),
}

impl ExtrapolationCheck<'_> {
    /// Returns whether all ranks make the same calls.
    pub fn has_same_calls(&self) -> bool {
        self.different_functions().is_empty() && self.different_ranks() == 0
    }

    /// Returns the functions that are not called equally often with equally many bytes.
    fn different_functions(&self) -> Vec<&str> {
        let calls = |summary: &Summary, name: &str| {
            let own = summary.functions.iter().find(|one| one.name == name);
            own.map(|one| (one.calls, one.bytes))
        };
        let names = self.real.functions.iter().chain(&self.made.functions).map(|one| one.name.as_str());
        let mut different: Vec<&str> =
            names.filter(|name| calls(self.made, name) != calls(self.real, name)).collect();
        different.sort_unstable();
        different.dedup();
        different
    }

    /// Returns the number of ranks with other numbers of messages or collectives.
    fn different_ranks(&self) -> usize {
        let counts = |rank: &RankSummary| (rank.messages, rank.collectives);
        let pairs = self.made.ranks.iter().zip(&self.real.ranks);
        pairs.filter(|(made, real)| counts(made) != counts(real)).count()
    }

    /// Returns whether the same messages go between all pairs of ranks.
    pub fn has_same_messages(&self) -> bool {
        self.made.pairs == self.real.pairs
    }

    /// Returns the number of pairs of ranks with other messages or bytes, and that of all pairs.
    fn different_pairs(&self) -> (usize, usize) {
        let is_in = |pair, other: &Summary| other.pairs.binary_search(pair).is_ok();
        let mut all: Vec<(u32, u32, bool)> = Vec::new();
        for (own, other) in [(self.made, self.real), (self.real, self.made)] {
            all.extend(own.pairs.iter().map(|pair| (pair.from, pair.to, is_in(pair, other))));
        }
        all.sort_unstable();
        all.dedup_by_key(|(from, to, _)| (*from, *to));
        (all.iter().filter(|(.., is_same)| !is_same).count(), all.len())
    }

    /// Returns the difference of computation, as a share of the real one.
    pub fn computation_difference(&self) -> f64 {
        let [made, real] = [self.made, self.real].map(computation);
        made / real - 1.0
    }

    /// Returns the difference of the predicted times, as a share of the one from the real trace.
    pub fn time_difference(&self) -> f64 {
        let (_, [made, real]) = self.predicted;
        made / real - 1.0
    }

    /// Returns why the real run seems to be of another program, if it does.
    pub fn other_program(&self) -> Option<String> {
        if let [Some(made), Some(real)] = self.programs
            && made != real
        {
            return Some(format!(
                "it is a trace of {}, the others are of {}",
                one_line(real),
                one_line(made)
            ));
        }
        let has = |summary: &Summary, name: &str| summary.functions.iter().any(|one| one.name == name);
        let only_in = |own: &Summary, other: &Summary| {
            own.functions.iter().map(|one| one.name.clone()).find(|name| !has(other, name))
        };
        let more = only_in(self.real, self.made).map(|name| format!("it calls {name}, the others do not"));
        more.or_else(|| {
            only_in(self.made, self.real).map(|name| format!("the others call {name}, it does not"))
        })
    }

    /// Returns the comparison as text.
    pub fn text(&self) -> String {
        let columns = [
            Column::text(""),
            Column::right("extrapolated"),
            Column::right("traced"),
            Column::text("difference"),
        ];
        let mut table = Table::new(columns);
        let of = |count: fn(&Summary) -> u64| [self.made, self.real].map(count);
        let [made, real] = of(|summary| summary.ranks.iter().map(|rank| rank.calls).sum()).map(grouped);
        table.row(["calls".to_owned(), made, real, self.call_difference()]);
        let [made, real] = of(|summary| summary.pairs.iter().map(|pair| pair.messages).sum()).map(grouped);
        table.row(["messages".to_owned(), made, real, self.pair_difference()]);
        let [made, real] = of(|summary| summary.pairs.iter().map(|pair| pair.bytes).sum()).map(rounded_bytes);
        table.row(["bytes of messages".to_owned(), made, real, self.pair_difference()]);
        let [made, real] = [self.made, self.real].map(|summary| time(computation(summary)));
        table.row(["computation".to_owned(), made, real, signed(self.computation_difference())]);
        let (machine, times) = self.predicted;
        let [made, real] = times.map(time);
        table.row([format!("time on {machine}"), made, real, signed(self.time_difference())]);
        let doubt = self.other_program().map(|why| {
            format!("\nThe trace of --check seems to be of another program, or of another input: {why}.\n")
        });
        format!("{table}{}", doubt.unwrap_or_default())
    }

    fn call_difference(&self) -> String {
        let (ranks, functions) = (self.different_ranks(), self.different_functions());
        match (ranks, functions.as_slice()) {
            (0, []) => "none on any rank".to_owned(),
            (0, [name]) => format!("of {}", one_line(name)),
            (0, names) => format!("of {} functions", names.len()),
            _ => format!("on {} of {} ranks", grouped(ranks as u64), grouped(self.real.ranks.len() as u64)),
        }
    }

    fn pair_difference(&self) -> String {
        match self.different_pairs() {
            (0, _) => "none of any pair".to_owned(),
            (some, all) => format!("of {} of {} pairs", grouped(some as u64), grouped(all as u64)),
        }
    }

    /// Returns the comparison for machines.
    pub fn json(&self) -> Value {
        let (machine, [made, real]) = self.predicted;
        json!({
            "same_calls": self.has_same_calls(),
            "same_messages": self.has_same_messages(),
            "different_ranks": self.different_ranks(),
            "different_functions": self.different_functions(),
            "different_pairs": self.different_pairs().0,
            "other_program": self.other_program(),
            "computation_s": [computation(self.made), computation(self.real)],
            "computation_difference": self.computation_difference(),
            "machine": machine,
            "time_s": [made, real],
            "time_difference": self.time_difference(),
        })
    }
}

fn computation(summary: &Summary) -> f64 {
    summary.ranks.iter().map(|rank| rank.computation).sum::<u64>() as f64 * 1e-9
}

fn signed(share: f64) -> String {
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{}", percent(100.0 * share))
}

#[cfg(test)]
mod tests {
    use panto_trace::{Function, Pair};

    use super::*;

    fn summary(function: &str, messages: u64) -> Summary {
        let rank = |rank| RankSummary {
            rank,
            messages,
            calls: messages,
            computation: 1000,
            ..RankSummary::default()
        };
        let pair =
            |from| Pair { from, to: 1 - from, messages: if from == 0 { messages } else { 1 }, bytes: 8 };
        Summary {
            size: 2,
            ranks: (0..2).map(rank).collect(),
            functions: vec![Function {
                name: function.to_owned(),
                calls: 2 * messages,
                ..Function::default()
            }],
            pairs: (0..2).map(pair).collect(),
            ..Summary::default()
        }
    }

    fn text(made: &Summary, real: &Summary, programs: [Option<&str>; 2]) -> String {
        ExtrapolationCheck { made, real, programs, predicted: ("cm5", [1.0, 1.1]) }.text()
    }

    #[test]
    fn what_differs_is_counted() {
        let (few, many) = (summary("MPI_Send", 5), summary("MPI_Send", 7));
        let same = text(&few, &few, [Some("a"), Some("a")]);
        assert!(same.contains("none on any rank") && same.contains("none of any pair"), "{same}");
        assert!(!same.contains("another program"), "{same}");
        let other = text(&few, &many, [None, None]);
        assert!(other.contains("on 2 of 2 ranks") && other.contains("of 1 of 2 pairs"), "{other}");
    }

    #[test]
    fn another_program_is_recognised() {
        let one = summary("MPI_Send", 5);
        let named = text(&one, &one, [Some("stencil"), Some("cg")]);
        assert!(named.contains("it is a trace of cg, the others are of stencil"), "{named}");
        let calls = text(&one, &summary("MPI_Bcast", 5), [None, None]);
        assert!(calls.contains("it calls MPI_Bcast, the others do not"), "{calls}");
    }
}
