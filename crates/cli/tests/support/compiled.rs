//! Implementations of collectives that tests build: the examples of C, and bad ones.

use std::path::{Path, PathBuf};
use std::process::Command;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
const BAD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../cli/tests/support/implementations/bad.c");

/// Libraries in a folder that lives as long as this.
pub struct Compiled {
    folder: tempfile::TempDir,
}

impl Compiled {
    /// The example in C, as its README says, with all warnings.
    pub fn tree() -> Self {
        Self::of(&Path::new(EXAMPLES).join("implementation-c/tree.c"))
    }

    /// Those that are wrong.
    pub fn bad() -> Self {
        Self::of(Path::new(BAD))
    }

    /// The example in Rust, as its README says.
    #[allow(dead_code, reason = "not all tests need it")]
    pub fn rust() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--offline", "--target-dir"]).arg(folder.path());
        cargo.current_dir(Path::new(EXAMPLES).join("implementation-rust"));
        assert!(cargo.status().expect("cargo is there").success(), "cargo does not like the example");
        let built = folder.path().join("debug/libpanto_implementation_example.so");
        std::fs::copy(built, folder.path().join("libit.so")).expect("a library");
        Self { folder }
    }

    fn of(source: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let header = Path::new(EXAMPLES).join("implementation-c");
        let mut cc = Command::new("cc");
        cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O2", "-I"]);
        let status = cc.arg(header).arg("-o").arg(folder.path().join("libit.so")).arg(source).status();
        assert!(status.expect("cc is there").success(), "cc does not like {}", source.display());
        Self { folder }
    }

    /// The library.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("libit.so")
    }

    /// One of its implementations, as `--impl` wants it.
    pub fn named(&self, name: &str) -> String {
        format!("{}:{name}", self.path().display())
    }
}
