//! What the name of an MPI function tells beyond the recorded action.

use panto_trace::CallSite;

use super::context::Calls;

/// The kind of a one-sided call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OneSidedKind {
    /// Sends data to the target.
    Put,
    /// Gets data from the target.
    Get,
    /// Synchronises all members of the window.
    Collective,
    /// Sends a request to the target and waits for the response.
    RoundTrip,
    /// Does not communicate.
    Local,
}

/// What the name of a function tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallTraits {
    /// The number of the function.
    pub call: u32,
    /// Whether blocks may have different lengths, even where this rank sees only one of them.
    pub is_vector: bool,
    /// Whether it marks partitions as ready (`MPI_Pready`), as opposed to testing for them.
    pub is_pready: bool,
    /// Whether only the members of the new communicator call it.
    pub is_by_members_only: bool,
    /// The kind of a one-sided call.
    pub one_sided: OneSidedKind,
}

impl CallTraits {
    /// The traits of a function that is called from a place.
    pub fn new(name: &str, site: Option<&CallSite>, calls: &mut Calls) -> Self {
        Self {
            call: calls.number(name, site),
            is_vector: ["atherv", "catterv", "lltoallv", "lltoallw"].iter().any(|part| name.contains(part)),
            is_pready: name.starts_with("MPI_Pready"),
            is_by_members_only: ["MPI_Comm_create_group", "MPI_Intercomm_create"].contains(&name),
            one_sided: one_sided_kind(name),
        }
    }
}

fn one_sided_kind(name: &str) -> OneSidedKind {
    let name = name.strip_suffix("_c").unwrap_or(name);
    match name {
        "MPI_Put" | "MPI_Rput" | "MPI_Accumulate" | "MPI_Raccumulate" => OneSidedKind::Put,
        "MPI_Get"
        | "MPI_Rget"
        | "MPI_Get_accumulate"
        | "MPI_Rget_accumulate"
        | "MPI_Fetch_and_op"
        | "MPI_Compare_and_swap" => OneSidedKind::Get,
        "MPI_Win_fence" | "MPI_Win_free" => OneSidedKind::Collective,
        "MPI_Win_lock" | "MPI_Win_unlock" | "MPI_Win_flush" => OneSidedKind::RoundTrip,
        made if made.starts_with("MPI_Win_create") || made.starts_with("MPI_Win_allocate") => {
            OneSidedKind::Collective
        }
        _ => OneSidedKind::Local,
    }
}
