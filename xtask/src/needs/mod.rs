//! What the chores need from the system. A later need is one more row of the table in `table.rs`.

mod install;
pub mod pypi;
mod table;

use std::process::Command;

use crate::failure::Result;
use crate::{shell, web};
use pypi::Environment;
use table::NEEDS;

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
    /// Do the tests fail without it? What is not required is installed too where that is possible, and else named.
    pub required: bool,
}

/// How to tell that it is there.
pub enum Detect {
    /// A program on the path.
    Program(&'static str),
    /// A subcommand of cargo that works. Rustup puts programs on the path for components that are not installed.
    Cargo(&'static str),
    /// A module that Python can import.
    Python(&'static str),
    /// A package that pip installed into a virtual environment.
    Environment(&'static Environment),
    /// The packages of Node.js that the viewer's tests name.
    Packages,
}

/// Where to get it.
pub enum Get {
    /// Debian packages.
    Apt(&'static [&'static str]),
    /// A component of the Rust toolchain.
    Rustup(&'static str),
    /// A package for pip, in a virtual environment of its own.
    Pypi(&'static Environment),
    /// From npm, as the viewer's tests have them listed.
    Npm,
    /// A command for people to give; nothing is installed by itself.
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

    /// The command that brings it.
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

/// Makes sure that the tests have what they need: installs what is missing where that is possible, and fails with what
/// to install where it is not.
pub fn ensure() -> Result<()> {
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| !report(need)).collect();
    install::install(&missing);
    let still = missing.into_iter().filter(|need| !need.present());
    let (required, optional): (Vec<&Need>, Vec<&Need>) = still.partition(|need| need.required);
    for need in optional {
        println!("notice: without {}; to have it: {}", need.name, need.remedy());
    }
    if required.is_empty() { Ok(()) } else { Err(install::give_up(&required)) }
}

/// Says whether it is there.
fn report(need: &Need) -> bool {
    let present = need.present();
    let state = if present { "is there" } else { "is missing" };
    println!("{} {state}: {}", need.name, need.purpose);
    present
}

/// The first of these that is missing.
pub fn lacking(names: &[&str]) -> Option<&'static Need> {
    NEEDS.iter().find(|need| names.contains(&need.name) && !need.present())
}
