// Polling loops: MPI_Test and MPI_Iprobe without work in between, and MPI_Test with work in
// between.
#include "../common/common.h"

#include <sched.h>

static int next, last;

// Waits for 10 ms, so that the next rank polls for its message.
static void delay(void) {
    double until = MPI_Wtime() + 0.01;
    while (MPI_Wtime() < until)
        sched_yield();
}

static void spin_on_test(int tag) {
    int in[8], out[8], flag = 0;
    MPI_Request receive, send;
    CHECK(MPI_Irecv(in, 8, MPI_INT, last, tag, MPI_COMM_WORLD, &receive));
    if (rank % 2 == 0)
        delay();
    fill(out, 8, rank, next, tag);
    CHECK(MPI_Isend(out, 8, MPI_INT, next, tag, MPI_COMM_WORLD, &send));
    while (!flag)
        CHECK(MPI_Test(&receive, &flag, MPI_STATUS_IGNORE));
    expect_filled(in, 8, last, rank, tag);
    CHECK(MPI_Wait(&send, MPI_STATUS_IGNORE));
}

static void spin_on_probe(int tag) {
    int in[8], out[8], flag = 0, count;
    MPI_Request send;
    MPI_Status status;
    if (rank % 2 == 0)
        delay();
    fill(out, 8, rank, next, tag);
    CHECK(MPI_Isend(out, 8, MPI_INT, next, tag, MPI_COMM_WORLD, &send));
    while (!flag)
        CHECK(MPI_Iprobe(last, tag, MPI_COMM_WORLD, &flag, &status));
    CHECK(MPI_Get_count(&status, MPI_INT, &count));
    EXPECT(count == 8, "the probe saw %d elements", count);
    CHECK(MPI_Recv(in, 8, MPI_INT, last, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    expect_filled(in, 8, last, rank, tag);
    CHECK(MPI_Wait(&send, MPI_STATUS_IGNORE));
}

// Computes until the message arrives: this work is part of the program, not of the poll.
static void work_between(int tag) {
    int in[8], out[8], flag = 0;
    volatile double sum = 0;
    MPI_Request receive, send;
    CHECK(MPI_Irecv(in, 8, MPI_INT, last, tag, MPI_COMM_WORLD, &receive));
    fill(out, 8, rank, next, tag);
    if (rank % 2 == 0)
        delay();
    CHECK(MPI_Isend(out, 8, MPI_INT, next, tag, MPI_COMM_WORLD, &send));
    do {
        for (int i = 0; i < 20000; i++)
            sum = sum + 1.0 / (i + 1);
        CHECK(MPI_Test(&receive, &flag, MPI_STATUS_IGNORE));
    } while (!flag);
    expect_filled(in, 8, last, rank, tag);
    CHECK(MPI_Wait(&send, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv) {
    long rounds = 5;
    const Option options[] = {{"-i", "rounds of each loop", &rounds, 0, false}, {0}};
    begin(&argc, &argv, "Loops that poll.", options, NULL);
    next = (rank + 1) % ranks;
    last = (rank + ranks - 1) % ranks;
    for (int round = 0; round < rounds; round++) {
        spin_on_test(3 * round);
        spin_on_probe(3 * round + 1);
        work_between(3 * round + 2);
    }
    finish("polls: %ld rounds on %d ranks", rounds, ranks);
}
