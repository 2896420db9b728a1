//! Installs what is missing.

use std::process::Command;

use super::{Get, Need};
use crate::failure::{Failure, Result};
use crate::{shell, web};

/// Tries to install what is missing. [`give_up`] names what cannot be installed from here.
pub fn install(missing: &[&Need]) {
    let components = components(missing);
    if !components.is_empty() && shell::on_path("rustup") {
        attempt(shell::stream(Command::new("rustup").args(["component", "add"]).args(components)));
    }
    let packages = packages(missing);
    if !packages.is_empty() && shell::on_path("apt-get") && is_root() {
        attempt(apt_get(&packages));
    }
    for need in missing {
        match need.get {
            Get::Pypi(environment) => attempt(environment.install()),
            Get::Npm => attempt(web::install()),
            _ => {}
        }
    }
}

/// Runs an installer; the caller checks again whether it helped.
fn attempt(result: Result<()>) {
    if let Err(failure) = result {
        println!("notice: {failure}");
    }
}

/// Returns the failure that names what users must install themselves.
pub fn give_up(missing: &[&Need]) -> Failure {
    let line = |need: &&Need| format!("\n  {} ({}): {}", need.name, need.purpose, need.remedy());
    let lines: Vec<String> = missing.iter().map(line).collect();
    Failure::failed(format!("missing, and cannot be installed from here:{}", lines.concat()))
}

fn components(needs: &[&Need]) -> Vec<&'static str> {
    let component = |need: &&Need| if let Get::Rustup(name) = need.get { Some(name) } else { None };
    needs.iter().filter_map(component).collect()
}

fn packages(needs: &[&Need]) -> Vec<&'static str> {
    let packages = |need: &&Need| if let Get::Apt(names) = need.get { names } else { &[] };
    needs.iter().flat_map(packages).copied().collect()
}

fn apt_get(packages: &[&str]) -> Result<()> {
    let apt_get = |arguments: &[&str]| {
        shell::stream(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt_get(&["update"])?;
    apt_get(&[&["install", "--yes", "--no-install-recommends"], packages].concat())
}

fn is_root() -> bool {
    shell::capture(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::needs::table::NEEDS;

    #[test]
    fn each_thing_is_got_from_one_place() {
        let all: Vec<&Need> = NEEDS.iter().collect();
        assert_eq!(components(&all), ["rustfmt", "clippy"]);
        assert!(packages(&all).contains(&"libopenmpi-dev"));
    }

    #[test]
    fn giving_up_names_every_remedy() {
        let all: Vec<&Need> = NEEDS.iter().collect();
        let text = give_up(&all).to_string();
        assert!(all.iter().all(|need| text.contains(&need.remedy())));
    }
}
