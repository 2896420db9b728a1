/* Half a round trip between two ranks, measured as Panto's `comet/echo` does: batches that last long enough for the
 * clock, a common start before each, the median over the batches, and the bytes checked outside the timed region.
 * Prints a line for each size: `bytes 8 half_ns 123.4`. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 501, TAG = 1, MOST_REPETITIONS = 1 << 20 };
static const double BATCH_NS = 20e3;
static const int SIZES[] = {8, 1024, 65536, 1048576};

static void must(int code) {
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "an MPI call failed with code %d\n", code);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One round trip. `batch` has rank 0 send next what came back, as Panto does: bytes that were not
 * written in between would stay in the cache. */
static void echo(int rank, char *sent, char *received, int bytes) {
    if (rank == 0) {
        must(MPI_Send(sent, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD));
        must(MPI_Recv(received, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else {
        must(MPI_Recv(received, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        must(MPI_Send(received, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD));
    }
}

/* The buffers change places for good: the next batch too begins with what came back. */
static double batch(int rank, char **sent, char **received, int bytes, long repetitions) {
    must(MPI_Barrier(MPI_COMM_WORLD));
    double start = now_ns();
    for (long i = 0; i < repetitions; i++) {
        echo(rank, *sent, *received, bytes);
        if (rank == 0) {
            char *came = *received;
            *received = *sent;
            *sent = came;
        }
    }
    return now_ns() - start;
}

/* 251 is prime, so the pattern does not repeat at powers of two. */
static char expected(int place, int round) { return (char)((place % 251) ^ (round * 101)); }

static void checked(int rank, char *sent, char *received, int bytes, int round) {
    for (int i = 0; i < bytes; i++) {
        sent[i] = expected(i, round);
        received[i] = 0;
    }
    echo(rank, sent, received, bytes);
    for (int i = 0; i < bytes; i++) {
        if (received[i] != expected(i, round)) {
            fprintf(stderr, "wrong data: byte %d of %d on rank %d\n", i, bytes, rank);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

/* Warms up, and finds how often the echo must be repeated to last long enough. Rank 0 decides for both. */
static long repetitions_for(int rank, char **sent, char **received, int bytes) {
    long repetitions = 1, next = 1;
    do {
        repetitions = next;
        double ns = batch(rank, sent, received, bytes, repetitions);
        next = ns >= 0.7 * BATCH_NS ? repetitions : 2 * repetitions;
        must(MPI_Bcast(&next, 1, MPI_LONG, 0, MPI_COMM_WORLD));
    } while (next != repetitions && next <= MOST_REPETITIONS);
    return repetitions;
}

static void measure(int rank, int bytes) {
    static double half_ns[BATCHES];
    char *sent = malloc((size_t)bytes), *received = malloc((size_t)bytes);
    if (sent == NULL || received == NULL) {
        fprintf(stderr, "no memory for messages of %d bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    checked(rank, sent, received, bytes, 1);
    long repetitions = repetitions_for(rank, &sent, &received, bytes);
    for (int i = 0; i < BATCHES; i++) {
        half_ns[i] = batch(rank, &sent, &received, bytes, repetitions) / (double)repetitions / 2.0;
    }
    checked(rank, sent, received, bytes, 2);
    if (rank == 0) {
        qsort(half_ns, BATCHES, sizeof half_ns[0], ascending);
        printf("bytes %d half_ns %.3f\n", bytes, half_ns[BATCHES / 2]);
    }
    free(sent);
    free(received);
}

int main(int argc, char **argv) {
    int rank, size;
    must(MPI_Init(&argc, &argv));
    must(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    must(MPI_Comm_size(MPI_COMM_WORLD, &size));
    if (size != 2) {
        fprintf(stderr, "the ping-pong needs 2 ranks, not %d\n", size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        measure(rank, SIZES[i]);
    }
    must(MPI_Finalize());
    return 0;
}
