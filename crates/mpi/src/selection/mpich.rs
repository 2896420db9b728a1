//! The algorithms of MPICH.
//!
//! `MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM` selects an algorithm by its place in the list of the
//! variable's description; MPICH 4.0 joins the lines of that list, so that a name follows the word
//! before it without a space. The names come from the selection trees, which are JSON in the
//! library itself ([`SelectionTrees`]).
//!
//! On one node, MPICH's shared-memory layer (POSIX) may have an algorithm of its own. It is turned
//! off (`mpir`) where another is selected. MPICH silently replaces an algorithm that does not fit
//! the call; `MPIR_CVAR_COLLECTIVE_FALLBACK` makes that an error.

use std::collections::BTreeSet;
use std::path::Path;

use panto_calls::Collective;

use super::Choice;
use crate::control::{ControlVariable, ControlVariables};
use crate::library::Library;

const PREFIX: &str = "MPIR_CVAR_";
const FALLBACK: &str = "MPIR_CVAR_COLLECTIVE_FALLBACK";

/// Algorithms that need parameters beside their name (a radix, a tree, the size of a piece), or
/// hardware, or buffers in place. They are not offered.
const WITH_PARAMETERS: [&str; 9] = [
    "tree",
    "recexch",
    "k_",
    "multiplying",
    "ccl",
    "circ",
    "sendrecv_replace",
    "pipelined",
    "noncommutative",
];

/// The trees by which MPICH chooses algorithms, as JSON. They are part of the library, and a file
/// with changed ones can replace them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectionTrees {
    /// Of all collectives, for `MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE`.
    pub general: String,
    /// Of the shared-memory layer, for `MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE`; not
    /// every build has it.
    pub shared_memory: Option<String>,
    /// The names of algorithms that a tree may contain, such as `MPIR_Alltoall_intra_brucks`.
    pub algorithms: BTreeSet<String>,
}

impl SelectionTrees {
    /// Reads the trees from the library's file; `None` if it has none.
    pub fn of(library: &Library) -> Option<Self> {
        Self::read(library.path())
    }

    /// Reads the trees from a file; `None` if it has none.
    pub fn read(path: &Path) -> Option<Self> {
        Self::find(&std::fs::read(path).ok()?)
    }

    fn find(bytes: &[u8]) -> Option<Self> {
        let texts = texts(bytes, b"{\"collective=", |byte| byte != 0);
        let general = texts.iter().find(|text| text.contains("\"algorithm=MPIR_"))?.clone();
        let shared_memory = texts.into_iter().find(|text| text.contains("\"algorithm=MPIDI_POSIX_"));
        let names = self::texts(bytes, b"algorithm=MPIR_", |byte| {
            byte == b'=' || byte == b'_' || byte.is_ascii_alphanumeric()
        });
        let name = |text: String| text.strip_prefix("algorithm=").map(str::to_owned);
        Some(Self { general, shared_memory, algorithms: names.into_iter().filter_map(name).collect() })
    }
}

/// Returns all texts with a beginning, up to the first byte that does not belong to them.
fn texts(bytes: &[u8], beginning: &[u8], belongs: impl Fn(u8) -> bool) -> Vec<String> {
    let text = |place: usize| {
        let len = bytes[place..].iter().position(|&byte| !belongs(byte))?;
        String::from_utf8(bytes[place..place + len].to_vec()).ok()
    };
    memchr::memmem::find_iter(bytes, beginning).filter_map(text).collect()
}

pub(super) fn is_needed(name: &str) -> bool {
    name == FALLBACK || (name.starts_with(PREFIX) && name.ends_with("_INTRA_ALGORITHM"))
}

/// Returns the name of a collective in the selection trees.
fn tree_name(collective: Collective) -> &'static str {
    collective.function().trim_start_matches("MPI_")
}

