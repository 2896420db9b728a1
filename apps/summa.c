// Level-3 BLAS routines with SUMMA (P17), as in PUPPET's thesis (5.1.3): blocks on a 2-D mesh,
// panels that are broadcast along its rows and columns, and sums of their contributions. Method:
// van de Geijn and Watts, SUMMA, 1997; its extension to the other routines: Chtchelkanova et al.,
// 1997.
#include "common/common.h"
#include "common/dense.h"
#include "common/mesh.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Operands of a routine. Panels are `width` rows or columns of the blocks.
typedef struct {
    Block a, b, c;
    long width;
    double *left, *right, *sum;
} Work;

// C += A B, of the given part of A. Rows above a triangular panel are 0 and skipped.
static void product(Work *work, Part part) {
    Block *c = &work->c;
    for (long k = 0, end; k < c->n; k = end) {
        end = panel_end(c, k, work->width);
        long rows = spread_columns(&work->a, k, end, part == FULL ? 0 : k, part, work->left);
        spread_rows(&work->b, k, end, work->right);
        double *target = c->data + (c->rows - rows) * c->columns;
        multiply(rows, c->columns, end - k, 1, work->left, end - k, work->right, c->columns, target, c->columns);
    }
}

// C += A' B, of the part of A strictly below the diagonal. A panel of C's rows is summed over the
// column of the mesh.
static void product_transposed(Work *work) {
    Block *c = &work->c;
    const Block *b = &work->b;
    for (long k = 0, end; k < c->n; k = end) {
        end = panel_end(c, k, work->width);
        long width = end - k, size = width * c->columns;
        int root = row_of(c, k);
        long rows = spread_columns(&work->a, k, end, k, STRICTLY_LOWER, work->left);
        memset(work->right, 0, (size_t)size * sizeof(double));
        multiply_transposed_first(width, c->columns, rows, work->left, width,
                                  b->data + (b->rows - rows) * b->columns, b->columns, work->right, c->columns);
        CHECK(MPI_Reduce(work->right, work->sum, (int)size, MPI_DOUBLE, MPI_SUM, root, c->mesh->along_column));
        for (long i = 0; c->mesh->row == root && i < size; i++)
            c->data[(k - c->top) * c->columns + i] += work->sum[i];
    }
}

// The lower triangle of C += A B'. A panel of C's columns is summed over the row of the mesh.
static void product_lower(Work *work, const Block *a, const Block *b) {
    Block *c = &work->c;
    for (long k = 0, end; k < c->n; k = end) {
        end = panel_end(c, k, work->width);
        long width = end - k, top = first_row(c, k), rows = c->rows - top;
        int root = column_of(c, k);
        spread_rows(b, k, end, work->right);
        memset(work->left, 0, (size_t)(rows * width) * sizeof(double));
        multiply_transposed_second(rows, width, a->columns, a->data + top * a->columns, a->columns, work->right,
                                   b->columns, work->left, width);
        CHECK(MPI_Reduce(work->left, work->sum, (int)(rows * width), MPI_DOUBLE, MPI_SUM, root, c->mesh->along_row));
        for (long i = 0; c->mesh->column == root && i < rows; i++)
            for (long j = 0; j < width && k + j <= c->top + top + i; j++)
                c->data[(top + i) * c->columns + k - c->left + j] += work->sum[i * width + j];
    }
}

static void gemm(Work *work) { product(work, FULL); }

// C += A B, of a symmetric A whose lower triangle is stored.
static void symm(Work *work) {
    product(work, LOWER);
    product_transposed(work);
}

// C += L B, of the lower triangle L of A.
static void trmm(Work *work) { product(work, LOWER); }

static void syrk(Work *work) { product_lower(work, &work->a, &work->a); }

static void syr2k(Work *work) {
    product_lower(work, &work->a, &work->b);
    product_lower(work, &work->b, &work->a);
}

// C becomes the solution X of L X = B, where L is the lower triangle of A.
static void trsm(Work *work) {
    Block *c = &work->c;
    memcpy(c->data, work->b.data, (size_t)(c->rows * c->columns) * sizeof(double));
    for (long k = 0, end; k < c->n; k = end) {
        end = panel_end(c, k, work->width);
        long width = end - k, rows = spread_columns(&work->a, k, end, k, LOWER, work->left);
        // The rows of the panel with the diagonal come first, and only on the row of the mesh that
        // solves.
        bool solves = c->mesh->row == row_of(c, k);
        if (solves)
            solve(width, c->columns, work->left, width, c->data + (k - c->top) * c->columns, c->columns);
        spread_rows(c, k, end, work->right);
        long below = solves ? rows - width : rows;
        multiply(below, c->columns, width, -1, work->left + (rows - below) * width, width, work->right, c->columns,
                 c->data + (c->rows - below) * c->columns, c->columns);
    }
}

// Computes both sides of an equation that holds for every vector x; `between` is scratch space.
typedef void Sides(const Work *work, const double *x, double *between, double *left, double *right);

