//! Compares the table of constants with the header of each MPI, as its own compiler wrapper sees
//! it.
//!
//! Wrappers are `mpicc.mpich` and `mpicc.openmpi`, as Debian names them, and those that
//! `PANTO_TEST_MPICC` lists, separated by colons. A missing one is skipped with a message;
//! `cargo xtask test` makes sure that they are there.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::path::Path;
use std::process::Command;

use panto_mpi::{Abi, Constants, StatusLayout};

/// Names of constants with their values, as `constants.c` prints them.
type Named = BTreeMap<String, String>;

#[test]
fn mpich() {
    check("mpicc.mpich");
}

#[test]
fn open_mpi() {
    check("mpicc.openmpi");
}

#[test]
fn those_of_the_environment() {
    let wrappers = std::env::var("PANTO_TEST_MPICC").unwrap_or_default();
    let mut wrappers = wrappers.split(':').filter(|wrapper| !wrapper.is_empty()).peekable();
    if wrappers.peek().is_none() {
        eprintln!("PANTO_TEST_MPICC names no compiler wrappers: passed over");
    }
    wrappers.for_each(check);
}

fn check(wrapper: &str) {
    let Some(mut theirs) = header(wrapper) else {
        return eprintln!("{wrapper} is not there: passed over");
    };
    let abi = match theirs.remove("abi").as_deref() {
        Some("mpich") => Abi::Mpich,
        Some("openmpi") => Abi::OpenMpi,
        Some("standard") => Abi::Standard,
        other => panic!("{wrapper} has an interface that is not known: {other:?}"),
    };
    assert_eq!(table(abi), theirs, "the {abi} interface, by {wrapper}");
}

/// Returns the constants of the wrapper's header; none if there is no such wrapper.
fn header(wrapper: &str) -> Option<Named> {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("constants");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/constants.c");
    let compiled = Command::new(wrapper).arg("-o").arg(&program).arg(source).arg("-ldl").output();
    let compiled = match compiled {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        compiled => compiled.unwrap(),
    };
    assert!(compiled.status.success(), "{wrapper}: {}", String::from_utf8_lossy(&compiled.stderr));
    let printed = Command::new(program).output().unwrap();
    assert!(printed.status.success(), "{wrapper}: {}", String::from_utf8_lossy(&printed.stderr));
    let lines = String::from_utf8(printed.stdout).unwrap();
    let named = lines.lines().map(|line| line.split_once(' ').expect("a name and a value"));
    Some(named.map(|(name, value)| (name.into(), value.into())).collect())
}

/// Returns the constants of the table, with the names of symbols for their addresses.
fn table(abi: Abi) -> Named {
    let symbols = std::cell::RefCell::new(Vec::<String>::new());
    // No address of a symbol is as small as the numbers of the table, nor are these as large.
    let base = usize::MAX / 2;
    let symbol = |name: &CStr| {
        let mut symbols = symbols.borrow_mut();
        symbols.push(name.to_str().unwrap().into());
        Some(base + symbols.len() - 1)
    };
    let constants = Constants::resolve(abi, &symbol).unwrap();
    let symbols = symbols.into_inner();
    let word = |value: usize| {
        let symbol = value.checked_sub(base).and_then(|index| symbols.get(index));
        symbol.cloned().unwrap_or_else(|| (value as isize).to_string())
    };
    named(constants, &word)
}

/// Returns all fields by their names. The patterns make sure that none is missing.
fn named(constants: Constants, word: &dyn Fn(usize) -> String) -> Named {
    let mut named = Named::new();
    macro_rules! name {
        (words: $($word:ident)*; numbers: $($number:ident)*; status: $($part:ident)*) => {
            let Constants { $($word,)* $($number,)* status } = constants;
            let StatusLayout { $($part),* } = status;
            $(named.insert(stringify!($word).into(), word($word));)*
            $(named.insert(stringify!($number).into(), $number.to_string());)*
            $(named.insert(concat!("status.", stringify!($part)).into(), $part.to_string());)*
        };
    }
    name! {
        words: comm_world comm_self comm_null byte datatype_null double sum unsigned_char info_null request_null errors_return in_place status_ignore
            statuses_ignore;
        numbers: any_source any_tag proc_null root undefined thread_single thread_multiple tag_ub err_truncate cart graph dist_graph lock_exclusive lock_shared
            mode_nosucceed combiner_named bsend_overhead
            max_error_string max_library_version;
        status: size source tag error count
    }
    named
}
