// MPI_Pcontrol around known numbers of calls. Each phase has messages of a different length, which
// shows what was recorded: phase 1 has 5 exchanges of 4 bytes, phase 2 (recording off) 7 of 8,
// phase 3 (on again) 3 of 12, phase 4 (after a flush) 2 of 16, and, with --reset, phase 5 (after a
// reset) 4 of 20, and one of 4 by persistent requests that were created at the beginning. While
// recording is off, each rank computes for 100 ms.
#include "../common/common.h"
#include "../common/spin.h"

static void exchange(int times, int phase) {
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, in[5], out[5];
    for (int i = 0; i < times; i++) {
        fill(out, phase, rank, next, i);
        CHECK(MPI_Sendrecv(out, phase, MPI_INT, next, phase, in, phase, MPI_INT, last, phase, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE));
        expect_filled(in, phase, last, rank, i);
    }
}

int main(int argc, char **argv) {
    long reset = 0;
    const Option options[] = {{"--reset", "reset, and then a fifth phase", &reset, 0, true}, {0}};
    begin(&argc, &argv, "MPI_Pcontrol around known numbers of calls.", options, NULL);
    MPI_Request persistent[2];
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, in, out = rank;
    CHECK(MPI_Send_init(&out, 1, MPI_INT, next, 9, MPI_COMM_WORLD, &persistent[0]));
    CHECK(MPI_Recv_init(&in, 1, MPI_INT, last, 9, MPI_COMM_WORLD, &persistent[1]));
    exchange(5, 1);
    CHECK(MPI_Pcontrol(0));
    exchange(7, 2);
    spin(100000000LL);
    CHECK(MPI_Pcontrol(1));
    exchange(3, 3);
    CHECK(MPI_Pcontrol(2));
    exchange(2, 4);
    if (reset) {
        CHECK(MPI_Pcontrol(3));
        exchange(4, 5);
        CHECK(MPI_Startall(2, persistent));
        CHECK(MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE));
    }
    CHECK(MPI_Request_free(&persistent[0]));
    CHECK(MPI_Request_free(&persistent[1]));
    finish("pcontrol: %d ranks", ranks);
}
