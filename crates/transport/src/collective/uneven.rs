//! Where the blocks of an uneven collective lie, as message layers want to be told.

use std::ffi::c_int;

use panto_schedule::{UnevenProblem, starts};

use crate::error::{Error, Result};

/// Lengths and beginnings of the blocks of a buffer, in elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// How long each is.
    pub lens: Vec<c_int>,
    /// Where each begins.
    pub starts: Vec<c_int>,
}

/// Where the blocks of a rank's buffers lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extents {
    /// Of the input.
    pub input: Parts,
    /// Of the output.
    pub output: Parts,
}

impl Extents {
    /// Those of a rank. Message layers count blocks in 32 bits.
    pub fn new(problem: &UnevenProblem, rank: usize) -> Result<Self> {
        Ok(Self { input: parts(&problem.input_lens(rank))?, output: parts(&problem.output_lens(rank))? })
    }
}

fn parts(lens: &[usize]) -> Result<Parts> {
    Ok(Parts { lens: words(lens)?, starts: words(&starts(lens))? })
}

fn words(values: &[usize]) -> Result<Vec<c_int>> {
    let word = |&value: &usize| {
        c_int::try_from(value).map_err(|_| {
            Error::Buffers(format!(
                "a block begins or ends at element {value}: MPI's calls with uneven blocks count to {}; use smaller blocks",
                c_int::MAX
            ))
        })
    };
    values.iter().map(word).collect()
}
