//! What a fit is asked, and given.

use panto_bench::results::{Manifest, Record};
use panto_machine::Model;

/// One launch of a program that measures.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// How it was measured.
    pub manifest: &'a Manifest,
    /// What it found.
    pub records: &'a [Record],
}

/// What the user asks of a fit.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The name of the new machine; by default it says which machine it was fitted to.
    pub name: Option<String>,
    /// A model with the same topology and switching, which are taken from it. Nothing else is. Without it they come from the
    /// machine that the manifests name if that is built in, from the places of ranks, or are `complete`.
    pub like: Option<Model>,
}
