//! The MPI library of the program, as the tracer itself uses it. No function here sends, receives
//! or waits; `MPI_Iprobe` and `MPI_Request_get_status` may drive MPI's progress.

mod describe;
mod topology;

pub use topology::Neighbours;

use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;

use panto_mpi::{Abi, Constants};

use crate::function;

macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        /// Functions of the MPI library. They are called by their `PMPI` names, past the exported
        /// ones.
        #[derive(Clone, Copy)]
        struct Functions {
            $($name: unsafe extern "C" fn($($type),*) -> c_int,)*
        }

        impl Functions {
            fn find() -> Result<Self, &'static str> {
                Ok(Self {
                    $($name: {
                        const NAME: &CStr = match CStr::from_bytes_with_nul(concat!("P", stringify!($name), "\0").as_bytes()) {
                            Ok(name) => name,
                            Err(_) => unreachable!(),
                        };
                        let address = function::real(NAME);
                        if address.is_null() {
                            return Err(stringify!($name));
                        }
                        // SAFETY: this is MPI's function of that name, whose prototype the standard
                        // fixes; handles are passed as words.
                        unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> c_int>(address) }
                    },)*
                })
            }
        }
    };
}

functions! {
    MPI_Comm_rank(comm: usize, rank: *mut c_int);
    MPI_Comm_size(comm: usize, size: *mut c_int);
    MPI_Comm_get_parent(comm: *mut usize);
    MPI_Comm_remote_size(comm: usize, size: *mut c_int);
    MPI_Comm_test_inter(comm: usize, flag: *mut c_int);
    MPI_Comm_group(comm: usize, group: *mut usize);
    MPI_Comm_remote_group(comm: usize, group: *mut usize);
    MPI_Group_size(group: usize, size: *mut c_int);
    MPI_Group_translate_ranks(group: usize, count: c_int, ranks: *const c_int, other: usize, translated: *mut c_int);
    MPI_Group_free(group: *mut usize);
    MPI_Type_size_x(datatype: usize, size: *mut i64);
    MPI_Type_get_extent(datatype: usize, lower: *mut isize, extent: *mut isize);
    MPI_Type_get_envelope(datatype: usize, numbers: *mut c_int, addresses: *mut c_int, types: *mut c_int, combiner: *mut c_int);
    MPI_Op_commutative(op: usize, flag: *mut c_int);
    MPI_Get_elements_x(status: *const c_void, datatype: usize, count: *mut i64);
    MPI_Test_cancelled(status: *const c_void, flag: *mut c_int);
    MPI_Iprobe(from: c_int, tag: c_int, comm: usize, flag: *mut c_int, status: usize);
    MPI_Request_get_status(request: usize, flag: *mut c_int, status: usize);
    MPI_Topo_test(comm: usize, kind: *mut c_int);
    MPI_Cartdim_get(comm: usize, dimensions: *mut c_int);
    MPI_Cart_shift(comm: usize, dimension: c_int, far: c_int, source: *mut c_int, destination: *mut c_int);
    MPI_Graph_neighbors_count(comm: usize, rank: c_int, count: *mut c_int);
    MPI_Graph_neighbors(comm: usize, rank: c_int, count: c_int, neighbours: *mut c_int);
    MPI_Dist_graph_neighbors_count(comm: usize, sources: *mut c_int, destinations: *mut c_int, weighted: *mut c_int);
    MPI_Dist_graph_neighbors(comm: usize, sources: c_int, from: *mut c_int, from_weights: *mut c_int, destinations: c_int, to: *mut c_int, to_weights: *mut c_int);
    MPI_Get_library_version(text: *mut u8, length: *mut c_int);
}

/// Returns the MPI library of this process; what is missing otherwise.
pub fn get() -> Result<&'static Mpi, String> {
    static MPI: OnceLock<Result<Mpi, String>> = OnceLock::new();
    MPI.get_or_init(Mpi::find).as_ref().map_err(Clone::clone)
}

/// `MPI_Type_get_envelope_c`. Libraries that have it may abort when the older function is called
/// for a datatype with 64-bit counts.
type WideEnvelope = unsafe extern "C" fn(usize, *mut i64, *mut i64, *mut i64, *mut i64, *mut c_int) -> c_int;

/// The source of a message from `MPI_PROC_NULL`, in a trace.
const NULL_SOURCE: c_int = -3;

/// The MPI library of the program.
pub struct Mpi {
    functions: Functions,
    wide_envelope: Option<WideEnvelope>,
    pub constants: Constants,
    pub abi: Abi,
}

