//! From the stack of a call to the number of its call site.
//!
//! The return address of most calls is in the program. One that is in a library that translates
//! MPI's other bindings to C (`libmpi_mpifh.so`, `libmpifort.so`) tells nothing: the place behind
//! it counts, some frames further up. The system's unwinder finds it, which takes microseconds, and
//! then how far it was from the stack pointer is remembered: the frames of these small functions
//! have fixed sizes. A word that is found there is used only if the unwinder has found the same
//! address before; otherwise it is asked again.
//!
//! Cost: one look-up for each call, two for calls through other bindings.

use std::ffi::{CStr, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use panto_trace::{CallSite, Recorder, Site};
use rustc_hash::FxHashMap;

/// The most frames between the program and the C function that it reaches.
const MOST_FRAMES: usize = 64;

/// Names of libraries that translate other bindings to C begin so.
const BINDINGS: &str = "libmpi";

/// A return address.
type Address = usize;

/// The call sites of a rank.
#[derive(Default)]
pub struct CallSites {
    known: FxHashMap<Address, Known>,
}

/// What is known of a return address.
enum Known {
    /// It is in the program.
    Program(Site),
    /// It is in a library of bindings.
    Binding {
        /// Bytes from the stack pointer to the return address that counts.
        distance: usize,
        /// The addresses that were found there by the unwinder.
        behind: FxHashMap<Address, Site>,
    },
}

impl CallSites {
    /// Returns the call site of a call that has not returned yet.
    ///
    /// # Safety
    /// `stack` must be the stack pointer at the beginning of the call.
    #[inline]
    pub unsafe fn find(&mut self, stack: usize, recorder: &mut Recorder) -> Option<Site> {
        // SAFETY: the return address is at the stack pointer until the call returns.
        let address = unsafe { word(stack) };
        match self.known.get(&address) {
            Some(Known::Program(site)) => return Some(*site),
            Some(Known::Binding { distance, behind }) => {
                // SAFETY: it is in the frames of callers, which have not returned.
                if let Some(site) = behind.get(&unsafe { word(stack + distance) }) {
                    return Some(*site);
                }
            }
            None => {}
        }
        self.add(stack, address, recorder)
    }

    #[cold]
    fn add(&mut self, stack: usize, address: Address, recorder: &mut Recorder) -> Option<Site> {
        let object = object_of(address)?;
        if !object.is_binding() {
            let site = recorder.call_site(&object.site(address));
            self.known.insert(address, Known::Program(site));
            return Some(site);
        }
        let (slot, outer) = frame_behind_bindings(stack)?;
        let outer_object = object_of(outer)?;
        let distance = slot.checked_sub(stack)?;
        let fresh = || Known::Binding { distance, behind: FxHashMap::default() };
        let Known::Binding { distance: last, behind } = self.known.entry(address).or_insert_with(fresh)
        else {
            return None;
        };
        *last = distance;
        Some(*behind.entry(outer).or_insert_with(|| recorder.call_site(&outer_object.site(outer))))
    }
}

/// Returns the word at an address.
///
/// # Safety
/// The address must be that of a word of the stack in use.
#[inline]
unsafe fn word(at: usize) -> usize {
    // SAFETY: the caller promises it.
    unsafe { *(at as *const usize) }
}

/// A file of code in this process.
struct Object {
    path: PathBuf,
    is_program: bool,
    /// How much higher its addresses are than in the file.
    bias: usize,
}

impl Object {
    fn site(&self, address: Address) -> CallSite {
        CallSite { object: self.path.display().to_string(), address: address.wrapping_sub(self.bias) as u64 }
    }

    fn is_binding(&self) -> bool {
        let name = self.path.file_name().unwrap_or_default().as_bytes();
        !self.is_program && name.starts_with(BINDINGS.as_bytes())
    }
}

/// A search among the objects of the process.
struct Search {
    address: Address,
    found: Option<Object>,
}

/// Returns the file whose code an address is in.
fn object_of(address: Address) -> Option<Object> {
    let mut search = Search { address, found: None };
    // SAFETY: the callback runs during this call only, with the pointer to `search`.
    unsafe { libc::dl_iterate_phdr(Some(look_at), (&raw mut search).cast()) };
    search.found
}

unsafe extern "C" fn look_at(object: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
    // SAFETY: the loader passes a description of an object, and the pointer that `object_of` passed
    // to it.
    let (object, search) = unsafe { (&*object, &mut *search.cast::<Search>()) };
    // SAFETY: the loader describes that many segments.
    let segments = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum)) };
    let bias = object.dlpi_addr as usize;
    let contains = |segment: &libc::Elf64_Phdr| {
        let begin = bias.wrapping_add(segment.p_vaddr as usize);
        segment.p_type == libc::PT_LOAD && search.address.wrapping_sub(begin) < segment.p_memsz as usize
    };
    if !segments.iter().any(contains) {
        return 0;
    }
    let name = if object.dlpi_name.is_null() {
        c""
    } else {
        // SAFETY: names of the loader are C strings.
        unsafe { CStr::from_ptr(object.dlpi_name) }
    };
    search.found = Some(Object { path: path(name), is_program: name.is_empty(), bias });
    1
}

/// Returns the absolute path of an object; the program itself has no name.
fn path(name: &CStr) -> PathBuf {
    if name.is_empty() {
        return std::fs::read_link("/proc/self/exe").unwrap_or_default();
    }
    let path = Path::new(OsStr::from_bytes(name.to_bytes()));
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A walk up the stack.
struct Walk {
    /// The stack pointer at the beginning of the call.
    stack: usize,
    frames: usize,
    found: Option<(usize, Address)>,
}

/// Returns the first return address that is not in a library of bindings, and where it is on the
/// stack, of a call that began with this stack pointer.
fn frame_behind_bindings(stack: usize) -> Option<(usize, Address)> {
    let mut walk = Walk { stack, frames: 0, found: None };
    // SAFETY: the callback runs during this call only, with the pointer to `walk`.
    unsafe { _Unwind_Backtrace(visit, (&raw mut walk).cast()) };
    walk.found
}

/// `_URC_NO_REASON`: continue with the next frame.
const CONTINUE: c_int = 0;
/// `_URC_END_OF_STACK`: enough.
const STOP: c_int = 5;

unsafe extern "C" {
    fn _Unwind_Backtrace(
        visit: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}

unsafe extern "C" fn visit(context: *mut c_void, walk: *mut c_void) -> c_int {
    // SAFETY: the unwinder passes its context, and the pointer that `frame_behind_bindings` passed.
    let (address, frame, walk) =
        unsafe { (_Unwind_GetIP(context), _Unwind_GetCFA(context), &mut *walk.cast::<Walk>()) };
    walk.frames += 1;
    // The context's frame address is that of the function which this one has called: it ends with
    // the return address.
    let slot = frame.wrapping_sub(size_of::<usize>());
    if slot < walk.stack && walk.frames < MOST_FRAMES {
        return CONTINUE;
    }
    match object_of(address) {
        Some(object) if object.is_binding() && walk.frames < MOST_FRAMES => CONTINUE,
        Some(_) if slot >= walk.stack => {
            walk.found = Some((slot, address));
            STOP
        }
        _ => STOP,
    }
}
