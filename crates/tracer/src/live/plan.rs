//! How each function is run in virtual time.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::function::Function;

/// How a function is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// It does not block: it is made, and then reported.
    After,
    /// It waits for other ranks by a way of its own.
    Waits,
    /// It is reported, and then made, because it may block until other ranks call.
    Before,
    /// A blocking send: it is reported, and made by a hidden message.
    Send,
    /// A non-blocking send: a hidden message, and a request that is complete.
    StartSend,
    /// A non-blocking receive; one with wildcards is made later.
    StartReceive,
    /// A persistent receive; one with wildcards is a receive as above each time it is started.
    DefineReceive,
    /// A combined send and receive that is started: a hidden message, and a receive as above.
    StartExchange,
    /// A blocking collective: it is reported, and made without blocking others.
    Collective,
    /// A communicator is made from the one in this argument.
    Creation(usize),
    /// A communicator is made by its members alone, which are known when it is made: until then the
    /// rank is held in virtual time.
    CreationByMembers,
    /// A window is made on the communicator in this argument.
    Window(usize),
    /// It tests a request without completing it.
    GetStatus,
    /// It cancels a request.
    Cancel,
    /// It cannot be run, for this reason.
    Refused(&'static str),
}

impl Plan {
    /// Returns whether the function may wait for what other ranks do.
    pub fn may_wait(self) -> bool {
        matches!(
            self,
            Self::Waits
                | Self::Before
                | Self::Collective
                | Self::Creation(_)
                | Self::CreationByMembers
                | Self::Window(_)
        )
    }
}

const THREADS: &str = "programs that connect to or start others cannot run in virtual time";
const NO_PARTITIONS: &str = "partitioned operations cannot run in virtual time";

/// The plans by function. Others are reported after they were made.
const PLANS: &[(&str, Plan)] = &[
    ("MPI_Send", Plan::Send),
    ("MPI_Bsend", Plan::Send),
    ("MPI_Ssend", Plan::Send),
    ("MPI_Rsend", Plan::Send),
    ("MPI_Isend", Plan::StartSend),
    ("MPI_Ibsend", Plan::StartSend),
    ("MPI_Issend", Plan::StartSend),
    ("MPI_Irsend", Plan::StartSend),
    ("MPI_Irecv", Plan::StartReceive),
    ("MPI_Recv_init", Plan::DefineReceive),
    ("MPI_Recv", Plan::Waits),
    ("MPI_Sendrecv", Plan::Waits),
    ("MPI_Sendrecv_replace", Plan::Waits),
    ("MPI_Probe", Plan::Waits),
    ("MPI_Mprobe", Plan::Waits),
    ("MPI_Mrecv", Plan::Before),
    ("MPI_Wait", Plan::Waits),
    ("MPI_Waitall", Plan::Waits),
    ("MPI_Waitany", Plan::Waits),
    ("MPI_Waitsome", Plan::Waits),
    ("MPI_Barrier", Plan::Collective),
    ("MPI_Bcast", Plan::Collective),
    ("MPI_Gather", Plan::Collective),
    ("MPI_Gatherv", Plan::Collective),
    ("MPI_Scatter", Plan::Collective),
    ("MPI_Scatterv", Plan::Collective),
    ("MPI_Allgather", Plan::Collective),
    ("MPI_Allgatherv", Plan::Collective),
    ("MPI_Alltoall", Plan::Collective),
    ("MPI_Alltoallv", Plan::Collective),
    ("MPI_Alltoallw", Plan::Collective),
    ("MPI_Reduce", Plan::Collective),
    ("MPI_Allreduce", Plan::Collective),
    ("MPI_Reduce_scatter_block", Plan::Collective),
    ("MPI_Reduce_scatter", Plan::Collective),
    ("MPI_Scan", Plan::Collective),
    ("MPI_Exscan", Plan::Collective),
    ("MPI_Neighbor_allgather", Plan::Collective),
    ("MPI_Neighbor_allgatherv", Plan::Collective),
    ("MPI_Neighbor_alltoall", Plan::Collective),
    ("MPI_Neighbor_alltoallv", Plan::Collective),
    ("MPI_Neighbor_alltoallw", Plan::Collective),
    ("MPI_Comm_dup", Plan::Creation(0)),
    ("MPI_Comm_dup_with_info", Plan::Creation(0)),
    ("MPI_Comm_split", Plan::Creation(0)),
    ("MPI_Comm_split_type", Plan::Creation(0)),
    ("MPI_Comm_create", Plan::Creation(0)),
    ("MPI_Cart_create", Plan::Creation(0)),
    ("MPI_Cart_sub", Plan::Creation(0)),
    ("MPI_Graph_create", Plan::Creation(0)),
    ("MPI_Dist_graph_create", Plan::Creation(0)),
    ("MPI_Dist_graph_create_adjacent", Plan::Creation(0)),
    ("MPI_Intercomm_merge", Plan::Creation(0)),
    ("MPI_Comm_create_group", Plan::CreationByMembers),
    ("MPI_Intercomm_create", Plan::CreationByMembers),
    ("MPI_Win_create", Plan::Window(4)),
    ("MPI_Win_allocate", Plan::Window(3)),
    ("MPI_Win_allocate_shared", Plan::Window(3)),
    ("MPI_Win_create_dynamic", Plan::Window(1)),
    ("MPI_Win_fence", Plan::Before),
    ("MPI_Win_free", Plan::Before),
    ("MPI_Cancel", Plan::Cancel),
    ("MPI_Request_get_status", Plan::GetStatus),
    ("MPI_Isendrecv", Plan::StartExchange),
    ("MPI_Isendrecv_replace", Plan::StartExchange),
    ("MPI_Psend_init", Plan::Refused(NO_PARTITIONS)),
    ("MPI_Precv_init", Plan::Refused(NO_PARTITIONS)),
    ("MPI_Comm_spawn", Plan::Refused(THREADS)),
    ("MPI_Comm_spawn_multiple", Plan::Refused(THREADS)),
    ("MPI_Comm_accept", Plan::Refused(THREADS)),
    ("MPI_Comm_connect", Plan::Refused(THREADS)),
    ("MPI_Comm_join", Plan::Refused(THREADS)),
    ("MPI_Session_init", Plan::Refused(THREADS)),
];

/// A function's plan, which is looked up once.
pub struct CachedPlan(AtomicU8);

/// No plan was looked up.
const UNKNOWN: u8 = 0;
/// The function has no line in the list.
const UNLISTED: u8 = 1;
/// The first line of the list.
const FIRST: u8 = 2;

const _: () = assert!(PLANS.len() < (u8::MAX - FIRST) as usize);

impl CachedPlan {
    pub const fn new() -> Self {
        Self(AtomicU8::new(UNKNOWN))
    }
}

impl Function {
    /// Returns how the function is run in virtual time.
    pub fn plan(&self) -> Plan {
        let cached = &self.cached_plan().0;
        let mut known = cached.load(Ordering::Relaxed);
        if known == UNKNOWN {
            let name = self.name();
            let name = name.strip_suffix("_c").unwrap_or(name);
            let line = PLANS.iter().position(|(listed, _)| *listed == name);
            known = line.map_or(UNLISTED, |line| line as u8 + FIRST);
            cached.store(known, Ordering::Relaxed);
        }
        known.checked_sub(FIRST).map_or(Plan::After, |line| PLANS[usize::from(line)].1)
    }
}
