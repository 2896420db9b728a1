//! Wide counts for an MPI that has only narrow ones.
//!
//! Before version 4, MPI had no functions with counts of 64 bits (`MPI_X_c`). Programs such as mpi4py look whether they exist, and use the
//! others if not. A preloaded library makes them exist, so it must make them work as well.

use std::ffi::c_int;

use crate::library::{self, Mpi};

/// Single counts, by their names in the tables.
const COUNTS: &[&str] =
    &["count", "each_count", "sendcount", "recvcount", "target_count", "result_count", "unit"];

/// Lists with an entry for each rank.
const LISTS: &[&str] = &["counts", "places", "to_counts", "to_places"];

/// Lists with an entry for each neighbour that this rank gets from, or gives to.
const FROM_NEIGHBOURS: &[&str] = &["in_counts", "in_places"];
const TO_NEIGHBOURS: &[&str] = &["out_counts", "out_places"];

/// Makes counts narrow, single ones and lists of them. False if one is too large.
///
/// Lists of operations that are only started must live on; they are never given back. Few programs start such operations with such
/// functions on such an old MPI.
pub fn narrow(names: &[&str], words: &mut [usize]) -> bool {
    let Some(lengths) = Lengths::of(names, words) else { return false };
    for (name, word) in names.iter().zip(words) {
        if COUNTS.contains(name) && c_int::try_from(*word as i64).is_err() {
            return false;
        }
        let length = lengths.list(name);
        if length > 0 && *word != 0 {
            let Some(list) = narrow_list(*word, length) else { return false };
            *word = list;
        }
    }
    true
}

fn narrow_list(address: usize, length: usize) -> Option<usize> {
    // SAFETY: the program's list has an entry for each rank.
    let wide = unsafe { std::slice::from_raw_parts(address as *const i64, length) };
    let list: Vec<c_int> = wide.iter().map(|count| c_int::try_from(*count).ok()).collect::<Option<_>>()?;
    Some(list.leak().as_ptr() as usize)
}

/// How long lists are; 0 where they do not count on this rank.
#[derive(Default)]
struct Lengths {
    ranks: usize,
    sources: usize,
    destinations: usize,
}

impl Lengths {
    fn of(names: &[&str], words: &[usize]) -> Option<Self> {
        let word = |wanted: &str| names.iter().position(|name| *name == wanted).map(|place| words[place]);
        let has_one_of = |lists: &[&str]| names.iter().any(|name| lists.contains(name));
        let mut lengths = Self::default();
        if has_one_of(LISTS) {
            let mpi = library::get().ok()?;
            lengths.ranks = ranks(mpi, mpi.handle(word("comm")?), word("root"), word("op").is_some());
        }
        if has_one_of(FROM_NEIGHBOURS) {
            let mpi = library::get().ok()?;
            let neighbours = mpi.neighbours(mpi.handle(word("comm")?));
            (lengths.sources, lengths.destinations) =
                (neighbours.sources.len(), neighbours.destinations.len());
        }
        Some(lengths)
    }

    fn list(&self, name: &str) -> usize {
        match name {
            _ if LISTS.contains(&name) => self.ranks,
            _ if FROM_NEIGHBOURS.contains(&name) => self.sources,
            _ if TO_NEIGHBOURS.contains(&name) => self.destinations,
            _ => 0,
        }
    }
}

/// The ranks for which a list has entries. Only the root's list counts, if there is a root; a reduction's has one for each rank of this side.
fn ranks(mpi: &Mpi, comm: usize, root: Option<usize>, reduces: bool) -> usize {
    let others = mpi.remote_size(comm);
    let is_root = |root: usize| match others {
        Some(_) => root as c_int == mpi.constants.root,
        None => root as c_int == mpi.rank(comm) as c_int,
    };
    if root.is_some_and(|root| !is_root(root)) {
        return 0;
    }
    others.filter(|_| !reduces).unwrap_or_else(|| mpi.size(comm)) as usize
}
