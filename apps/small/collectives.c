// Every collective, with its v- and w-forms and in place, in each form of call (ways.h).
#include "ways.h"

#include <stdlib.h>
#include <string.h>

enum { EACH = 6 };

static MPI_Comm comm;
static int *out, *in, *counts, *places; // large enough for a triangle of blocks
static MPI_Datatype *types;
static int root;

// In v-forms, block i has i + 1 elements and follows those before it.
static int length(int block) { return block + 1; }
static int place(int block) { return block * (block + 1) / 2; }

static void clear(void) { memset(in, -1, (size_t)(place(ranks) + EACH * ranks) * sizeof *in); }

static void barrier_and_bcast(Way way) {
    RUN(way, 3, Barrier, Ibarrier, Barrier_init, comm);
    clear();
    if (rank == root)
        fill(in, EACH, root, 0, 1);
    RUN(way, 3, Bcast, Ibcast, Bcast_init, in, EACH, MPI_INT, root, comm);
    expect_filled(in, EACH, root, 0, 1);
}

static void gather(Way way) {
    clear();
    fill(out, EACH, rank, root, 2);
    RUN(way, 3, Gather, Igather, Gather_init, out, EACH, MPI_INT, in, EACH, MPI_INT, root, comm);
    for (int i = 0; rank == root && i < ranks; i++)
        expect_filled(in + EACH * i, EACH, i, root, 2);
    clear();
    fill(out, length(rank), rank, root, 3);
    RUN(way, 3, Gatherv, Igatherv, Gatherv_init, out, length(rank), MPI_INT, in, counts, places, MPI_INT, root, comm);
    for (int i = 0; rank == root && i < ranks; i++)
        expect_filled(in + place(i), length(i), i, root, 3);
    // In place, at the root only.
    clear();
    fill(rank == root ? in + EACH * rank : out, EACH, rank, root, 4);
    const void *from = rank == root ? MPI_IN_PLACE : out;
    RUN(way, 1, Gather, Igather, Gather_init, from, EACH, MPI_INT, in, EACH, MPI_INT, root, comm);
    for (int i = 0; rank == root && i < ranks; i++)
        expect_filled(in + EACH * i, EACH, i, root, 4);
}

static void scatter(Way way) {
    clear();
    for (int i = 0; rank == root && i < ranks; i++)
        fill(out + EACH * i, EACH, root, i, 5);
    RUN(way, 3, Scatter, Iscatter, Scatter_init, out, EACH, MPI_INT, in, EACH, MPI_INT, root, comm);
    expect_filled(in, EACH, root, rank, 5);
    for (int i = 0; rank == root && i < ranks; i++)
        fill(out + place(i), length(i), root, i, 6);
    RUN(way, 3, Scatterv, Iscatterv, Scatterv_init, out, counts, places, MPI_INT, in, length(rank), MPI_INT, root, comm);
    expect_filled(in, length(rank), root, rank, 6);
}

static void allgather(Way way) {
    clear();
    fill(out, EACH, rank, 0, 7);
    RUN(way, 3, Allgather, Iallgather, Allgather_init, out, EACH, MPI_INT, in, EACH, MPI_INT, comm);
    for (int i = 0; i < ranks; i++)
        expect_filled(in + EACH * i, EACH, i, 0, 7);
    clear();
    fill(out, length(rank), rank, 0, 8);
    RUN(way, 3, Allgatherv, Iallgatherv, Allgatherv_init, out, length(rank), MPI_INT, in, counts, places, MPI_INT, comm);
    for (int i = 0; i < ranks; i++)
        expect_filled(in + place(i), length(i), i, 0, 8);
    clear();
    fill(in + place(rank), length(rank), rank, 0, 9);
    RUN(way, 1, Allgatherv, Iallgatherv, Allgatherv_init, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places,
        MPI_INT, comm);
    for (int i = 0; i < ranks; i++)
        expect_filled(in + place(i), length(i), i, 0, 9);
}

static void alltoall(Way way) {
    clear();
    for (int i = 0; i < ranks; i++)
        fill(out + EACH * i, EACH, rank, i, 10);
    RUN(way, 3, Alltoall, Ialltoall, Alltoall_init, out, EACH, MPI_INT, in, EACH, MPI_INT, comm);
    for (int i = 0; i < ranks; i++)
        expect_filled(in + EACH * i, EACH, i, rank, 10);
    for (int i = 0; i < ranks; i++)
        fill(in + EACH * i, EACH, rank, i, 11);
    RUN(way, 1, Alltoall, Ialltoall, Alltoall_init, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, EACH, MPI_INT, comm);
    for (int i = 0; i < ranks; i++)
        expect_filled(in + EACH * i, EACH, i, rank, 11);
}

