//! The three application binary interfaces (ABIs) of MPI libraries, as data.
//!
//! The numbers are those of the `mpi.h` of MPICH 4.0.2 and 5.0.2 (the same in both), of Open MPI
//! 4.1.4 and 5.0.11 (the same in both), and of `mpi_abi.h` of MPICH 5.0.2, which is the header of
//! MPI 5.0's chapter on the standard ABI. A test compiles a program with each installed MPI and
//! compares.

use std::ffi::{CStr, c_int, c_void};
use std::fmt;

/// An application binary interface (ABI) of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Abi {
    /// MPICH's ABI, which Intel MPI, Cray MPI and MVAPICH share: handles are 32-bit numbers.
    Mpich,
    /// The ABI of Open MPI 4 and 5: handles are addresses of objects in the library.
    OpenMpi,
    /// The ABI that MPI 5 standardized (`libmpi_abi.so`): handles are addresses, constants are
    /// small numbers.
    Standard,
}

impl Abi {
    /// Returns the ABI of a library; none if it is not MPI.
    ///
    /// # Safety
    /// `symbol` must return addresses in one library by their names.
    pub unsafe fn detect(symbol: &dyn Fn(&CStr) -> Option<*mut c_void>) -> Option<Self> {
        symbol(c"MPI_Init_thread")?;
        // SAFETY: the caller promises that `symbol` returns addresses in one library.
        if unsafe { says_standard(symbol) } {
            return Some(Self::Standard);
        }
        Some(if symbol(c"ompi_mpi_comm_world").is_some() { Self::OpenMpi } else { Self::Mpich })
    }
}

/// Returns whether a library of MPI 5 implements the standard ABI; one that implements another ABI
/// returns a negative version.
///
/// # Safety
/// As for [`Abi::detect`].
unsafe fn says_standard(symbol: &dyn Fn(&CStr) -> Option<*mut c_void>) -> bool {
    let Some(address) = symbol(c"MPI_Abi_get_version") else { return false };
    // SAFETY: the standard fixes the prototype of this function.
    let ask = unsafe {
        std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int>(address)
    };
    let (mut major, mut minor): (c_int, c_int) = (-1, -1);
    // SAFETY: both arguments are local variables; the standard allows this call before
    // initialization.
    let code = unsafe { ask(&raw mut major, &raw mut minor) };
    code == 0 && major > 0
}

impl fmt::Display for Abi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Mpich => "MPICH",
            Self::OpenMpi => "Open MPI",
            Self::Standard => "MPI-5 standard",
        })
    }
}

