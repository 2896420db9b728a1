// A 3-D halo exchange: a Jacobi iteration on a cube, in blocks on a 3-D mesh of ranks. Ranks at the
// border have fewer neighbors and send fewer messages; there is no MPI_PROC_NULL.
#include "common/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int shape[3], place[3];
static long size[3]; // interior cells of this rank

static size_t cell(long i, long j, long k) { return (size_t)((i * (size[1] + 2) + j) * (size[2] + 2) + k); }

// Copies a face between the block and a buffer: the layer `at` of dimension `d`.
static void copy_face(double *block, int d, long at, double *face, bool is_out) {
    long first = size[(d + 1) % 3], second = size[(d + 2) % 3];
    for (long a = 0; a < first; a++)
        for (long b = 0; b < second; b++) {
            long x[3];
            x[d] = at, x[(d + 1) % 3] = a + 1, x[(d + 2) % 3] = b + 1;
            double *here = &block[cell(x[0], x[1], x[2])], *there = &face[a * second + b];
            if (is_out)
                *there = *here;
            else
                *here = *there;
        }
}

// Returns the neighbor in a dimension, or -1 at the border.
static int neighbor(int d, int step) {
    int to[3] = {place[0], place[1], place[2]};
    to[d] += step;
    if (to[d] < 0 || to[d] >= shape[d])
        return -1;
    return (to[0] * shape[1] + to[1]) * shape[2] + to[2];
}

static void exchange(double *block, double *faces[2][6]) {
    MPI_Request requests[12];
    int count = 0;
    for (int side = 0; side < 6; side++) {
        int d = side / 2, step = side % 2 ? 1 : -1, to = neighbor(d, step);
        int cells = (int)(size[(d + 1) % 3] * size[(d + 2) % 3]);
        if (to < 0)
            continue;
        copy_face(block, d, step < 0 ? 1 : size[d], faces[0][side], true);
        CHECK(MPI_Irecv(faces[1][side], cells, MPI_DOUBLE, to, side ^ 1, MPI_COMM_WORLD, &requests[count++]));
        CHECK(MPI_Isend(faces[0][side], cells, MPI_DOUBLE, to, side, MPI_COMM_WORLD, &requests[count++]));
    }
    CHECK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    for (int side = 0; side < 6; side++)
        if (neighbor(side / 2, side % 2 ? 1 : -1) >= 0)
            copy_face(block, side / 2, side % 2 ? size[side / 2] + 1 : 0, faces[1][side], false);
}

static double sweep(const double *now, double *next) {
    double change = 0;
    for (long i = 1; i <= size[0]; i++)
        for (long j = 1; j <= size[1]; j++)
            for (long k = 1; k <= size[2]; k++) {
                double sum = now[cell(i - 1, j, k)] + now[cell(i + 1, j, k)] + now[cell(i, j - 1, k)];
                sum += now[cell(i, j + 1, k)] + now[cell(i, j, k - 1)] + now[cell(i, j, k + 1)];
                double value = 1 + sum / 7;
                change += fabs(value - now[cell(i, j, k)]);
                next[cell(i, j, k)] = value;
            }
    return change;
}

int main(int argc, char **argv) {
    long n = 24, iterations = 20;
    const Option options[] = {
        {"-n", "cells in each direction", &n, 1, false},
        {"-i", "iterations", &iterations, 1, false},
        {0},
    };
    begin(&argc, &argv, "Jacobi's iteration on a cube, with halo exchange on a 3-D mesh.", options, NULL);
    CHECK(MPI_Dims_create(ranks, 3, shape));
    place[0] = rank / (shape[1] * shape[2]);
    place[1] = rank / shape[2] % shape[1];
    place[2] = rank % shape[2];
    for (int d = 0; d < 3; d++)
        size[d] = piece(n, shape[d], place[d] + 1) - piece(n, shape[d], place[d]);
    size_t cells = cell(size[0] + 1, size[1] + 1, size[2] + 1) + 1;
    double *now = allocate(cells, sizeof(double)), *next = allocate(cells, sizeof(double)), *faces[2][6];
    for (int side = 0; side < 12; side++)
        faces[side / 6][side % 6] = allocate((size_t)(n * n), sizeof(double));

    double start = start_clock(), change = 0, last = 0;
    for (long i = 0; i < iterations; i++) {
        exchange(now, faces);
        double own = sweep(now, next), *old = now;
        now = next;
        next = old;
        last = change;
        CHECK(MPI_Allreduce(&own, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    }
    double time = stop_clock(start);
    // The iteration contracts: without a correct halo it does not.
    EXPECT(iterations < 2 || change < last, "the changes grow from %g to %g", last, change);
    for (int side = 0; side < 12; side++)
        free(faces[side / 6][side % 6]);
    free(now);
    free(next);
    finish("halo3d: %ld cells in each direction on a %d by %d by %d mesh, change %.6e, parallel time %.6f s", n,
           shape[0], shape[1], shape[2], change, time);
}