impl Mpi {
    fn find() -> Result<Self, String> {
        let symbol = |name: &CStr| {
            let address = function::real(name);
            (!address.is_null()).then_some(address)
        };
        // SAFETY: all functions of MPI come from the one library of the process.
        let abi = unsafe { Abi::detect(&symbol) }.ok_or("there is no MPI library in the process")?;
        let functions = Functions::find().map_err(|name| format!("the MPI library has no {name}"))?;
        let constants = Constants::resolve(abi, &|name| function::data(name).map(|address| address as usize))
            .map_err(|name| format!("the MPI library has no {name}"))?;
        // SAFETY: this is MPI's function of that name, whose prototype the standard fixes.
        let wide_envelope = symbol(c"PMPI_Type_get_envelope_c")
            .map(|address| unsafe { std::mem::transmute::<*mut c_void, WideEnvelope>(address) });
        Ok(Self { functions, wide_envelope, constants, abi })
    }

    /// Returns a handle as the program passes it: handles of MPICH have 32 bits, and the upper half
    /// of the register is undefined.
    #[inline]
    pub fn handle(&self, word: usize) -> usize {
        if self.abi == Abi::Mpich { word & 0xffff_ffff } else { word }
    }

    /// Returns the handle at a place of an array.
    ///
    /// # Safety
    /// `address` must be that of a handle, or of an array with more than `place` of them.
    #[inline]
    pub unsafe fn handle_at(&self, address: usize, place: usize) -> usize {
        // SAFETY: the caller promises an array of handles that is longer than `place`.
        unsafe {
            match self.abi {
                Abi::Mpich => *(address as *const u32).add(place) as usize,
                Abi::OpenMpi | Abi::Standard => *(address as *const usize).add(place),
            }
        }
    }

    fn ask(&self, call: impl FnOnce(&Functions, &mut c_int) -> c_int) -> Option<c_int> {
        let mut answer = 0;
        (call(&self.functions, &mut answer) == 0).then_some(answer)
    }

    /// Returns whether this process was started by another MPI program (`MPI_Comm_spawn`): its
    /// `MPI_COMM_WORLD` is another one.
    pub fn is_spawned(&self) -> bool {
        let mut parent = 0;
        // SAFETY: `parent` is a local variable, wide enough for any handle.
        let code = unsafe { (self.functions.MPI_Comm_get_parent)(&raw mut parent) };
        code == 0 && self.handle(parent) != self.constants.comm_null
    }

    /// Returns this rank's number in a communicator.
    pub fn rank(&self, comm: usize) -> u32 {
        // SAFETY: the communicator is valid, because the program uses it; the result is a local
        // variable.
        self.ask(|mpi, rank| unsafe { (mpi.MPI_Comm_rank)(comm, rank) }).unwrap_or(0) as u32
    }

    /// Returns the number of ranks of a communicator; of an intercommunicator, of its local group.
    pub fn size(&self, comm: usize) -> u32 {
        // SAFETY: the communicator is valid, because the program uses it; the result is a local
        // variable.
        self.ask(|mpi, size| unsafe { (mpi.MPI_Comm_size)(comm, size) }).unwrap_or(1) as u32
    }

    /// Returns the number of ranks in the remote group of an intercommunicator; none for others.
    pub fn remote_size(&self, comm: usize) -> Option<u32> {
        // SAFETY: the communicator is valid, because the program uses it; the result is a local
        // variable.
        let is_inter = self.ask(|mpi, flag| unsafe { (mpi.MPI_Comm_test_inter)(comm, flag) })?;
        if is_inter == 0 {
            return None;
        }
        // SAFETY: the communicator is an intercommunicator; the result is a local variable.
        self.ask(|mpi, size| unsafe { (mpi.MPI_Comm_remote_size)(comm, size) }).map(|size| size as u32)
    }

    /// Returns the members' ranks in `MPI_COMM_WORLD`; a negative number is a process outside of
    /// it.
    pub fn members(&self, comm: usize, remote: bool) -> Vec<c_int> {
        let (mut world, mut group) = (0, 0);
        let mpi = &self.functions;
        let group_of = if remote { mpi.MPI_Comm_remote_group } else { mpi.MPI_Comm_group };
        // SAFETY: both communicators are valid, and the results are local variables. Groups are
        // freed below.
        let codes = unsafe {
            ((mpi.MPI_Comm_group)(self.constants.comm_world, &raw mut world), group_of(comm, &raw mut group))
        };
        if codes != (0, 0) {
            return Vec::new();
        }
        // SAFETY: the group is valid.
        let size = self.ask(|mpi, size| unsafe { (mpi.MPI_Group_size)(group, size) }).unwrap_or(0);
        let ranks: Vec<c_int> = (0..size).collect();
        let mut members = vec![0; size as usize];
        // SAFETY: both lists have `size` entries, and both groups are valid until they are freed
        // here.
        unsafe {
            (mpi.MPI_Group_translate_ranks)(group, size, ranks.as_ptr(), world, members.as_mut_ptr());
            (mpi.MPI_Group_free)(&raw mut group);
            (mpi.MPI_Group_free)(&raw mut world);
        }
        members
    }

