//! Blocking collectives without blocking ranks that need not wait.
//!
//! In a collective with a root, a rank depends on the root alone, or the root on all; in a scan, on
//! the lower ranks. They are made of hidden messages between exactly these ranks. In all others no
//! rank completes before all have called, so the real non-blocking collective can be waited for.

use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::OnceLock;

use panto_recording::Library;

use super::data::{Payload, mpi};
use super::{real, with};
use crate::function::{self, Function};

/// The tag that every MPI accepts, if the library does not say which is the highest.
const LEAST_UPPER_BOUND: usize = 32_767;

/// Makes a collective that was reported; returns MPI's code.
pub fn carry_out(
    site: &'static Function,
    is_wide: bool,
    words: &[usize],
    real: &mut dyn FnMut() -> c_int,
) -> c_int {
    let name = site.name();
    // SAFETY: these are the program's arguments of the function of this name.
    unsafe {
        match (name.strip_suffix("_c").unwrap_or(name), words) {
            ("MPI_Bcast", &[buf, count, datatype, root, comm]) => {
                Group::new(comm, is_wide).broadcast(buf, count, datatype, root)
            }
            ("MPI_Gather", &[from, count, datatype, to, each, to_type, root, comm]) => {
                let group = Group::new(comm, is_wide);
                group.gather((from, count, datatype), (to, to_type), Blocks::Same(each), root)
            }
            ("MPI_Gatherv", &[from, count, datatype, to, counts, places, to_type, root, comm]) => {
                let group = Group::new(comm, is_wide);
                group.gather((from, count, datatype), (to, to_type), Blocks::Each { counts, places }, root)
            }
            ("MPI_Scatter", &[from, each, datatype, to, count, to_type, root, comm]) => {
                let group = Group::new(comm, is_wide);
                group.scatter((from, datatype), Blocks::Same(each), (to, count, to_type), root)
            }
            ("MPI_Scatterv", &[from, counts, places, datatype, to, count, to_type, root, comm]) => {
                let group = Group::new(comm, is_wide);
                group.scatter((from, datatype), Blocks::Each { counts, places }, (to, count, to_type), root)
            }
            ("MPI_Reduce", &[from, to, count, datatype, op, root, comm]) => {
                Group::new(comm, is_wide).reduce((from, to), count, datatype, op, root)
            }
            ("MPI_Scan", &[from, to, count, datatype, op, comm]) => {
                Group::new(comm, is_wide).scan((from, to), count, datatype, op, true)
            }
            ("MPI_Exscan", &[from, to, count, datatype, op, comm]) => {
                Group::new(comm, is_wide).scan((from, to), count, datatype, op, false)
            }
            _ => started(name, words).unwrap_or_else(real),
        }
    }
}

/// Starts the non-blocking form of a collective and waits for it, yielding the core; `None` if the
/// library does not have it.
unsafe fn started(name: &str, words: &[usize]) -> Option<c_int> {
    let (first, rest) = name.strip_prefix("MPI_")?.split_at_checked(1)?;
    let name = CString::new(format!("PMPI_I{}{rest}", first.to_lowercase())).ok()?;
    let address = address(&name);
    if address.is_null() {
        return None;
    }
    let mut request = 0_usize;
    let mut all = words.to_vec();
    all.push(&raw mut request as usize);
    // SAFETY: the function has the arguments of the blocking one, and a request.
    unsafe {
        let code = real::call(address, &all);
        let ignored = mpi().constants.status_ignore;
        Some(if code == 0 { real::wait(&raw mut request as usize, ignored) } else { code })
    }
}

/// Returns the address of a function, which is looked up once.
fn address(name: &CStr) -> *mut c_void {
    static KNOWN: std::sync::Mutex<Vec<(CString, usize)>> = std::sync::Mutex::new(Vec::new());
    let Ok(mut known) = KNOWN.lock() else { return std::ptr::null_mut() };
    if let Some((_, address)) = known.iter().find(|(other, _)| **other == *name) {
        return *address as *mut c_void;
    }
    let address = function::real(name);
    known.push((name.to_owned(), address as usize));
    address
}

/// Returns the tag of hidden messages: the highest that MPI accepts, which programs hardly use.
fn tag() -> usize {
    static TAG: OnceLock<usize> = OnceLock::new();
    *TAG.get_or_init(|| {
        let (mut value, mut flag): (*const c_int, c_int) = (std::ptr::null(), 0);
        let constants = &mpi().constants;
        // SAFETY: the key is that of this library, and the results are local variables.
        unsafe {
            let (key, place) = (constants.tag_ub as usize, &raw mut value as usize);
            let code = real::comm_get_attr(constants.comm_world, key, place, &raw mut flag as usize);
            if code == 0 && flag != 0 && !value.is_null() { *value as usize } else { LEAST_UPPER_BOUND }
        }
    })
}

