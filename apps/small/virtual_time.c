// Programs whose output depends on the clock of the machine: a ping-pong, a ring, an exchange and
// collectives that print their times; a manager and workers; a deadlock of large sends. For runs on
// a simulated machine.
#include "../common/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long bytes = 8, rounds = 10;
static char *data;

// Returns the time of one round of `act` in nanoseconds.
static double time_of(void (*act)(void)) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (long round = 0; round < rounds; round++)
        act();
    return (MPI_Wtime() - start) / (double)rounds * 1e9;
}

static void ping_pong(void) {
    if (rank == 0) {
        CHECK(MPI_Send(data, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD));
        CHECK(MPI_Recv(data, (int)bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else if (rank == 1) {
        CHECK(MPI_Recv(data, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(MPI_Send(data, (int)bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD));
    }
}

static void ring(void) {
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    CHECK(MPI_Sendrecv(data, (int)bytes, MPI_BYTE, right, 3, data + bytes, (int)bytes, MPI_BYTE, left, 3,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void halo(void) {
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    MPI_Request requests[4];
    CHECK(MPI_Irecv(data + bytes, (int)bytes, MPI_BYTE, left, 4, MPI_COMM_WORLD, &requests[0]));
    CHECK(MPI_Irecv(data + 2 * bytes, (int)bytes, MPI_BYTE, right, 5, MPI_COMM_WORLD, &requests[1]));
    CHECK(MPI_Isend(data, (int)bytes, MPI_BYTE, right, 4, MPI_COMM_WORLD, &requests[2]));
    CHECK(MPI_Isend(data, (int)bytes, MPI_BYTE, left, 5, MPI_COMM_WORLD, &requests[3]));
    CHECK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
}

// Collectives that wait for one another in different ways, with their results checked.
static void collectives(void) {
    long own = rank + 1, sum = 0, all = (long)ranks * (ranks + 1) / 2, root = 77;
    CHECK(MPI_Allreduce(&own, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    EXPECT(sum == all, "the sum of all is %ld, not %ld", sum, all);
    if (rank == 1 % ranks)
        root = 78;
    CHECK(MPI_Bcast(&root, 1, MPI_LONG, 1 % ranks, MPI_COMM_WORLD));
    EXPECT(root == 78, "broadcast: %ld", root);
    sum = 0;
    CHECK(MPI_Reduce(&own, &sum, 1, MPI_LONG, MPI_SUM, ranks - 1, MPI_COMM_WORLD));
    EXPECT(rank != ranks - 1 || sum == all, "the sum at the root is %ld, not %ld", sum, all);
    CHECK(MPI_Scan(&own, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    EXPECT(sum == own * (own + 1) / 2, "the sum of the lower ranks is %ld", sum);
    long *list = allocate((size_t)ranks, sizeof *list), part = 0;
    CHECK(MPI_Gather(&own, 1, MPI_LONG, list, 1, MPI_LONG, 0, MPI_COMM_WORLD));
    CHECK(MPI_Scatter(list, 1, MPI_LONG, &part, 1, MPI_LONG, 0, MPI_COMM_WORLD));
    EXPECT(part == own, "what was gathered and scattered is %ld, not %ld", part, own);
    CHECK(MPI_Allgather(&own, 1, MPI_LONG, list, 1, MPI_LONG, MPI_COMM_WORLD));
    EXPECT(list[ranks - 1] == ranks, "gathered from the last rank: %ld", list[ranks - 1]);
    free(list);
}

// Work of equal size, for the worker that asks first: the faster ones do more.
static void workers(void) {
    enum { ASK = 6, WORK = 7, STOP = 8 };
    int message = 0;
    if (rank != 0) {
        long done = 0;
        for (MPI_Status status;;) {
            CHECK(MPI_Send(&message, 1, MPI_INT, 0, ASK, MPI_COMM_WORLD));
            CHECK(MPI_Recv(&message, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            if (status.MPI_TAG == STOP)
                break;
            volatile double value = 1;
            for (int i = 0; i < 200000; i++)
                value = value * 1.0000001 + 1e-9;
            done++;
        }
        CHECK(MPI_Gather(&done, 1, MPI_LONG, NULL, 0, MPI_LONG, 0, MPI_COMM_WORLD));
        return;
    }
    for (long given = 0; given < rounds + ranks - 1; given++) {
        MPI_Status status;
        CHECK(MPI_Recv(&message, 1, MPI_INT, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status));
        CHECK(MPI_Send(&message, 1, MPI_INT, status.MPI_SOURCE, given < rounds ? WORK : STOP,
                       MPI_COMM_WORLD));
    }
    long none = 0, *done = allocate((size_t)ranks, sizeof *done);
    CHECK(MPI_Gather(&none, 1, MPI_LONG, done, 1, MPI_LONG, 0, MPI_COMM_WORLD));
    for (int worker = 1; worker < ranks; worker++)
        printf("worker %d: %ld\n", worker, done[worker]);
    free(done);
}

// All ranks send before any receives.
static void deadlock(void) {
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    CHECK(MPI_Send(data, (int)bytes, MPI_BYTE, right, 9, MPI_COMM_WORLD));
    CHECK(MPI_Recv(data, (int)bytes, MPI_BYTE, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

// Requests that complete in the order of virtual time.
static void completions(void) {
    if (rank != 0) {
        // The last rank is the first.
        for (volatile int i = 0; i < (ranks - rank) * 1000000; i++) {}
        CHECK(MPI_Send(&rank, 1, MPI_INT, 0, 10, MPI_COMM_WORLD));
        return;
    }
    int *from = allocate((size_t)ranks, sizeof *from), index, flag = 0;
    MPI_Request *requests = allocate((size_t)ranks, sizeof *requests);
    for (int other = 1; other < ranks; other++)
        CHECK(MPI_Irecv(&from[other], 1, MPI_INT, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &requests[other - 1]));
    while (!flag)
        CHECK(MPI_Testany(ranks - 1, requests, &index, &flag, MPI_STATUS_IGNORE));
    printf("first: rank %d\n", from[index + 1]);
    MPI_Status status;
    CHECK(MPI_Waitany(ranks - 1, requests, &index, &status));
    EXPECT(from[index + 1] == status.MPI_SOURCE, "rank %d, not %d", from[index + 1], status.MPI_SOURCE);
    CHECK(MPI_Waitall(ranks - 1, requests, MPI_STATUSES_IGNORE));
    free(from);
    free(requests);
}

// A receive without a message.
static void cancel(void) {
    MPI_Request request;
    MPI_Status status;
    int nothing, was_cancelled = 0;
    CHECK(MPI_Irecv(&nothing, 1, MPI_INT, MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, &request));
    CHECK(MPI_Cancel(&request));
    CHECK(MPI_Wait(&request, &status));
    CHECK(MPI_Test_cancelled(&status, &was_cancelled));
    EXPECT(was_cancelled, "the receive was not cancelled");
}

// Receives with and without wildcards for the same messages, waited for in another order: each gets
// the message that MPI's rules give it.
static void overlap(void) {
    enum { MESSAGES = 6, OVERLAP = 11 };
    int got[MESSAGES];
    for (int number = 0; rank == 1 && number < MESSAGES; number++)
        CHECK(MPI_Send(&number, 1, MPI_INT, 0, OVERLAP, MPI_COMM_WORLD));
    cancel();
    if (rank != 0)
        return;
    MPI_Request requests[4];
    for (int place = 0; place < 4; place++)
        CHECK(MPI_Irecv(&got[place], 1, MPI_INT, place % 3 == 0 ? MPI_ANY_SOURCE : 1, OVERLAP, MPI_COMM_WORLD,
                        &requests[place]));
    CHECK(MPI_Recv(&got[4], 1, MPI_INT, 1, OVERLAP, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(MPI_Recv(&got[5], 1, MPI_INT, MPI_ANY_SOURCE, OVERLAP, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int place = 3; place >= 0; place--)
        CHECK(MPI_Wait(&requests[place], MPI_STATUS_IGNORE));
    for (int place = 0; place < MESSAGES; place++)
        EXPECT(got[place] == place, "receive %d got message %d", place, got[place]);
}

int main(int argc, char **argv) {
    const Option options[] = {
        {"-b", "bytes of a message", &bytes, 0, false},
        {"-n", "rounds, or pieces of work", &rounds, 1, false},
        {NULL, NULL, NULL, 0, false},
    };
    const char *what = NULL;
    begin(&argc, &argv, "programs whose output depends on the machine's clock", options, &what);
    what = what ? what : "all";
    data = allocate(3 * (size_t)bytes + 1, 1);
    bool all = strcmp(what, "all") == 0;
    if (strcmp(what, "workers") == 0)
        workers();
    else if (strcmp(what, "deadlock") == 0)
        deadlock();
    else if (strcmp(what, "completions") == 0)
        completions();
    else if (strcmp(what, "overlap") == 0)
        overlap();
    else if (!all)
        refuse("unknown program `%s`: workers, deadlock, completions, overlap or all", what);
    if (all) {
        double times[] = {time_of(ping_pong) / 2, time_of(ring), time_of(halo), time_of(collectives)};
        if (rank == 0)
            printf("ping-pong %.3f ns, ring %.3f ns, halo %.3f ns, collectives %.3f ns\n", times[0], times[1],
                   times[2], times[3]);
    }
    finish("virtual time: %s", what);
    return 0;
}
