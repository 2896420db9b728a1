//! The built-in scenarios.

/// A built-in scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    /// Name, for `--scenario`.
    pub name: &'static str,
    /// Text of its file.
    pub text: &'static str,
}

macro_rules! builtins {
    ($($name:literal),* $(,)?) => {
        /// Returns all built-in scenarios, the three of CRESTA first (S5).
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

/// Returns the scenario of this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    all().iter().find(|scenario| scenario.name == name)
}
