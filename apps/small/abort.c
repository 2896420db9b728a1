// The last rank ends the job by MPI_Abort with code 5, while the others wait for a message from it.
#include "../common/common.h"

int main(int argc, char **argv) {
    begin(&argc, &argv, "Ends by MPI_Abort, with code 5.", (Option[]){{0}}, NULL);
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == ranks - 1)
        MPI_Abort(MPI_COMM_WORLD, 5);
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    wrong(__FILE__, __LINE__, "still there after MPI_Abort");
}
