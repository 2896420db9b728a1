//! What is wrong with a model, and where.

use std::fmt;
use std::sync::Arc;

/// Where something was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In a file, or a built-in, as a whole.
    File(Arc<str>),
    /// In a line of it.
    Line(Arc<str>, usize),
    /// On the command line: the `KEY=VALUE` of a `--set`.
    Set(Arc<str>),
    /// Nowhere: it follows from the number of processors that was asked for.
    Size(usize),
}

impl Place {
    /// The file, if it is one.
    pub fn file(&self) -> Option<&Arc<str>> {
        match self {
            Self::File(file) | Self::Line(file, _) => Some(file),
            Self::Set(_) | Self::Size(_) => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => write!(f, "{file}"),
            Self::Line(file, line) => write!(f, "{file}:{line}"),
            Self::Set(text) => write!(f, "--set {text}"),
            Self::Size(processors) => write!(f, "for {processors} processors"),
        }
    }
}

/// Why there is no such machine: the place, what was found there, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    place: Option<Place>,
    text: String,
}

impl Error {
    /// Something is wrong at this place.
    pub(super) fn at(place: &Place, text: impl Into<String>) -> Self {
        Self { place: Some(place.clone()), text: text.into() }
    }

    /// Something is wrong, at no place in particular.
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self { place: None, text: text.into() }
    }

    /// Where, if it is somewhere.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}
