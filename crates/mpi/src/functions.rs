//! The functions of MPI that Panto calls: their prototypes, once, and the table made from them.
//!
//! Handles are passed as words ([`Word`]): a 32-bit number fills the lower half of a register, and
//! a word of which a library wrote 32 bits is read correctly if it was 0 before and the machine is
//! little-endian. So one prototype serves all three ABIs.

use std::ffi::{CStr, c_char, c_int, c_void};

/// A handle of any ABI: a number or an address.
pub type Word = usize;

#[cfg(not(all(target_os = "linux", target_pointer_width = "64", target_endian = "little")))]
compile_error!(
    "MPI is called here as 64-bit little-endian Linux calls functions; other systems need their own look"
);

/// A function that combines elements for MPI: `MPI_User_function`.
pub type UserFunction =
    unsafe extern "C" fn(from: *mut c_void, into: *mut c_void, len: *mut c_int, datatype: *mut c_void);

/// The declared type, or `c_int` where none is declared.
macro_rules! answer {
    () => {
        c_int
    };
    ($answer:ty) => {
        $answer
    };
}

/// Makes the table from the prototypes. Functions without `-> type` return an error code, as nearly
/// all do.
macro_rules! functions {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $answer:ty)?;)*) => {
        /// The functions of one library.
        #[allow(non_snake_case, reason = "the names are MPI's")]
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct Functions {
            $(pub(crate) $name: unsafe extern "C" fn($($argument: $type),*) -> answer!($($answer)?),)*
        }

        impl Functions {
            /// Fills the table; the error is the name of the first function that is missing.
            ///
            /// # Safety
            /// `symbol` must return addresses of the functions of an MPI library by their names.
            pub(crate) unsafe fn resolve(
                symbol: &dyn Fn(&CStr) -> Option<*mut c_void>,
            ) -> Result<Self, &'static str> {
                Ok(Self {
                    $($name: {
                        const NAME: &CStr = match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                            Ok(name) => name,
                            Err(_) => unreachable!(),
                        };
                        let address = symbol(NAME).ok_or(stringify!($name))?;
                        // SAFETY: the caller promises that this is MPI's function of that name, and
                        // the standard fixes its prototype; handles may be words, as this module
                        // explains.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($type),*) -> answer!($($answer)?),
                            >(address)
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    fn MPI_Init_thread(argc: *mut c_int, argv: *mut c_void, required: c_int, provided: *mut c_int);
    fn MPI_Finalize();
    fn MPI_Abort(comm: Word, code: c_int);
    fn MPI_Get_version(version: *mut c_int, subversion: *mut c_int);
    fn MPI_Get_library_version(text: *mut c_char, len: *mut c_int);
    fn MPI_Error_string(code: c_int, text: *mut c_char, len: *mut c_int);
    fn MPI_Error_class(code: c_int, class: *mut c_int);
    fn MPI_Comm_set_errhandler(comm: Word, handler: Word);

    fn MPI_Comm_rank(comm: Word, rank: *mut c_int);
    fn MPI_Comm_size(comm: Word, size: *mut c_int);
    fn MPI_Comm_split(comm: Word, color: c_int, key: c_int, new: *mut Word);
    fn MPI_Comm_dup(comm: Word, new: *mut Word);
    fn MPI_Comm_free(comm: *mut Word);
    fn MPI_Dist_graph_create_adjacent(comm: Word, sources: c_int, from: *const c_int, from_weights: *const c_int, destinations: c_int, to: *const c_int, to_weights: *const c_int, info: Word, reorder: c_int, new: *mut Word);
    fn MPI_Comm_group(comm: Word, group: *mut Word);
    fn MPI_Group_incl(group: Word, count: c_int, ranks: *const c_int, new: *mut Word);
    fn MPI_Group_free(group: *mut Word);

    fn MPI_Win_allocate(bytes: isize, unit: c_int, info: Word, comm: Word, memory: *mut *mut c_void, window: *mut Word);
    fn MPI_Win_free(window: *mut Word);
    fn MPI_Win_set_errhandler(window: Word, handler: Word);
    fn MPI_Win_fence(assert: c_int, window: Word);
    fn MPI_Win_lock(kind: c_int, rank: c_int, assert: c_int, window: Word);
    fn MPI_Win_unlock(rank: c_int, window: Word);
    fn MPI_Win_lock_all(assert: c_int, window: Word);
    fn MPI_Win_unlock_all(window: Word);
    fn MPI_Win_flush(rank: c_int, window: Word);
    fn MPI_Win_post(group: Word, assert: c_int, window: Word);
    fn MPI_Win_start(group: Word, assert: c_int, window: Word);
    fn MPI_Win_complete(window: Word);
    fn MPI_Win_wait(window: Word);
    fn MPI_Win_test(window: Word, flag: *mut c_int);
    fn MPI_Put(data: *const c_void, count: c_int, datatype: Word, target: c_int, at: isize, there: c_int, target_type: Word, window: Word);
    fn MPI_Get(into: *mut c_void, count: c_int, datatype: Word, target: c_int, at: isize, there: c_int, target_type: Word, window: Word);
    fn MPI_Accumulate(data: *const c_void, count: c_int, datatype: Word, target: c_int, at: isize, there: c_int, target_type: Word, op: Word, window: Word);

    fn MPI_Send(data: *const c_void, count: c_int, datatype: Word, to: c_int, tag: c_int, comm: Word);
    fn MPI_Bsend(data: *const c_void, count: c_int, datatype: Word, to: c_int, tag: c_int, comm: Word);
    fn MPI_Ssend(data: *const c_void, count: c_int, datatype: Word, to: c_int, tag: c_int, comm: Word);
    fn MPI_Rsend(data: *const c_void, count: c_int, datatype: Word, to: c_int, tag: c_int, comm: Word);
    fn MPI_Isend(data: *const c_void, count: c_int, datatype: Word, to: c_int, tag: c_int, comm: Word, request: *mut Word);
    fn MPI_Ibsend(data: *const c_void, count: c_int, datatype: Word, to: c_int, tag: c_int, comm: Word, request: *mut Word);
    fn MPI_Issend(data: *const c_void, count: c_int, datatype: Word, to: c_int, tag: c_int, comm: Word, request: *mut Word);
    fn MPI_Irsend(data: *const c_void, count: c_int, datatype: Word, to: c_int, tag: c_int, comm: Word, request: *mut Word);
    fn MPI_Send_init(data: *const c_void, count: c_int, datatype: Word, to: c_int, tag: c_int, comm: Word, request: *mut Word);
    fn MPI_Bsend_init(data: *const c_void, count: c_int, datatype: Word, to: c_int, tag: c_int, comm: Word, request: *mut Word);
    fn MPI_Ssend_init(data: *const c_void, count: c_int, datatype: Word, to: c_int, tag: c_int, comm: Word, request: *mut Word);
    fn MPI_Rsend_init(data: *const c_void, count: c_int, datatype: Word, to: c_int, tag: c_int, comm: Word, request: *mut Word);
    fn MPI_Recv(data: *mut c_void, count: c_int, datatype: Word, from: c_int, tag: c_int, comm: Word, status: *mut c_void);
    fn MPI_Irecv(data: *mut c_void, count: c_int, datatype: Word, from: c_int, tag: c_int, comm: Word, request: *mut Word);
    fn MPI_Recv_init(data: *mut c_void, count: c_int, datatype: Word, from: c_int, tag: c_int, comm: Word, request: *mut Word);
    fn MPI_Sendrecv(data: *const c_void, count: c_int, datatype: Word, to: c_int, tag: c_int, into: *mut c_void, room: c_int, into_type: Word, from: c_int, from_tag: c_int, comm: Word, status: *mut c_void);
    fn MPI_Probe(from: c_int, tag: c_int, comm: Word, status: *mut c_void);
    fn MPI_Iprobe(from: c_int, tag: c_int, comm: Word, flag: *mut c_int, status: *mut c_void);
    fn MPI_Get_count(status: *const c_void, datatype: Word, count: *mut c_int);
    fn MPI_Buffer_attach(buffer: *mut c_void, len: c_int);
    fn MPI_Buffer_detach(buffer: *mut c_void, len: *mut c_int);

    fn MPI_Start(request: *mut Word);
    fn MPI_Wait(request: *mut Word, status: *mut c_void);
    fn MPI_Test(request: *mut Word, flag: *mut c_int, status: *mut c_void);
    fn MPI_Waitany(count: c_int, requests: *mut c_void, index: *mut c_int, status: *mut c_void);
    fn MPI_Cancel(request: *mut Word);
    fn MPI_Test_cancelled(status: *const c_void, flag: *mut c_int);
    fn MPI_Request_free(request: *mut Word);

    fn MPI_Type_contiguous(count: c_int, old: Word, new: *mut Word);
    fn MPI_Type_commit(datatype: *mut Word);
    fn MPI_Type_free(datatype: *mut Word);
    fn MPI_Op_free(op: *mut Word);
    fn MPI_Op_create(function: UserFunction, commutes: c_int, op: *mut Word);

    fn MPI_T_init_thread(required: c_int, provided: *mut c_int);
    fn MPI_T_cvar_get_num(number: *mut c_int);
    fn MPI_T_cvar_get_info(index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int, datatype: *mut Word, choices: *mut Word, description: *mut c_char, description_len: *mut c_int, bind: *mut c_int, scope: *mut c_int);
    fn MPI_T_cvar_handle_alloc(index: c_int, object: *mut c_void, handle: *mut Word, count: *mut c_int);
    fn MPI_T_cvar_handle_free(handle: *mut Word);
    fn MPI_T_cvar_read(handle: Word, value: *mut c_void);
    fn MPI_T_cvar_write(handle: Word, value: *const c_void);
    fn MPI_T_enum_get_info(choices: Word, number: *mut c_int, name: *mut c_char, name_len: *mut c_int);
    fn MPI_T_enum_get_item(choices: Word, index: c_int, value: *mut c_int, name: *mut c_char, name_len: *mut c_int);

    fn MPI_Barrier(comm: Word);
    fn MPI_Bcast(data: *mut c_void, count: c_int, datatype: Word, root: c_int, comm: Word);
    fn MPI_Gather(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: c_int, into_type: Word, root: c_int, comm: Word);
    fn MPI_Scatter(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: c_int, into_type: Word, root: c_int, comm: Word);
    fn MPI_Allgather(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: c_int, into_type: Word, comm: Word);
    fn MPI_Alltoall(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: c_int, into_type: Word, comm: Word);
    fn MPI_Gatherv(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: *const c_int, at: *const c_int, into_type: Word, root: c_int, comm: Word);
    fn MPI_Scatterv(data: *const c_void, each: *const c_int, at: *const c_int, datatype: Word, into: *mut c_void, count: c_int, into_type: Word, root: c_int, comm: Word);
    fn MPI_Allgatherv(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: *const c_int, at: *const c_int, into_type: Word, comm: Word);
    fn MPI_Alltoallv(data: *const c_void, each: *const c_int, at: *const c_int, datatype: Word, into: *mut c_void, into_each: *const c_int, into_at: *const c_int, into_type: Word, comm: Word);
    fn MPI_Alltoallw(data: *const c_void, each: *const c_int, at: *const c_int, types: *const c_void, into: *mut c_void, into_each: *const c_int, into_at: *const c_int, into_types: *const c_void, comm: Word);
    fn MPI_Neighbor_allgather(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: c_int, into_type: Word, comm: Word);
    fn MPI_Neighbor_allgatherv(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: *const c_int, at: *const c_int, into_type: Word, comm: Word);
    fn MPI_Neighbor_alltoall(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: c_int, into_type: Word, comm: Word);
    fn MPI_Neighbor_alltoallv(data: *const c_void, each: *const c_int, at: *const c_int, datatype: Word, into: *mut c_void, into_each: *const c_int, into_at: *const c_int, into_type: Word, comm: Word);
    fn MPI_Neighbor_alltoallw(data: *const c_void, each: *const c_int, at: *const isize, types: *const c_void, into: *mut c_void, into_each: *const c_int, into_at: *const isize, into_types: *const c_void, comm: Word);
    fn MPI_Reduce(data: *const c_void, into: *mut c_void, count: c_int, datatype: Word, op: Word, root: c_int, comm: Word);
    fn MPI_Allreduce(data: *const c_void, into: *mut c_void, count: c_int, datatype: Word, op: Word, comm: Word);
    fn MPI_Reduce_scatter_block(data: *const c_void, into: *mut c_void, count: c_int, datatype: Word, op: Word, comm: Word);
    fn MPI_Scan(data: *const c_void, into: *mut c_void, count: c_int, datatype: Word, op: Word, comm: Word);
    fn MPI_Exscan(data: *const c_void, into: *mut c_void, count: c_int, datatype: Word, op: Word, comm: Word);

    fn MPI_Ibarrier(comm: Word, request: *mut Word);
    fn MPI_Ibcast(data: *mut c_void, count: c_int, datatype: Word, root: c_int, comm: Word, request: *mut Word);
    fn MPI_Igather(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: c_int, into_type: Word, root: c_int, comm: Word, request: *mut Word);
    fn MPI_Iscatter(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: c_int, into_type: Word, root: c_int, comm: Word, request: *mut Word);
    fn MPI_Iallgather(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: c_int, into_type: Word, comm: Word, request: *mut Word);
    fn MPI_Ialltoall(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: c_int, into_type: Word, comm: Word, request: *mut Word);
    fn MPI_Igatherv(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: *const c_int, at: *const c_int, into_type: Word, root: c_int, comm: Word, request: *mut Word);
    fn MPI_Iscatterv(data: *const c_void, each: *const c_int, at: *const c_int, datatype: Word, into: *mut c_void, count: c_int, into_type: Word, root: c_int, comm: Word, request: *mut Word);
    fn MPI_Iallgatherv(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: *const c_int, at: *const c_int, into_type: Word, comm: Word, request: *mut Word);
    fn MPI_Ialltoallv(data: *const c_void, each: *const c_int, at: *const c_int, datatype: Word, into: *mut c_void, into_each: *const c_int, into_at: *const c_int, into_type: Word, comm: Word, request: *mut Word);
    fn MPI_Ialltoallw(data: *const c_void, each: *const c_int, at: *const c_int, types: *const c_void, into: *mut c_void, into_each: *const c_int, into_at: *const c_int, into_types: *const c_void, comm: Word, request: *mut Word);
    fn MPI_Ineighbor_allgather(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: c_int, into_type: Word, comm: Word, request: *mut Word);
    fn MPI_Ineighbor_allgatherv(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: *const c_int, at: *const c_int, into_type: Word, comm: Word, request: *mut Word);
    fn MPI_Ineighbor_alltoall(data: *const c_void, count: c_int, datatype: Word, into: *mut c_void, each: c_int, into_type: Word, comm: Word, request: *mut Word);
    fn MPI_Ineighbor_alltoallv(data: *const c_void, each: *const c_int, at: *const c_int, datatype: Word, into: *mut c_void, into_each: *const c_int, into_at: *const c_int, into_type: Word, comm: Word, request: *mut Word);
    fn MPI_Ineighbor_alltoallw(data: *const c_void, each: *const c_int, at: *const isize, types: *const c_void, into: *mut c_void, into_each: *const c_int, into_at: *const isize, into_types: *const c_void, comm: Word, request: *mut Word);
    fn MPI_Ireduce(data: *const c_void, into: *mut c_void, count: c_int, datatype: Word, op: Word, root: c_int, comm: Word, request: *mut Word);
    fn MPI_Iallreduce(data: *const c_void, into: *mut c_void, count: c_int, datatype: Word, op: Word, comm: Word, request: *mut Word);
    fn MPI_Ireduce_scatter_block(data: *const c_void, into: *mut c_void, count: c_int, datatype: Word, op: Word, comm: Word, request: *mut Word);
    fn MPI_Iscan(data: *const c_void, into: *mut c_void, count: c_int, datatype: Word, op: Word, comm: Word, request: *mut Word);
    fn MPI_Iexscan(data: *const c_void, into: *mut c_void, count: c_int, datatype: Word, op: Word, comm: Word, request: *mut Word);
}
