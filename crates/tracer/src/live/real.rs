//! Functions of the real MPI, past the exported ones.

use std::ffi::{c_int, c_void};

use super::waiting::until;
use crate::function::Function;

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($argument:ident),*);)*) => {$(
        /// As in MPI, with all arguments as words.
        ///
        /// # Safety
        /// The arguments must be those of the function.
        pub unsafe fn $name($($argument: usize),*) -> c_int {
            static FUNCTION: Function = Function::new($symbol);
            let address = FUNCTION.real();
            if address.is_null() {
                return FUNCTION.missing();
            }
            // SAFETY: this is MPI's function of that name, whose arguments are integers and
            // addresses, one word each; the caller promises what they are.
            unsafe {
                std::mem::transmute::<
                    *mut c_void,
                    unsafe extern "C" fn($(crate::interpose::word!($argument)),*) -> c_int,
                >(address)($($argument),*)
            }
        }
    )*};
}

functions! {
    isend = c"PMPI_Isend" (buf, count, datatype, to, tag, comm, request);
    irecv = c"PMPI_Irecv" (buf, count, datatype, from, tag, comm, request);
    recv_init = c"PMPI_Recv_init" (buf, count, datatype, from, tag, comm, request);
    cancel = c"PMPI_Cancel" (request);
    test = c"PMPI_Test" (request, flag, status);
    request_get_status = c"PMPI_Request_get_status" (request, flag, status);
    probe = c"PMPI_Probe" (from, tag, comm, status);
    mprobe = c"PMPI_Mprobe" (from, tag, comm, message, status);
    pack_size = c"PMPI_Pack_size" (count, datatype, comm, size);
    pack = c"PMPI_Pack" (buf, count, datatype, out, size, place, comm);
    reduce_local = c"PMPI_Reduce_local" (from, to, count, datatype, op);
    grequest_start = c"PMPI_Grequest_start" (query, free, cancel, state, request);
    grequest_complete = c"PMPI_Grequest_complete" (request);
    comm_get_attr = c"PMPI_Comm_get_attr" (comm, key, value, flag);
    status_set_cancelled = c"PMPI_Status_set_cancelled" (status, flag);
    status_set_elements = c"PMPI_Status_set_elements" (status, datatype, count);
}

/// A function with the most arguments that one called by its name has.
type LongestFunction = unsafe extern "C-unwind" fn(
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
) -> c_int;

/// Calls a function with these arguments.
///
/// # Safety
/// `address` must be that of a function which takes these words and returns an `int`.
pub unsafe fn call(address: *mut c_void, words: &[usize]) -> c_int {
    let word = |place: usize| words.get(place).copied().unwrap_or(0);
    // SAFETY: on all supported platforms the caller removes the arguments, so a function that
    // takes fewer words ignores the others.
    unsafe {
        let function = std::mem::transmute::<*mut c_void, LongestFunction>(address);
        let (last, before) = (word(9), word(8));
        function(word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7), before, last)
    }
}

/// Completes a request, like `MPI_Wait`; returns MPI's code.
///
/// # Safety
/// `request` must be the address of a request, and `status` that of a status, or ignored.
pub unsafe fn wait(request: usize, status: usize) -> c_int {
    let (mut flag, mut code): (c_int, c_int) = (0, 0);
    until(|| {
        // SAFETY: as the caller promises; the flag is a local variable.
        code = unsafe { test(request, &raw mut flag as usize, status) };
        code != 0 || flag != 0
    });
    code
}
