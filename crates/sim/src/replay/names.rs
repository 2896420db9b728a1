//! What a function's name tells beyond what its action does.

use super::shared::Calls;

/// What one-sided communication asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Bytes go to the target.
    There,
    /// Bytes come from it.
    Back,
    /// All members of the window meet.
    Together,
    /// Asks the target, and waits for its answer.
    Ask,
    /// Something of the rank itself.
    Own,
}

/// What a function's name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    /// Its number.
    pub call: u32,
    /// Parts have different lengths, even where this rank sees only one of them.
    pub is_listed: bool,
    /// Parts are ready, as opposed to looked for.
    pub is_ready: bool,
    /// Only those call it who will be members.
    pub is_by_some: bool,
    /// One-sided: what it asks for.
    pub deed: Deed,
}

impl Name {
    /// Of a function.
    pub fn new(name: &str, calls: &mut Calls) -> Self {
        Self {
            call: calls.number(name),
            is_listed: ["atherv", "catterv", "lltoallv", "lltoallw"].iter().any(|part| name.contains(part)),
            is_ready: name.starts_with("MPI_Pready"),
            is_by_some: ["MPI_Comm_create_group", "MPI_Intercomm_create"].contains(&name),
            deed: deed(name),
        }
    }
}

fn deed(name: &str) -> Deed {
    let name = name.strip_suffix("_c").unwrap_or(name);
    match name {
        "MPI_Put" | "MPI_Rput" | "MPI_Accumulate" | "MPI_Raccumulate" => Deed::There,
        "MPI_Get"
        | "MPI_Rget"
        | "MPI_Get_accumulate"
        | "MPI_Rget_accumulate"
        | "MPI_Fetch_and_op"
        | "MPI_Compare_and_swap" => Deed::Back,
        "MPI_Win_fence" | "MPI_Win_free" => Deed::Together,
        "MPI_Win_lock" | "MPI_Win_unlock" | "MPI_Win_flush" => Deed::Ask,
        made if made.starts_with("MPI_Win_create") || made.starts_with("MPI_Win_allocate") => Deed::Together,
        _ => Deed::Own,
    }
}
