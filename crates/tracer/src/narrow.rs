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

/// Lists with narrow counts, for as long as MPI may read them.
pub struct Narrowed {
    lists: Vec<Vec<c_int>>,
    lives_on: bool,
}

/// Operations that are only started read their lists later; those are never given back. Few programs start such operations with such
/// functions on such an old MPI.
impl Drop for Narrowed {
    fn drop(&mut self) {
        if self.lives_on {
            std::mem::forget(std::mem::take(&mut self.lists));
        }
    }
}

/// Makes counts narrow, single ones and lists of them. None if one is too large.
pub fn narrow(names: &[&str], words: &mut [usize]) -> Option<Narrowed> {
    let lengths = Lengths::of(names, words)?;
    let mut narrowed = Narrowed { lists: Vec::new(), lives_on: names.contains(&"request") };
    for (name, word) in names.iter().zip(words) {
        // What the others get counts at the root alone.
        let counts = COUNTS.contains(name) && (*name != "each_count" || lengths.is_root);
        if counts && c_int::try_from(*word as i64).is_err() {
            return None;
        }
        let length = lengths.list(name);
        if length > 0 && *word != 0 {
            // SAFETY: the program's list has an entry for each rank.
            let wide = unsafe { std::slice::from_raw_parts(*word as *const i64, length) };
            let list: Vec<c_int> =
                wide.iter().map(|count| c_int::try_from(*count).ok()).collect::<Option<_>>()?;
            *word = list.as_ptr() as usize;
            narrowed.lists.push(list);
        }
    }
    Some(narrowed)
}

/// How long lists are; 0 where they do not count on this rank.
#[derive(Default)]
struct Lengths {
    ranks: usize,
    sources: usize,
    destinations: usize,
    /// Is this rank the root, or is there none?
    is_root: bool,
}

impl Lengths {
    fn of(names: &[&str], words: &[usize]) -> Option<Self> {
        let word = |wanted: &str| names.iter().position(|name| *name == wanted).map(|place| words[place]);
        let has_one_of = |lists: &[&str]| names.iter().any(|name| lists.contains(name));
        let mut lengths = Self { is_root: true, ..Self::default() };
        if let Some(root) = word("root") {
            let mpi = library::get().ok()?;
            lengths.is_root = is_root(mpi, mpi.handle(word("comm")?), root);
        }
        if has_one_of(LISTS) && lengths.is_root {
            let mpi = library::get().ok()?;
            lengths.ranks = ranks(mpi, mpi.handle(word("comm")?), word("op").is_some());
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

fn is_root(mpi: &Mpi, comm: usize, root: usize) -> bool {
    match mpi.remote_size(comm) {
        Some(_) => root as c_int == mpi.constants.root,
        None => root as c_int == mpi.rank(comm) as c_int,
    }
}

/// The ranks for which a list has entries. That of a reduction has one for each rank of this side.
fn ranks(mpi: &Mpi, comm: usize, reduces: bool) -> usize {
    let others = mpi.remote_size(comm).filter(|_| !reduces);
    others.unwrap_or_else(|| mpi.size(comm)) as usize
}
