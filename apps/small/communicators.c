// Every way to create a communicator, each tested with a message round a ring and a sum.
#include "../common/common.h"

#include <stdlib.h>

// Sends a message round the communicator, and sums its members' ranks of MPI_COMM_WORLD.
static void try_out(MPI_Comm comm, int tag) {
    int me, size, mine = rank, got = -1, sum = 0, *members;
    CHECK(MPI_Comm_rank(comm, &me));
    CHECK(MPI_Comm_size(comm, &size));
    members = allocate((size_t)size, sizeof *members);
    CHECK(MPI_Allgather(&mine, 1, MPI_INT, members, 1, MPI_INT, comm));
    EXPECT(members[me] == rank, "rank %d of communicator %d is %d of the world", me, tag, members[me]);
    int next = (me + 1) % size, last = (me + size - 1) % size;
    CHECK(MPI_Sendrecv(&mine, 1, MPI_INT, next, tag, &got, 1, MPI_INT, last, tag, comm, MPI_STATUS_IGNORE));
    EXPECT(got == members[last], "communicator %d: %d came from rank %d, which is %d of the world", tag, got, last,
           members[last]);
    CHECK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
    for (int i = 0; i < size; i++)
        sum -= members[i];
    EXPECT(sum == 0, "communicator %d: the sum is wrong by %d", tag, sum);
    free(members);
}

static void try_and_free(MPI_Comm *comm, int tag) {
    if (*comm == MPI_COMM_NULL)
        return;
    try_out(*comm, tag);
    CHECK(MPI_Comm_free(comm));
}

static void splits(void) {
    MPI_Comm comm, inner;
    // Reversed, and without the last rank.
    CHECK(MPI_Comm_split(MPI_COMM_WORLD, rank == ranks - 1 && ranks > 1 ? MPI_UNDEFINED : rank % 2, -rank, &comm));
    if (comm != MPI_COMM_NULL) {
        CHECK(MPI_Comm_split(comm, rank % 4 < 2, rank, &inner));
        try_and_free(&inner, 1);
    }
    try_and_free(&comm, 2);
    CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
    try_and_free(&comm, 3);
}

static void copies(void) {
    MPI_Comm comm;
    MPI_Request request;
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    try_and_free(&comm, 4);
    CHECK(MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    try_and_free(&comm, 5);
    CHECK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm));
    try_and_free(&comm, 6);
    CHECK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    try_and_free(&comm, 7);
    // A freed handle may be reused.
    for (int i = 0; i < 3; i++) {
        CHECK(MPI_Comm_split(MPI_COMM_WORLD, rank <= i, rank, &comm));
        try_and_free(&comm, 8);
    }
}

static void groups(void) {
    MPI_Group world, part, rest;
    MPI_Comm comm;
    int ranges[1][3] = {{ranks - 1, 0, -2}}, place;
    CHECK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK(MPI_Group_range_incl(world, 1, ranges, &part));
    CHECK(MPI_Group_difference(world, part, &rest));
    CHECK(MPI_Comm_create(MPI_COMM_WORLD, part, &comm));
    try_and_free(&comm, 10);
    CHECK(MPI_Group_rank(part, &place));
    if (place != MPI_UNDEFINED) {
        CHECK(MPI_Comm_create_group(MPI_COMM_WORLD, part, 77, &comm));
        try_and_free(&comm, 11);
    }
    CHECK(MPI_Comm_create(MPI_COMM_WORLD, rest, &comm));
    try_and_free(&comm, 12);
    CHECK(MPI_Group_free(&rest));
    CHECK(MPI_Group_free(&part));
    CHECK(MPI_Group_free(&world));
}

