// A regular stencil: Jacobi iteration on a square, in blocks on a 2-D mesh of ranks that exchange
// their edges in each iteration.
#include "common/common.h"

#include <math.h>
#include <stdlib.h>

// A block with a halo of one cell: `rows` by `columns` interior cells, rows of `columns + 2` cells.
typedef struct {
    long rows, columns;
    double *now, *next;
} Block;

typedef struct {
    MPI_Comm comm;
    int shape[2], place[2];
    int up, down, left, right;
    MPI_Datatype edge; // a column of the block
} Mesh;

static double start_value(long seed, long n, long i, long j) {
    return random_number((uint64_t)seed, (uint64_t)(i * n + j));
}

// Fills the block whose first cell is (top, left) of the n by n square. Cells outside are 0.
static Block block_make(long rows, long columns, long top, long left, long n, long seed) {
    size_t cells = (size_t)((rows + 2) * (columns + 2));
    Block block = {rows, columns, allocate(cells, sizeof(double)), allocate(cells, sizeof(double))};
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < columns; j++)
            block.now[(i + 1) * (columns + 2) + j + 1] = start_value(seed, n, top + i, left + j);
    return block;
}

static void block_free(Block *block) {
    free(block->now);
    free(block->next);
}

// Performs one iteration inside the block; returns the sum of the squares of the changes. Not
// inlined, so that the parallel and the sequential run use the same instructions.
__attribute__((noinline)) static double sweep(Block *block) {
    long width = block->columns + 2;
    double sum = 0;
    for (long i = 1; i <= block->rows; i++)
        for (long j = 1; j <= block->columns; j++) {
            const double *at = block->now + i * width + j;
            double value = 0.25 * (at[-width] + at[-1] + at[1] + at[width]);
            block->next[i * width + j] = value;
            sum += (value - *at) * (value - *at);
        }
    double *old = block->now;
    block->now = block->next;
    block->next = old;
    return sum;
}

static Mesh mesh_make(void) {
    Mesh mesh = {.shape = {0, 0}};
    int periods[2] = {0, 0}, me;
    CHECK(MPI_Dims_create(ranks, 2, mesh.shape));
    CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, mesh.shape, periods, 1, &mesh.comm));
    CHECK(MPI_Comm_rank(mesh.comm, &me));
    CHECK(MPI_Cart_coords(mesh.comm, me, 2, mesh.place));
    CHECK(MPI_Cart_shift(mesh.comm, 0, 1, &mesh.up, &mesh.down));
    CHECK(MPI_Cart_shift(mesh.comm, 1, 1, &mesh.left, &mesh.right));
    return mesh;
}

// Sends each neighbour the adjacent edge, and receives theirs into the halo.
static void exchange(const Mesh *mesh, const Block *block) {
    long width = block->columns + 2, rows = block->rows, columns = block->columns;
    int row = (int)columns;
    double *at = block->now;
    MPI_Request requests[8];
    CHECK(MPI_Irecv(at + 1, row, MPI_DOUBLE, mesh->up, 0, mesh->comm, &requests[0]));
    CHECK(MPI_Irecv(at + (rows + 1) * width + 1, row, MPI_DOUBLE, mesh->down, 1, mesh->comm, &requests[1]));
    CHECK(MPI_Irecv(at + width, 1, mesh->edge, mesh->left, 2, mesh->comm, &requests[2]));
    CHECK(MPI_Irecv(at + width + columns + 1, 1, mesh->edge, mesh->right, 3, mesh->comm, &requests[3]));
    CHECK(MPI_Isend(at + rows * width + 1, row, MPI_DOUBLE, mesh->down, 0, mesh->comm, &requests[4]));
    CHECK(MPI_Isend(at + width + 1, row, MPI_DOUBLE, mesh->up, 1, mesh->comm, &requests[5]));
    CHECK(MPI_Isend(at + width + columns, 1, mesh->edge, mesh->right, 2, mesh->comm, &requests[6]));
    CHECK(MPI_Isend(at + width + 1, 1, mesh->edge, mesh->left, 3, mesh->comm, &requests[7]));
    CHECK(MPI_Waitall(8, requests, MPI_STATUSES_IGNORE));
}

// Iterates; returns the last residual, computed every `every` iterations.
static double iterate(const Mesh *mesh, Block *block, long iterations, long every) {
    double residual = 0;
    for (long i = 1; i <= iterations; i++) {
        exchange(mesh, block);
        double sum = sweep(block);
        if (i % every == 0) {
            CHECK(MPI_Allreduce(&sum, &residual, 1, MPI_DOUBLE, MPI_SUM, mesh->comm));
            residual = sqrt(residual);
        }
    }
    return residual;
}

// Repeats the iterations on one rank, without messages, and compares.
static void verify(const Block *block, long top, long left, long n, long seed, long iterations, long every,
                   double residual) {
    Block whole = block_make(n, n, 0, 0, n, seed);
    double expected = 0;
    for (long i = 1; i <= iterations; i++) {
        double sum = sweep(&whole);
        if (i % every == 0)
            expected = sqrt(sum);
    }
    for (long i = 1; i <= block->rows; i++)
        for (long j = 1; j <= block->columns; j++) {
            double mine = block->now[i * (block->columns + 2) + j];
            double theirs = whole.now[(top + i) * (n + 2) + left + j];
            EXPECT(mine == theirs, "cell (%ld, %ld) is %g, not %g", top + i - 1, left + j - 1, mine, theirs);
        }
    EXPECT(fabs(residual - expected) <= 1e-9 * expected, "the residual is %g, not %g", residual, expected);
    block_free(&whole);
}

int main(int argc, char **argv) {
    long n = 256, iterations = 100, every = 10, seed = 1, unchecked = 0;
    const Option options[] = {
        {"-n", "rows and columns of the square", &n, 1, false},
        {"-i", "iterations", &iterations, 0, false},
        {"-k", "iterations from one residual to the next", &every, 1, false},
        {"-s", "seed of the random numbers", &seed, 0, false},
        {"--no-check", "leave the check of the result out", &unchecked, 0, true},
        {0},
    };
    begin(&argc, &argv, "Jacobi's iteration on a square, with halo exchange on a 2-D mesh.", options, NULL);

    Mesh mesh = mesh_make();
    long top = piece(n, mesh.shape[0], mesh.place[0]), bottom = piece(n, mesh.shape[0], mesh.place[0] + 1);
    long left = piece(n, mesh.shape[1], mesh.place[1]), right = piece(n, mesh.shape[1], mesh.place[1] + 1);
    Block block = block_make(bottom - top, right - left, top, left, n, seed);
    CHECK(MPI_Type_vector((int)block.rows, 1, (int)block.columns + 2, MPI_DOUBLE, &mesh.edge));
    CHECK(MPI_Type_commit(&mesh.edge));

    double start = start_clock();
    double residual = iterate(&mesh, &block, iterations, every);
    double time = stop_clock(start);

    if (!unchecked)
        verify(&block, top, left, n, seed, iterations, every, residual);
    block_free(&block);
    CHECK(MPI_Type_free(&mesh.edge));
    CHECK(MPI_Comm_free(&mesh.comm));
    finish("stencil: %ld by %ld, %ld iterations on a %d by %d mesh, residual %.6e, parallel time %.6f s", n, n,
           iterations, mesh.shape[0], mesh.shape[1], residual, time);
}