/// Returns a count, which must fit an `int`.
fn as_count(word: usize) -> usize {
    with(|_, live| live.count(word))
}

/// The blocks of a buffer at the root.
#[derive(Clone, Copy)]
enum Blocks {
    /// One after the other, with this many elements each.
    Same(usize),
    /// By lists of their lengths and places, in elements.
    Each { counts: usize, places: usize },
}

/// What a rank does in a collective with a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It is the root.
    Root,
    /// It exchanges data with this root; of an intercommunicator, one on the other side.
    Partner(usize),
    /// It is beside the root of an intercommunicator, and does nothing.
    Idle,
}

/// The ranks of a collective.
struct Group {
    comm: usize,
    own: usize,
    size: usize,
    /// The ranks on the other side of an intercommunicator.
    others: Option<usize>,
    is_wide: bool,
}

impl Group {
    fn new(comm: usize, is_wide: bool) -> Self {
        let handle = mpi().handle(comm);
        let others = mpi().remote_size(handle).map(|size| size as usize);
        let (own, size) = (mpi().rank(handle) as usize, mpi().size(handle) as usize);
        Self { comm, own, size, others, is_wide }
    }

    fn role(&self, root: usize) -> Role {
        let (root, constants) = (root as c_int, &mpi().constants);
        match self.others {
            None if root as usize == self.own => Role::Root,
            Some(_) if root == constants.root => Role::Root,
            Some(_) if root == constants.proc_null => Role::Idle,
            _ => Role::Partner(root as usize),
        }
    }

    /// Returns the ranks with which the root exchanges data: all, or all on the other side of an
    /// intercommunicator.
    fn partners(&self) -> std::ops::Range<usize> {
        0..self.others.unwrap_or(self.size)
    }

    /// Returns whether a number is that of this rank, and not of one on the other side.
    fn is_own(&self, rank: usize) -> bool {
        self.others.is_none() && rank == self.own
    }

    unsafe fn send(&self, buf: usize, count: usize, datatype: usize, to: usize) -> c_int {
        // SAFETY: the caller passes the program's data.
        let payload = unsafe { Payload::copy(buf, count, datatype, self.comm) };
        self.send_copy(&payload, to)
    }

    fn send_copy(&self, payload: &Payload, to: usize) -> c_int {
        with(|_, live| live.hidden.send(payload, to, tag(), self.comm))
    }

    unsafe fn receive(&self, buf: usize, count: usize, datatype: usize, from: usize) -> c_int {
        let mut request = 0_usize;
        // SAFETY: the caller passes the program's buffer; the request is a local variable.
        unsafe {
            let address = &raw mut request as usize;
            let code = real::irecv(buf, count, datatype, from, tag(), self.comm, address);
            if code == 0 { real::wait(address, mpi().constants.status_ignore) } else { code }
        }
    }

    unsafe fn broadcast(&self, buf: usize, count: usize, datatype: usize, root: usize) -> c_int {
        // SAFETY: the program's arguments.
        unsafe {
            match self.role(root) {
                Role::Idle => 0,
                Role::Partner(root) => self.receive(buf, as_count(count), datatype, root),
                Role::Root => {
                    let payload = Payload::copy(buf, as_count(count), datatype, self.comm);
                    let others = self.partners().filter(|rank| !self.is_own(*rank));
                    others.map(|to| self.send_copy(&payload, to)).fold(0, first_error)
                }
            }
        }
    }

    /// Returns the address and the length of a rank's block.
    unsafe fn block(&self, buf: usize, datatype: usize, blocks: Blocks, rank: usize) -> (usize, usize) {
        let extent = mpi().datatype(mpi().handle(datatype)).extent as isize;
        let (count, place) = match blocks {
            Blocks::Same(each) => (as_count(each), (rank * as_count(each)) as isize),
            // SAFETY: the program's lists have an entry for each rank.
            Blocks::Each { counts, places } => unsafe {
                if self.is_wide {
                    let count = *(counts as *const i64).add(rank) as usize;
                    (as_count(count), *(places as *const isize).add(rank))
                } else {
                    let count = *(counts as *const c_int).add(rank) as usize;
                    (as_count(count), *(places as *const c_int).add(rank) as isize)
                }
            },
        };
        (buf.wrapping_add_signed(place * extent), count)
    }

    unsafe fn gather(
        &self,
        (from, count, datatype): (usize, usize, usize),
        (to, to_type): (usize, usize),
        blocks: Blocks,
        root: usize,
    ) -> c_int {
        // SAFETY: the program's arguments.
        unsafe {
            let has_own = self.others.is_none() && from != mpi().constants.in_place;
            match self.role(root) {
                Role::Idle => 0,
                Role::Partner(root) => self.send(from, as_count(count), datatype, root),
                Role::Root => {
                    let mut code =
                        if has_own { self.send(from, as_count(count), datatype, self.own) } else { 0 };
                    for rank in self.partners().filter(|rank| has_own || !self.is_own(*rank)) {
                        let (buf, count) = self.block(to, to_type, blocks, rank);
                        code = first_error(code, self.receive(buf, count, to_type, rank));
                    }
                    code
                }
            }
        }
    }

