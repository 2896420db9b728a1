//! What the user asks of a fit.

use panto_machine::Model;

/// What the user asks of a fit.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The name of the new machine; by default it says which machine it was fitted to.
    pub name: Option<String>,
    /// A model with the same topology and switching, which are taken from it. Nothing else is. Without it they come from the
    /// machine that the manifests name if that is built in, from the places of ranks, or are `complete`.
    pub like: Option<Model>,
}
