//! The timeline viewer (P20): levels of detail, the page that shows them, and a server on loopback.
//!
//! A [`View`] is a timeline with its overview, computed in one pass with bounded memory. It serves
//! *tiles*, small pieces of the picture at a requested level of detail: from the overview where
//! that is fine enough, otherwise from the file. [`Server`] serves tiles over HTTP and [`page`]
//! embeds the same tiles in one HTML file, so the page does not depend on where they come from.
//!
//! The page itself is under `web/`: plain ES modules, joined by [`page`], without a build step.
//!
//! The code P20 in comments is a requirement, a row of `docs/conformance.md`.
#![forbid(unsafe_code)]

mod base64;
mod bundle;
mod data;
mod error;
mod page;
mod policy;
mod server;
mod sha256;

use std::path::Path;

pub use data::{Progress, View};
pub use error::{Error, Result};
pub use policy::Policy;
pub use server::{Server, serve};

/// What goes into a stand-alone page.
#[derive(Debug, Clone)]
pub struct Options {
    /// Title of the page, or heading of the fragment. Empty for the names of the files.
    pub title: String,
    /// Upper limit of the tiles in bytes, before compression to about a fifth. What does not fit is
    /// omitted, finest detail first, and the page says so.
    pub budget: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { title: String::new(), budget: 32 << 20 }
    }
}

impl Options {
    /// Returns options for a section of a report: about 1 MB.
    pub fn for_report() -> Self {
        Self { title: String::new(), budget: 4 << 20 }
    }
}

/// Returns an HTML page with one or two timelines. It needs no other file and no network.
pub fn page(timelines: &[&Path], options: &Options) -> Result<String> {
    page::standalone(&open(timelines)?, options)
}

/// A part of another page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// A `<section>` with markup, data and script.
    pub markup: String,
    /// What the page must allow for it.
    pub policy: Policy,
}

/// Returns a `<section>` with one or two timelines for another HTML page: markup, data and script.
/// A page may contain several.
pub fn fragment(timelines: &[&Path], options: &Options) -> Result<Fragment> {
    page::section(&open(timelines)?, options)
}

/// Opens timelines and computes their overviews.
fn open(timelines: &[&Path]) -> Result<Vec<View>> {
    if timelines.is_empty() || timelines.len() > MAX_TIMELINES {
        return Err(Error::TimelineCount(timelines.len()));
    }
    timelines.iter().map(|path| View::open(path, &Progress::default())).collect()
}

/// Upper limit of timelines shown one above the other.
pub const MAX_TIMELINES: usize = 2;
