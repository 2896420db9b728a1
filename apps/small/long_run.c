// Exchanges messages until it is killed. Prints a line when it has begun.
#include "../common/common.h"
#include "../common/spin.h"

#include <stdio.h>

int main(int argc, char **argv) {
    long microseconds = 100;
    const Option options[] = {{"-u", "microseconds of computation between messages", &microseconds, 0, false}, {0}};
    begin(&argc, &argv, "Exchanges messages until it is killed.", options, NULL);
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, in[16], out[16];
    for (long round = 0;; round++) {
        int i = (int)(round % 1000);
        spin(1000LL * microseconds);
        fill(out, 16, rank, next, i);
        CHECK(MPI_Sendrecv(out, 16, MPI_INT, next, 1, in, 16, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        expect_filled(in, 16, last, rank, i);
        if (rank == 0 && round == 100) {
            puts("long_run: running");
            fflush(stdout);
        }
    }
}
