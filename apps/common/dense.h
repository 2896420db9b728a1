// Products of small dense row-major matrices on one rank, blocked for the cache. `la`, `lb` and
// `lc` are the distances from one row to the next.
#ifndef DENSE_H
#define DENSE_H

// C (m by n) += factor A (m by k) B (k by n).
void multiply(long m, long n, long k, double factor, const double *a, long la, const double *b, long lb, double *c,
              long lc);
// C (m by n) += A' B, where A is k by m.
void multiply_transposed_first(long m, long n, long k, const double *a, long la, const double *b, long lb, double *c,
                               long lc);
// C (m by n) += A B', where B is n by k.
void multiply_transposed_second(long m, long n, long k, const double *a, long la, const double *b, long lb, double *c,
                                long lc);
// B (m by n) becomes the solution X of L X = B, where L is lower triangular.
void solve(long m, long n, const double *l, long ll, double *b, long lb);

#endif