    /// Returns the bytes of one element, the bytes from one to the next, and whether the program
    /// made the datatype.
    fn size_and_extent(&self, datatype: usize) -> (u64, i64, bool) {
        // Some libraries accept `MPI_DATATYPE_NULL` where nothing is sent, and abort when asked
        // about it.
        if datatype == self.constants.datatype_null {
            return (0, 0, false);
        }
        let (mut size, mut lower, mut extent) = (0, 0, 0);
        // SAFETY: MPI accepted the datatype in the call that is recorded; the results are local
        // variables.
        unsafe {
            (self.functions.MPI_Type_size_x)(datatype, &raw mut size);
            (self.functions.MPI_Type_get_extent)(datatype, &raw mut lower, &raw mut extent);
        }
        (size.max(0) as u64, extent as i64, self.combiner(datatype) != Some(self.constants.combiner_named))
    }

    /// Returns how a datatype was made.
    fn combiner(&self, datatype: usize) -> Option<c_int> {
        if let Some(envelope) = self.wide_envelope {
            let mut counts = [0; 4];
            let [numbers, addresses, wide_counts, types] = counts.each_mut().map(std::ptr::from_mut);
            // SAFETY: MPI accepted the datatype in the call that is recorded; the results are local
            // variables.
            let ask = |_: &Functions, combiner: &mut c_int| unsafe {
                envelope(datatype, numbers, addresses, wide_counts, types, combiner)
            };
            return self.ask(ask);
        }
        let mut counts = [0; 3];
        let [numbers, addresses, types] = counts.each_mut().map(std::ptr::from_mut);
        // SAFETY: MPI accepted the datatype in the call that is recorded; the results are local
        // variables.
        self.ask(|mpi, combiner| unsafe {
            (mpi.MPI_Type_get_envelope)(datatype, numbers, addresses, types, combiner)
        })
    }

    /// Returns whether a reduction operation is commutative; true if MPI does not say.
    fn op_is_commutative(&self, op: usize) -> bool {
        // SAFETY: MPI accepted the operation in the call that is recorded.
        self.ask(|mpi, flag| unsafe { (mpi.MPI_Op_commutative)(op, flag) }) != Some(0)
    }

    /// Returns source, tag and bytes of a status that MPI filled; -1 for an unknown number of
    /// bytes.
    ///
    /// # Safety
    /// `status` must be the address of a status that MPI filled.
    pub unsafe fn matched(&self, status: usize) -> [i64; 3] {
        let layout = self.constants.status;
        // SAFETY: both fields lie inside the status, which the caller promises.
        let (source, tag) = unsafe {
            (*((status + layout.source) as *const c_int), *((status + layout.tag) as *const c_int))
        };
        let mut bytes = 0;
        // SAFETY: the status is filled. `MPI_BYTE` counts the bytes of any message, possibly more
        // than an `int` can hold.
        let code = unsafe {
            (self.functions.MPI_Get_elements_x)(status as *const c_void, self.constants.byte, &raw mut bytes)
        };
        let source = if source == self.constants.proc_null { NULL_SOURCE } else { source };
        let tag = if tag == self.constants.any_tag { -1 } else { tag };
        [source.into(), tag.into(), if code == 0 { bytes.max(-1) } else { -1 }]
    }

    /// Returns whether an operation was cancelled.
    ///
    /// # Safety
    /// `status` must be the address of a status that MPI filled.
    pub unsafe fn is_cancelled(&self, status: usize) -> bool {
        // SAFETY: the caller promises a status that MPI filled.
        self.ask(|mpi, flag| unsafe { (mpi.MPI_Test_cancelled)(status as *const c_void, flag) })
            .is_some_and(|flag| flag != 0)
    }

    /// Returns whether there is a message that a receive would match; true if MPI refuses the
    /// arguments, because the receive then reports the error.
    pub fn has_message(&self, from: c_int, tag: c_int, comm: usize) -> bool {
        let ignored = self.constants.status_ignore;
        // SAFETY: these are the program's arguments of a receive, and a local variable.
        self.ask(|mpi, flag| unsafe { (mpi.MPI_Iprobe)(from, tag, comm, flag, ignored) }) != Some(0)
    }

    /// Returns whether a request is complete; true if MPI refuses it, because the wait then reports
    /// the error.
    pub fn is_complete(&self, request: usize) -> bool {
        let ignored = self.constants.status_ignore;
        // SAFETY: this is the program's request, and a local variable.
        self.ask(|mpi, flag| unsafe { (mpi.MPI_Request_get_status)(request, flag, ignored) }) != Some(0)
    }

    /// Returns the library's name and version, in one line.
    pub fn version(&self) -> String {
        let mut text = vec![0_u8; self.constants.max_library_version.max(8192) + 1];
        let mut length = 0;
        // SAFETY: the buffer is as long as the longest answer.
        unsafe { (self.functions.MPI_Get_library_version)(text.as_mut_ptr(), &raw mut length) };
        let text = CStr::from_bytes_until_nul(&text).map(CStr::to_string_lossy).unwrap_or_default();
        panto_mpi::short_version(&text)
    }
}
