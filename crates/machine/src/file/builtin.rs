//! The built-in machines, and their groups.

use super::{Error, Model};
use panto_units::suggest::hint;

/// A built-in machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    /// The name, for `--on`.
    pub name: &'static str,
    /// The model file.
    pub text: &'static str,
}

macro_rules! builtins {
    ($($name:literal),* $(,)?) => {
        /// All built-in machines, the oldest first.
        pub fn all() -> &'static [Builtin] {
            &[$(Builtin {
                name: $name,
                text: include_str!(concat!("../../../../machines/", $name, ".toml")),
            }),*]
        }
    };
}

// By year of introduction, then the illustrative ones.
builtins![
    "ncube2",
    "ipsc860",
    "delta",
    "cm5",
    "t3d",
    "paragon",
    "cs2",
    "sp2",
    "ethernet10",
    "t3e",
    "now",
    "tcp10g",
    "bgl",
    "redstorm",
    "bgp",
    "xe6",
    "bgq",
    "usnic40g",
    "xc40",
    "fdr",
    "omnipath",
    "summit",
    "tcp25g",
    "efa",
    "fugaku",
    "hdr",
    "frontier",
    "lumi",
    "ndr",
    "roce100g",
    "tcp100g",
    "ethernet10g",
    "ethernet100g",
    "infiniband",
    "dragonfly",
    "loggops",
];

/// The built-in machine with a name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    all().iter().find(|machine| machine.name == name)
}

/// What a name begins with that means a group of machines, as in `@modern`.
pub const GROUP: char = '@';

/// The group of all machines with a year, which are those that were built.
const REAL: &str = "real";

/// Returns the machines of a group, the oldest first.
pub fn group(name: &str) -> Result<Vec<&'static str>, Error> {
    let mut known = vec![REAL.to_owned()];
    let mut found = Vec::new();
    for machine in all() {
        let model = Model::load(machine.name, &[])?;
        let is_member = model.groups().iter().any(|group| group == name);
        if is_member || (name == REAL && model.year().is_some()) {
            found.push(machine.name);
        }
        known.extend(
            model.groups().iter().filter(|group| !known.contains(group)).cloned().collect::<Vec<_>>(),
        );
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let hint = hint(name, known.iter().map(String::as_str));
    let all: Vec<String> = known.iter().map(|group| format!("{GROUP}{group}")).collect();
    let known = if hint.is_empty() { "; groups" } else { " Groups" };
    Err(Error::new(format!("no machine is in the group `{GROUP}{name}`{hint}{known}: {}", all.join(", "))))
}