static void sides_gemm(const Work *work, const double *x, double *between, double *left, double *right) {
    apply(&work->c, GENERAL, x, left);
    apply(&work->b, GENERAL, x, between);
    apply(&work->a, GENERAL, between, right);
}

static void sides_symm(const Work *work, const double *x, double *between, double *left, double *right) {
    apply(&work->c, GENERAL, x, left);
    apply(&work->b, GENERAL, x, between);
    apply(&work->a, SYMMETRIC, between, right);
}

static void sides_trmm(const Work *work, const double *x, double *between, double *left, double *right) {
    apply(&work->c, GENERAL, x, left);
    apply(&work->b, GENERAL, x, between);
    apply(&work->a, LOWER_TRIANGLE, between, right);
}

static void sides_syrk(const Work *work, const double *x, double *between, double *left, double *right) {
    apply(&work->c, SYMMETRIC, x, left);
    apply(&work->a, TRANSPOSED, x, between);
    apply(&work->a, GENERAL, between, right);
}

static void sides_syr2k(const Work *work, const double *x, double *between, double *left, double *right) {
    apply(&work->a, TRANSPOSED, x, between);
    apply(&work->b, GENERAL, between, left);
    apply(&work->b, TRANSPOSED, x, between);
    apply(&work->a, GENERAL, between, right);
    for (long i = 0; i < work->c.n; i++)
        right[i] += left[i];
    apply(&work->c, SYMMETRIC, x, left);
}

static void sides_trsm(const Work *work, const double *x, double *between, double *left, double *right) {
    apply(&work->c, GENERAL, x, between);
    apply(&work->a, LOWER_TRIANGLE, between, left);
    apply(&work->b, GENERAL, x, right);
}

static const struct {
    const char *name;
    void (*run)(Work *work);
    Sides *sides;
} routines[] = {
    {"gemm", gemm, sides_gemm}, {"symm", symm, sides_symm},    {"trmm", trmm, sides_trmm},
    {"syrk", syrk, sides_syrk}, {"syr2k", syr2k, sides_syr2k}, {"trsm", trsm, sides_trsm},
};
enum { ROUTINES = sizeof routines / sizeof *routines };

static int find(const char *name) {
    int i = 0;
    while (i < ROUTINES && name && strcmp(routines[i].name, name) != 0)
        i++;
    if (name && i < ROUTINES)
        return i;
    refuse("which routine? There are gemm, symm, trmm, syrk, syr2k and trsm");
}

static void verify(const Work *work, Sides *sides, long seed) {
    long n = work->c.n;
    double *x = allocate((size_t)(4 * n), sizeof *x), *between = x + n, *left = x + 2 * n, *right = x + 3 * n;
    for (long i = 0; i < n; i++)
        x[i] = random_number((uint64_t)seed + 3, (uint64_t)i);
    sides(work, x, between, left, right);
    // Elements of a product are sums of n terms, each at most (n + 1) squared; n of them are
    // summed.
    double bound = 8 * DBL_EPSILON * pow((double)n + 1, 3);
    for (long i = 0; i < n; i++)
        EXPECT(fabs(left[i] - right[i]) <= bound, "row %ld is %g, not %g, for a random vector", i, left[i], right[i]);
    free(x);
}

int main(int argc, char **argv) {
    long n = 256, seed = 1, width = 32, rows = 0, unchecked = 0;
    const char *name = NULL;
    const Option options[] = {
        {"-n", "rows and columns of the matrices", &n, 1, false},
        {"-b", "width of a panel", &width, 1, false},
        {"-r", "rows of the mesh, 0: as square as can be", &rows, 0, false},
        {"-s", "seed of the random numbers", &seed, 0, false},
        {"--no-check", "leave the check of the result out", &unchecked, 0, true},
        {0},
    };
    begin(&argc, &argv, "Level-3 BLAS on SUMMA; NAME is gemm, symm, trmm, syrk, syr2k or trsm.", options, &name);
    int routine = find(name);

    Mesh mesh = mesh_make(rows);
    Work work = {block_random(&mesh, n, seed), block_random(&mesh, n, seed + 1), block_zero(&mesh, n), width, NULL, NULL, NULL};
    size_t most = (size_t)(width * (work.c.rows > work.c.columns ? work.c.rows : work.c.columns));
    work.left = allocate(most, sizeof(double));
    work.right = allocate(most, sizeof(double));
    work.sum = allocate(most, sizeof(double));

    double start = start_clock();
    routines[routine].run(&work);
    double time = stop_clock(start);

    if (!unchecked)
        verify(&work, routines[routine].sides, seed);
    free(work.left);
    free(work.right);
    free(work.sum);
    block_free(&work.a);
    block_free(&work.b);
    block_free(&work.c);
    mesh_free(&mesh);
    finish("summa: %s, %ld by %ld on a %d by %d mesh, parallel time %.6f s", name, n, n, mesh.rows, mesh.columns, time);
}
