//! A function that the tracer exports, and MPI's function behind it.
//!
//! The dynamic linker resolves `MPI_X` to the preloaded library. The function of that name in the
//! MPI library is the next one in the search order (`RTLD_NEXT`), or, where MPI was loaded for one
//! caller only (Python's modules), the one in an object that is loaded already. It is looked up at
//! the first call and kept.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use crate::live::CachedPlan;
use crate::message::warn;

/// A function that this library exports in place of MPI's.
pub struct Function {
    name: &'static CStr,
    is_narrowed: bool,
    real: AtomicPtr<c_void>,
    /// The number of its name in the trace plus one; 0 until it is known.
    number: AtomicU32,
    /// How it is run in virtual time.
    plan: CachedPlan,
}

/// The address that stands for a function that MPI does not have. No function has it.
const ABSENT: *mut c_void = ptr::without_provenance_mut(1);

impl Function {
    pub const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            is_narrowed: false,
            real: AtomicPtr::new(ptr::null_mut()),
            number: AtomicU32::new(0),
            plan: CachedPlan::new(),
        }
    }

    /// Turns a function with 64-bit counts into the one with 32-bit counts: `MPI_X_c` into `MPI_X`.
    pub const fn narrow(mut self) -> Self {
        self.is_narrowed = true;
        self
    }

    /// Returns where its plan is kept.
    pub fn cached_plan(&self) -> &CachedPlan {
        &self.plan
    }

    /// Returns its name. `PMPI_X` is the same function as `MPI_X`.
    pub fn name(&self) -> &'static str {
        let name = self.name.to_str().unwrap_or("MPI");
        let name = name.strip_prefix('P').unwrap_or(name);
        if self.is_narrowed { name.strip_suffix("_c").unwrap_or(name) } else { name }
    }

    /// Returns the address of MPI's function; null if this MPI does not have it.
    #[inline]
    pub fn real(&self) -> *mut c_void {
        match self.real.load(Ordering::Relaxed) {
            known if known.is_null() => self.find(),
            known if known == ABSENT => ptr::null_mut(),
            known => known,
        }
    }

    #[cold]
    fn find(&self) -> *mut c_void {
        let found = if self.is_narrowed {
            CString::new(self.name()).map_or(ptr::null_mut(), |name| real(&name))
        } else {
            real(self.name)
        };
        self.real.store(if found.is_null() { ABSENT } else { found }, Ordering::Relaxed);
        found
    }

    /// Returns the number of its name, which is asked for once.
    #[inline]
    pub fn number(&self, ask: impl FnOnce(&str) -> u32) -> u32 {
        match self.number.load(Ordering::Relaxed) {
            0 => {
                let number = ask(self.name());
                self.number.store(number + 1, Ordering::Relaxed);
                number
            }
            known => known - 1,
        }
    }

    /// Returns what a call returns of a function that this MPI does not have: an error code.
    pub fn missing(&self) -> c_int {
        /// `MPI_ERR_OTHER`, or close to it, in all ABIs; only zero would mean success.
        const OTHER: c_int = 15;
        warn(format_args!("the program calls {}, which its MPI library does not have", self.name()));
        OTHER
    }
}

impl Function {
    /// Returns what a call returns whose counts are too large for the function that this MPI has.
    pub fn too_many(&self) -> c_int {
        /// `MPI_ERR_COUNT` in all ABIs.
        const COUNT: c_int = 2;
        warn(format_args!(
            "{} was called with a count that this MPI, which has no such function, cannot handle",
            self.name()
        ));
        COUNT
    }
}

/// Returns the function of a name that comes after this library in the search order.
pub fn real(name: &CStr) -> *mut c_void {
    // SAFETY: the name is a C string.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    if next.is_null() { in_loaded_objects(name) } else { next }
}

/// Returns the variable of a name that the process uses: a program that was linked with MPI may
/// have a copy of its own, by a copy relocation.
pub fn data(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name is a C string.
    let first = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    let found = if first.is_null() { in_loaded_objects(name) } else { first };
    (!found.is_null()).then_some(found)
}

/// Returns the function of a name in any loaded object. Libraries that were loaded for one caller
/// only (`RTLD_LOCAL`), as Python loads its modules, are not in the search order of `RTLD_NEXT`.
fn in_loaded_objects(name: &CStr) -> *mut c_void {
    let mut files: Vec<CString> = Vec::new();
    // SAFETY: the callback runs during this call only, with the pointer to `files`.
    unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut files).cast()) };
    files.iter().map(|file| in_object(file, name)).find(|found| !found.is_null()).unwrap_or(ptr::null_mut())
}

unsafe extern "C" fn collect(object: *mut libc::dl_phdr_info, _size: usize, files: *mut c_void) -> c_int {
    // SAFETY: the loader passes a description of an object, and the pointer that
    // `in_loaded_objects` passed to it.
    let (name, files) = unsafe { ((*object).dlpi_name, &mut *files.cast::<Vec<CString>>()) };
    if !name.is_null() {
        // SAFETY: names of the loader are C strings.
        let name = unsafe { CStr::from_ptr(name) };
        // Looking a name up loads nothing: only objects that are loaded already are asked.
        if !name.is_empty() {
            files.push(name.to_owned());
        }
    }
    0
}

fn in_object(file: &CStr, name: &CStr) -> *mut c_void {
    // SAFETY: the file is loaded already, and stays loaded, because the handle is left open.
    let found = unsafe {
        let handle = libc::dlopen(file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() {
            return ptr::null_mut();
        }
        libc::dlsym(handle, name.as_ptr())
    };
    if is_own(found) { ptr::null_mut() } else { found }
}

/// Returns whether an address is in this library.
fn is_own(address: *mut c_void) -> bool {
    let own = file_of(real as *const () as *mut c_void);
    !address.is_null() && own.is_some() && file_of(address) == own
}

/// Returns the file whose code or data an address is.
pub fn file_of(address: *mut c_void) -> Option<CString> {
    // SAFETY: all zero is a valid value of this C structure.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be passed, and `info` is a local variable.
    let found = unsafe { libc::dladdr(address, &raw mut info) } != 0 && !info.dli_fname.is_null();
    // SAFETY: names of the loader are C strings; this one is copied at once.
    found.then(|| unsafe { CStr::from_ptr(info.dli_fname.cast::<c_char>()) }.to_owned())
}
