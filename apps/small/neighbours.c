// Neighbourhood collectives, on a Cartesian ring and on a graph where each rank has as many
// neighbours as possible, up to three.
#include "ways.h"

#include <stdlib.h>
#include <string.h>

enum { EACH = 4, MOST = 3 };

static MPI_Comm comm;
static int sources[MOST], targets[MOST], degree;
static int out[MOST * EACH * MOST], in[MOST * EACH * MOST];

static void allgather(Way way) {
    int counts[MOST], places[MOST];
    fill(out, EACH, rank, 0, 1);
    RUN(way, 3, Neighbor_allgather, Ineighbor_allgather, Neighbor_allgather_init, out, EACH, MPI_INT, in, EACH, MPI_INT,
        comm);
    for (int i = 0; i < degree; i++)
        expect_filled(in + EACH * i, EACH, sources[i], 0, 1);
    for (int i = 0; i < degree; i++) {
        counts[i] = EACH;
        places[i] = 2 * EACH * i;
    }
    RUN(way, 3, Neighbor_allgatherv, Ineighbor_allgatherv, Neighbor_allgatherv_init, out, EACH, MPI_INT, in, counts,
        places, MPI_INT, comm);
    for (int i = 0; i < degree; i++)
        expect_filled(in + places[i], EACH, sources[i], 0, 1);
}

static void alltoall(Way way) {
    int counts[MOST], places[MOST];
    MPI_Aint bytes[MOST];
    MPI_Datatype types[MOST];
    for (int i = 0; i < degree; i++) {
        counts[i] = EACH;
        places[i] = EACH * i;
        bytes[i] = (MPI_Aint)sizeof(int) * EACH * i;
        types[i] = MPI_INT;
        fill(out + EACH * i, EACH, rank, targets[i], 2);
    }
    memset(in, -1, sizeof in);
    RUN(way, 3, Neighbor_alltoall, Ineighbor_alltoall, Neighbor_alltoall_init, out, EACH, MPI_INT, in, EACH, MPI_INT,
        comm);
    for (int i = 0; i < degree; i++)
        expect_filled(in + EACH * i, EACH, sources[i], rank, 2);
    memset(in, -1, sizeof in);
    RUN(way, 3, Neighbor_alltoallv, Ineighbor_alltoallv, Neighbor_alltoallv_init, out, counts, places, MPI_INT, in, counts,
        places, MPI_INT, comm);
    for (int i = 0; i < degree; i++)
        expect_filled(in + EACH * i, EACH, sources[i], rank, 2);
    memset(in, -1, sizeof in);
    RUN(way, 3, Neighbor_alltoallw, Ineighbor_alltoallw, Neighbor_alltoallw_init, out, counts, bytes, types, in, counts,
        bytes, types, comm);
    for (int i = 0; i < degree; i++)
        expect_filled(in + EACH * i, EACH, sources[i], rank, 2);
}

static void all_ways(void) {
    for (int way = 0; way < WAYS; way++) {
        allgather((Way)way);
        alltoall((Way)way);
    }
    CHECK(MPI_Comm_free(&comm));
}

// On a ring, the lower neighbour comes first.
static void ring(void) {
    CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (int[]){1}, 0, &comm));
    degree = 2;
    sources[0] = targets[0] = (rank + ranks - 1) % ranks;
    sources[1] = targets[1] = (rank + 1) % ranks;
    // With two ranks both neighbours are the same rank, and the standard does not define which
    // block is which.
    if (ranks > 2)
        all_ways();
    else
        CHECK(MPI_Comm_free(&comm));
}

// Each rank sends to the ranks after it.
static void graph(void) {
    degree = ranks - 1 < MOST ? ranks - 1 : MOST;
    for (int i = 0; i < degree; i++) {
        sources[i] = (rank + ranks - 1 - i) % ranks;
        targets[i] = (rank + 1 + i) % ranks;
    }
    CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, sources, MPI_UNWEIGHTED, degree, targets,
                                         MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    all_ways();
}

int main(int argc, char **argv) {
    begin(&argc, &argv, "Neighbourhood collectives.", (Option[]){{0}}, NULL);
    need_ranks(2);
    ring();
    graph();
    finish("neighbours: %d ranks", ranks);
}
