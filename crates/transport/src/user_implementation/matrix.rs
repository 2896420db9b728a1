//! User-supplied operations on a distributed matrix (C16).

use std::ffi::c_int;
use std::path::Path;
use std::time::Duration;

use panto_implementation::abi::World;
use panto_implementation::matrix::{Call, Direction, Implementation, MAGIC, Operation, Run, VERSION};

use super::bridge::charge;
use super::caller::Caller;
use super::load::{DEFAULT_TIME_LIMIT, Table, find_table, title};
use crate::error::{Error, Result};
use crate::message::Tag;
use crate::reduce_op::NO_REDUCTION;
use crate::transport::{Transport, Work};

// SAFETY: the type is `repr(C)`, and its magic number is that of no other.
unsafe impl Table for Implementation {
    const MAGIC: u64 = MAGIC;
    const VERSION: u32 = VERSION;
    const WHAT: &'static str = "an implementation of a matrix operation";
    const DECLARATION: [&'static str; 2] =
        ["const panto_matrix_implementation", "= { PANTO_MATRIX_IMPLEMENTATION, ... }"];
    const HEADER: &'static str = "panto_matrix.h";
    const REQUIRED: &'static str = "`operations` and `run`";

    fn is_complete(&self) -> bool {
        self.run.is_some() && !self.names().is_empty()
    }
}

/// Matrix operations from a shared library, which stays loaded until the program ends.
#[derive(Debug, Clone, Copy)]
pub struct UserMatrix {
    table: &'static Implementation,
    title: &'static str,
    time_limit: Duration,
}

impl UserMatrix {
    /// Loads a library and finds the implementation with this name. The error says what is missing
    /// and what to do.
    pub fn load(path: &Path, name: &str) -> Result<Self> {
        Ok(Self { table: find_table(path, name)?, title: title(path, name), time_limit: DEFAULT_TIME_LIMIT })
    }

    /// Sets the time after which a call counts as hung, which ends the process.
    #[must_use]
    pub fn with_time_limit(self, time_limit: Duration) -> Self {
        Self { time_limit, ..self }
    }

    /// Returns an error unless it implements this operation.
    pub fn check(&self, operation: Operation) -> Result<()> {
        let names = self.table.names();
        if names.contains(&operation.name()) {
            return Ok(());
        }
        Err(Error::Start(format!(
            "{} does not support {}; it supports {}",
            self.title,
            operation.name(),
            names.join(", ")
        )))
    }
}

/// What an operation is to do on one rank: the fields of the interface's call, except memory.
#[derive(Debug, Clone)]
pub struct MatrixProblem {
    /// The operation.
    pub operation: Operation,
    /// The direction of a shift.
    pub direction: Direction,
    /// Rows and columns of the process mesh.
    pub mesh: [usize; 2],
    /// Row and column of this rank in the mesh.
    pub cell: [usize; 2],
    /// The rank of each cell, row by row.
    pub ranks: Vec<usize>,
    /// The first global row of each row of the mesh, and the dimension of the matrix behind them.
    pub row_starts: Vec<usize>,
    /// The same for columns.
    pub col_starts: Vec<usize>,
    /// The rank that sends the line of a broadcast to this one.
    pub owner: usize,
    /// The line of the local array that is sent or replaced.
    pub place: usize,
}

/// A double as it is sent.
type Double = [u8; size_of::<f64>()];

/// The memory of a call.
#[derive(Debug)]
pub struct MatrixMemory<'m> {
    /// The local array, with its guard.
    pub array: &'m mut [Double],
    /// In a shift, the array that arrives.
    pub result: Option<&'m mut [Double]>,
    /// Memory for messages.
    pub work: &'m mut [Double],
}

/// A user-supplied matrix operation on one rank, called repeatedly.
pub struct MatrixSession<'t, T: Transport> {
    run: Run,
    caller: Caller<'t, T>,
    /// The call without its memory.
    call: Call,
    /// What the call's pointers refer to.
    _mesh: [Vec<c_int>; 3],
}

impl<'t, T: Transport> MatrixSession<'t, T> {
    /// Prepares calls on this rank, whose messages have this tag.
    pub fn new(transport: &'t T, user: UserMatrix, problem: &MatrixProblem, tag: Tag) -> Result<Self> {
        let run = user.table.run.ok_or(Error::Unsupported("matrix implementation without a function"))?;
        let ints = |numbers: &[usize]| numbers.iter().copied().map(int).collect::<Vec<_>>();
        let mesh = [ints(&problem.ranks), ints(&problem.row_starts), ints(&problem.col_starts)];
        let call = Call {
            operation: problem.operation as u32,
            direction: problem.direction as u32,
            dim: mesh[1].last().copied().unwrap_or_default(),
            mesh_rows: int(problem.mesh[0]),
            mesh_cols: int(problem.mesh[1]),
            mesh_row: int(problem.cell[0]),
            mesh_col: int(problem.cell[1]),
            ranks: mesh[0].as_ptr(),
            row_starts: mesh[1].as_ptr(),
            col_starts: mesh[2].as_ptr(),
            owner: int(problem.owner),
            place: int(problem.place),
            array: std::ptr::null_mut(),
            result: std::ptr::null_mut(),
            work: std::ptr::null_mut(),
            work_len: 0,
            strided: strided::<T>,
        };
        let caller = Caller::new(transport, (user.title, user.time_limit), tag, NO_REDUCTION)?;
        Ok(Self { run, caller, call, _mesh: mesh })
    }

    /// Runs the operation.
    pub fn run(&self, memory: MatrixMemory<'_>) -> Result<()> {
        let call = Call {
            array: doubles(memory.array)?,
            result: memory.result.map_or(Ok(std::ptr::null_mut()), doubles)?,
            work_len: memory.work.len(),
            work: doubles(memory.work)?,
            ..self.call
        };
        // SAFETY: world and call are valid until it returns; the memory is borrowed exclusively,
        // and the mesh belongs to this session. The rest is up to the user's code.
        let code = self.caller.call(|world| unsafe { (self.run)(world, &raw const call) });
        self.caller.outcome("run", code)?;
        self.caller.check_completed()
    }
}

/// Returns an array as user code sees it. Allocators align for every type of C, doubles included.
#[expect(clippy::cast_ptr_alignment, reason = "the alignment is checked")]
fn doubles(array: &mut [Double]) -> Result<*mut f64> {
    let start = array.as_mut_ptr().cast::<f64>();
    start.is_aligned().then_some(start).ok_or(Error::Unsupported("memory that is not aligned for doubles"))
}

/// Returns a number as user code sees it: dimensions and ranks are far below the limit.
fn int(number: usize) -> c_int {
    c_int::try_from(number).unwrap_or(c_int::MAX)
}

/// The interface's `strided` on a transport of type `T`.
///
/// # Safety
/// `world` must be that of a [`MatrixSession`] on a `T`; `from` must be readable and `into`
/// writable for `count` doubles that are strides apart, and the two must not overlap.
unsafe extern "C-unwind" fn strided<T: Transport>(
    world: *const World,
    into: *mut f64,
    into_stride: usize,
    from: *const f64,
    from_stride: usize,
    count: usize,
) {
    for place in 0..count {
        // SAFETY: the caller promises that each of these doubles is valid.
        unsafe { into.add(place * into_stride).write(from.add(place * from_stride).read()) };
    }
    // SAFETY: the caller promises that the world is one of a `T`.
    unsafe { charge::<T>(world, Work::Strided(count)) };
}
