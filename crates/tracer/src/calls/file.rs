//! Files: recorded as calls with their bytes, but not as messages.

use std::ffi::{CStr, c_char};

use panto_trace::Action;

use crate::call_context::CallContext;
use crate::interpose::{calls, prepared_calls};
use crate::rank;
use panto_recording::ObjectInfo;
use panto_recording::Request;

/// No request: the call returns when it is complete.
const NONE: usize = 0;

/// Returns the handle of a file, which is an address in all ABIs.
unsafe fn handle_at(address: usize) -> usize {
    // SAFETY: the program's handle, or one that MPI wrote.
    unsafe { *(address as *const usize) }
}

impl CallContext<'_> {
    unsafe fn opened(&mut self, comm: usize, name: usize, address: usize) {
        let comm = self.comm(comm);
        // SAFETY: the program passes a C string.
        let name = unsafe { CStr::from_ptr(name as *const c_char) }.to_string_lossy().into_owned();
        let rank = &mut *self.rank;
        let known = rank.files.add(handle_at(address), comm.number, comm.rank, name, &mut rank.recorder);
        self.record(&Action::File { file: Some(known.number), bytes: 0, request: None });
    }

    fn done(&mut self, file: usize) {
        let file = self.rank.files.get(file).map(|file| file.number);
        self.record(&Action::File { file, bytes: 0, request: None });
    }

    unsafe fn accessed(&mut self, file: usize, count: usize, datatype: usize, request: usize) {
        let (file, datatype) = (self.rank.files.get(file).map(|file| file.number), self.datatype(datatype));
        let is_active = Request { is_active: true, ..Request::default() };
        let request = if request == NONE { None } else { self.new_request(request, is_active) };
        self.record(&Action::File { file, bytes: self.count(count) * datatype.size, request });
    }

    fn closed(&mut self, file: Option<ObjectInfo>) {
        self.record(&Action::File { file: file.map(|file| file.number), bytes: 0, request: None });
    }
}

/// Functions with equal arguments, by their arguments.
macro_rules! accesses {
    ($($arguments:tt $record:tt [$($name:ident $wide:ident,)*])*) => {$(
        accesses!(@each $arguments $record $($name $wide)*);
    )*};
    (@each $arguments:tt {|$at:ident| $record:expr} $($name:ident $wide:ident)*) => {
        calls! { $($name also $wide $arguments => |$at| $record;)* }
    };
}

accesses! {
    (file, buf, count, datatype, status) {|at| at.accessed(file, count, datatype, NONE)} [
        MPI_File_read MPI_File_read_c, MPI_File_write MPI_File_write_c,
        MPI_File_read_all MPI_File_read_all_c, MPI_File_write_all MPI_File_write_all_c,
        MPI_File_read_shared MPI_File_read_shared_c, MPI_File_write_shared MPI_File_write_shared_c,
        MPI_File_read_ordered MPI_File_read_ordered_c, MPI_File_write_ordered MPI_File_write_ordered_c,
    ]
    (file, buf, count, datatype, request) {|at| at.accessed(file, count, datatype, request)} [
        MPI_File_iread MPI_File_iread_c, MPI_File_iwrite MPI_File_iwrite_c,
        MPI_File_iread_all MPI_File_iread_all_c, MPI_File_iwrite_all MPI_File_iwrite_all_c,
        MPI_File_iread_shared MPI_File_iread_shared_c, MPI_File_iwrite_shared MPI_File_iwrite_shared_c,
    ]
    (file, buf, count, datatype) {|at| at.accessed(file, count, datatype, NONE)} [
        MPI_File_read_all_begin MPI_File_read_all_begin_c, MPI_File_write_all_begin MPI_File_write_all_begin_c,
        MPI_File_read_ordered_begin MPI_File_read_ordered_begin_c, MPI_File_write_ordered_begin MPI_File_write_ordered_begin_c,
    ]
    (file, offset, buf, count, datatype, status) {|at| at.accessed(file, count, datatype, NONE)} [
        MPI_File_read_at MPI_File_read_at_c, MPI_File_write_at MPI_File_write_at_c,
        MPI_File_read_at_all MPI_File_read_at_all_c, MPI_File_write_at_all MPI_File_write_at_all_c,
    ]
    (file, offset, buf, count, datatype, request) {|at| at.accessed(file, count, datatype, request)} [
        MPI_File_iread_at MPI_File_iread_at_c, MPI_File_iwrite_at MPI_File_iwrite_at_c,
        MPI_File_iread_at_all MPI_File_iread_at_all_c, MPI_File_iwrite_at_all MPI_File_iwrite_at_all_c,
    ]
    (file, offset, buf, count, datatype) {|at| at.accessed(file, count, datatype, NONE)} [
        MPI_File_read_at_all_begin MPI_File_read_at_all_begin_c, MPI_File_write_at_all_begin MPI_File_write_at_all_begin_c,
    ]
}

calls! {
    MPI_File_read_all_end(file, buf, status) => |at| at.done(file);
    MPI_File_write_all_end(file, buf, status) => |at| at.done(file);
    MPI_File_read_at_all_end(file, buf, status) => |at| at.done(file);
    MPI_File_write_at_all_end(file, buf, status) => |at| at.done(file);
    MPI_File_read_ordered_end(file, buf, status) => |at| at.done(file);
    MPI_File_write_ordered_end(file, buf, status) => |at| at.done(file);
}

// Calls that move no data are recorded, too: libraries communicate inside them by functions that
// are exported here, and those calls are not the program's.
calls! {
    MPI_File_open(comm, name, mode, info, file) => |at| at.opened(comm, name, file);
    MPI_File_sync(file) => |at| at.done(file);
    MPI_File_set_size(file, size) => |at| at.done(file);
    MPI_File_preallocate(file, size) => |at| at.done(file);
    MPI_File_set_view(file, place, elementary, filetype, representation, info) => |at| at.done(file);
    MPI_File_set_atomicity(file, flag) => |at| at.done(file);
    MPI_File_set_info(file, info) => |at| at.done(file);
    MPI_File_seek(file, offset, whence) => |at| at.done(file);
    MPI_File_seek_shared(file, offset, whence) => |at| at.done(file);
    MPI_File_get_position_shared(file, offset) => |at| at.done(file);
    MPI_File_get_size(file, size) => |at| at.done(file);
    MPI_File_delete(name, info) => |at| at.closed(None);
}

unsafe fn file_closed(address: usize) -> Option<ObjectInfo> {
    rank::with(|rank| rank.files.remove(handle_at(address))).flatten()
}

prepared_calls! {
    MPI_File_close(file) before file_closed(file), call |_known| (file), after |at, known| at.closed(*known);
}
