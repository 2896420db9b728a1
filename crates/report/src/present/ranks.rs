//! Sets of ranks in text.

use panto_trace::{Ranks, Run};

/// Returns `ranks 0-3, 7`, or `rank 3` for a single one.
pub fn rank_names(ranks: &Ranks) -> String {
    let plural = if ranks.len() == 1 { "" } else { "s" };
    format!("rank{plural} {}", rank_list(ranks))
}

/// Returns the numbers of a set of ranks, intervals abbreviated: `0-3, 8`.
pub fn rank_list(ranks: &Ranks) -> String {
    let interval = |run: &Run| match (run.count, run.step) {
        (1, _) => vec![run.first.to_string()],
        (count, 1) => vec![format!("{}-{}", run.first, run.first + (count - 1))],
        (count, step) => (0..count)
            .map(|index| (i64::from(run.first) + i64::from(step) * i64::from(index)).to_string())
            .collect(),
    };
    ranks.runs().iter().flat_map(interval).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_rank_is_singular() {
        let names = |numbers: &[u32]| rank_names(&numbers.iter().copied().collect());
        assert_eq!(names(&[3]), "rank 3");
        assert_eq!(names(&[0, 1, 2, 5]), "ranks 0-2, 5");
    }
}
