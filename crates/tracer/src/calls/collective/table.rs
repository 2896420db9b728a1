//! The functions of collective operations.

use panto_trace::{CallForm, Collective, CollectiveKind};

use super::{NONE, each, same, typed};
use crate::interpose::calls;

/// A line makes six functions of one prototype: blocking, non-blocking and persistent, each with
/// 32-bit and 64-bit counts.
macro_rules! collectives {
    ($($blocking:ident $blocking_c:ident, $started:ident $started_c:ident, $init:ident $init_c:ident
        ($($argument:ident),*) => |$at:ident, $form:ident, $request:ident| $record:expr;)*) => {$(
        calls! {
            $blocking also $blocking_c ($($argument),*) => |$at| { let ($form, $request) = (CallForm::Blocking, NONE); $record };
            $started also $started_c ($($argument),*, request) => |$at| { let ($form, $request) = (CallForm::Immediate, request); $record };
            $init also $init_c ($($argument),*, info, request) => |$at| { let ($form, $request) = (CallForm::Persistent, request); $record };
        }
    )*};
}

calls! {
    MPI_Barrier(comm) => |at| at.barrier(CallForm::Blocking, comm, NONE);
    MPI_Ibarrier(comm, request) => |at| at.barrier(CallForm::Immediate, comm, request);
    MPI_Barrier_init(comm, info, request) => |at| at.barrier(CallForm::Persistent, comm, request);
}

