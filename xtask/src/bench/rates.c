/* Makes many calls of one kind; prints their number over all ranks. Usage: rates KIND ROUNDS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 8, REQUEST = 1, REPLY = 2, LEFT = 3, RIGHT = 4 };

static int rank, ranks;
static long calls;
static char out[BYTES], in[2 * BYTES];

static void send(int to, int tag) {
    MPI_Send(out, BYTES, MPI_BYTE, to, tag, MPI_COMM_WORLD);
    calls++;
}

/* Returns the source. */
static int receive(int from, int tag) {
    MPI_Status status;
    MPI_Recv(in, BYTES, MPI_BYTE, from, tag, MPI_COMM_WORLD, &status);
    calls++;
    return status.MPI_SOURCE;
}

static void stream(void) {
    if (rank % 2 == 0)
        send(rank + 1, REQUEST);
    else
        receive(rank - 1, REQUEST);
}

static void pingpong(void) {
    if (rank % 2 == 0) {
        send(rank + 1, REQUEST);
        receive(rank + 1, REPLY);
    } else {
        receive(rank - 1, REQUEST);
        send(rank - 1, REPLY);
    }
}

static void halo(void) {
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Irecv(in, BYTES, MPI_BYTE, left, RIGHT, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in + BYTES, BYTES, MPI_BYTE, right, LEFT, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out, BYTES, MPI_BYTE, right, RIGHT, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(out, BYTES, MPI_BYTE, left, LEFT, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, statuses);
    calls += 5;
}

static void allreduce(void) {
    double own = 1, sum;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    calls++;
}

/* Each worker asks the master for a piece of work. */
static void master(void) {
    if (rank == 0) {
        for (int piece = 1; piece < ranks; piece++)
            send(receive(MPI_ANY_SOURCE, REQUEST), REPLY);
    } else {
        send(0, REQUEST);
        receive(0, REPLY);
    }
}

static void test(void) {
    MPI_Request request;
    int is_complete = 0;
    MPI_Irecv(in, BYTES, MPI_BYTE, (rank + ranks - 1) % ranks, REQUEST, MPI_COMM_WORLD, &request);
    send((rank + 1) % ranks, REQUEST);
    for (calls++; !is_complete; calls++)
        MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } kinds[] = {{"stream", stream},       {"pingpong", pingpong}, {"halo", halo},
                 {"allreduce", allreduce}, {"master", master},     {"test", test}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long rounds = argc > 2 ? atol(argv[2]) : 0, all = 0;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (long round = 0; argc > 1 && strcmp(argv[1], kinds[kind].name) == 0 && round < rounds; round++)
            kinds[kind].run();
    MPI_Reduce(&calls, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("calls %ld\n", all);
    return MPI_Finalize();
}
