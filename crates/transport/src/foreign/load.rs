//! Finds an implementation in a shared library.

use std::ffi::{CStr, CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use panto_implementation::{Kind, abi};

use crate::error::{Error, Result};

/// An implementation from a shared library. The library stays loaded as long as the program runs.
#[derive(Debug, Clone, Copy)]
pub struct Foreign {
    pub(super) table: &'static abi::Implementation,
    /// The file and the name, as the user gave them.
    pub(super) title: &'static str,
    /// How long it may take to come back.
    pub(super) patience: Duration,
}

/// The patience of those who say nothing.
const PATIENCE: Duration = Duration::from_secs(10);

impl Foreign {
    /// Loads a library and finds the implementation of that name. The error says what is missing, and what to do.
    pub fn load(path: &Path, name: &str) -> Result<Self> {
        let file = file(path)?;
        let library = open(path, &file)?;
        let symbol = CString::new(name).map_err(|_| Error::Start(format!("`{name}` is no name of C")))?;
        // SAFETY: the library is open, and the name ends with 0.
        let address = unsafe { libc::dlsym(library, symbol.as_ptr()) };
        if address.is_null() {
            return Err(Error::Start(format!(
                "{} has no implementation `{name}`; export one of that name (`nm -D {0}` lists what it exports)",
                path.display()
            )));
        }
        // SAFETY: it is the address of something in the library.
        let table = unsafe { checked(address.cast(), path, name) }?;
        Ok(Self { table, title: title(path, name), patience: PATIENCE })
    }

    /// A call that does not come back for so long counts as hung, and ends the process.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The names of the collectives that it serves.
    pub fn serves(&self) -> Vec<&'static str> {
        self.table.collectives.list().into_iter().map(Kind::name).collect()
    }

    /// Can it be started, and go on beside other work?
    pub fn is_non_blocking(&self) -> bool {
        self.table.start.is_some() && self.table.test.is_some()
    }

    /// The file and the name, as the user gave them.
    pub fn title(&self) -> &'static str {
        self.title
    }
}

/// Titles live as long as the libraries: even a handler of signals may read them.
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

/// With a slash, so that the loader does not look elsewhere for it.
fn file(path: &Path) -> Result<PathBuf> {
    path.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::Start(format!(
            "there is no file {}; build the library first, such as `cc -shared -fPIC -O2 -o {0} mine.c`",
            path.display()
        )),
        _ => Error::Start(format!("cannot read {}: {error}", path.display())),
    })
}

fn open(path: &Path, file: &Path) -> Result<*mut c_void> {
    let name = CString::new(file.as_os_str().as_bytes())
        .map_err(|_| Error::Start(format!("{} is no name of a file", path.display())))?;
    // SAFETY: the name ends with 0. What the library does when it is loaded is the user's wish.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        let why = last_error();
        return Err(Error::Start(format!(
            "cannot load {}: {why}; it must be a shared library for this machine (cc -shared -fPIC)",
            path.display()
        )));
    }
    Ok(library)
}

fn last_error() -> String {
    // SAFETY: it answers null or a text that lives until the next call of this thread.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "nobody knows why".into();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// # Safety
/// The address must be that of something in a library that stays loaded. Its first words are read, and more only if they are those of
/// an implementation.
unsafe fn checked(address: *const u64, path: &Path, name: &str) -> Result<&'static abi::Implementation> {
    let where_ = format!("{}:{name}", path.display());
    // SAFETY: the caller; functions are readable too, and as long.
    let magic = unsafe { address.read_unaligned() };
    if magic != abi::MAGIC || !address.is_aligned() {
        return Err(Error::Start(format!(
            "{where_} is no implementation of a collective: it must be a `const panto_implementation {name} = {{ \
             PANTO_IMPLEMENTATION, ... }}` as in panto_collective.h"
        )));
    }
    // SAFETY: what begins so has a version behind it.
    let version = unsafe { address.add(1).cast::<u32>().read() };
    if version != abi::VERSION {
        return Err(Error::Start(format!(
            "{where_} was built for version {version} of the interface, and this is version {}; build it with the \
             panto_collective.h of this Panto",
            abi::VERSION
        )));
    }
    // SAFETY: it says that it is one, of this version, and it is constant.
    let table = unsafe { &*address.cast::<abi::Implementation>() };
    let runs = table.run.is_some() || (table.start.is_some() && table.test.is_some());
    if !runs || table.collectives.list().is_empty() {
        return Err(Error::Start(format!(
            "{where_} serves nothing: give it `collectives`, and `run`, or `start` and `test`"
        )));
    }
    Ok(table)
}
