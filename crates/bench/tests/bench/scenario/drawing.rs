//! Drawings of scenarios.

use panto_bench::scenario::{Scenario, draw};

use super::values;

fn drawn(name: &str, ranks: usize) -> String {
    draw(&Scenario::load(name, None).unwrap(), values(ranks)).unwrap()
}

#[test]
fn drawings_show_which_rank_waits_for_which() {
    let pictures =
        [("only", 4), ("delay", 4), ("overlap", 3), ("staggered", 4), ("concurrent", 2), ("loaded", 2)];
    let all = pictures.map(|(name, ranks)| format!("{name}\n{}", drawn(name, ranks))).join("\n");
    assert_eq!(all.trim_end(), include_str!("pictures.txt").trim_end(), "\n{all}");
}

/// A drawing always fits its page.
#[test]
fn many_participants_share_rows_or_are_omitted() {
    let same = drawn("delay", 1_000);
    assert!(same.contains("0..998  |==") && same.lines().count() == 4, "{same}");
    let different = drawn("random", 1_000);
    assert!(different.contains("and 984 more rows"), "{different}");
    let stream = drawn("streaming", 2);
    assert!(stream.lines().all(|line| line.chars().count() < 80), "{stream}");
}
