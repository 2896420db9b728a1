//! The scenarios that Panto knows.

/// A scenario that Panto knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    /// Its name, for `--scenario`.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

macro_rules! builtins {
    ($($name:literal),* $(,)?) => {
        /// All of them, the three of CRESTA first (S5).
        pub fn all() -> &'static [Builtin] {
            &[$(Builtin {
                name: $name,
                text: include_str!(concat!("../../../../scenarios/", $name, ".toml")),
            }),*]
        }
    };
}

builtins![
    "only",
    "delay",
    "overlap",
    "staggered",
    "random",
    "exponential",
    "straggler",
    "arrival",
    "sequence",
    "concurrent",
    "loaded",
    "streaming",
];

/// The one with this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    all().iter().find(|scenario| scenario.name == name)
}
