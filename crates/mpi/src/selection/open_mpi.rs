//! The algorithms of Open MPI's component `tuned`.
//!
//! The variables are named in Open MPI's documentation ("Tuning Collectives") and have an
//! enumeration of the algorithms.

use panto_calls::Collective;

use super::Choice;
use crate::control::ControlVariables;

/// The environment variable that makes the others count, and its value.
pub(super) const DYNAMIC: (&str, &str) = ("OMPI_MCA_coll_tuned_use_dynamic_rules", "1");

/// Beginning of the variables' names.
const PREFIX: &str = "coll_tuned_";

/// Segments in bytes of algorithms that are pipelined, besides none.
const SEGMENTS: [u64; 2] = [8 << 10, 64 << 10];

/// Parts of the names of algorithms that divide a message into segments.
const PIPELINED: [&str; 5] = ["pipeline", "chain", "segmented", "binary", "binomial"];

pub(super) fn is_needed(name: &str) -> bool {
    name.starts_with(PREFIX) && (name.ends_with("_algorithm") || name.ends_with("_algorithm_segmentsize"))
}

/// Returns whether these are variables of Open MPI.
pub(super) fn is_used(variables: &ControlVariables) -> bool {
    variables.find(&algorithm_variable(Collective::Allreduce)).is_some()
}

fn algorithm_variable(collective: Collective) -> String {
    let name = collective.function().trim_start_matches("MPI_").to_lowercase();
    format!("{PREFIX}{name}_algorithm")
}

/// Returns the algorithms of a collective.
pub(super) fn choices(variables: &ControlVariables, collective: Collective) -> Vec<Choice> {
    let algorithm = algorithm_variable(collective);
    let Some(variable) = variables.find(&algorithm) else { return Vec::new() };
    let mut choices = Vec::new();
    // 0 is the library's own choice.
    for (number, name) in variable.choices.iter().filter(|(number, _)| *number != 0) {
        let segments = SEGMENTS.iter().copied().filter(|_| is_pipelined(name));
        for segment in std::iter::once(0).chain(segments) {
            let settings =
                vec![(algorithm.clone(), *number), (format!("{algorithm}_segmentsize"), segment as i32)];
            let name = if segment == 0 { name.clone() } else { format!("{name}:{segment}") };
            choices.push(Choice { name, number: *number, segment, settings });
        }
    }
    choices
}

fn is_pipelined(name: &str) -> bool {
    PIPELINED.iter().any(|part| name.contains(part))
}