static void topologies(void) {
    MPI_Comm cart, row, graph;
    int shape[2] = {0, 0}, periods[2] = {1, 0}, keep[2] = {0, 1}, place[2], me, down, up, got = -1;
    CHECK(MPI_Dims_create(ranks, 2, shape));
    CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, shape, periods, 1, &cart));
    CHECK(MPI_Comm_rank(cart, &me));
    CHECK(MPI_Cart_coords(cart, me, 2, place));
    CHECK(MPI_Cart_shift(cart, 0, 1, &down, &up));
    CHECK(MPI_Sendrecv(&place[0], 1, MPI_INT, up, 20, &got, 1, MPI_INT, down, 20, cart, MPI_STATUS_IGNORE));
    EXPECT(got == (place[0] + shape[0] - 1) % shape[0], "row %d came to row %d", got, place[0]);
    CHECK(MPI_Cart_sub(cart, keep, &row));
    try_and_free(&row, 21);
    try_and_free(&cart, 22);
    // A ring as a graph: the neighbours of all ranks, one after the other.
    int *ends = allocate((size_t)ranks, sizeof *ends), *edges = allocate((size_t)(2 * ranks), sizeof *edges), count;
    for (int i = 0; i < ranks; i++) {
        ends[i] = 2 * i + 2;
        edges[2 * i] = (i + ranks - 1) % ranks;
        edges[2 * i + 1] = (i + 1) % ranks;
    }
    CHECK(MPI_Graph_create(MPI_COMM_WORLD, ranks, ends, edges, 0, &graph));
    CHECK(MPI_Graph_neighbors_count(graph, rank, &count));
    EXPECT(count == 2, "%d neighbours", count);
    try_and_free(&graph, 23);
    int next = (rank + 1) % ranks, one = 1, in, out, weighted;
    CHECK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    CHECK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    EXPECT(in == 1 && out == 1, "%d sources and %d targets", in, out);
    try_and_free(&graph, 24);
    free(ends);
    free(edges);
}

// Rank i of one group exchanges messages with rank i of the other, if it exists; then each group
// gets the sum of the other.
static void talk_across(MPI_Comm between, int color) {
    int me, mine = rank, here, there, got = -1, sum = 0, expected = 0;
    CHECK(MPI_Comm_rank(between, &me));
    CHECK(MPI_Comm_size(between, &here));
    CHECK(MPI_Comm_remote_size(between, &there));
    if (me < there) {
        CHECK(MPI_Sendrecv(&mine, 1, MPI_INT, me, 30, &got, 1, MPI_INT, me, 30, between, MPI_STATUS_IGNORE));
        EXPECT(got == 2 * me + 1 - color, "%d came from rank %d of the other side", got, me);
    }
    CHECK(MPI_Barrier(between));
    CHECK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, between));
    for (int i = 0; i < there; i++)
        expected += 2 * i + 1 - color;
    EXPECT(sum == expected, "the other side's sum is %d, not %d", sum, expected);
    // From the first rank of the even group to all of the odd one.
    int root = color == 1 ? 0 : me == 0 ? MPI_ROOT : MPI_PROC_NULL, value = color == 0 && me == 0 ? 4711 : 0;
    CHECK(MPI_Bcast(&value, 1, MPI_INT, root, between));
    EXPECT(color == 0 || value == 4711, "the broadcast brought %d", value);
    int *all = allocate((size_t)there, sizeof *all);
    CHECK(MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, root, between));
    for (int i = 0; root == MPI_ROOT && i < there; i++)
        EXPECT(all[i] == 2 * i + 1, "rank %d of the other side gave %d", i, all[i]);
    CHECK(MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, between));
    for (int i = 0; i < there; i++)
        EXPECT(all[i] == 2 * i + 1 - color, "rank %d of the other side gave %d", i, all[i]);
    free(all);
}

static void across(void) {
    MPI_Comm side, between, copy, merged;
    int color = rank % 2;
    CHECK(MPI_Comm_split(MPI_COMM_WORLD, color, rank, &side));
    CHECK(MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - color, 99, &between));
    talk_across(between, color);
    CHECK(MPI_Comm_dup(between, &copy));
    talk_across(copy, color);
    // The odd group comes first.
    CHECK(MPI_Intercomm_merge(between, color == 0, &merged));
    try_and_free(&merged, 31);
    CHECK(MPI_Comm_free(&copy));
    CHECK(MPI_Comm_free(&between));
    CHECK(MPI_Comm_free(&side));
}

int main(int argc, char **argv) {
    begin(&argc, &argv, "Communicators however they are made.", (Option[]){{0}}, NULL);
    try_out(MPI_COMM_WORLD, 0);
    splits();
    copies();
    groups();
    topologies();
    if (ranks > 1)
        across();
    finish("communicators: %d ranks", ranks);
}
