//! The C interface of operations on a distributed matrix: `panto_matrix.h`, field by field (C16).

use std::ffi::c_int;

use crate::abi::World;

/// The version of this interface. It changes when a field does.
pub const VERSION: u32 = 1;
/// The magic number at the beginning of an implementation: the letters `PANTOMAT`.
pub const MAGIC: u64 = u64::from_be_bytes(*b"PANTOMAT");

/// An operation. Its number is its bit in [`Implementation::operations`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Operation {
    /// The guard wrapper gets the elements beyond it.
    Guard = 0,
    /// Every block moves to the next rank.
    Shift,
    /// The matrix is transposed.
    Transpose,
    /// A row goes to all blocks of its mesh column.
    RowBroadcast,
    /// A column goes to all blocks of its mesh row.
    ColumnBroadcast,
}

impl Operation {
    /// All operations, by their numbers.
    pub const ALL: [Self; 5] =
        [Self::Guard, Self::Shift, Self::Transpose, Self::RowBroadcast, Self::ColumnBroadcast];

    /// Returns the name of its kernel.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guard => "guard",
            Self::Shift => "shift",
            Self::Transpose => "transpose",
            Self::RowBroadcast => "row-broadcast",
            Self::ColumnBroadcast => "column-broadcast",
        }
    }

    /// Returns its bit in [`Implementation::operations`].
    pub const fn bit(self) -> u64 {
        1 << self as u32
    }
}

/// The direction of a shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Direction {
    /// To the rank above.
    North = 0,
    /// To the rank on the right.
    East,
}

/// Copies doubles from places to places that are strides apart: destination, its stride, source,
/// its stride, and the number of doubles.
pub type Strided = unsafe extern "C-unwind" fn(*const World, *mut f64, usize, *const f64, usize, usize);

/// The parameters of a call on one rank.
#[derive(Debug)]
#[repr(C)]
pub struct Call {
    /// The number of an [`Operation`].
    pub operation: u32,
    /// The number of a [`Direction`], in a shift.
    pub direction: u32,
    /// Rows and columns of the global matrix.
    pub dim: c_int,
    /// Rows of the process mesh.
    pub mesh_rows: c_int,
    /// Columns of the process mesh.
    pub mesh_cols: c_int,
    /// The row of this rank in the mesh.
    pub mesh_row: c_int,
    /// The column of this rank in the mesh.
    pub mesh_col: c_int,
    /// The rank of each cell of the mesh, row by row.
    pub ranks: *const c_int,
    /// The first global row of each row of the mesh, and `dim` behind them.
    pub row_starts: *const c_int,
    /// The first global column of each column of the mesh, and `dim` behind them.
    pub col_starts: *const c_int,
    /// In a broadcast: the rank that sends the line to this one, which may be itself.
    pub owner: c_int,
    /// In a broadcast: the row or column of the local array that is sent or replaced.
    pub place: c_int,
    /// The local array, row by row, with its guard wrapper.
    pub array: *mut f64,
    /// In a shift: the array that arrives; otherwise null.
    pub result: *mut f64,
    /// Memory for messages.
    pub work: *mut f64,
    /// The doubles of that memory.
    pub work_len: usize,
    /// Copies a column or row.
    pub strided: Strided,
}

/// Runs an operation.
pub type Run = unsafe extern "C-unwind" fn(*const World, *const Call) -> c_int;

/// The table that a library exports under a name.
#[derive(Debug)]
#[repr(C)]
pub struct Implementation {
    /// [`MAGIC`].
    pub magic: u64,
    /// [`VERSION`].
    pub version: u32,
    /// The operations that it implements.
    pub operations: u64,
    /// Runs an operation.
    pub run: Option<Run>,
}

// SAFETY: it is a table of constants.
unsafe impl Sync for Implementation {}

impl Implementation {
    /// Returns the names of its operations.
    pub fn names(&self) -> Vec<&'static str> {
        let served = |operation: &Operation| self.operations & operation.bit() != 0;
        Operation::ALL.into_iter().filter(served).map(Operation::name).collect()
    }
}
