#include "cholesky.h"

#include "common.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

int owner(long column) { return (int)(column % ranks); }

// Random off the diagonal, with a diagonal large enough to make the matrix positive definite.
static double element(const Matrix *matrix, long i, long j) {
    double random = random_number((uint64_t)matrix->seed, (uint64_t)(i * matrix->n + j));
    return i == j ? (double)matrix->n + random : random;
}

Matrix matrix_make(long n, long seed) {
    Matrix matrix = {n, seed, allocate((size_t)n, sizeof(double *))};
    for (long j = rank; j < n; j += ranks) {
        matrix.column[j] = allocate((size_t)(n - j), sizeof(double));
        for (long i = j; i < n; i++)
            matrix.column[j][i - j] = element(&matrix, i, j);
    }
    return matrix;
}

void matrix_free(Matrix *matrix) {
    for (long j = rank; j < matrix->n; j += ranks)
        free(matrix->column[j]);
    free(matrix->column);
}

void update(double *target, const double *source, long k, long j, long n) {
    const double *from = source + (j - k);
    double factor = from[0];
    for (long i = 0; i < n - j; i++)
        target[i] -= factor * from[i];
}

void normalise(double *column, long j, long n) {
    EXPECT(column[0] > 0, "column %ld has %g on its diagonal: not positive definite", j, column[0]);
    double root = sqrt(column[0]);
    column[0] = root;
    for (long i = 1; i < n - j; i++)
        column[i] /= root;
}

// Adds the contribution of column j to A x - L L' x. A is symmetric, so its column below the
// diagonal counts twice.
static void residual(const Matrix *matrix, long j, const double *x, double *rest) {
    const double *factor = matrix->column[j];
    double dot = 0;
    for (long i = j; i < matrix->n; i++)
        dot += factor[i - j] * x[i];
    for (long i = j; i < matrix->n; i++) {
        double a = element(matrix, i, j);
        rest[i] += a * x[j] - factor[i - j] * dot;
        if (i != j)
            rest[j] += a * x[i];
    }
}

void verify_factor(const Matrix *matrix) {
    long n = matrix->n;
    double *x = allocate((size_t)n, sizeof *x), *rest = allocate((size_t)n, sizeof *rest);
    for (long i = 0; i < n; i++)
        x[i] = random_number((uint64_t)matrix->seed + 1, (uint64_t)i);
    for (long j = rank; j < n; j += ranks)
        residual(matrix, j, x, rest);
    CHECK(MPI_Allreduce(MPI_IN_PLACE, rest, (int)n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    // Elements of A are at most n + 1, and a row is a sum of n of them.
    double bound = 16 * DBL_EPSILON * (double)(n + 1) * (double)n;
    for (long i = 0; i < n; i++)
        EXPECT(fabs(rest[i]) <= bound, "row %ld of A x - L L' x is %g, more than %g", i, rest[i], bound);
    free(x);
    free(rest);
}
