//! 64-bit counts for an MPI library that has 32-bit counts only: what [`panto_recording::narrow`]
//! must know of a call.

use std::ffi::c_int;

use panto_recording::narrow::{self, Lengths, Narrowed};

use crate::library::{self, Mpi};

/// Replaces the lists among the arguments of a call by narrow ones; none if a count is too large.
///
/// # Safety
/// `words` must be the arguments of a call of the MPI function with these argument names: lists
/// must have as many entries as the communicator demands.
pub unsafe fn narrow(names: &[&str], words: &mut [usize]) -> Option<Narrowed> {
    let lengths = lengths(names, words)?;
    // SAFETY: the caller promises that a list has the length that its communicator demands.
    let read = |address: usize, length: usize| unsafe {
        std::slice::from_raw_parts(address as *const i64, length).to_vec()
    };
    narrow::narrow(names, words, &lengths, read)
}

/// Returns the lengths of the lists; none if there is no MPI library, or no communicator.
fn lengths(names: &[&str], words: &[usize]) -> Option<Lengths> {
    let word = |wanted: &str| names.iter().position(|name| *name == wanted).map(|place| words[place]);
    let mut lengths = Lengths::default();
    if let Some(root) = word("root") {
        let mpi = library::get().ok()?;
        lengths.is_root = is_root(mpi, mpi.handle(word("comm")?), root);
    }
    if narrow::has_lists(names) && lengths.is_root {
        let mpi = library::get().ok()?;
        lengths.ranks = ranks(mpi, mpi.handle(word("comm")?), word("op").is_some());
    }
    if narrow::has_neighbour_lists(names) {
        let mpi = library::get().ok()?;
        let neighbours = mpi.neighbours(mpi.handle(word("comm")?));
        (lengths.sources, lengths.destinations) = (neighbours.sources.len(), neighbours.destinations.len());
    }
    Some(lengths)
}

fn is_root(mpi: &Mpi, comm: usize, root: usize) -> bool {
    match mpi.remote_size(comm) {
        Some(_) => root as c_int == mpi.constants.root,
        None => root as c_int == mpi.rank(comm) as c_int,
    }
}

/// Returns the number of entries of a list with one for each rank. That of a reduction has one for
/// each rank of the local group, also on an intercommunicator.
fn ranks(mpi: &Mpi, comm: usize, is_reduction: bool) -> usize {
    let others = mpi.remote_size(comm).filter(|_| !is_reduction);
    others.unwrap_or_else(|| mpi.size(comm)) as usize
}
