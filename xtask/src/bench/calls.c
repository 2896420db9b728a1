/* The cost of MPI calls: sends to MPI_PROC_NULL, the cheapest requests that can be started and completed, and an 8-byte
 * ping-pong. Prints a line for each: `send ns 6.7`, in nanoseconds per call, the median over batches. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BATCHES = 101, CALLS = 3000, TAG = 1 };

static int rank;
static char bytes[8];

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void send(void) { MPI_Send(bytes, 8, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD); }

static void start(void) {
    MPI_Request requests[2];
    MPI_Irecv(bytes, 8, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(bytes, 8, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void echo(void) {
    if (rank == 0) MPI_Send(bytes, 8, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
    MPI_Recv(bytes, 8, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(bytes, 8, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
}

/* The other rank sleeps meanwhile: two that call at once may share one core of the processor, and then measure that. */
static void alone(const char *name, void (*once)(void), int calls) {
    static double times[BATCHES];
    if (rank == 1) {
        int is_over = 0;
        while (!is_over) {
            usleep(1000);
            MPI_Iprobe(0, TAG, MPI_COMM_WORLD, &is_over, MPI_STATUS_IGNORE);
        }
        MPI_Recv(bytes, 8, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    for (int batch = 0; batch < BATCHES; batch++) {
        double begin = MPI_Wtime();
        for (int i = 0; i < CALLS; i++) once();
        times[batch] = (MPI_Wtime() - begin) * 1e9 / CALLS / calls;
    }
    MPI_Send(bytes, 8, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
    qsort(times, BATCHES, sizeof times[0], ascending);
    printf("%s ns %.2f\n", name, times[BATCHES / 2]);
}

/* `calls` is how many calls of this rank the time of a repetition contains; in a ping-pong those of both follow each other. */
static void together(const char *name, void (*once)(void), int calls) {
    static double times[BATCHES];
    for (int batch = 0; batch < BATCHES; batch++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        for (int i = 0; i < CALLS; i++) once();
        times[batch] = (MPI_Wtime() - begin) * 1e9 / CALLS / calls;
    }
    qsort(times, BATCHES, sizeof times[0], ascending);
    if (rank == 0) printf("%s ns %.2f\n", name, times[BATCHES / 2]);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    alone("send", send, 1);
    alone("start", start, 3);
    together("echo", echo, 4);
    MPI_Finalize();
    return 0;
}
