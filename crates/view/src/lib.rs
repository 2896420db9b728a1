//! The timeline viewer (P20): level of detail, the page that shows it, and a server on loopback.
//!
//! A [`View`] is a timeline with its overview: what it looks like from afar, made in one pass with bounded memory. It answers *tiles*, small
//! pieces of the picture at the detail that is asked for, from the overview where that is fine enough and from the file where it is not.
//! The same tiles are served by [`Server`] or put into one HTML file by [`page`], so that the page need not know where they come from.
//!
//! The page itself is under `web/`: plain modules, joined by [`page`] and never compiled.
#![forbid(unsafe_code)]

mod bundle;
mod data;
mod error;
mod page;
mod server;

use std::path::Path;

pub use data::{Progress, View};
pub use error::{Error, Result};
pub use server::{Server, serve};

/// What goes into a page that stands alone.
#[derive(Debug, Clone)]
pub struct Options {
    /// The title of the page, or the heading of the fragment. Empty for the names of the files.
    pub title: String,
    /// The most bytes of tiles, before they are packed to about a fifth. What does not fit is left out from the finest detail on, and the
    /// page says so.
    pub budget: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { title: String::new(), budget: 32 << 20 }
    }
}

impl Options {
    /// For a section of a report: about 1 MB.
    pub fn for_report() -> Self {
        Self { title: String::new(), budget: 4 << 20 }
    }
}

/// A page of HTML with one or two timelines in it. It needs no other file and no network.
pub fn page(timelines: &[&Path], options: &Options) -> Result<String> {
    page::standalone(&open(timelines)?, options)
}

/// The same as a `<section>` for another page of HTML: markup, data and script. Several may be in one page.
pub fn fragment(timelines: &[&Path], options: &Options) -> Result<String> {
    page::section(&open(timelines)?, options)
}

/// Opens timelines and looks at all of them.
fn open(timelines: &[&Path]) -> Result<Vec<View>> {
    if timelines.is_empty() || timelines.len() > MOST_TIMELINES {
        return Err(Error::HowMany(timelines.len()));
    }
    timelines.iter().map(|path| View::open(path, &Progress::default())).collect()
}

/// The most timelines that are shown one above the other.
pub const MOST_TIMELINES: usize = 2;
