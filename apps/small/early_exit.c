// Ends with exit code 3 without MPI_Finalize, after a few messages.
#include "../common/common.h"

#include <stdlib.h>

int main(int argc, char **argv) {
    begin(&argc, &argv, "Ends without MPI_Finalize, with exit code 3.", (Option[]){{0}}, NULL);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, in, out;
    for (int i = 0; i < 10; i++) {
        fill(&out, 1, rank, next, i);
        CHECK(MPI_Sendrecv(&out, 1, MPI_INT, next, 1, &in, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        expect_filled(&in, 1, last, rank, i);
    }
    // Launchers kill the other ranks when one exits, so all exit together.
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    exit(3);
}
