//! The built-in machines.

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

builtins![
    "ipsc860",
    "cm5",
    "ethernet10",
    "sp2",
    "ethernet10g",
    "ethernet100g",
    "infiniband",
    "dragonfly",
    "loggops"
];

/// The built-in machine with a name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    all().iter().find(|machine| machine.name == name)
}
