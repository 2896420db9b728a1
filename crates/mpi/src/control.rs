//! The control variables of an MPI library, by the tool information interface (`MPI_T`) of MPI 3.
//!
//! Libraries list their variables with a description, and some with names for the values
//! (enumerations). Numbers are read and written as `int`: a variable of one byte uses the first
//! byte, which is correct on a little-endian machine if the others are zero.

use std::ffi::{c_char, c_int};

use crate::error::Result;
use crate::functions::Word;
use crate::library::text_until_nul;
use crate::mpi::Mpi;

/// A control variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlVariable {
    index: c_int,
    /// The name in the library.
    pub name: String,
    /// What the library says about it.
    pub description: String,
    /// The values that have names.
    pub choices: Vec<(i32, String)>,
}

/// All control variables of an initialized library.
pub struct ControlVariables {
    mpi: Mpi,
    all: Vec<ControlVariable>,
}

/// Room for a name, in bytes.
const NAME: usize = 512;
/// Room for a description, in bytes. Longer ones are cut off by the library.
const DESCRIPTION: usize = 16 << 10;

impl ControlVariables {
    /// Lists the variables whose name fulfils a condition.
    pub fn list(mpi: &Mpi, is_wanted: impl Fn(&str) -> bool) -> Result<Self> {
        let (functions, mut provided, mut number): (_, c_int, c_int) = (mpi.functions(), 0, 0);
        // SAFETY: the results are local variables. The interface may be initialized repeatedly.
        let code = unsafe { (functions.MPI_T_init_thread)(mpi.constants().thread_single, &raw mut provided) };
        mpi.check("MPI_T_init_thread", code)?;
        // SAFETY: the result is a local variable.
        mpi.check("MPI_T_cvar_get_num", unsafe { (functions.MPI_T_cvar_get_num)(&raw mut number) })?;
        let all = (0..number).filter_map(|index| variable(mpi, index, &is_wanted)).collect();
        Ok(Self { mpi: mpi.clone(), all })
    }

    /// Returns the variable of this name.
    pub fn find(&self, name: &str) -> Option<&ControlVariable> {
        self.all.iter().find(|variable| variable.name == name)
    }

    /// Returns the value of a variable that is a number.
    pub fn read(&self, variable: &ControlVariable) -> Result<i32> {
        let mut value: c_int = 0;
        self.with_handle(variable, |handle| {
            // SAFETY: the handle is valid, and a number has at most the size of an `int`.
            let code = unsafe { (self.mpi.functions().MPI_T_cvar_read)(handle, (&raw mut value).cast()) };
            self.mpi.check("MPI_T_cvar_read", code)
        })?;
        Ok(value)
    }

    /// Sets a variable that is a number.
    pub fn write(&self, variable: &ControlVariable, value: i32) -> Result<()> {
        self.with_handle(variable, |handle| {
            // SAFETY: the handle is valid, and a number has at most the size of an `int`.
            let code = unsafe { (self.mpi.functions().MPI_T_cvar_write)(handle, (&raw const value).cast()) };
            self.mpi.check("MPI_T_cvar_write", code)
        })
    }

    fn with_handle(&self, variable: &ControlVariable, act: impl FnOnce(Word) -> Result<()>) -> Result<()> {
        let (functions, mut handle, mut count): (_, Word, c_int) = (self.mpi.functions(), 0, 0);
        // SAFETY: the variable is not bound to an object, so none is named; the results are local.
        let code = unsafe {
            (functions.MPI_T_cvar_handle_alloc)(
                variable.index,
                std::ptr::null_mut(),
                &raw mut handle,
                &raw mut count,
            )
        };
        self.mpi.check("MPI_T_cvar_handle_alloc", code)?;
        let outcome = act(handle);
        // SAFETY: the handle was allocated above and is not used again.
        let code = unsafe { (functions.MPI_T_cvar_handle_free)(&raw mut handle) };
        outcome.and_then(|()| self.mpi.check("MPI_T_cvar_handle_free", code))
    }
}

/// Returns a variable; none if it is not wanted, or not there any more.
fn variable(mpi: &Mpi, index: c_int, is_wanted: &impl Fn(&str) -> bool) -> Option<ControlVariable> {
    let (mut name, mut description) = (vec![0_u8; NAME], vec![0_u8; DESCRIPTION]);
    let (mut name_len, mut description_len) = (NAME as c_int, DESCRIPTION as c_int);
    let (mut verbosity, mut bind, mut scope): (c_int, c_int, c_int) = (0, 0, 0);
    let (mut datatype, mut choices): (Word, Word) = (0, 0);
    // SAFETY: the buffers are as long as the lengths say, and the other results are local
    // variables.
    let code = unsafe {
        (mpi.functions().MPI_T_cvar_get_info)(
            index,
            name.as_mut_ptr().cast::<c_char>(),
            &raw mut name_len,
            &raw mut verbosity,
            &raw mut datatype,
            &raw mut choices,
            description.as_mut_ptr().cast::<c_char>(),
            &raw mut description_len,
            &raw mut bind,
            &raw mut scope,
        )
    };
    let name = text_until_nul(&name);
    if code != 0 || !is_wanted(&name) {
        return None;
    }
    Some(ControlVariable {
        index,
        name,
        description: text_until_nul(&description),
        choices: named_values(mpi, choices),
    })
}

/// Returns the named values of an enumeration; none without one.
fn named_values(mpi: &Mpi, choices: Word) -> Vec<(i32, String)> {
    // All three ABIs define `MPI_T_ENUM_NULL` as a null pointer.
    if choices == 0 {
        return Vec::new();
    }
    let (mut number, mut name_len): (c_int, c_int) = (0, NAME as c_int);
    let mut name = vec![0_u8; NAME];
    // SAFETY: the enumeration is the library's, and the buffer is as long as the length says.
    let code = unsafe {
        (mpi.functions().MPI_T_enum_get_info)(
            choices,
            &raw mut number,
            name.as_mut_ptr().cast::<c_char>(),
            &raw mut name_len,
        )
    };
    let number = if code == 0 { number } else { 0 };
    (0..number).filter_map(|index| named_value(mpi, choices, index)).collect()
}

fn named_value(mpi: &Mpi, choices: Word, index: c_int) -> Option<(i32, String)> {
    let (mut value, mut name_len): (c_int, c_int) = (0, NAME as c_int);
    let mut name = vec![0_u8; NAME];
    // SAFETY: the enumeration is the library's, and the buffer is as long as the length says.
    let code = unsafe {
        (mpi.functions().MPI_T_enum_get_item)(
            choices,
            index,
            &raw mut value,
            name.as_mut_ptr().cast::<c_char>(),
            &raw mut name_len,
        )
    };
    (code == 0).then(|| (value, text_until_nul(&name)))
}
