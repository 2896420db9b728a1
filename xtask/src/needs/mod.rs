//! What the chores need from the system: a table. A later need is one more row.

mod install;

use crate::failure::Result;
use crate::shell;

/// Something that must be there.
pub struct Need {
    /// What people call it.
    pub name: &'static str,
    /// How to tell that it is there.
    pub detect: Detect,
    /// Where to get it.
    pub get: Get,
    /// What it is for.
    pub purpose: &'static str,
    /// Which chore needs it.
    pub by: By,
    /// Does the chore fail without it?
    pub required: bool,
}

/// How to tell that it is there.
pub enum Detect {
    /// A program on the path.
    Program(&'static str),
    /// A subcommand of cargo that works. Rustup puts programs on the path for components that are not installed.
    Cargo(&'static str),
}

/// Where to get it.
pub enum Get {
    /// Debian packages.
    Apt(&'static [&'static str]),
    /// A component of the Rust toolchain.
    Rustup(&'static str),
    /// A command for people to give; nothing is installed by itself.
    ByHand(&'static str),
}

/// Which chore needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Test,
    Bench,
}

const NEEDS: &[Need] = &[
    Need {
        name: "rustfmt",
        detect: Detect::Cargo("fmt"),
        get: Get::Rustup("rustfmt"),
        purpose: "checks the layout of the code",
        by: By::Test,
        required: true,
    },
    Need {
        name: "clippy",
        detect: Detect::Cargo("clippy"),
        get: Get::Rustup("clippy"),
        purpose: "checks the code",
        by: By::Test,
        required: true,
    },
    Need {
        name: "cargo-nextest",
        detect: Detect::Program("cargo-nextest"),
        get: Get::ByHand("cargo install cargo-nextest --locked"),
        purpose: "runs the tests in groups (without it `cargo test` runs them)",
        by: By::Test,
        required: false,
    },
    Need {
        name: "gcc",
        detect: Detect::Program("gcc"),
        get: Get::Apt(&["gcc", "libc6-dev"]),
        purpose: "compiles the ping-pong that Panto is compared with",
        by: By::Bench,
        required: false,
    },
    Need {
        name: "Open MPI",
        detect: Detect::Program("mpicc.openmpi"),
        get: Get::Apt(&["openmpi-bin", "libopenmpi-dev"]),
        purpose: "the message layer that Panto is compared with",
        by: By::Bench,
        required: false,
    },
    Need {
        name: "MPICH",
        detect: Detect::Program("mpicc.mpich"),
        get: Get::Apt(&["mpich", "libmpich-dev"]),
        purpose: "the other message layer that Panto is compared with",
        by: By::Bench,
        required: false,
    },
];

impl Need {
    fn present(&self) -> bool {
        match self.detect {
            Detect::Program(name) => shell::on_path(name),
            Detect::Cargo(subcommand) => shell::works(&mut shell::cargo(&format!("{subcommand} --version"))),
        }
    }

    /// The command that brings it.
    pub fn remedy(&self) -> String {
        match self.get {
            Get::Apt(packages) => format!("apt-get install {}", packages.join(" ")),
            Get::Rustup(component) => format!("rustup component add {component}"),
            Get::ByHand(command) => command.to_owned(),
        }
    }
}

/// Makes sure that a chore has what it needs: installs what is missing where that is possible, and fails with what
/// to install where it is not.
pub fn ensure(by: By) -> Result<()> {
    for need in NEEDS.iter().filter(|need| need.by == by) {
        let state = if need.present() { "is there" } else { "is missing" };
        println!("{} {state}: {}", need.name, need.purpose);
    }
    let (required, optional): (Vec<&Need>, Vec<&Need>) = missing(by).partition(|need| need.required);
    for need in optional {
        println!("{} can be left out; to have it: {}", need.name, need.remedy());
    }
    if required.is_empty() {
        return Ok(());
    }
    install::install(&required)?;
    let still: Vec<&Need> = required.into_iter().filter(|need| !need.present()).collect();
    if still.is_empty() { Ok(()) } else { Err(install::give_up(&still)) }
}

/// The first of these that is missing.
pub fn lacking(names: &[&str]) -> Option<&'static Need> {
    NEEDS.iter().find(|need| names.contains(&need.name) && !need.present())
}

fn missing(by: By) -> impl Iterator<Item = &'static Need> {
    NEEDS.iter().filter(move |need| need.by == by && !need.present())
}
