// Threads that only compute, between the messages of the thread that calls MPI, as OpenMP's do.
// They exist for the whole run.
#define _POSIX_C_SOURCE 200809L
#include "../common/common.h"
#include "../common/spin.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static long milliseconds = 2, blocks = 10, helpers = 2;
static pthread_barrier_t begins, ends;

static void *help(void *time) {
    for (long block = 0; block < blocks; block++) {
        pthread_barrier_wait(&begins);
        *(long long *)time += spin(1000000LL * milliseconds);
        pthread_barrier_wait(&ends);
    }
    return NULL;
}

// Computes concurrently with the helpers, then sends a message to the next rank.
static long long work(int next, int last) {
    long long mine = 0;
    for (int block = 0; block < blocks; block++) {
        int in, out;
        pthread_barrier_wait(&begins);
        mine += spin(1000000LL * milliseconds);
        pthread_barrier_wait(&ends);
        fill(&out, 1, rank, next, block);
        CHECK(MPI_Sendrecv(&out, 1, MPI_INT, next, 1, &in, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        expect_filled(&in, 1, last, rank, block);
    }
    return mine;
}

int main(int argc, char **argv) {
    const Option options[] = {
        {"-w", "milliseconds of a block", &milliseconds, 0, false},
        {"-b", "blocks", &blocks, 0, false},
        {"-t", "threads beside the one that speaks to MPI, at most 16", &helpers, 0, false},
        {0},
    };
    begin_threaded(&argc, &argv, "Threads that compute between messages.", options, MPI_THREAD_FUNNELED);
    if (helpers > MOST)
        refuse("at most %d helpers, not %ld", MOST, helpers);
    pthread_t threads[MOST];
    long long times[MOST] = {0}, both[2] = {0};
    pthread_barrier_init(&begins, NULL, (unsigned)helpers + 1);
    pthread_barrier_init(&ends, NULL, (unsigned)helpers + 1);
    for (long i = 0; i < helpers; i++)
        EXPECT(pthread_create(&threads[i], NULL, help, &times[i]) == 0, "helper %ld does not start", i);
    both[0] = work((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    for (long i = 0; i < helpers; i++) {
        pthread_join(threads[i], NULL);
        both[1] += times[i];
    }
    long long *all = allocate((size_t)(2 * ranks), sizeof *all);
    CHECK(MPI_Gather(both, 2, MPI_LONG_LONG, all, 2, MPI_LONG_LONG, 0, MPI_COMM_WORLD));
    for (int i = 0; rank == 0 && i < ranks; i++)
        printf("rank %d computed %lld ns, its helpers %lld ns\n", i, all[2 * i], all[2 * i + 1]);
    free(all);
    finish("helpers: %ld blocks, %ld helpers on each of %d ranks", blocks, helpers, ranks);
}
