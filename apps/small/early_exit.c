// Ends with exit code 3 without MPI_Finalize, after a few messages; with --at-once by _exit, after a
// child of vfork has done so, too.
// vfork is neither C nor POSIX any more.
#define _DEFAULT_SOURCE
#include "../common/common.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    long at_once = 0;
    const Option options[] = {{"--at-once", "end by _exit", &at_once, 0, true}, {0}};
    begin(&argc, &argv, "Ends without MPI_Finalize, with exit code 3.", options, NULL);
    pid_t child = at_once ? vfork() : -1;
    if (child == 0)
        _exit(0);
    if (child > 0)
        waitpid(child, NULL, 0);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, in, out;
    for (int i = 0; i < 10; i++) {
        fill(&out, 1, rank, next, i);
        CHECK(MPI_Sendrecv(&out, 1, MPI_INT, next, 1, &in, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        expect_filled(&in, 1, last, rank, i);
    }
    // Launchers kill the other ranks when one exits, so all exit together.
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    if (at_once)
        _exit(3);
    exit(3);
}
