//! The processors that packages are made for.

/// A processor, by the names that toolchains and packages have for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The name on the command line and in file names.
    pub name: &'static str,
    /// The target of the Rust compiler.
    pub triple: &'static str,
    /// Debian's name of it.
    pub debian: &'static str,
}

pub const ALL: [Target; 2] = [
    Target { name: "x86_64", triple: "x86_64-unknown-linux-gnu", debian: "amd64" },
    Target { name: "aarch64", triple: "aarch64-unknown-linux-gnu", debian: "arm64" },
];

impl Target {
    /// Returns whether its programs run on this computer.
    pub fn is_native(self) -> bool {
        std::env::consts::ARCH == self.name
    }
}
