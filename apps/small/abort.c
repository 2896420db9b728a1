// The last rank ends the job by MPI_Abort, while the others wait for a message from it.
#include "../common/common.h"

int main(int argc, char **argv) {
    long code = 5;
    const Option options[] = {{"-c", "the code, 5 by default", &code, 0, false}, {0}};
    begin(&argc, &argv, "Ends by MPI_Abort.", options, NULL);
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == ranks - 1)
        MPI_Abort(MPI_COMM_WORLD, (int)code);
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    wrong(__FILE__, __LINE__, "still there after MPI_Abort");
}
