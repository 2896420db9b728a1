//! An MPI library that is loaded and not initialized.

use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::abi::{Abi, Constants};
use crate::error::{Error, Result};
use crate::find::Candidate;
use crate::functions::Functions;

/// An MPI library in this process.
#[derive(Debug)]
pub struct Library {
    pub(crate) functions: Functions,
    pub(crate) constants: Constants,
    abi: Abi,
    path: PathBuf,
    found: String,
    version: String,
    standard: (u32, u32),
}

impl Library {
    /// Loads the first candidate that works. The error has the reason for each that does not.
    pub fn load(candidates: &[Candidate]) -> Result<Self> {
        let mut tried = Vec::new();
        for candidate in candidates {
            let loaded = Handle::open(&candidate.file);
            match loaded.and_then(|handle| Self::from_handle(&handle, candidate)) {
                Ok(library) => return Ok(library),
                Err(why) => tried.push((candidate.file.clone(), format!("{why} ({})", candidate.why))),
            }
        }
        Err(Error::NotFound(tried))
    }

    /// Examines a loaded library; the error is what is wrong with it.
    fn from_handle(handle: &Handle, candidate: &Candidate) -> std::result::Result<Self, String> {
        let path = handle.path().unwrap_or_else(|| candidate.file.clone());
        let abi = handle.abi().ok_or("this is not an MPI library")?;
        let missing = |name: &str| format!("it has no {name}; an MPI of version 3.0 or later is needed");
        let constants =
            Constants::resolve(abi, &|name| handle.own_symbol(name).map(|address| address as usize))
                .map_err(|name| missing(&name))?;
        // SAFETY: the library has MPI's functions under MPI's names.
        let functions = unsafe { Functions::resolve(&|name| handle.symbol(name)) }.map_err(missing)?;
        let (version, standard) = (library_version(&functions, &constants), standard(&functions));
        if abi == Abi::Mpich && !is_mpich(&version) {
            return Err(format!(
                "its binary interface is none that Panto knows; it says `{}`",
                short_version(&version)
            ));
        }
        Ok(Self { functions, constants, abi, path, found: candidate.why.clone(), version, standard })
    }

    /// Returns its ABI.
    pub fn abi(&self) -> Abi {
        self.abi
    }

    /// Returns the constants of its ABI.
    pub fn constants(&self) -> &Constants {
        &self.constants
    }

    /// Returns its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns why this library was loaded.
    pub fn found(&self) -> &str {
        &self.found
    }

    /// Returns all that the library says of itself.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns its name and version in one line.
    pub fn name(&self) -> String {
        short_version(&self.version)
    }

    /// Returns the version of the standard that it implements.
    pub fn standard(&self) -> (u32, u32) {
        self.standard
    }
}

/// Returns whether it shares MPICH's ABI. `MPI_Get_library_version` has no handles, so it can be
/// called whatever the ABI is.
fn is_mpich(version: &str) -> bool {
    ["MPICH", "MVAPICH", "Intel(R) MPI", "CRAY", "ParaStation"].iter().any(|name| version.contains(name))
}

/// Returns a library's name and version in one line. MPICH and its derivatives write `MPICH
/// Version:      4.0.2` among many lines; others begin with what matters.
pub fn short_version(text: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("unknown");
    let first = first.split(", package:").next().unwrap_or(first).replace(" Version:", "");
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn library_version(functions: &Functions, constants: &Constants) -> String {
    let mut text = vec![0_u8; constants.max_library_version.max(8192)];
    let mut len: c_int = 0;
    // SAFETY: the buffer is as large as the ABI demands; the standard allows this call before
    // initialization.
    let code = unsafe { (functions.MPI_Get_library_version)(text.as_mut_ptr().cast(), &raw mut len) };
    if code == 0 { text_until_nul(&text) } else { "unknown".into() }
}

fn standard(functions: &Functions) -> (u32, u32) {
    let (mut version, mut subversion): (c_int, c_int) = (0, 0);
    // SAFETY: both arguments are local variables; the standard allows this call before
    // initialization.
    unsafe { (functions.MPI_Get_version)(&raw mut version, &raw mut subversion) };
    (version as u32, subversion as u32)
}

/// Returns the text before the first NUL.
pub(crate) fn text_until_nul(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

/// A handle of `dlopen`. It is never closed, because MPI libraries cannot be unloaded.
struct Handle(*mut c_void);

impl Handle {
    /// Loads a library with global symbols, because plugins of Open MPI need them.
    fn open(file: &Path) -> std::result::Result<Self, String> {
        let name = CString::new(file.as_os_str().as_bytes()).map_err(|_| "a nul in the name".to_owned())?;
        // SAFETY: loading runs the library's initializers, which is what the user asked for by
        // choosing this MPI.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if handle.is_null() { Err(last_error()) } else { Ok(Self(handle)) }
    }

    /// Returns its ABI; none if it is not MPI.
    fn abi(&self) -> Option<Abi> {
        // SAFETY: the symbols are those of this library.
        unsafe { Abi::detect(&|name| self.own_symbol(name)) }
    }

    /// Returns a symbol of this library, also if another object has one of the same name.
    fn own_symbol(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the handle is open, and the name is a C string.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    }

    /// Returns a symbol as a program that was linked with the library would find it: a preloaded
    /// tool comes first, so that Panto itself can be traced.
    fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the name is a C string.
        let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        if address.is_null() { self.own_symbol(name) } else { Some(address) }
    }

    /// Returns the file that the loader chose.
    fn path(&self) -> Option<PathBuf> {
        let address = self.own_symbol(c"MPI_Init_thread")?;
        // SAFETY: all zero is a valid value of this C structure.
        let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
        // SAFETY: the address is a symbol's, and `info` is a local variable.
        let found = unsafe { libc::dladdr(address, &raw mut info) } != 0 && !info.dli_fname.is_null();
        // SAFETY: the loader keeps the name as long as the library, which is never closed.
        let name: Option<&CStr> = found.then(|| unsafe { CStr::from_ptr(info.dli_fname.cast::<c_char>()) });
        name.map(|name| PathBuf::from(OsStr::from_bytes(name.to_bytes())))
    }
}

fn last_error() -> String {
    // SAFETY: the loader's text is valid until the next call on this thread, and is copied at once.
    let text = unsafe {
        let text = libc::dlerror();
        if text.is_null() {
            return "cannot be loaded".into();
        }
        CStr::from_ptr(text)
    };
    text.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_fit_in_a_line() {
        let mpich = "MPICH Version:      4.0.2\nMPICH Release date: Thu Apr  7\n";
        assert_eq!(short_version(mpich), "MPICH 4.0.2");
        let open = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022";
        assert_eq!(short_version(open), "Open MPI v4.1.4");
        assert_eq!(short_version(""), "unknown");
    }

    #[test]
    fn what_cannot_be_loaded_is_named_with_the_reason() {
        let candidate = |file: &str| Candidate { file: file.into(), why: "a test".into() };
        let error = Library::load(&[candidate("/nowhere/libmpi.so")]).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("/nowhere/libmpi.so cannot be loaded") && text.contains("a test"), "{text}");
        let error =
            Library::load(&[candidate("/nowhere/libmpi.so"), candidate("/there/libmpi.so")]).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("PANTO_MPI") && text.contains("/there/libmpi.so"), "{text}");
        let error = Library::load(&[candidate("libm.so.6")]).unwrap_err();
        assert!(error.to_string().contains("not an MPI library"), "{error}");
    }
}
