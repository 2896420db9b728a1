//! Operations of reductions.

use std::ffi::{c_int, c_void};
use std::sync::{PoisonError, RwLock};

use crate::abi::Abi;
use crate::comm::count;
use crate::error::Result;
use crate::functions::Word;
use crate::mpi::Mpi;

/// Combines the elements of the first argument with those of the second, into the second. Elements
/// of the first are the left operands.
pub type Apply = &'static (dyn Fn(&[u8], &mut [u8]) + Sync);

/// What a reduction does with elements.
#[derive(Clone, Copy)]
pub enum Operation {
    /// `MPI_SUM` of `MPI_DOUBLE`.
    SumF64,
    /// A user-defined function over elements of this number of bytes. It is not assumed to be
    /// commutative.
    Own(Apply, usize),
}

/// A datatype that was made for a user-defined function, which is identified by it: MPI passes no
/// other value of ours to the function that it calls.
#[derive(Clone, Copy)]
struct Element {
    datatype: Word,
    apply: Apply,
    bytes: usize,
}

/// Shared by all threads: a library may have a progress thread, which calls the function there.
static ELEMENTS: RwLock<Vec<Element>> = RwLock::new(Vec::new());

fn known(is_it: impl Fn(&Element) -> bool) -> Option<Element> {
    ELEMENTS.read().unwrap_or_else(PoisonError::into_inner).iter().find(|element| is_it(element)).copied()
}

/// The function that MPI calls, where handles have the type `H`.
///
/// # Safety
/// MPI must call it with two arrays of `len` elements of this datatype.
unsafe extern "C" fn call<H: Copy + Into<u64>>(
    from: *mut c_void,
    into: *mut c_void,
    len: *mut c_int,
    datatype: *mut c_void,
) {
    // SAFETY: MPI passes the address of a handle.
    let datatype: u64 = unsafe { *datatype.cast::<H>() }.into();
    let Some(element) = known(|element| element.datatype as u64 == datatype) else {
        eprintln!("panto: this MPI calls a reduction with a datatype that was not given to it");
        std::process::abort();
    };
    // SAFETY: MPI passes the address of an `int`.
    let bytes = usize::try_from(unsafe { *len }).unwrap_or(0) * element.bytes;
    if bytes == 0 {
        return;
    }
    // SAFETY: MPI passes arrays of this length that do not overlap.
    let (from, into) = unsafe {
        (std::slice::from_raw_parts(from.cast(), bytes), std::slice::from_raw_parts_mut(into.cast(), bytes))
    };
    (element.apply)(from, into);
}

impl Mpi {
    /// Returns the datatype and the operation by which MPI does it.
    pub(crate) fn reduction(&self, operation: Operation) -> Result<(Word, Word)> {
        let constants = self.constants();
        match operation {
            Operation::SumF64 => Ok((constants.double, constants.sum)),
            Operation::Own(apply, bytes) => Ok((self.element(apply, bytes)?, self.own_operation()?)),
        }
    }

    /// Frees what was made for user-defined functions.
    pub(crate) fn free_operations(&self) -> Result<()> {
        let elements = std::mem::take(&mut *ELEMENTS.write().unwrap_or_else(PoisonError::into_inner));
        for mut element in elements {
            // SAFETY: the datatype was made here, and no operation is active.
            let code = unsafe { (self.functions().MPI_Type_free)(&raw mut element.datatype) };
            self.check("MPI_Type_free", code)?;
        }
        let Some(mut op) = self.own_op().take() else { return Ok(()) };
        // SAFETY: the operation was made here, and no reduction is active.
        self.check("MPI_Op_free", unsafe { (self.functions().MPI_Op_free)(&raw mut op) })
    }

    fn own_operation(&self) -> Result<Word> {
        if let Some(op) = self.own_op().get() {
            return Ok(op);
        }
        let function = if self.library().abi() == Abi::Mpich { call::<u32> } else { call::<u64> };
        let mut op: Word = 0;
        // SAFETY: the function lives as long as the program, and `op` is a local variable.
        let code = unsafe { (self.functions().MPI_Op_create)(function, 0, &raw mut op) };
        self.check("MPI_Op_create", code)?;
        self.own_op().set(Some(op));
        Ok(op)
    }

    /// Returns the datatype of elements of this number of bytes that are combined by a function.
    fn element(&self, apply: Apply, bytes: usize) -> Result<Word> {
        let is_this = |known: &Element| known.bytes == bytes && std::ptr::addr_eq(known.apply, apply);
        if let Some(element) = known(is_this) {
            return Ok(element.datatype);
        }
        let mut datatype: Word = 0;
        let (functions, byte) = (self.functions(), self.constants().byte);
        // SAFETY: `MPI_BYTE` is a datatype, and `datatype` is a local variable.
        unsafe {
            let code = (functions.MPI_Type_contiguous)(count(bytes)?, byte, &raw mut datatype);
            self.check("MPI_Type_contiguous", code)?;
            self.check("MPI_Type_commit", (functions.MPI_Type_commit)(&raw mut datatype))?;
        }
        let mut elements = ELEMENTS.write().unwrap_or_else(PoisonError::into_inner);
        elements.push(Element { datatype, apply, bytes });
        Ok(datatype)
    }
}
