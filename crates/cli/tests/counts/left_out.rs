//! The complete list of what the tracer or the counter leaves out on purpose.

use crate::figures::{Counts, Figures};

/// Functions that the counter ignores because they pass no bytes.
const NOT_COUNTED: &[&str] = &[
    "MPI_Init",
    "MPI_Init_thread",
    "MPI_Finalize",
    "MPI_Abort",
    "MPI_Pcontrol",
    "MPI_Comm_dup",
    "MPI_Comm_dup_with_info",
    "MPI_Comm_idup",
    "MPI_Comm_split",
    "MPI_Comm_split_type",
    "MPI_Comm_create",
    "MPI_Comm_create_group",
    "MPI_Comm_free",
    "MPI_Cart_create",
    "MPI_Cart_sub",
    "MPI_Graph_create",
    "MPI_Dist_graph_create",
    "MPI_Dist_graph_create_adjacent",
    "MPI_Intercomm_create",
    "MPI_Intercomm_merge",
    "MPI_Win_create",
    "MPI_Win_create_c",
    "MPI_Win_allocate",
    "MPI_Win_allocate_c",
    "MPI_Win_free",
    "MPI_Win_fence",
    "MPI_Win_lock",
    "MPI_Win_unlock",
    "MPI_Win_lock_all",
    "MPI_Win_unlock_all",
    "MPI_Win_flush",
    "MPI_Win_flush_all",
    "MPI_Win_start",
    "MPI_Win_complete",
    "MPI_Win_post",
    "MPI_Win_wait",
    "MPI_File_open",
    "MPI_File_close",
    "MPI_File_set_view",
    "MPI_File_sync",
    "MPI_File_set_size",
    "MPI_File_get_size",
    "MPI_File_delete",
    "MPI_File_seek",
];

/// Removes from the trace's figures what the counter does not count.
pub fn from_traced(traced: &mut Counts) {
    traced.0.retain(|(function, _), _| !NOT_COUNTED.contains(&function.as_str()));
}

/// Removes from the counter's figures what a trace does not contain.
pub fn from_counted(counted: &mut Counts) {
    // A trace notes only waiting: a call that finds the request complete and leaves it changes
    // nothing.
    keep(counted, "MPI_Request_get_status", |figures| Figures { calls: figures.failed, ..figures });
    // A trace has one byte count per one-sided call: the bytes fetched, which may exceed the bytes
    // sent.
    keep(counted, "MPI_Get_accumulate", |figures| Figures { bytes: 0, ..figures });
}

fn keep(counted: &mut Counts, function: &str, part: impl Fn(Figures) -> Figures) {
    for ((name, _), figures) in &mut counted.0 {
        if name == function {
            *figures = part(*figures);
        }
    }
    counted.0.retain(|_, figures| *figures != Figures::default());
}