/// Returns the algorithms of a collective.
pub(super) fn choices(
    variables: &ControlVariables,
    trees: &SelectionTrees,
    collective: Collective,
) -> Vec<Choice> {
    let tree_name = tree_name(collective);
    let layer = |layer: &str| format!("{PREFIX}{}_{layer}INTRA_ALGORITHM", tree_name.to_uppercase());
    let (general, shared) = (layer(""), layer("POSIX_"));
    let Some(variable) = variables.find(&general) else { return Vec::new() };
    let common = setting(variables, &shared, "mpir");
    let choice = |(number, listed): (usize, &str)| {
        let name = algorithm_name(trees, tree_name, listed)?;
        let settings = [(general.clone(), number as i32)].into_iter().chain(common.clone()).collect();
        Some(Choice { name, number: number as i32, segment: 0, settings })
    };
    listed(&variable.description).into_iter().enumerate().filter_map(choice).collect()
}

/// Returns what makes an algorithm that does not fit an error.
pub(super) fn strict(variables: &ControlVariables) -> Option<(String, i32)> {
    setting(variables, FALLBACK, "error")
}

/// Returns the number of a value of a variable, if there are both.
fn setting(variables: &ControlVariables, name: &str, value: &str) -> Option<(String, i32)> {
    let number = variables.find(name).and_then(|variable| number_of(variable, value))?;
    Some((name.to_owned(), number))
}

/// Returns the words before ` - ` of a description: names of values in the order of their numbers,
/// possibly with the end of the sentence before.
fn listed(description: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut parts = description.split(" - ").peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_some() {
            words.extend(part.split_whitespace().next_back());
        }
    }
    words
}

/// Returns the number of a value by its name.
fn number_of(variable: &ControlVariable, name: &str) -> Option<i32> {
    let place = listed(&variable.description).iter().position(|listed| listed.ends_with(name))?;
    Some(place as i32)
}

/// Returns the algorithm that a listed word ends with, if the selection trees have it and it needs
/// no parameters.
fn algorithm_name(trees: &SelectionTrees, tree_name: &str, listed: &str) -> Option<String> {
    let prefix = format!("MPIR_{tree_name}_intra_");
    let known = trees.algorithms.iter().filter_map(|name| name.strip_prefix(&prefix));
    let known = known.filter(|name| listed.ends_with(name) && *name != "smp");
    let name = known.max_by_key(|name| name.len())?;
    (!WITH_PARAMETERS.iter().any(|part| name.contains(part))).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREES: &str = concat!(
        r#"{"collective=allreduce":{"algorithm=MPIR_Allreduce_intra_recursive_doubling":{},"#,
        r#""algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather":{},"algorithm=MPIR_Allreduce_intra_tree":{}}}"#
    );

    #[test]
    fn trees_are_found_in_a_library() {
        let posix = r#"{"collective=bcast":{"algorithm=MPIDI_POSIX_mpi_bcast_release_gather":{}}}"#;
        let bytes = [b"ELF{{\"coll", posix.as_bytes(), b"\0{\"x\0", TREES.as_bytes(), b"\0"].concat();
        let trees = SelectionTrees::find(&bytes).unwrap();
        assert_eq!((trees.general.as_str(), trees.shared_memory.as_deref()), (TREES, Some(posix)));
        assert!(trees.algorithms.contains("MPIR_Allreduce_intra_recursive_doubling"));
        assert_eq!(trees.algorithms.len(), 3);
        assert_eq!(SelectionTrees::find(b"nothing\0"), None);
        // A file that is cut off has no end of the text.
        assert_eq!(SelectionTrees::find(TREES.as_bytes()), None);
    }

    #[test]
    fn names_are_read_from_joined_lines() {
        let trees = SelectionTrees::find(format!("{TREES}\0").as_bytes()).unwrap();
        // As in MPICH 4.0, and as in MPICH 5.
        let joined = "Variable to select allreduce algorithmauto - Internal (can be)nb   - Force nonblocking \
                      algorithmrecursive_doubling       - Force recursive doubling algorithmreduce_scatter_allgather - Force";
        let lines = "Variable\nauto - Internal\nnb - Force\nrecursive_doubling - Force\ntree - Force\n";
        let names = |text: &str| {
            let name = |listed: &&str| algorithm_name(&trees, "Allreduce", listed);
            listed(text).iter().map(name).collect::<Vec<_>>()
        };
        let known = |name: &str| Some(name.to_owned());
        assert_eq!(
            names(joined),
            [None, None, known("recursive_doubling"), known("reduce_scatter_allgather")]
        );
        assert_eq!(names(lines), [None, None, known("recursive_doubling"), None]);
    }
}
