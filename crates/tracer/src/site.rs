//! A function that is stood in for, and the real one behind it.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use crate::say::say;

/// The stand-in of one function.
pub struct Site {
    name: &'static CStr,
    is_narrowed: bool,
    real: AtomicPtr<c_void>,
    /// The number of its name in the trace; 0 for none yet, else one more.
    number: AtomicU32,
}

/// The address of a function that was looked for and is not there. No function has it.
const ABSENT: *mut c_void = ptr::without_provenance_mut(1);

impl Site {
    pub const fn new(name: &'static CStr) -> Self {
        Self { name, is_narrowed: false, real: AtomicPtr::new(ptr::null_mut()), number: AtomicU32::new(0) }
    }

    /// The function with narrow counts beside one with wide ones: `MPI_X` beside `MPI_X_c`.
    pub const fn narrow(mut self) -> Self {
        self.is_narrowed = true;
        self
    }

    /// Its name. What a program calls by its second name, `PMPI_X`, is the same function.
    pub fn name(&self) -> &'static str {
        let name = self.name.to_str().unwrap_or("MPI");
        let name = name.strip_prefix('P').unwrap_or(name);
        if self.is_narrowed { name.strip_suffix("_c").unwrap_or(name) } else { name }
    }

    /// The address of the real one; null if this MPI does not have it.
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

    /// The number of its name, which is asked for once.
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

    /// What a call of a function returns that this MPI does not have: an error, as any MPI function may.
    pub fn missing(&self) -> c_int {
        /// `MPI_ERR_OTHER` or near it in all interfaces; only zero would mean success.
        const OTHER: c_int = 15;
        say(format_args!("the program calls {}, which its MPI library does not have", self.name()));
        OTHER
    }
}

impl Site {
    /// What a call returns whose counts are too large for the function that this MPI has.
    pub fn too_many(&self) -> c_int {
        /// `MPI_ERR_COUNT` in all interfaces.
        const COUNT: c_int = 2;
        say(format_args!(
            "{} was called with a count that this MPI, which has no such function, cannot handle",
            self.name()
        ));
        COUNT
    }
}

/// The function of this name that comes after this library.
pub fn real(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends with a nul.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    if next.is_null() { in_loaded_objects(name) } else { next }
}

/// The variable of this name that everybody uses: a program that was linked with the library may have a copy of its own.
pub fn data(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name ends with a nul.
    let first = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    let found = if first.is_null() { in_loaded_objects(name) } else { first };
    (!found.is_null()).then_some(found)
}

/// Libraries that were loaded for one caller alone, as Python loads its modules, are not in the list that `RTLD_NEXT` means.
fn in_loaded_objects(name: &CStr) -> *mut c_void {
    let mut files: Vec<CString> = Vec::new();
    // SAFETY: the function is called for each object during this call, with the pointer to `files`.
    unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut files).cast()) };
    files.iter().map(|file| in_object(file, name)).find(|found| !found.is_null()).unwrap_or(ptr::null_mut())
}

unsafe extern "C" fn collect(object: *mut libc::dl_phdr_info, _size: usize, files: *mut c_void) -> c_int {
    // SAFETY: the loader hands over a description with a name, and `in_loaded_objects` its list.
    let (name, files) = unsafe { ((*object).dlpi_name, &mut *files.cast::<Vec<CString>>()) };
    if !name.is_null() {
        // SAFETY: the loader's names end with a nul.
        let name = unsafe { CStr::from_ptr(name) };
        // Only an MPI library, or one that has it inside, is asked; asking loads nothing but what is loaded already.
        if !name.is_empty() {
            files.push(name.to_owned());
        }
    }
    0
}

fn in_object(file: &CStr, name: &CStr) -> *mut c_void {
    // SAFETY: the file is loaded already, and stays so; the handle is left open for that reason.
    let found = unsafe {
        let handle = libc::dlopen(file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() {
            return ptr::null_mut();
        }
        libc::dlsym(handle, name.as_ptr())
    };
    if is_own(found) { ptr::null_mut() } else { found }
}

/// Is this an address in this very library?
fn is_own(address: *mut c_void) -> bool {
    let own = file_of(real as *const () as *mut c_void);
    !address.is_null() && own.is_some() && file_of(address) == own
}

/// The file whose code or data an address is.
pub fn file_of(address: *mut c_void) -> Option<CString> {
    // SAFETY: all zero is a value of this C structure.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked about, and `info` is a place for the answer.
    let found = unsafe { libc::dladdr(address, &raw mut info) } != 0 && !info.dli_fname.is_null();
    // SAFETY: the loader's names end with a nul and are copied at once.
    found.then(|| unsafe { CStr::from_ptr(info.dli_fname.cast::<c_char>()) }.to_owned())
}