/// Makes [`Constants`] from one line for each: its kind and name, and its value in MPICH's, Open
/// MPI's and the standard ABI. A `handle` is the address of a data symbol in Open MPI; everything
/// else is a `number`.
macro_rules! constants {
    ($($(#[doc = $doc:literal])* $kind:ident $name:ident: $type:ty = $mpich:tt, $open:tt, $standard:tt;)*) => {
        /// The constants that differ from one ABI to another. Handles and addresses are words; see
        /// [`Constants::resolve`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Constants {
            $($(#[doc = $doc])* pub $name: $type,)*
            /// The layout of a status.
            pub status: StatusLayout,
        }

        impl Constants {
            /// Returns the constants of an ABI. `symbol` returns the address of a data symbol of
            /// the library by its name: in Open MPI, handles are such addresses. The error is the
            /// name of the first symbol that is missing.
            pub fn resolve(abi: Abi, symbol: &dyn Fn(&CStr) -> Option<usize>) -> Result<Self, String> {
                let address = |name: &CStr| symbol(name).ok_or_else(|| name.to_string_lossy().into_owned());
                Ok(match abi {
                    Abi::Mpich => Self { $($name: $mpich,)* status: StatusLayout::MPICH },
                    Abi::OpenMpi => Self {
                        $($name: constants!(@open $kind address $open),)*
                        status: StatusLayout::OPEN_MPI,
                    },
                    Abi::Standard => Self { $($name: $standard,)* status: StatusLayout::STANDARD },
                })
            }
        }
    };
    (@open handle $address:ident $symbol:literal) => { $address($symbol)? };
    (@open number $address:ident $value:tt) => { $value };
}

/// The address that C writes as -1.
const MINUS_ONE: usize = usize::MAX;

constants! {
    /// `MPI_COMM_WORLD`.
    handle comm_world: usize = 0x4400_0000, c"ompi_mpi_comm_world", 0x101;
    /// `MPI_COMM_SELF`.
    handle comm_self: usize = 0x4400_0001, c"ompi_mpi_comm_self", 0x102;
    /// `MPI_COMM_NULL`.
    handle comm_null: usize = 0x0400_0000, c"ompi_mpi_comm_null", 0x100;
    /// `MPI_BYTE`.
    handle byte: usize = 0x4c00_010d, c"ompi_mpi_byte", 0x247;
    /// `MPI_DATATYPE_NULL`.
    handle datatype_null: usize = 0x0c00_0000, c"ompi_mpi_datatype_null", 0x200;
    /// `MPI_DOUBLE`.
    handle double: usize = 0x4c00_080b, c"ompi_mpi_double", 0x214;
    /// `MPI_SUM`.
    handle sum: usize = 0x5800_0003, c"ompi_mpi_op_sum", 0x21;
    /// `MPI_UNSIGNED_CHAR`.
    handle unsigned_char: usize = 0x4c00_0102, c"ompi_mpi_unsigned_char", 0x245;
    /// `MPI_INFO_NULL`.
    handle info_null: usize = 0x1c00_0000, c"ompi_mpi_info_null", 0x130;
    /// `MPI_REQUEST_NULL`.
    handle request_null: usize = 0x2c00_0000, c"ompi_request_null", 0x180;
    /// `MPI_ERRORS_RETURN`.
    handle errors_return: usize = 0x5400_0001, c"ompi_mpi_errors_return", 0x143;
    /// `MPI_IN_PLACE`, an address.
    number in_place: usize = MINUS_ONE, 1, 1;
    /// `MPI_STATUS_IGNORE`, an address.
    number status_ignore: usize = 1, 0, 0;
    /// `MPI_STATUSES_IGNORE`, an address.
    number statuses_ignore: usize = 1, 0, 0;
    /// `MPI_ANY_SOURCE`.
    number any_source: c_int = (-2), (-1), (-1);
    /// `MPI_ANY_TAG`.
    number any_tag: c_int = (-1), (-1), (-2);
    /// `MPI_PROC_NULL`.
    number proc_null: c_int = (-1), (-2), (-3);
    /// `MPI_ROOT`.
    number root: c_int = (-3), (-4), (-4);
    /// `MPI_UNDEFINED`.
    number undefined: c_int = (-32766), (-32766), (-32766);
    /// `MPI_THREAD_SINGLE`.
    number thread_single: c_int = 0, 0, 0;
    /// `MPI_THREAD_MULTIPLE`.
    number thread_multiple: c_int = 3, 3, 4096;
    /// `MPI_TAG_UB`, the key of an attribute.
    number tag_ub: c_int = 0x6440_0001, 0, 501;
    /// `MPI_ERR_TRUNCATE`, an error class.
    number err_truncate: c_int = 14, 15, 15;
    /// `MPI_CART`, a kind of topology.
    number cart: c_int = 2, 1, 211;
    /// `MPI_GRAPH`.
    number graph: c_int = 1, 2, 212;
    /// `MPI_DIST_GRAPH`.
    number dist_graph: c_int = 3, 3, 213;
    /// `MPI_LOCK_EXCLUSIVE`: no other rank may access the window meanwhile.
    number lock_exclusive: c_int = 234, 1, 301;
    /// `MPI_LOCK_SHARED`.
    number lock_shared: c_int = 235, 2, 302;
    /// `MPI_MODE_NOSUCCEED`: no access follows a fence.
    number mode_nosucceed: c_int = 16384, 16, 16384;
    /// `MPI_COMBINER_NAMED`: a datatype that the program did not make.
    number combiner_named: c_int = 1, 0, 101;
    /// `MPI_BSEND_OVERHEAD`.
    number bsend_overhead: c_int = 96, 128, 512;
    /// `MPI_MAX_ERROR_STRING`.
    number max_error_string: usize = 512, 256, 512;
    /// `MPI_MAX_LIBRARY_VERSION_STRING`.
    number max_library_version: usize = 8192, 256, 8192;
}

/// The layout of the public fields of an `MPI_Status`, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusLayout {
    /// The size of the whole.
    pub size: usize,
    /// The offset of `MPI_SOURCE`.
    pub source: usize,
    /// The offset of `MPI_TAG`.
    pub tag: usize,
    /// The offset of `MPI_ERROR`.
    pub error: usize,
    /// The offset of the lower half of the message's byte count, where the ABI fixes it: asking for
    /// it by a function would be timed. Beyond the end where only `MPI_Get_count` knows.
    pub count: usize,
}

impl StatusLayout {
    const MPICH: Self = Self { size: 20, source: 8, tag: 12, error: 16, count: 0 };
    const OPEN_MPI: Self = Self { size: 24, source: 0, tag: 4, error: 8, count: 16 };
    const STANDARD: Self = Self { size: 32, source: 0, tag: 4, error: 8, count: 32 };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_open_mpi_needs_symbols() {
        let none = |_: &CStr| None;
        assert_eq!(
            Constants::resolve(Abi::Mpich, &none).map(|constants| constants.comm_world),
            Ok(0x4400_0000)
        );
        assert_eq!(Constants::resolve(Abi::Standard, &none).map(|constants| constants.comm_world), Ok(0x101));
        assert_eq!(Constants::resolve(Abi::OpenMpi, &none), Err("ompi_mpi_comm_world".into()));
    }

    #[test]
    fn a_missing_symbol_is_named() {
        let all_but_sum = |name: &CStr| (name != c"ompi_mpi_op_sum").then_some(8);
        assert_eq!(Constants::resolve(Abi::OpenMpi, &all_but_sum), Err("ompi_mpi_op_sum".into()));
    }
}
