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
pub(super) const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(10);

impl UserImplementation {
    /// Loads a library and finds the implementation with this name. The error says what is missing
    /// and what to do.
    pub fn load(path: &Path, name: &str) -> Result<Self> {
        let table: &'static abi::Implementation = find_table(path, name)?;
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

/// A table that libraries export: it begins with a magic number and a version.
///
/// # Safety
/// The type must be `repr(C)`, with a `u64` and a `u32` first, and every table that begins with
/// these values must be one of this type.
pub(super) unsafe trait Table: Sized + 'static {
    const MAGIC: u64;
    const VERSION: u32;
    /// What it is, for errors.
    const WHAT: &'static str;
    /// The declaration of it in C, up to its name, and what follows the name.
    const DECLARATION: [&'static str; 2];
    /// The header that declares it.
    const HEADER: &'static str;
    /// What a table without functions should set.
    const REQUIRED: &'static str;

    /// Whether it implements anything.
    fn is_complete(&self) -> bool;
}

// SAFETY: the type is `repr(C)`, and its magic number is that of no other.
unsafe impl Table for abi::Implementation {
    const MAGIC: u64 = abi::MAGIC;
    const VERSION: u32 = abi::VERSION;
    const WHAT: &'static str = "an implementation of a collective";
    const DECLARATION: [&'static str; 2] = ["const panto_implementation", "= { PANTO_IMPLEMENTATION, ... }"];
    const HEADER: &'static str = "panto_collective.h";
    const REQUIRED: &'static str = "`collectives`, and `run` or both `start` and `test`";

    fn is_complete(&self) -> bool {
        let runs = self.run.is_some() || (self.start.is_some() && self.test.is_some());
        runs && !self.collectives.list().is_empty()
    }
}

/// Loads a library and finds the table with this name in it.
pub(super) fn find_table<T: Table>(path: &Path, name: &str) -> Result<&'static T> {
    let library = open(path, &file(path)?)?;
    let symbol = CString::new(name).map_err(|_| Error::Start(format!("`{name}` is not a symbol name")))?;
    // SAFETY: `library` is an open handle, and `symbol` is null-terminated.
    let address = unsafe { libc::dlsym(library, symbol.as_ptr()) };
    if address.is_null() {
        return Err(Error::Start(format!(
            "{} exports no `{name}`; list its symbols with `nm -D {0}`",
            path.display()
        )));
    }
    // SAFETY: `dlsym` returned the address of a symbol of the library, which is never unloaded.
    unsafe { check_table(address.cast(), path, name) }
}

/// Returns a leaked `path:name`, once per pair: a signal handler may read it at any time.
pub(super) fn title(path: &Path, name: &str) -> &'static str {
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

/// Checks that a symbol is a table of this type and version.
///
/// # Safety
/// `address` must be that of a symbol of a library that stays loaded, readable for at least 8
/// bytes. More is read only if those bytes are the magic number of a table.
unsafe fn check_table<T: Table>(address: *const u64, path: &Path, name: &str) -> Result<&'static T> {
    let symbol = format!("{}:{name}", path.display());
    // SAFETY: the caller promises 8 readable bytes; functions are at least as long.
    let magic = unsafe { address.read_unaligned() };
    if magic != T::MAGIC || !address.is_aligned() {
        let [before, behind] = T::DECLARATION;
        return Err(Error::Start(format!(
            "{symbol} is not {}: export a `{before} {name} {behind}` as in {}",
            T::WHAT,
            T::HEADER
        )));
    }
    // SAFETY: a table with the magic number has a version behind it.
    let version = unsafe { address.add(1).cast::<u32>().read() };
    if version != T::VERSION {
        return Err(Error::Start(format!(
            "{symbol} was built for version {version} of the interface, but this Panto has version {}; rebuild it with its \
             {}",
            T::VERSION,
            T::HEADER
        )));
    }
    // SAFETY: magic number and version say that this is a table of this layout, and it is constant.
    let table = unsafe { &*address.cast::<T>() };
    if !table.is_complete() {
        return Err(Error::Start(format!("{symbol} implements nothing: set {}", T::REQUIRED)));
    }
    Ok(table)
}