    unsafe fn scatter(
        &self,
        (from, datatype): (usize, usize),
        blocks: Blocks,
        (to, count, to_type): (usize, usize, usize),
        root: usize,
    ) -> c_int {
        // SAFETY: the program's arguments.
        unsafe {
            let has_own = self.others.is_none() && to != mpi().constants.in_place;
            match self.role(root) {
                Role::Idle => 0,
                Role::Partner(root) => self.receive(to, as_count(count), to_type, root),
                Role::Root => {
                    let mut code = 0;
                    for rank in self.partners().filter(|rank| has_own || !self.is_own(*rank)) {
                        let (buf, count) = self.block(from, datatype, blocks, rank);
                        code = first_error(code, self.send(buf, count, datatype, rank));
                    }
                    if has_own {
                        code = first_error(code, self.receive(to, as_count(count), to_type, self.own));
                    }
                    code
                }
            }
        }
    }

    unsafe fn reduce(
        &self,
        (from, to): (usize, usize),
        count: usize,
        datatype: usize,
        op: usize,
        root: usize,
    ) -> c_int {
        let role = self.role(root);
        if role == Role::Idle {
            return 0;
        }
        let count = as_count(count);
        // SAFETY: the program's arguments; the buffers here are as long as its own.
        unsafe {
            let own = if from == mpi().constants.in_place { to } else { from };
            if let Role::Partner(root) = role {
                return self.send(own, count, datatype, root);
            }
            // MPI's order: a reduction that does not commute begins with the highest rank.
            let mut sum: Option<Elements> = None;
            let mut code = 0;
            for rank in self.partners().rev() {
                let operand = Elements::new(count, datatype);
                if self.is_own(rank) {
                    operand.copy_from(own);
                } else {
                    code = first_error(code, self.receive(operand.address(), count, datatype, rank));
                }
                sum = Some(match sum {
                    None => operand,
                    Some(sum) => {
                        let (from, to) = (operand.address(), sum.address());
                        code = first_error(code, real::reduce_local(from, to, count, datatype, op));
                        sum
                    }
                });
            }
            if let Some(sum) = sum {
                sum.copy_to(to);
            }
            code
        }
    }

    /// A scan, inclusive or not: each rank receives the sum of the lower ones from the one before.
    unsafe fn scan(
        &self,
        (from, to): (usize, usize),
        count: usize,
        datatype: usize,
        op: usize,
        is_inclusive: bool,
    ) -> c_int {
        let count = as_count(count);
        // SAFETY: the program's arguments; the buffers here are as long as its own.
        unsafe {
            let sum = Elements::new(count, datatype);
            sum.copy_from(if from == mpi().constants.in_place { to } else { from });
            let mut code = 0;
            if let Some(before) = self.own.checked_sub(1) {
                let lower = Elements::new(count, datatype);
                code = self.receive(lower.address(), count, datatype, before);
                code = first_error(
                    code,
                    real::reduce_local(lower.address(), sum.address(), count, datatype, op),
                );
                if !is_inclusive {
                    lower.copy_to(to);
                }
            }
            if is_inclusive {
                sum.copy_to(to);
            }
            if self.own + 1 < self.size {
                code = first_error(code, self.send(sum.address(), count, datatype, self.own + 1));
            }
            code
        }
    }
}

/// Elements of a datatype, in memory that is laid out as the program's.
struct Elements {
    bytes: std::cell::UnsafeCell<Vec<u64>>,
    length: usize,
}

impl Elements {
    fn new(count: usize, datatype: usize) -> Self {
        let extent = mpi().datatype(mpi().handle(datatype)).extent.max(0) as usize;
        let length = count * extent;
        Self { bytes: std::cell::UnsafeCell::new(vec![0; length.div_ceil(8)]), length }
    }

    fn address(&self) -> usize {
        // SAFETY: the vector is never reallocated; only its address is taken.
        unsafe { (*self.bytes.get()).as_mut_ptr() as usize }
    }

    unsafe fn copy_from(&self, buf: usize) {
        // SAFETY: the caller promises as many elements.
        unsafe { std::ptr::copy_nonoverlapping(buf as *const u8, self.address() as *mut u8, self.length) };
    }

    unsafe fn copy_to(&self, buf: usize) {
        // SAFETY: the caller promises room for as many elements.
        unsafe { std::ptr::copy_nonoverlapping(self.address() as *const u8, buf as *mut u8, self.length) };
    }
}

fn first_error(code: c_int, next: c_int) -> c_int {
    if code == 0 { next } else { code }
}
