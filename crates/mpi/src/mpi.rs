//! An MPI that runs.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

use crate::abi::Constants;
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::functions::{Functions, Word};
use crate::library::{Library, text_until_nul};
use crate::status::RawStatus;

/// An MPI that was started. It belongs to the thread that started it.
///
/// It does not end by being dropped: [`finish`](Mpi::finish) waits for all ranks, and [`abort`](Mpi::abort) for none.
#[derive(Clone)]
pub struct Mpi(Rc<Inner>);

struct Inner {
    library: Library,
    own_op: Cell<Option<Word>>,
    attached: Cell<bool>,
}

/// Room for buffered sends. Memory that no message needs is never touched.
const BUFFER: usize = 16 << 20;

impl Mpi {
    /// Starts it. Errors come back from now on, instead of ending the program.
    pub fn start(library: Library) -> Result<Self> {
        let mpi = Self(Rc::new(Inner { library, own_op: Cell::new(None), attached: Cell::new(false) }));
        let mut provided: c_int = 0;
        // Other threads of the program never call MPI. Open MPI makes each message a third slower (410 ns become 560 ns) at the next
        // level, `MPI_THREAD_FUNNELED`, because it then locks its counters.
        let required = mpi.constants().thread_single;
        // SAFETY: MPI allows that the program's arguments are not given. Called once: `Library::load` made the only library.
        let code = unsafe {
            (mpi.functions().MPI_Init_thread)(
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                required,
                &raw mut provided,
            )
        };
        mpi.check("MPI_Init_thread", code)?;
        mpi.return_errors(mpi.constants().comm_world)?;
        // Errors that belong to no communicator are this one's, since MPI 4.
        mpi.return_errors(mpi.constants().comm_self)?;
        Ok(mpi)
    }

    /// The library.
    pub fn library(&self) -> &Library {
        &self.0.library
    }

    /// All processes of the job.
    pub fn world(&self) -> Comm {
        Comm::new(self, self.constants().comm_world)
    }

    /// Ends it, when all ranks have come here.
    pub fn finish(&self) -> Result<()> {
        self.detach_buffer()?;
        self.free_operations()?;
        // SAFETY: nothing is under way: those who started operations have completed them.
        self.check("MPI_Finalize", unsafe { (self.functions().MPI_Finalize)() })
    }

    /// Ends the whole job now, with this exit code, and does not wait for anybody.
    pub fn abort(&self, code: u8) -> ! {
        // SAFETY: allowed at any time between start and end.
        unsafe { (self.functions().MPI_Abort)(self.constants().comm_world, c_int::from(code)) };
        std::process::exit(i32::from(code));
    }

    /// Errors of this communicator come back, instead of ending the program.
    pub(crate) fn return_errors(&self, comm: Word) -> Result<()> {
        // SAFETY: the handles are a communicator's and a constant of the interface.
        let code =
            unsafe { (self.functions().MPI_Comm_set_errhandler)(comm, self.constants().errors_return) };
        self.check("MPI_Comm_set_errhandler", code)
    }

    /// Gives buffered sends their room, at the first one.
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
        // SAFETY: both are places for the answer, which nobody needs.
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

    /// The address that says that nobody wants a status.
    #[inline]
    pub(crate) fn ignore(&self) -> *mut c_void {
        std::ptr::without_provenance_mut(self.constants().status_ignore)
    }

    /// The operation that was made for functions of one's own, once it was.
    pub(crate) fn own_op(&self) -> &Cell<Option<Word>> {
        &self.0.own_op
    }

    /// The bytes of the message of a status that MPI has written.
    #[inline]
    pub(crate) fn count(&self, status: &RawStatus) -> usize {
        let mut count: c_int = 0;
        // SAFETY: `MPI_BYTE` is a datatype, and the status was written by MPI.
        unsafe { (self.functions().MPI_Get_count)(status.as_ptr(), self.constants().byte, &raw mut count) };
        count.max(0) as usize
    }

    /// Turns what a function returned into a result.
    #[inline]
    pub(crate) fn check(&self, function: &'static str, code: c_int) -> Result<()> {
        if code == 0 { Ok(()) } else { Err(self.error(function, code)) }
    }

    #[cold]
    fn error(&self, function: &'static str, code: c_int) -> Error {
        let mut text = vec![0_u8; self.constants().max_error_string.max(1024)];
        let (mut len, mut class): (c_int, c_int) = (0, 0);
        // SAFETY: the buffer is as large as the interface asks for; all are places for the answers.
        unsafe {
            (self.functions().MPI_Error_string)(code, text.as_mut_ptr().cast(), &raw mut len);
            (self.functions().MPI_Error_class)(code, &raw mut class);
        }
        if class == self.constants().err_truncate {
            return Error::Truncated;
        }
        Error::Call { function, class, text: text_until_nul(&text) }
    }
}
