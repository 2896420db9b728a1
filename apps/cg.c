// Conjugate gradients for the Laplace equation in one dimension: a halo of one element, and two dot
// products in each iteration (MPI_Allreduce).
#include "common/common.h"

#include <math.h>
#include <stdlib.h>

static double dot(const double *a, const double *b, long n) {
    double own = 0, all;
    for (long i = 1; i <= n; i++)
        own += a[i] * b[i];
    CHECK(MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    return all;
}

// Computes y = A x, where A has 2.1 on the diagonal and -1 beside it.
static void multiply(double *x, double *y, long n) {
    int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, after = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    CHECK(MPI_Sendrecv(&x[1], 1, MPI_DOUBLE, before, 0, &x[n + 1], 1, MPI_DOUBLE, after, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE));
    CHECK(MPI_Sendrecv(&x[n], 1, MPI_DOUBLE, after, 1, &x[0], 1, MPI_DOUBLE, before, 1, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE));
    for (long i = 1; i <= n; i++)
        y[i] = 2.1 * x[i] - x[i - 1] - x[i + 1];
}

int main(int argc, char **argv) {
    long total = 100000, iterations = 20;
    const Option options[] = {
        {"-n", "unknowns", &total, 1, false},
        {"-i", "iterations", &iterations, 1, false},
        {0},
    };
    begin(&argc, &argv, "Conjugate gradients in one dimension.", options, NULL);
    long n = piece(total, ranks, rank + 1) - piece(total, ranks, rank);
    double *x = allocate((size_t)(n + 2), sizeof(double)), *r = allocate((size_t)(n + 2), sizeof(double));
    double *p = allocate((size_t)(n + 2), sizeof(double)), *q = allocate((size_t)(n + 2), sizeof(double));
    for (long i = 1; i <= n; i++)
        r[i] = p[i] = 1;

    double start = start_clock();
    double first = dot(r, r, n), now = first;
    for (long iteration = 0; iteration < iterations; iteration++) {
        multiply(p, q, n);
        double alpha = now / dot(p, q, n);
        for (long i = 1; i <= n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double next = dot(r, r, n), beta = next / now;
        now = next;
        for (long i = 1; i <= n; i++)
            p[i] = r[i] + beta * p[i];
    }
    double time = stop_clock(start);
    EXPECT(now < first, "the residual grew from %g to %g", sqrt(first), sqrt(now));
    free(x);
    free(r);
    free(p);
    free(q);
    finish("cg: %ld unknowns, %ld iterations, residual %.6e, parallel time %.6f s", total, iterations, sqrt(now),
           time);
}