// Rank i receives i + 1 elements from every rank.
static void alltoall_many(Way way) {
    int *in_counts = allocate((size_t)ranks, sizeof(int)), *in_places = allocate((size_t)ranks, sizeof(int));
    int *bytes = allocate((size_t)ranks, sizeof(int)), *in_bytes = allocate((size_t)ranks, sizeof(int));
    for (int i = 0; i < ranks; i++) {
        in_counts[i] = length(rank);
        in_places[i] = i * length(rank);
        bytes[i] = place(i) * (int)sizeof(int);
        in_bytes[i] = in_places[i] * (int)sizeof(int);
        fill(out + place(i), length(i), rank, i, 12);
    }
    clear();
    RUN(way, 3, Alltoallv, Ialltoallv, Alltoallv_init, out, counts, places, MPI_INT, in, in_counts, in_places, MPI_INT,
        comm);
    for (int i = 0; i < ranks; i++)
        expect_filled(in + in_places[i], length(rank), i, rank, 12);
    clear();
    RUN(way, 3, Alltoallw, Ialltoallw, Alltoallw_init, out, counts, bytes, types, in, in_counts, in_bytes, types, comm);
    for (int i = 0; i < ranks; i++)
        expect_filled(in + in_places[i], length(rank), i, rank, 12);
    free(in_counts);
    free(in_places);
    free(bytes);
    free(in_bytes);
}

// Element i of rank r is r + i, so that the sum over ranks a to b is known.
static int sum(int a, int b, int i) {
    int total = 0;
    for (int r = a; r < b; r++)
        total += r + i;
    return total;
}

static void expect_sum(int a, int b, int first, int count) {
    for (int i = 0; i < count; i++)
        EXPECT(in[i] == sum(a, b, first + i), "sum %d is %d, not %d", first + i, in[i], sum(a, b, first + i));
}

static void reduce(Way way) {
    for (int i = 0; i < EACH * ranks + place(ranks); i++)
        out[i] = rank + i;
    clear();
    RUN(way, 3, Reduce, Ireduce, Reduce_init, out, in, EACH, MPI_INT, MPI_SUM, root, comm);
    if (rank == root)
        expect_sum(0, ranks, 0, EACH);
    RUN(way, 3, Allreduce, Iallreduce, Allreduce_init, out, in, EACH, MPI_INT, MPI_SUM, comm);
    expect_sum(0, ranks, 0, EACH);
    memcpy(in, out, EACH * sizeof *in);
    RUN(way, 1, Allreduce, Iallreduce, Allreduce_init, MPI_IN_PLACE, in, EACH, MPI_INT, MPI_SUM, comm);
    expect_sum(0, ranks, 0, EACH);
    memcpy(in, out, EACH * sizeof *in);
    const void *from = rank == root ? MPI_IN_PLACE : out;
    RUN(way, 1, Reduce, Ireduce, Reduce_init, from, in, EACH, MPI_INT, MPI_SUM, root, comm);
    if (rank == root)
        expect_sum(0, ranks, 0, EACH);
    RUN(way, 3, Scan, Iscan, Scan_init, out, in, EACH, MPI_INT, MPI_SUM, comm);
    expect_sum(0, rank + 1, 0, EACH);
    RUN(way, 3, Exscan, Iexscan, Exscan_init, out, in, EACH, MPI_INT, MPI_SUM, comm);
    if (rank > 0)
        expect_sum(0, rank, 0, EACH);
    clear();
    RUN(way, 3, Reduce_scatter, Ireduce_scatter, Reduce_scatter_init, out, in, counts, MPI_INT, MPI_SUM, comm);
    expect_sum(0, ranks, place(rank), length(rank));
    RUN(way, 3, Reduce_scatter_block, Ireduce_scatter_block, Reduce_scatter_block_init, out, in, EACH, MPI_INT, MPI_SUM,
        comm);
    expect_sum(0, ranks, EACH * rank, EACH);
}

// Several at once; the last is waited for first.
static void overlapped(void) {
    MPI_Request requests[3];
    int total = 0, mine = rank;
    fill(out, EACH, rank, 0, 13);
    CHECK(MPI_Iallgather(out, EACH, MPI_INT, in, EACH, MPI_INT, comm, &requests[0]));
    CHECK(MPI_Iallreduce(&mine, &total, 1, MPI_INT, MPI_SUM, comm, &requests[1]));
    CHECK(MPI_Ibarrier(comm, &requests[2]));
    CHECK(MPI_Wait(&requests[2], MPI_STATUS_IGNORE));
    for (int flag = 0; !flag;)
        CHECK(MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE));
    CHECK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    EXPECT(total == ranks * (ranks - 1) / 2, "the sum is %d", total);
    for (int i = 0; i < ranks; i++)
        expect_filled(in + EACH * i, EACH, i, 0, 13);
}

int main(int argc, char **argv) {
    begin(&argc, &argv, "Every collective in each of its ways.", (Option[]){{0}}, NULL);
    size_t room = (size_t)(place(ranks) + EACH * ranks) + EACH;
    comm = MPI_COMM_WORLD;
    out = allocate(room, sizeof *out);
    in = allocate(room, sizeof *in);
    counts = allocate((size_t)ranks, sizeof *counts);
    places = allocate((size_t)ranks, sizeof *places);
    types = allocate((size_t)ranks, sizeof *types);
    for (int i = 0; i < ranks; i++) {
        counts[i] = length(i);
        places[i] = place(i);
        types[i] = MPI_INT;
    }
    for (int way = 0; way < WAYS; way++)
        for (int turn = 0; turn < 2; turn++) {
            root = turn * (ranks - 1);
            barrier_and_bcast((Way)way);
            gather((Way)way);
            scatter((Way)way);
            allgather((Way)way);
            alltoall((Way)way);
            alltoall_many((Way)way);
            reduce((Way)way);
        }
    overlapped();
    free(out);
    free(in);
    free(counts);
    free(places);
    free(types);
    finish("collectives: %d ranks", ranks);
}
