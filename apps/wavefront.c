// A pipelined wavefront on a 2-D mesh of ranks: blocks of rows flow from the first corner to the
// last one, as in a sweep of neutron transport. Each cell is the sum of the ways that lead to it.
#include "common/common.h"

#include <stdlib.h>

int main(int argc, char **argv) {
    long n = 64, blocks = 8, sweeps = 2;
    const Option options[] = {
        {"-n", "columns of a rank, and rows of its blocks", &n, 1, false},
        {"-b", "blocks", &blocks, 1, false},
        {"-i", "sweeps", &sweeps, 1, false},
        {0},
    };
    begin(&argc, &argv, "A pipelined wavefront on a 2-D mesh.", options, NULL);
    int shape[2] = {0, 0};
    CHECK(MPI_Dims_create(ranks, 2, shape));
    int row = rank / shape[1], column = rank % shape[1];
    uint64_t *above = allocate((size_t)n, sizeof *above), *left = allocate((size_t)n, sizeof *left);

    double start = start_clock();
    uint64_t corner = 0;
    for (long sweep = 0; sweep < sweeps; sweep++)
        for (long block = 0; block < blocks; block++) {
            for (long i = 0; i < n; i++)
                above[i] = left[i] = 1;
            if (row > 0)
                CHECK(MPI_Recv(above, (int)n, MPI_UINT64_T, rank - shape[1], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            if (column > 0)
                CHECK(MPI_Recv(left, (int)n, MPI_UINT64_T, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            for (long i = 0; i < n; i++) {
                uint64_t before = left[i];
                for (long j = 0; j < n; j++)
                    before = above[j] += before;
                left[i] = before;
            }
            corner = left[n - 1];
            if (row + 1 < shape[0])
                CHECK(MPI_Send(above, (int)n, MPI_UINT64_T, rank + shape[1], 0, MPI_COMM_WORLD));
            if (column + 1 < shape[1])
                CHECK(MPI_Send(left, (int)n, MPI_UINT64_T, rank + 1, 1, MPI_COMM_WORLD));
        }
    double time = stop_clock(start);

    // Ways do not depend on which side is which: compare with the transposed rank in a square mesh.
    uint64_t *all = allocate((size_t)ranks, sizeof *all);
    CHECK(MPI_Gather(&corner, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
    for (int i = 0; rank == 0 && shape[0] == shape[1] && i < ranks; i++) {
        int mirrored = i % shape[1] * shape[1] + i / shape[1];
        EXPECT(all[i] == all[mirrored], "rank %d has %llu ways and rank %d has %llu", i,
               (unsigned long long)all[i], mirrored, (unsigned long long)all[mirrored]);
    }
    free(all);
    free(above);
    free(left);
    finish("wavefront: %ld sweeps of %ld blocks on a %d by %d mesh, parallel time %.6f s", sweeps, blocks, shape[0],
           shape[1], time);
}
