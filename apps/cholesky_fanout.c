// Cholesky factorisation, fan-out (P17), as in PUPPET's thesis (5.1.2): a finished column is sent
// to all ranks that need it, and a rank that receives a column updates its own columns with it.
#include "common/cholesky.h"
#include "common/common.h"

#include <stdlib.h>

typedef struct {
    Matrix matrix;
    long *updates;          // number of updates that each own column has had
    long *queue;            // own finished columns whose updates are not yet applied
    long queued, taken;     // numbers of columns added to the queue, and taken from it
    long finished;          // number of own finished columns
    MPI_Request *requests;
    long pending;
} State;

// Each of the next `ranks - 1` columns has a different owner; all later columns belong to the same
// ranks.
static void send(State *state, long k) {
    long n = state->matrix.n;
    for (long next = k + 1; next < n && next < k + ranks; next++)
        CHECK(MPI_Isend(state->matrix.column[k], (int)(n - k), MPI_DOUBLE, owner(next), (int)k, MPI_COMM_WORLD,
                        &state->requests[state->pending++]));
}

static void complete(State *state, long j) {
    normalise(state->matrix.column[j], j, state->matrix.n);
    state->finished++;
    send(state, j);
    state->queue[state->queued++] = j;
}

static void apply(State *state, const double *column, long k) {
    long n = state->matrix.n, first = k + 1 + (rank - (k + 1) % ranks + ranks) % ranks;
    for (long j = first; j < n; j += ranks) {
        update(state->matrix.column[j], column, k, j, n);
        if (++state->updates[j] == j)
            complete(state, j);
    }
}

// Receives a column into `buffer`, any if `expected` is negative; returns its number.
static long receive(double *buffer, long n, long expected) {
    int source = expected < 0 ? MPI_ANY_SOURCE : owner(expected);
    int tag = expected < 0 ? MPI_ANY_TAG : (int)expected;
    MPI_Status status;
    int count;
    CHECK(MPI_Recv(buffer, (int)n, MPI_DOUBLE, source, tag, MPI_COMM_WORLD, &status));
    CHECK(MPI_Get_count(&status, MPI_DOUBLE, &count));
    EXPECT(count == n - status.MPI_TAG, "column %d has %d elements", status.MPI_TAG, count);
    EXPECT(status.MPI_SOURCE == owner(status.MPI_TAG), "column %d from rank %d", status.MPI_TAG, status.MPI_SOURCE);
    return status.MPI_TAG;
}

static void factorise(State *state, bool in_order) {
    long n = state->matrix.n, own = rank < n ? (n - 1 - rank) / ranks + 1 : 0, next = 0;
    double *buffer = allocate((size_t)n, sizeof *buffer);
    if (own > 0 && rank == 0)
        complete(state, 0);
    while (state->finished < own) {
        if (state->taken < state->queued) {
            long k = state->queue[state->taken++];
            apply(state, state->matrix.column[k], k);
            continue;
        }
        while (in_order && owner(next) == rank)
            next++;
        long k = receive(buffer, n, in_order ? next++ : -1);
        apply(state, buffer, k);
    }
    CHECK(MPI_Waitall((int)state->pending, state->requests, MPI_STATUSES_IGNORE));
    free(buffer);
}

int main(int argc, char **argv) {
    long n = 300, seed = 1, in_order = 0, unchecked = 0;
    const Option options[] = {
        {"-n", "rows and columns", &n, 1, false},
        {"-s", "seed of the random numbers", &seed, 0, false},
        {"--in-order", "receive the columns in order, without wildcards", &in_order, 0, true},
        {"--no-check", "leave the check of the result out", &unchecked, 0, true},
        {0},
    };
    begin(&argc, &argv, "Cholesky factorisation of a dense matrix, fan-out.", options, NULL);

    size_t own = (size_t)(n / ranks + 1);
    State state = {.matrix = matrix_make(n, seed)};
    state.updates = allocate((size_t)n, sizeof(long));
    state.queue = allocate(own, sizeof(long));
    state.requests = allocate(own * (size_t)ranks, sizeof(MPI_Request));

    double start = start_clock();
    factorise(&state, in_order);
    double time = stop_clock(start);

    if (!unchecked)
        verify_factor(&state.matrix);
    matrix_free(&state.matrix);
    free(state.updates);
    free(state.queue);
    free(state.requests);
    finish("cholesky_fanout: %ld by %ld on %d ranks, parallel time %.6f s", n, n, ranks, time);
}
