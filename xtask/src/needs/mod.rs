//! What the chores need from the system: the rows of `table.rs`.

mod install;
pub mod pypi;
mod table;

use std::process::Command;

use crate::failure::Result;
use crate::{shell, web};
use pypi::Environment;
use table::NEEDS;

/// A program or package that the chores need.
pub struct Need {
    /// The usual name.
    pub name: &'static str,
    /// How to detect it.
    pub detect: Detect,
    /// How to install it.
    pub get: Get,
    /// Its purpose.
    pub purpose: &'static str,
    /// Whether the tests fail without it. An optional need is installed where possible, and
    /// otherwise named.
    pub required: bool,
}

/// How to detect a need.
pub enum Detect {
    /// A program on the path.
    Program(&'static str),
    /// A working subcommand of cargo; rustup puts programs on the path for components that are not
    /// installed.
    Cargo(&'static str),
    /// A module that Python can import.
    Python(&'static str),
    /// A package that pip installed into a virtual environment.
    Environment(&'static Environment),
    /// The Node.js packages of the viewer's tests.
    Packages,
}

/// How to install a need.
pub enum Get {
    /// Debian packages.
    Apt(&'static [&'static str]),
    /// A component of the Rust toolchain.
    Rustup(&'static str),
    /// A PyPI package, in its own virtual environment.
    Pypi(&'static Environment),
    /// Packages of npm, from the lock file of the viewer's tests.
    Npm,
    /// A command for the user; nothing is installed automatically.
    ByHand(&'static str),
}

impl Need {
    fn present(&self) -> bool {
        match self.detect {
            Detect::Program(name) => shell::on_path(name),
            Detect::Cargo(subcommand) => shell::works(&mut shell::cargo(&format!("{subcommand} --version"))),
            Detect::Python(module) => {
                shell::works(Command::new("python3").args(["-c", &format!("import {module}")]))
            }
            Detect::Environment(environment) => environment.present(),
            Detect::Packages => web::present(),
        }
    }

    /// Returns the command that installs it.
    pub fn remedy(&self) -> String {
        match self.get {
            Get::Apt(packages) => format!("apt-get install {}", packages.join(" ")),
            Get::Rustup(component) => format!("rustup component add {component}"),
            Get::Pypi(environment) => environment.remedy(),
            Get::Npm => web::remedy(),
            Get::ByHand(command) => command.to_owned(),
        }
    }
}

/// Ensures that the tests have what they need: installs what is missing where possible, and
/// otherwise fails with what to install.
pub fn ensure() -> Result<()> {
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| !report(need)).collect();
    install::install(&missing);
    let still = missing.into_iter().filter(|need| !need.present());
    let (required, optional): (Vec<&Need>, Vec<&Need>) = still.partition(|need| need.required);
    for need in optional {
        println!("notice: without {}; to install it: {}", need.name, need.remedy());
    }
    if required.is_empty() { Ok(()) } else { Err(install::give_up(&required)) }
}

/// Prints and returns whether a need is present.
fn report(need: &Need) -> bool {
    let present = need.present();
    let state = if present { "is there" } else { "is missing" };
    println!("{} {state}: {}", need.name, need.purpose);
    present
}

/// Returns the first of these needs that is missing.
pub fn first_missing(names: &[&str]) -> Option<&'static Need> {
    NEEDS.iter().find(|need| names.contains(&need.name) && !need.present())
}
