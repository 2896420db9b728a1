//! Loads an implementation from a shared library.

use std::ffi::{CStr, CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use panto_implementation::{CollectiveKind, abi};

use crate::error::{Error, Result};

/// An implementation from a shared library, which stays loaded until the program ends.
#[derive(Debug, Clone, Copy)]
pub struct UserImplementation {
    pub(super) table: &'static abi::Implementation,
    /// File and name as the user gave them.
    pub(super) title: &'static str,
    /// How long a call may take.
    pub(super) time_limit: Duration,
}

/// The default time limit of a call.
const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(10);

impl UserImplementation {
    /// Loads a library and finds the implementation with this name. The error says what is missing
    /// and what to do.
    pub fn load(path: &Path, name: &str) -> Result<Self> {
        let file = file(path)?;
        let library = open(path, &file)?;
        let symbol =
            CString::new(name).map_err(|_| Error::Start(format!("`{name}` is not a symbol name")))?;
        // SAFETY: `library` is an open handle, and `symbol` is null-terminated.
        let address = unsafe { libc::dlsym(library, symbol.as_ptr()) };
        if address.is_null() {
            return Err(Error::Start(format!(
                "{} exports no `{name}`; list its symbols with `nm -D {0}`",
                path.display()
            )));
        }
        // SAFETY: `dlsym` returned the address of a symbol of the library, which is never unloaded.
        let table = unsafe { check_table(address.cast(), path, name) }?;
        Ok(Self { table, title: title(path, name), time_limit: DEFAULT_TIME_LIMIT })
    }

    /// Sets the time after which a call counts as hung, which ends the process.
    #[must_use]
    pub fn with_time_limit(self, time_limit: Duration) -> Self {
        Self { time_limit, ..self }
    }

    /// Returns the names of the collectives that it implements.
    pub fn collectives(&self) -> Vec<&'static str> {
        self.table.collectives.list().into_iter().map(CollectiveKind::name).collect()
    }

    /// Whether it can be started and overlapped with other work.
    pub fn is_non_blocking(&self) -> bool {
        self.table.start.is_some() && self.table.test.is_some()
    }

    /// Returns file and name as the user gave them.
    pub fn title(&self) -> &'static str {
        self.title
    }
}

/// Returns a leaked `path:name`, once per pair: a signal handler may read it at any time.
fn title(path: &Path, name: &str) -> &'static str {
    use std::collections::HashSet;
    use std::sync::{Mutex, PoisonError};
    static TITLES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let title = format!("{}:{name}", path.display());
    let mut titles = TITLES.lock().unwrap_or_else(PoisonError::into_inner);
    let titles = titles.get_or_insert_default();
    if let Some(known) = titles.get(title.as_str()) {
        return known;
    }
    let title: &'static str = title.leak();
    titles.insert(title);
    title
}

/// Returns the absolute path, which has a slash, so that the loader does not search for it.
fn file(path: &Path) -> Result<PathBuf> {
    path.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::Start(format!(
            "{}: no such file; build the library first: `cc -shared -fPIC -O2 -o {0} mine.c`",
            path.display()
        )),
        _ => Error::Start(format!("cannot read {}: {error}", path.display())),
    })
}

fn open(path: &Path, file: &Path) -> Result<*mut c_void> {
    let name = CString::new(file.as_os_str().as_bytes())
        .map_err(|_| Error::Start(format!("{} is not a file name", path.display())))?;
    // SAFETY: `name` is null-terminated. The library's constructors are user code that the user
    // asked to run.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        let why = last_error();
        return Err(Error::Start(format!(
            "cannot load {}: {why}; build it as a shared library for this machine (cc -shared -fPIC)",
            path.display()
        )));
    }
    Ok(library)
}

fn last_error() -> String {
    // SAFETY: returns null or a string that is valid until this thread's next call.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "unknown error".into();
    }
    // SAFETY: `text` is a null-terminated string of the loader.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Checks that a symbol is an implementation table of this version.
///
/// # Safety
/// `address` must be that of a symbol of a library that stays loaded, readable for at least 8
/// bytes. More is read only if those bytes are the magic number of an implementation.
unsafe fn check_table(address: *const u64, path: &Path, name: &str) -> Result<&'static abi::Implementation> {
    let symbol = format!("{}:{name}", path.display());
    // SAFETY: the caller promises 8 readable bytes; functions are at least as long.
    let magic = unsafe { address.read_unaligned() };
    if magic != abi::MAGIC || !address.is_aligned() {
        return Err(Error::Start(format!(
            "{symbol} is not an implementation of a collective: export a `const panto_implementation {name} = {{ \
             PANTO_IMPLEMENTATION, ... }}` as in panto_collective.h"
        )));
    }
    // SAFETY: a table with the magic number has a version behind it.
    let version = unsafe { address.add(1).cast::<u32>().read() };
    if version != abi::VERSION {
        return Err(Error::Start(format!(
            "{symbol} was built for version {version} of the interface, but this Panto has version {}; rebuild it with its \
             panto_collective.h",
            abi::VERSION
        )));
    }
    // SAFETY: magic number and version say that this is a table of this layout, and it is constant.
    let table = unsafe { &*address.cast::<abi::Implementation>() };
    let runs = table.run.is_some() || (table.start.is_some() && table.test.is_some());
    if !runs || table.collectives.list().is_empty() {
        return Err(Error::Start(format!(
            "{symbol} implements nothing: set `collectives`, and `run` or both `start` and `test`"
        )));
    }
    Ok(table)
}
