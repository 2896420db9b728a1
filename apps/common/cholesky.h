// Shared by both Cholesky factorisations: a matrix whose columns are distributed cyclically.
#ifndef CHOLESKY_H
#define CHOLESKY_H

// The lower triangle of a symmetric positive-definite matrix, replaced by its factor. Column j has
// rows j to n - 1.
typedef struct {
    long n;
    long seed;
    double **column; // NULL if another rank owns it
} Matrix;

Matrix matrix_make(long n, long seed);
void matrix_free(Matrix *matrix);

int owner(long column);

// Subtracts from column j (from its diagonal down) its row's element of column k times column k.
void update(double *target, const double *source, long k, long j, long n);
// Divides column j by the root of its diagonal. EXPECTs that it is positive.
void normalise(double *column, long j, long n);

// EXPECTs that A x = L (L' x) for a random x, as far as rounding allows. Collective.
void verify_factor(const Matrix *matrix);

#endif
