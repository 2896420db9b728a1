// Regions around known calls: three steps, each with an exchange inside it, and a region by
// MPI_Pcontrol. In each step a rank computes for 2 ms, and in each exchange for 1 ms.
#include "../../include/panto.h"
#include "../common/common.h"
#include "../common/spin.h"

static void exchange(int step) {
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, in, out;
    fill(&out, 1, rank, next, step);
    panto_region_begin("exchange");
    spin(1000000LL);
    CHECK(MPI_Sendrecv(&out, 1, MPI_INT, next, 1, &in, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    panto_region_end();
    expect_filled(&in, 1, last, rank, step);
}

int main(int argc, char **argv) {
    begin(&argc, &argv, "Regions around known calls.", NULL, NULL);
    for (int step = 0; step < 3; step++) {
        panto_region_begin("step");
        spin(2000000LL);
        exchange(step);
        panto_region_end();
    }
    // One end too many is ignored.
    panto_region_end();
    CHECK(MPI_Pcontrol(4, "tail"));
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(MPI_Pcontrol(-4, "tail"));
    finish("regions: %d ranks", ranks);
}
