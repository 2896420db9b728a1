// Each rank sends a message to the next one in a ring.
#include "../common/common.h"

int main(int argc, char **argv) {
    begin(&argc, &argv, "Each rank greets the next.", (Option[]){{0}}, NULL);
    int mine = rank * 7, got = -1, next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    MPI_Request request;
    CHECK(MPI_Isend(&mine, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &request));
    CHECK(MPI_Recv(&got, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT(got == last * 7, "got %d from %d", got, last);
    finish("hello: %d ranks", ranks);
}
