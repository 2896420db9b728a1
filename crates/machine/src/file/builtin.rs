//! The machines that Panto knows.

/// A machine that Panto knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    /// Its name, for `--on`.
    pub name: &'static str,
    /// Its model file.
    pub text: &'static str,
}

macro_rules! builtins {
    ($($name:literal),* $(,)?) => {
        /// All of them, the oldest first.
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

/// The one with this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    all().iter().find(|machine| machine.name == name)
}
