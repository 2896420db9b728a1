// Known computation between messages: each block uses a given CPU time of the thread, independent
// of other load.
#include "../common/common.h"
#include "../common/spin.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    long milliseconds = 2, microseconds = 0, blocks = 20;
    const Option options[] = {
        {"-w", "milliseconds of a block", &milliseconds, 0, false},
        {"-u", "microseconds of a block, beside its milliseconds", &microseconds, 0, false},
        {"-b", "blocks", &blocks, 0, false},
        {0},
    };
    begin(&argc, &argv, "Known computation between messages.", options, NULL);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, in, out;
    long long mine = 0, *all = allocate((size_t)ranks, sizeof *all);

    double start = start_clock();
    for (int block = 0; block < blocks; block++) {
        mine += spin(1000000LL * milliseconds + 1000LL * microseconds);
        fill(&out, 1, rank, next, block);
        CHECK(MPI_Sendrecv(&out, 1, MPI_INT, next, 1, &in, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        expect_filled(&in, 1, last, rank, block);
    }
    double time = stop_clock(start);

    CHECK(MPI_Gather(&mine, 1, MPI_LONG_LONG, all, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD));
    for (int i = 0; rank == 0 && i < ranks; i++)
        printf("rank %d computed %lld ns in %ld blocks\n", i, all[i], blocks);
    free(all);
    finish("compute: %ld blocks on %d ranks, parallel time %.6f s", blocks, ranks, time);
}
