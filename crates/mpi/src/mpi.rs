//! An initialized MPI.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

use crate::abi::Constants;
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::functions::{Functions, Word};
use crate::library::{Library, text_until_nul};

/// An initialized MPI. It belongs to the thread that initialized it.
///
/// It is not finalized by being dropped: [`finish`](Mpi::finish) waits for all ranks, and
/// [`abort`](Mpi::abort) for none.
#[derive(Clone)]
pub struct Mpi(Rc<Inner>);

struct Inner {
    library: Library,
    own_op: Cell<Option<Word>>,
    attached: Cell<bool>,
    has_threads: Cell<bool>,
}

/// Which threads of a program call MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// One alone. Open MPI makes each message a third slower (410 ns become 560 ns) at the next
    /// level, `MPI_THREAD_FUNNELED`, because it then locks its counters.
    Single,
    /// Several, if the library provides that ([`Mpi::has_threads`]).
    Multiple,
}

/// The buffer of buffered sends, in bytes. Pages that no message needs are never touched.
const BUFFER: usize = 16 << 20;

impl Mpi {
    /// Initializes MPI. Errors are returned from now on, instead of ending the program.
    pub fn start(library: Library, threads: Threads) -> Result<Self> {
        let inner = Inner {
            library,
            own_op: Cell::new(None),
            attached: Cell::new(false),
            has_threads: Cell::new(false),
        };
        let mpi = Self(Rc::new(inner));
        let mut provided: c_int = 0;
        let required = match threads {
            Threads::Single => mpi.constants().thread_single,
            Threads::Multiple => mpi.constants().thread_multiple,
        };
        // SAFETY: MPI allows null for the program's arguments. This is called once: `Library::load`
        // made the only library.
        let code = unsafe {
            (mpi.functions().MPI_Init_thread)(
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                required,
                &raw mut provided,
            )
        };
        mpi.check("MPI_Init_thread", code)?;
        mpi.0.has_threads.set(provided >= mpi.constants().thread_multiple);
        mpi.return_errors(mpi.constants().comm_world)?;
        // Errors that belong to no communicator are raised on this one, since MPI 4.
        mpi.return_errors(mpi.constants().comm_self)?;
        Ok(mpi)
    }

    /// Returns whether several threads may call MPI.
    pub fn has_threads(&self) -> bool {
        self.0.has_threads.get()
    }

    /// Returns the library.
    pub fn library(&self) -> &Library {
        &self.0.library
    }

    /// Returns the communicator of all processes of the job.
    pub fn world(&self) -> Comm {
        Comm::new(self, self.constants().comm_world)
    }

    /// Finalizes MPI, when all ranks have called this.
    pub fn finish(&self) -> Result<()> {
        self.detach_buffer()?;
        self.free_operations()?;
        // SAFETY: no operation is active: those that were started have been completed.
        self.check("MPI_Finalize", unsafe { (self.functions().MPI_Finalize)() })
    }

    /// Ends the whole job with this exit code, without waiting for other ranks.
    pub fn abort(&self, code: u8) -> ! {
        // SAFETY: allowed at any time between initialization and finalization.
        unsafe { (self.functions().MPI_Abort)(self.constants().comm_world, c_int::from(code)) };
        std::process::exit(i32::from(code));
    }

    /// Makes errors of a communicator return codes, instead of ending the program.
    pub(crate) fn return_errors(&self, comm: Word) -> Result<()> {
        // SAFETY: the handles are a communicator's and a constant of the ABI.
        let code =
            unsafe { (self.functions().MPI_Comm_set_errhandler)(comm, self.constants().errors_return) };
        self.check("MPI_Comm_set_errhandler", code)
    }

    /// Attaches the buffer of buffered sends, at the first one.
    pub(crate) fn attach_buffer(&self) -> Result<()> {
        if self.0.attached.replace(true) {
            return Ok(());
        }
        let buffer = Vec::leak(vec![0_u8; BUFFER]);
        // SAFETY: the memory lives as long as the program.
        let code = unsafe {
            (self.functions().MPI_Buffer_attach)(buffer.as_mut_ptr().cast(), buffer.len() as c_int)
        };
        self.check("MPI_Buffer_attach", code)
    }

    fn detach_buffer(&self) -> Result<()> {
        if !self.0.attached.replace(false) {
            return Ok(());
        }
        let (mut buffer, mut len): (Word, c_int) = (0, 0);
        // SAFETY: both results are local variables, which are ignored.
        let code = unsafe { (self.functions().MPI_Buffer_detach)((&raw mut buffer).cast(), &raw mut len) };
        self.check("MPI_Buffer_detach", code)
    }

    #[inline]
    pub(crate) fn functions(&self) -> &Functions {
        &self.0.library.functions
    }

    #[inline]
    pub(crate) fn constants(&self) -> &Constants {
        &self.0.library.constants
    }

    /// Returns `MPI_STATUS_IGNORE`.
    #[inline]
    pub(crate) fn ignore(&self) -> *mut c_void {
        std::ptr::without_provenance_mut(self.constants().status_ignore)
    }

    /// Returns the reduction operation that was made for user-defined functions, if there is one.
    pub(crate) fn own_op(&self) -> &Cell<Option<Word>> {
        &self.0.own_op
    }

    /// Turns a return code into a result.
    #[inline]
    pub(crate) fn check(&self, function: &'static str, code: c_int) -> Result<()> {
        if code == 0 { Ok(()) } else { Err(self.error(function, code)) }
    }

    #[cold]
    fn error(&self, function: &'static str, code: c_int) -> Error {
        error(self.functions(), self.constants(), function, code)
    }
}

/// Returns the error of a return code that is not 0.
pub(crate) fn error(
    functions: &Functions,
    constants: &Constants,
    function: &'static str,
    code: c_int,
) -> Error {
    let mut text = vec![0_u8; constants.max_error_string.max(1024)];
    let (mut len, mut class): (c_int, c_int) = (0, 0);
    // SAFETY: the buffer is as large as the ABI demands; the other results are local variables.
    unsafe {
        (functions.MPI_Error_string)(code, text.as_mut_ptr().cast(), &raw mut len);
        (functions.MPI_Error_class)(code, &raw mut class);
    }
    if class == constants.err_truncate {
        return Error::Truncated;
    }
    Error::Call { function, class, text: text_until_nul(&text) }
}