collectives! {
    MPI_Bcast MPI_Bcast_c, MPI_Ibcast MPI_Ibcast_c, MPI_Bcast_init MPI_Bcast_init_c (buf, count, datatype, root, comm) =>
        |at, form, request| at.broadcast(form, count, datatype, root, comm, request);
    MPI_Gather MPI_Gather_c, MPI_Igather MPI_Igather_c, MPI_Gather_init MPI_Gather_init_c
        (from, count, datatype, to, each_count, to_type, root, comm) =>
        |at, form, request| at.gather(form, from, same(count, datatype), same(each_count, to_type), root, comm, request);
    MPI_Gatherv MPI_Gatherv_c, MPI_Igatherv MPI_Igatherv_c, MPI_Gatherv_init MPI_Gatherv_init_c
        (from, count, datatype, to, counts, places, to_type, root, comm) =>
        |at, form, request| at.gather(form, from, same(count, datatype), each(counts, to_type), root, comm, request);
    MPI_Scatter MPI_Scatter_c, MPI_Iscatter MPI_Iscatter_c, MPI_Scatter_init MPI_Scatter_init_c
        (from, each_count, datatype, to, count, to_type, root, comm) =>
        |at, form, request| at.scatter(form, same(each_count, datatype), to, same(count, to_type), root, comm, request);
    MPI_Scatterv MPI_Scatterv_c, MPI_Iscatterv MPI_Iscatterv_c, MPI_Scatterv_init MPI_Scatterv_init_c
        (from, counts, places, datatype, to, count, to_type, root, comm) =>
        |at, form, request| at.scatter(form, each(counts, datatype), to, same(count, to_type), root, comm, request);
    MPI_Allgather MPI_Allgather_c, MPI_Iallgather MPI_Iallgather_c, MPI_Allgather_init MPI_Allgather_init_c
        (from, count, datatype, to, each_count, to_type, comm) =>
        |at, form, request| at.all(Collective::Allgather, form, from, same(count, datatype), same(each_count, to_type), comm, request);
    MPI_Allgatherv MPI_Allgatherv_c, MPI_Iallgatherv MPI_Iallgatherv_c, MPI_Allgatherv_init MPI_Allgatherv_init_c
        (from, count, datatype, to, counts, places, to_type, comm) =>
        |at, form, request| at.all(Collective::Allgather, form, from, same(count, datatype), each(counts, to_type), comm, request);
    MPI_Alltoall MPI_Alltoall_c, MPI_Ialltoall MPI_Ialltoall_c, MPI_Alltoall_init MPI_Alltoall_init_c
        (from, count, datatype, to, each_count, to_type, comm) =>
        |at, form, request| at.all(Collective::Alltoall, form, from, same(count, datatype), same(each_count, to_type), comm, request);
    MPI_Alltoallv MPI_Alltoallv_c, MPI_Ialltoallv MPI_Ialltoallv_c, MPI_Alltoallv_init MPI_Alltoallv_init_c
        (from, counts, places, datatype, to, to_counts, to_places, to_type, comm) =>
        |at, form, request| at.all(Collective::Alltoall, form, from, each(counts, datatype), each(to_counts, to_type), comm, request);
    MPI_Alltoallw MPI_Alltoallw_c, MPI_Ialltoallw MPI_Ialltoallw_c, MPI_Alltoallw_init MPI_Alltoallw_init_c
        (from, counts, places, types, to, to_counts, to_places, to_types, comm) =>
        |at, form, request| at.all(Collective::Alltoall, form, from, typed(counts, types), typed(to_counts, to_types), comm, request);
    MPI_Reduce MPI_Reduce_c, MPI_Ireduce MPI_Ireduce_c, MPI_Reduce_init MPI_Reduce_init_c (from, to, count, datatype, op, root, comm) =>
        |at, form, request| at.reduce(form, from, same(count, datatype), op, root, comm, request);
    MPI_Allreduce MPI_Allreduce_c, MPI_Iallreduce MPI_Iallreduce_c, MPI_Allreduce_init MPI_Allreduce_init_c (from, to, count, datatype, op, comm) =>
        |at, form, request| at.reduce_all(Collective::Allreduce, form, from, same(count, datatype), op, comm, request);
    MPI_Reduce_scatter_block MPI_Reduce_scatter_block_c, MPI_Ireduce_scatter_block MPI_Ireduce_scatter_block_c,
        MPI_Reduce_scatter_block_init MPI_Reduce_scatter_block_init_c (from, to, count, datatype, op, comm) =>
        |at, form, request| at.reduce_all(Collective::ReduceScatter, form, from, same(count, datatype), op, comm, request);
    MPI_Reduce_scatter MPI_Reduce_scatter_c, MPI_Ireduce_scatter MPI_Ireduce_scatter_c, MPI_Reduce_scatter_init MPI_Reduce_scatter_init_c
        (from, to, counts, datatype, op, comm) =>
        |at, form, request| at.reduce_all(Collective::ReduceScatter, form, from, each(counts, datatype), op, comm, request);
    MPI_Scan MPI_Scan_c, MPI_Iscan MPI_Iscan_c, MPI_Scan_init MPI_Scan_init_c (from, to, count, datatype, op, comm) =>
        |at, form, request| at.reduce_all(Collective::Scan, form, from, same(count, datatype), op, comm, request);
    MPI_Exscan MPI_Exscan_c, MPI_Iexscan MPI_Iexscan_c, MPI_Exscan_init MPI_Exscan_init_c (from, to, count, datatype, op, comm) =>
        |at, form, request| at.reduce_all(Collective::Exscan, form, from, same(count, datatype), op, comm, request);
    MPI_Neighbor_allgather MPI_Neighbor_allgather_c, MPI_Ineighbor_allgather MPI_Ineighbor_allgather_c,
        MPI_Neighbor_allgather_init MPI_Neighbor_allgather_init_c (from, count, datatype, to, each_count, to_type, comm) =>
        |at, form, request| at.neighbours(CollectiveKind::NeighborAllgather, form, same(count, datatype), same(each_count, to_type), comm, request);
    MPI_Neighbor_allgatherv MPI_Neighbor_allgatherv_c, MPI_Ineighbor_allgatherv MPI_Ineighbor_allgatherv_c,
        MPI_Neighbor_allgatherv_init MPI_Neighbor_allgatherv_init_c (from, count, datatype, to, in_counts, in_places, to_type, comm) =>
        |at, form, request| at.neighbours(CollectiveKind::NeighborAllgather, form, same(count, datatype), each(in_counts, to_type), comm, request);
    MPI_Neighbor_alltoall MPI_Neighbor_alltoall_c, MPI_Ineighbor_alltoall MPI_Ineighbor_alltoall_c,
        MPI_Neighbor_alltoall_init MPI_Neighbor_alltoall_init_c (from, count, datatype, to, each_count, to_type, comm) =>
        |at, form, request| at.neighbours(CollectiveKind::NeighborAlltoall, form, same(count, datatype), same(each_count, to_type), comm, request);
    MPI_Neighbor_alltoallv MPI_Neighbor_alltoallv_c, MPI_Ineighbor_alltoallv MPI_Ineighbor_alltoallv_c,
        MPI_Neighbor_alltoallv_init MPI_Neighbor_alltoallv_init_c (from, out_counts, out_places, datatype, to, in_counts, in_places, to_type, comm) =>
        |at, form, request| at.neighbours(CollectiveKind::NeighborAlltoall, form, each(out_counts, datatype), each(in_counts, to_type), comm, request);
    MPI_Neighbor_alltoallw MPI_Neighbor_alltoallw_c, MPI_Ineighbor_alltoallw MPI_Ineighbor_alltoallw_c,
        MPI_Neighbor_alltoallw_init MPI_Neighbor_alltoallw_init_c (from, out_counts, out_addresses, types, to, in_counts, in_addresses, to_types, comm) =>
        |at, form, request| at.neighbours(CollectiveKind::NeighborAlltoall, form, typed(out_counts, types), typed(in_counts, to_types), comm, request);
}
