// MPI_THREAD_SERIALIZED: threads that call one at a time, each after the one before, and requests
// that one thread starts and the next completes. With --overlap a thread calls while another waits.
#include "../common/common.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, SIZE = 100 };

static long rounds = 10, overlap;
static int next, last;

// Whose turn it is: of thread `turn % THREADS`.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long turn;

static int in[2][SIZE], out[2][SIZE];
static MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
static double sum;

static void compute(void) {
    for (int i = 1; i < 20000; i++)
        sum += 1.0 / i;
}

// Completes what the last thread started, and starts the next messages round the ring.
static void pass_on(int number) {
    int now = number % 2;
    CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    if (number > 0)
        expect_filled(in[1 - now], SIZE, last, rank, number - 1);
    fill(out[now], SIZE, rank, next, number);
    CHECK(MPI_Irecv(in[now], SIZE, MPI_INT, last, number, MPI_COMM_WORLD, &requests[0]));
    CHECK(MPI_Isend(out[now], SIZE, MPI_INT, next, number, MPI_COMM_WORLD, &requests[1]));
}

static void *talk(void *argument) {
    int me = *(int *)argument;
    for (long round = 0; round < rounds; round++) {
        compute();
        pthread_mutex_lock(&lock);
        while (turn % THREADS != me)
            pthread_cond_wait(&changed, &lock);
        double before = MPI_Wtime();
        pass_on((int)turn);
        EXPECT(MPI_Wtime() >= before, "time went backwards");
        turn++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void all_talk(void) {
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        EXPECT(pthread_create(&threads[i], NULL, talk, &numbers[i]) == 0, "thread %d does not start", i);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
}

static volatile int is_calling;

// Waits for a message of the last rank.
static void *await(void *unused) {
    is_calling = 1;
    CHECK(MPI_Recv(in[0], SIZE, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return unused;
}

// Sleeps in real time.
static void pause_for(int milliseconds) { poll(NULL, 0, milliseconds); }

// On rank 0 a thread sends while another waits for a message, which comes later.
static void call_at_once(void) {
    pthread_t thread;
    if (rank > 0) {
        pause_for(5000);
        CHECK(MPI_Send(out[0], SIZE, MPI_INT, next, 1, MPI_COMM_WORLD));
        return;
    }
    EXPECT(pthread_create(&thread, NULL, await, NULL) == 0, "the thread does not start");
    while (!is_calling)
        pause_for(1);
    pause_for(1000);
    CHECK(MPI_Send(out[0], SIZE, MPI_INT, next, 1, MPI_COMM_WORLD));
    pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
    const Option options[] = {{"-i", "calls of each thread", &rounds, 0, false},
                              {"--overlap", "a thread calls while another waits", &overlap, 0, true},
                              {0}};
    begin_threaded(&argc, &argv, "Threads that call MPI in turn.", options, MPI_THREAD_SERIALIZED);
    next = (rank + 1) % ranks;
    last = (rank + ranks - 1) % ranks;
    double start = MPI_Wtime();
    if (overlap)
        call_at_once();
    else
        all_talk();
    double end = MPI_Wtime();
    if (rank == 0)
        printf("turns took %.3f ns\n", (end - start) * 1e9);
    finish("turns: %d threads on each of %d ranks", THREADS, ranks);
}
