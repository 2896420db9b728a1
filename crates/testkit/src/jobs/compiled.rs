//! User-supplied code that tests compile: the examples, and faulty ones.

use std::path::{Path, PathBuf};
use std::process::Command;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
const BAD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/implementations/bad.c");
const MATRICES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/implementations/matrices.c");

/// A compiled library in a temporary folder.
pub struct Compiled {
    folder: tempfile::TempDir,
}

impl Compiled {
    /// Compiles the example in C as its README describes, with all warnings enabled.
    pub fn tree() -> Self {
        Self::of(&Path::new(EXAMPLES).join("implementation-c/tree.c"))
    }

    /// Compiles the example of matrix operations.
    pub fn matrix() -> Self {
        Self::of(&Path::new(EXAMPLES).join("implementation-c/matrix.c"))
    }

    /// Compiles further matrix operations: a correct one, and faulty ones.
    pub fn matrices() -> Self {
        Self::of(Path::new(MATRICES))
    }

    /// Compiles the faulty implementations.
    pub fn bad() -> Self {
        Self::of(Path::new(BAD))
    }

    /// Compiles the example in Rust as its README describes.
    pub fn rust() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--offline", "--target-dir"]).arg(folder.path());
        cargo.current_dir(Path::new(EXAMPLES).join("implementation-rust"));
        assert!(cargo.status().expect("cargo is there").success(), "cargo does not build the example");
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
        assert!(status.expect("cc is there").success(), "cc does not compile {}", source.display());
        Self { folder }
    }

    /// Returns the path of the library.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("libit.so")
    }

    /// Returns one of its implementations as `--impl` takes it.
    pub fn named(&self, name: &str) -> String {
        format!("{}:{name}", self.path().display())
    }
}
