// MPI_THREAD_MULTIPLE: threads that communicate with a tag each, and requests that one thread
// starts and another completes.
#include "../common/common.h"

#include <pthread.h>

enum { THREADS = 4, SIZE = 64, QUEUE = 8 };

static long rounds = 20;
static int next, last;

// Each thread sends messages round the ring, by different calls.
static void *talk(void *argument) {
    int me = *(int *)argument, tag = 100 * me, in[SIZE], out[SIZE];
    for (int round = 0; round < rounds; round++) {
        fill(out, SIZE, rank, next, tag + round);
        if (me % 2) {
            CHECK(MPI_Sendrecv(out, SIZE, MPI_INT, next, tag, in, SIZE, MPI_INT, last, tag, MPI_COMM_WORLD,
                               MPI_STATUS_IGNORE));
        } else {
            MPI_Request requests[2];
            CHECK(MPI_Irecv(in, SIZE, MPI_INT, last, tag, MPI_COMM_WORLD, &requests[0]));
            CHECK(MPI_Isend(out, SIZE, MPI_INT, next, tag, MPI_COMM_WORLD, &requests[1]));
            CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        }
        expect_filled(in, SIZE, last, rank, tag + round);
    }
    return NULL;
}

static void all_talk(void) {
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i + 1;
        EXPECT(pthread_create(&threads[i], NULL, talk, &numbers[i]) == 0, "thread %d does not start", i);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

// Requests handed over from the thread that starts them to the one that completes them.
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    MPI_Request requests[QUEUE];
    int in[QUEUE][SIZE], out[QUEUE][SIZE];
    long made, completed;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

// Slots are used in pairs: a receive, and a send.
static void make(long pair) {
    int at = (int)(2 * pair % QUEUE), tag = (int)pair;
    CHECK(MPI_Irecv(queue.in[at], SIZE, MPI_INT, last, tag, MPI_COMM_WORLD, &queue.requests[at]));
    fill(queue.out[at], SIZE, rank, next, tag);
    CHECK(MPI_Isend(queue.out[at], SIZE, MPI_INT, next, tag, MPI_COMM_WORLD, &queue.requests[at + 1]));
}

static void *complete(void *unused) {
    (void)unused;
    for (long pair = 0; pair < rounds; pair++) {
        int at = (int)(2 * pair % QUEUE);
        pthread_mutex_lock(&queue.lock);
        while (queue.made <= pair)
            pthread_cond_wait(&queue.changed, &queue.lock);
        pthread_mutex_unlock(&queue.lock);
        CHECK(MPI_Wait(&queue.requests[at], MPI_STATUS_IGNORE));
        CHECK(MPI_Wait(&queue.requests[at + 1], MPI_STATUS_IGNORE));
        expect_filled(queue.in[at], SIZE, last, rank, (int)pair);
        pthread_mutex_lock(&queue.lock);
        queue.completed = pair + 1;
        pthread_cond_signal(&queue.changed);
        pthread_mutex_unlock(&queue.lock);
    }
    return NULL;
}

static void hand_over(void) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, complete, NULL) == 0, "the thread does not start");
    for (long pair = 0; pair < rounds; pair++) {
        pthread_mutex_lock(&queue.lock);
        while (pair - queue.completed >= QUEUE / 2)
            pthread_cond_wait(&queue.changed, &queue.lock);
        pthread_mutex_unlock(&queue.lock);
        make(pair);
        pthread_mutex_lock(&queue.lock);
        queue.made = pair + 1;
        pthread_cond_signal(&queue.changed);
        pthread_mutex_unlock(&queue.lock);
    }
    pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
    const Option options[] = {{"-i", "messages of each thread", &rounds, 0, false}, {0}};
    begin_threaded(&argc, &argv, "Threads that pass messages.", options, MPI_THREAD_MULTIPLE);
    next = (rank + 1) % ranks;
    last = (rank + ranks - 1) % ranks;
    all_talk();
    hand_over();
    finish("threads: %d threads on each of %d ranks", THREADS, ranks);
}
