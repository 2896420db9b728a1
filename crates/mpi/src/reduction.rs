//! Operations that reductions apply.

use std::ffi::{c_int, c_void};
use std::sync::{PoisonError, RwLock};

use crate::abi::Abi;
use crate::comm::count;
use crate::error::Result;
use crate::functions::Word;
use crate::mpi::Mpi;

/// Combines elements of its first argument with those of the second, into the second; those of the first come first.
pub type Apply = &'static (dyn Fn(&[u8], &mut [u8]) + Sync);

/// What a reduction does with elements.
#[derive(Clone, Copy)]
pub enum Operation {
    /// `MPI_SUM` of `MPI_DOUBLE`.
    SumF64,
    /// A function of one's own, over elements of so many bytes. Not taken to commute.
    Own(Apply, usize),
}

/// A datatype that was made for elements of one's own, so that the function can be known by it: MPI hands the function that it
/// calls no other word of ours.
#[derive(Clone, Copy)]
struct Element {
    datatype: Word,
    apply: Apply,
    bytes: usize,
}

/// For all threads: a library may have one of its own that makes progress, and calls our function there.
static ELEMENTS: RwLock<Vec<Element>> = RwLock::new(Vec::new());

fn known(is_it: impl Fn(&Element) -> bool) -> Option<Element> {
    ELEMENTS.read().unwrap_or_else(PoisonError::into_inner).iter().find(|element| is_it(element)).copied()
}

/// The function that MPI calls, where handles are words of type `H`.
///
/// # Safety
/// MPI calls it with two arrays of `len` elements of this datatype.
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
    // SAFETY: the address of a number.
    let bytes = usize::try_from(unsafe { *len }).unwrap_or(0) * element.bytes;
    if bytes == 0 {
        return;
    }
    // SAFETY: the arguments are MPI's: arrays that do not overlap, of as many elements.
    let (from, into) = unsafe {
        (std::slice::from_raw_parts(from.cast(), bytes), std::slice::from_raw_parts_mut(into.cast(), bytes))
    };
    (element.apply)(from, into);
}

impl Mpi {
    /// The datatype and the operation by which MPI does it.
    pub(crate) fn reduction(&self, operation: Operation) -> Result<(Word, Word)> {
        let constants = self.constants();
        match operation {
            Operation::SumF64 => Ok((constants.double, constants.sum)),
            Operation::Own(apply, bytes) => Ok((self.element(apply, bytes)?, self.own_operation()?)),
        }
    }

    /// Gives back what was made for operations of one's own.
    pub(crate) fn free_operations(&self) -> Result<()> {
        let elements = std::mem::take(&mut *ELEMENTS.write().unwrap_or_else(PoisonError::into_inner));
        for mut element in elements {
            // SAFETY: the datatype was made here, and nothing is under way.
            let code = unsafe { (self.functions().MPI_Type_free)(&raw mut element.datatype) };
            self.check("MPI_Type_free", code)?;
        }
        let Some(mut op) = self.own_op().take() else { return Ok(()) };
        // SAFETY: the same.
        self.check("MPI_Op_free", unsafe { (self.functions().MPI_Op_free)(&raw mut op) })
    }

    fn own_operation(&self) -> Result<Word> {
        if let Some(op) = self.own_op().get() {
            return Ok(op);
        }
        let function = if self.library().abi() == Abi::Mpich { call::<u32> } else { call::<u64> };
        let mut op: Word = 0;
        // SAFETY: the function lives as long as the program, and `op` is a place for a handle.
        let code = unsafe { (self.functions().MPI_Op_create)(function, 0, &raw mut op) };
        self.check("MPI_Op_create", code)?;
        self.own_op().set(Some(op));
        Ok(op)
    }

    /// The datatype of elements of so many bytes that are combined like this.
    fn element(&self, apply: Apply, bytes: usize) -> Result<Word> {
        let is_this = |known: &Element| known.bytes == bytes && std::ptr::addr_eq(known.apply, apply);
        if let Some(element) = known(is_this) {
            return Ok(element.datatype);
        }
        let mut datatype: Word = 0;
        let (functions, byte) = (self.functions(), self.constants().byte);
        // SAFETY: `MPI_BYTE` is a datatype, and `datatype` a place for a handle.
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
