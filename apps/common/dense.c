#include "dense.h"

// Rows and columns of a block of B: 128 KiB, which stays in the L2 cache while all rows of A use
// it.
enum { DEPTH = 64, WIDTH = 256 };

static long least(long a, long b) { return a < b ? a : b; }

static void axpy(long n, double factor, const double *x, double *y) {
    for (long i = 0; i < n; i++)
        y[i] += factor * x[i];
}

static double dot(long n, const double *x, const double *y) {
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

void multiply(long m, long n, long k, double factor, const double *a, long la, const double *b, long lb, double *c,
              long lc) {
    for (long p = 0; p < k; p += DEPTH)
        for (long j = 0; j < n; j += WIDTH) {
            long deep = least(k, p + DEPTH), wide = least(WIDTH, n - j);
            for (long i = 0; i < m; i++)
                for (long q = p; q < deep; q++)
                    axpy(wide, factor * a[i * la + q], b + q * lb + j, c + i * lc + j);
        }
}

void multiply_transposed_first(long m, long n, long k, const double *a, long la, const double *b, long lb, double *c,
                               long lc) {
    for (long p = 0; p < k; p += DEPTH)
        for (long j = 0; j < n; j += WIDTH) {
            long deep = least(k, p + DEPTH), wide = least(WIDTH, n - j);
            for (long i = 0; i < m; i++)
                for (long q = p; q < deep; q++)
                    axpy(wide, a[q * la + i], b + q * lb + j, c + i * lc + j);
        }
}

void multiply_transposed_second(long m, long n, long k, const double *a, long la, const double *b, long lb, double *c,
                                long lc) {
    for (long p = 0; p < k; p += WIDTH)
        for (long j = 0; j < n; j += DEPTH) {
            long deep = least(WIDTH, k - p), wide = least(n, j + DEPTH);
            for (long i = 0; i < m; i++)
                for (long q = j; q < wide; q++)
                    c[i * lc + q] += dot(deep, a + i * la + p, b + q * lb + p);
        }
}

void solve(long m, long n, const double *l, long ll, double *b, long lb) {
    for (long i = 0; i < m; i++) {
        for (long k = 0; k < i; k++)
            axpy(n, -l[i * ll + k], b + k * lb, b + i * lb);
        for (long j = 0; j < n; j++)
            b[i * lb + j] /= l[i * ll + i];
    }
}
