//! Dynamic rules of Open MPI's component `tuned`.
//!
//! The file has numbers only: for each collective, sizes of communicators; for each of these,
//! message sizes with an algorithm. A rule holds from its size up to the next one, and algorithm 0
//! is the library's own choice. Collectives are numbered as in Open MPI's `coll_base_functions.h`,
//! and sizes count as in `coll_tuned_decision_dynamic.c`: an all-to-all and an allgather by the
//! bytes of all ranks. The form is described in Open MPI's documentation, "Tuning Collectives".

use panto_calls::Collective;

use crate::tuning::{Band, Tuning};

/// An algorithm as the rules name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// The number of the algorithm.
    pub algorithm: i32,
    /// Bytes of a segment; 0 if messages are not divided.
    pub segment: u64,
}

/// Returns the rules of a tuning. `number` returns the library's number of an algorithm by its
/// name; a band without one keeps the library's own choice.
pub fn rules(tuning: &Tuning, number: &dyn Fn(Collective, &str) -> Option<Number>) -> String {
    let changed = tuning.collectives.iter().filter(|tuned| tuned.is_changed());
    let blocks: Vec<String> = changed
        .filter_map(|tuned| {
            let collective = tuned.collective()?;
            let find = |name: &str| number(collective, name);
            Some(block(collective, tuning.ranks, &tuned.bands(), &find, (id(collective)?, &tuned.name)))
        })
        .collect();
    format!("{} # collectives\n{}", blocks.len(), blocks.concat())
}

/// Returns the rules of a collective: for this number of ranks, and none for more.
fn block(
    collective: Collective,
    ranks: usize,
    bands: &[Band],
    number: &dyn Fn(&str) -> Option<Number>,
    (id, name): (u32, &str),
) -> String {
    let scale = if is_counted_in_total(collective) { ranks as u64 } else { 1 };
    let band = |band: &Band| {
        let found = band.algorithm.as_deref().and_then(number);
        let Number { algorithm, segment } = found.unwrap_or(Number { algorithm: 0, segment: 0 });
        let comment = band.algorithm.as_deref().unwrap_or("default");
        format!("{} {algorithm} 0 {segment} # {comment}\n", band.from * scale)
    };
    let rules: String = bands.iter().map(band).collect();
    format!(
        "{id} # {name}\n2 # sizes of communicators\n{ranks} # ranks\n{} # sizes\n{rules}\
         {} # ranks and more\n1 # size\n0 0 0 0 # default\n",
        bands.len(),
        ranks + 1
    )
}

/// Returns Open MPI's number of a collective.
fn id(collective: Collective) -> Option<u32> {
    Some(match collective {
        Collective::Allgather => 0,
        Collective::Allreduce => 2,
        Collective::Alltoall => 3,
        Collective::Broadcast => 7,
        Collective::Reduce => 11,
        _ => return None,
    })
}

/// Returns whether rules count the bytes of all ranks.
fn is_counted_in_total(collective: Collective) -> bool {
    matches!(collective, Collective::Allgather | Collective::Alltoall)
}

/// Open MPI's numbers of Panto's algorithms: those of the enumerations
/// `coll_tuned_<collective>_algorithm` of Open MPI 4.1 and 5.0. The radix of a k-nomial tree is 4
/// by default. Pipelines are absent: Open MPI has the size of their segments, Panto the number.
const NUMBERS: [(Collective, &[(&str, i32)]); 5] = [
    (
        Collective::Allgather,
        &[("linear", 1), ("bruck", 2), ("recursive-doubling", 3), ("ring", 4), ("neighbour", 5)],
    ),
    (Collective::Allreduce, &[("recursive-doubling", 3), ("ring", 4), ("rabenseifner", 6)]),
    (Collective::Alltoall, &[("linear", 1), ("pairwise", 2), ("bruck", 3)]),
    (
        Collective::Broadcast,
        &[
            ("linear", 1),
            ("binary", 5),
            ("binomial", 6),
            ("knomial:4", 7),
            ("scatter-doubling", 8),
            ("scatter-allgather", 9),
        ],
    ),
    (Collective::Reduce, &[("linear", 1), ("binary", 4), ("binomial", 5), ("rabenseifner", 7)]),
];

/// Returns Open MPI's number of one of Panto's algorithms.
pub fn number_of(collective: Collective, algorithm: &str) -> Option<Number> {
    let (_, numbers) = NUMBERS.iter().find(|(other, _)| *other == collective)?;
    let (_, algorithm) = *numbers.iter().find(|(name, _)| *name == algorithm)?;
    Some(Number { algorithm, segment: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::tests::tuning;

    #[test]
    fn rules_hold_for_the_measured_ranks_only() {
        let number = |_: Collective, name: &str| match name {
            "a" => Some(Number { algorithm: 3, segment: 0 }),
            "b" => Some(Number { algorithm: 5, segment: 8192 }),
            _ => None,
        };
        let expected = "1 # collectives\n2 # allreduce\n2 # sizes of communicators\n4 # ranks\n3 # sizes\n\
                        0 0 0 0 # default\n23 3 0 0 # a\n1449 5 0 8192 # b\n\
                        5 # ranks and more\n1 # size\n0 0 0 0 # default\n";
        assert_eq!(rules(&tuning(), &number), expected);
    }

    #[test]
    fn an_alltoall_counts_the_bytes_of_all_ranks() {
        let mut tuning = tuning();
        tuning.collectives[0].name = "alltoall".into();
        let text = rules(&tuning, &|_, _| Some(Number { algorithm: 2, segment: 0 }));
        assert!(text.contains("\n92 2 0 0 # a\n"), "{text}");
    }
}
