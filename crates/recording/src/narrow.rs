//! 64-bit counts for an MPI library that has 32-bit counts only.
//!
//! Before version 4, MPI had no functions with 64-bit counts (`MPI_X_c`). Programs such as mpi4py
//! check whether they exist and use the others if not. A preloaded library that exports them makes
//! them exist, so it must make them work: each is carried out by the function with 32-bit counts,
//! whose arguments this module makes. Arguments are recognised by their names in the tracer's
//! tables.

use std::ffi::c_int;

/// Names of single counts.
const COUNTS: &[&str] =
    &["count", "each_count", "sendcount", "recvcount", "target_count", "result_count", "unit"];

/// Names of lists with an entry for each rank.
const LISTS: &[&str] = &["counts", "places", "to_counts", "to_places"];

/// Names of lists with an entry for each neighbour from which this rank receives.
const FROM_NEIGHBOURS: &[&str] = &["in_counts", "in_places"];

/// Names of lists with an entry for each neighbour to which this rank sends.
const TO_NEIGHBOURS: &[&str] = &["out_counts", "out_places"];

/// The lists of narrow counts of one call.
pub struct Narrowed {
    lists: Vec<Vec<c_int>>,
    outlives_call: bool,
}

/// Lists of an operation that is only started are read by MPI until it is complete, so they are
/// leaked. Few programs start such operations by such functions on so old a library.
impl Drop for Narrowed {
    fn drop(&mut self) {
        if self.outlives_call {
            std::mem::forget(std::mem::take(&mut self.lists));
        }
    }
}

/// The lengths of the lists of a call; 0 where a list does not count on this rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    /// Of lists with an entry for each rank.
    pub ranks: usize,
    /// Of lists with an entry for each source neighbour.
    pub sources: usize,
    /// Of lists with an entry for each destination neighbour.
    pub destinations: usize,
    /// Whether this rank is the root, or the operation has none.
    pub is_root: bool,
}

impl Default for Lengths {
    fn default() -> Self {
        Self { ranks: 0, sources: 0, destinations: 0, is_root: true }
    }
}

impl Lengths {
    fn of(&self, name: &str) -> usize {
        match name {
            _ if LISTS.contains(&name) => self.ranks,
            _ if FROM_NEIGHBOURS.contains(&name) => self.sources,
            _ if TO_NEIGHBOURS.contains(&name) => self.destinations,
            _ => 0,
        }
    }
}

/// Returns whether a function has lists with an entry for each rank.
pub fn has_lists(names: &[&str]) -> bool {
    names.iter().any(|name| LISTS.contains(name))
}

/// Returns whether a function has lists with an entry for each neighbour.
pub fn has_neighbour_lists(names: &[&str]) -> bool {
    names.iter().any(|name| FROM_NEIGHBOURS.contains(name))
}

/// Replaces the lists among the arguments of a call by lists of narrow counts, and checks single
/// counts. `read` returns the list of a length at an address. Returns none if a count exceeds 31
/// bits; the arguments must not be used then.
pub fn narrow(
    names: &[&str],
    words: &mut [usize],
    lengths: &Lengths,
    read: impl Fn(usize, usize) -> Vec<i64>,
) -> Option<Narrowed> {
    let mut narrowed = Narrowed { lists: Vec::new(), outlives_call: names.contains(&"request") };
    for (name, word) in names.iter().zip(words) {
        // `each_count` is significant at the root only.
        let counts = COUNTS.contains(name) && (*name != "each_count" || lengths.is_root);
        if counts && c_int::try_from(*word as i64).is_err() {
            return None;
        }
        let length = lengths.of(name);
        if length > 0 && *word != 0 {
            let wide = read(*word, length);
            let list: Vec<c_int> =
                wide.iter().map(|count| c_int::try_from(*count).ok()).collect::<Option<_>>()?;
            *word = list.as_ptr() as usize;
            narrowed.lists.push(list);
        }
    }
    Some(narrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: usize = 1 << 40;

    #[test]
    fn single_counts_must_fit() {
        let none = |_, _| Vec::new();
        let lengths = Lengths::default();
        assert!(narrow(&["buf", "count"], &mut [WIDE, 7], &lengths, none).is_some());
        assert!(narrow(&["buf", "count"], &mut [0, WIDE], &lengths, none).is_none());
    }

    #[test]
    fn counts_that_are_significant_at_the_root_are_ignored_elsewhere() {
        let names = ["count", "each_count"];
        let elsewhere = Lengths { is_root: false, ..Lengths::default() };
        assert!(narrow(&names, &mut [1, WIDE], &elsewhere, |_, _| Vec::new()).is_some());
        assert!(narrow(&names, &mut [1, WIDE], &Lengths::default(), |_, _| Vec::new()).is_none());
    }

    #[test]
    fn lists_are_replaced_by_narrow_ones() {
        let lengths = Lengths { ranks: 3, sources: 2, ..Lengths::default() };
        let mut words = [100, 0, 200, 7];
        let read = |address: usize, length: usize| vec![address as i64; length];
        let narrowed = narrow(&["counts", "places", "in_counts", "comm"], &mut words, &lengths, read);
        let narrowed = narrowed.expect("all counts fit");
        assert_eq!(narrowed.lists, [vec![100; 3], vec![200; 2]]);
        assert_eq!(
            (words[0], words[2]),
            (narrowed.lists[0].as_ptr() as usize, narrowed.lists[1].as_ptr() as usize)
        );
        assert_eq!((words[1], words[3]), (0, 7));
    }

    #[test]
    fn a_list_with_a_count_that_does_not_fit_is_refused() {
        let lengths = Lengths { ranks: 2, ..Lengths::default() };
        assert!(narrow(&["counts"], &mut [1], &lengths, |_, _| vec![1, 1 << 31]).is_none());
    }

    #[test]
    fn functions_have_lists_by_the_names_of_their_arguments() {
        assert!(has_lists(&["from", "counts"]) && !has_lists(&["count"]));
        assert!(has_neighbour_lists(&["in_places"]) && !has_neighbour_lists(&["counts"]));
    }
}
