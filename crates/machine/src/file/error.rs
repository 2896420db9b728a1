//! Errors of model files, with their location.

use std::fmt;
use std::sync::Arc;

/// The location of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A file or built-in machine as a whole.
    File(Arc<str>),
    /// A line of a file or built-in machine.
    Line(Arc<str>, usize),
    /// The command line: the `KEY=VALUE` of a `--set`.
    Set(Arc<str>),
    /// Derived from the requested number of processors.
    Size(usize),
}

impl Location {
    /// The file, if the location is in one.
    pub fn file(&self) -> Option<&Arc<str>> {
        match self {
            Self::File(file) | Self::Line(file, _) => Some(file),
            Self::Set(_) | Self::Size(_) => None,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => write!(f, "{file}"),
            Self::Line(file, line) => write!(f, "{file}:{line}"),
            Self::Set(text) => write!(f, "--set {text}"),
            Self::Size(processors) => write!(f, "for {processors} processors"),
        }
    }
}

/// An invalid model: the location, what was found there, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    location: Option<Location>,
    text: String,
}

impl Error {
    /// An error at a location.
    pub(super) fn at(location: &Location, text: impl Into<String>) -> Self {
        Self { location: Some(location.clone()), text: text.into() }
    }

    /// An error without a location.
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self { location: None, text: text.into() }
    }

    /// The location, if there is one.
    pub fn location(&self) -> Option<&Location> {
        self.location.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            write!(f, "{location}: ")?;
        }
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}
