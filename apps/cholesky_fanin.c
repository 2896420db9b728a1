// Cholesky factorisation, fan-in (P17), as in PUPPET's thesis (5.1.2): a rank that owns columns on
// which another rank's column depends sends that rank their combined contribution.
#include "common/cholesky.h"
#include "common/common.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    Matrix matrix;
    int *missing;   // number of contributions that each own column still needs
    double *buffer; // a contribution
} State;

// Returns the number of ranks, without its owner, that have columns before this one.
static int contributors(long j) {
    int all = j < ranks ? (int)j : ranks;
    return owner(j) < j ? all - 1 : all;
}

// Adds the updates of all own columns to column j.
static void gather_own(const State *state, double *target, long j) {
    for (long k = rank; k < j; k += ranks)
        update(target, state->matrix.column[k], k, j, state->matrix.n);
}

// Ranks are not synchronised: a contribution may be for a later column than the current one.
static void receive(State *state) {
    long n = state->matrix.n;
    MPI_Status status;
    int count;
    CHECK(MPI_Recv(state->buffer, (int)n, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    CHECK(MPI_Get_count(&status, MPI_DOUBLE, &count));
    long j = status.MPI_TAG;
    EXPECT(owner(j) == rank && count == n - j, "rank %d sent %d elements for column %ld", status.MPI_SOURCE, count, j);
    for (long i = 0; i < count; i++)
        state->matrix.column[j][i] += state->buffer[i];
    state->missing[j]--;
}

static void factorise(State *state) {
    long n = state->matrix.n;
    for (long j = 0; j < n; j++) {
        if (owner(j) == rank) {
            gather_own(state, state->matrix.column[j], j);
            while (state->missing[j] > 0)
                receive(state);
            normalise(state->matrix.column[j], j, n);
        } else if (rank < j) {
            memset(state->buffer, 0, (size_t)(n - j) * sizeof(double));
            gather_own(state, state->buffer, j);
            // No deadlock: the rank that is furthest behind either sends to a rank that receives,
            // or receives.
            CHECK(MPI_Send(state->buffer, (int)(n - j), MPI_DOUBLE, owner(j), (int)j, MPI_COMM_WORLD));
        }
    }
}

int main(int argc, char **argv) {
    long n = 300, seed = 1, unchecked = 0;
    const Option options[] = {
        {"-n", "rows and columns", &n, 1, false},
        {"-s", "seed of the random numbers", &seed, 0, false},
        {"--no-check", "leave the check of the result out", &unchecked, 0, true},
        {0},
    };
    begin(&argc, &argv, "Cholesky factorisation of a dense matrix, fan-in.", options, NULL);

    State state = {.matrix = matrix_make(n, seed)};
    state.missing = allocate((size_t)n, sizeof(int));
    state.buffer = allocate((size_t)n, sizeof(double));
    for (long j = rank; j < n; j += ranks)
        state.missing[j] = contributors(j);

    double start = start_clock();
    factorise(&state);
    double time = stop_clock(start);

    if (!unchecked)
        verify_factor(&state.matrix);
    matrix_free(&state.matrix);
    free(state.missing);
    free(state.buffer);
    finish("cholesky_fanin: %ld by %ld on %d ranks, parallel time %.6f s", n, n, ranks, time);
}
