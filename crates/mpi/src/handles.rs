//! Handles in an array, as the ABI demands.

use std::ffi::c_void;

use smallvec::SmallVec;

use crate::abi::Abi;
use crate::functions::Word;
use crate::mpi::Mpi;

/// Handles in an array: those of MPICH have half a word.
#[derive(Debug)]
pub(crate) enum Handles {
    Narrow(SmallVec<[u32; 16]>),
    Wide(SmallVec<[Word; 16]>),
}

impl Handles {
    pub(crate) fn gather(mpi: &Mpi, words: impl Iterator<Item = Word>) -> Self {
        match mpi.library().abi() {
            Abi::Mpich => Self::Narrow(words.map(|word| word as u32).collect()),
            Abi::OpenMpi | Abi::Standard => Self::Wide(words.collect()),
        }
    }

    pub(crate) fn as_ptr(&self) -> *const c_void {
        match self {
            Self::Narrow(words) => words.as_ptr().cast(),
            Self::Wide(words) => words.as_ptr().cast(),
        }
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut c_void {
        match self {
            Self::Narrow(words) => words.as_mut_ptr().cast(),
            Self::Wide(words) => words.as_mut_ptr().cast(),
        }
    }

    /// Returns the handles as words.
    pub(crate) fn words(self) -> impl Iterator<Item = Word> {
        let (narrow, wide) = match self {
            Self::Narrow(words) => (Some(words), None),
            Self::Wide(words) => (None, Some(words)),
        };
        narrow.into_iter().flatten().map(|word| word as Word).chain(wide.into_iter().flatten())
    }
}
