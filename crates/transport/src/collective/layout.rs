//! Counts and displacements of the blocks of a collective, as MPI's v-variants take them.

use std::ffi::c_int;

use panto_schedule::{BlockProblem, starts};

use crate::error::{Error, Result};

/// Lengths and positions of the blocks of one buffer, in elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockLayout {
    /// The length of each block.
    pub counts: Vec<c_int>,
    /// The start of each block.
    pub displacements: Vec<c_int>,
    /// The start of each block, as an address relative to the buffer.
    pub addresses: Vec<isize>,
}

/// The block layouts of a rank's buffers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferLayouts {
    /// The layout of the input.
    pub input: BlockLayout,
    /// The layout of the output.
    pub output: BlockLayout,
}

impl BufferLayouts {
    /// Returns the layouts of a rank. Returns an error if a number exceeds 32 bits, which is what
    /// message layers take.
    pub fn new(problem: &BlockProblem, rank: usize) -> Result<Self> {
        Ok(Self { input: layout(&problem.input_lens(rank))?, output: layout(&problem.output_lens(rank))? })
    }
}

fn layout(lens: &[usize]) -> Result<BlockLayout> {
    let starts = starts(lens);
    let addresses = starts.iter().map(|&start| start as isize).collect();
    Ok(BlockLayout { counts: words(lens)?, displacements: words(&starts)?, addresses })
}

fn words(values: &[usize]) -> Result<Vec<c_int>> {
    let word = |&value: &usize| {
        c_int::try_from(value).map_err(|_| {
            Error::Buffers(format!(
                "a block begins or ends at element {value}, but MPI's v-variants count up to {}; use smaller blocks",
                c_int::MAX
            ))
        })
    };
    values.iter().map(word).collect()
}
