// Exchanges 100 messages, and then waits indefinitely for one that no rank sends.
#include "../common/common.h"

int main(int argc, char **argv) {
    const Option options[] = {{0}};
    begin(&argc, &argv, "Waits forever after 100 messages.", options, NULL);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, in, out;
    for (int i = 0; i < 100; i++) {
        fill(&out, 1, rank, next, i);
        CHECK(MPI_Sendrecv(&out, 1, MPI_INT, next, 1, &in, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        expect_filled(&in, 1, last, rank, i);
    }
    CHECK(MPI_Recv(&in, 1, MPI_INT, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    finish("stuck: %d ranks", ranks);
}
