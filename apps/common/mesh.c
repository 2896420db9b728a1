#include "mesh.h"

#include <stdlib.h>
#include <string.h>

Mesh mesh_make(long rows) {
    int shape[2] = {(int)rows, 0};
    if (rows > 0 && ranks % rows != 0)
        refuse("%d ranks make no mesh of %ld rows", ranks, rows);
    CHECK(MPI_Dims_create(ranks, 2, shape));
    Mesh mesh = {shape[0], shape[1], rank / shape[1], rank % shape[1], MPI_COMM_NULL, MPI_COMM_NULL};
    CHECK(MPI_Comm_split(MPI_COMM_WORLD, mesh.row, mesh.column, &mesh.along_row));
    CHECK(MPI_Comm_split(MPI_COMM_WORLD, mesh.column, mesh.row, &mesh.along_column));
    return mesh;
}

void mesh_free(Mesh *mesh) {
    CHECK(MPI_Comm_free(&mesh->along_row));
    CHECK(MPI_Comm_free(&mesh->along_column));
}

Block block_zero(const Mesh *mesh, long n) {
    long top = piece(n, mesh->rows, mesh->row), left = piece(n, mesh->columns, mesh->column);
    long rows = piece(n, mesh->rows, mesh->row + 1) - top;
    long columns = piece(n, mesh->columns, mesh->column + 1) - left;
    return (Block){mesh, n, top, left, rows, columns, allocate((size_t)(rows * columns), sizeof(double))};
}

Block block_random(const Mesh *mesh, long n, long seed) {
    Block block = block_zero(mesh, n);
    for (long i = 0; i < block.rows; i++)
        for (long j = 0; j < block.columns; j++) {
            long row = block.top + i, column = block.left + j;
            double random = random_number((uint64_t)seed, (uint64_t)(row * n + column));
            block.data[i * block.columns + j] = row == column ? (double)n + random : random;
        }
    return block;
}

void block_free(Block *block) { free(block->data); }

static int holder(long n, int parts, long index) {
    int part = 0;
    while (piece(n, parts, part + 1) <= index)
        part++;
    return part;
}

int row_of(const Block *block, long i) { return holder(block->n, block->mesh->rows, i); }

int column_of(const Block *block, long j) { return holder(block->n, block->mesh->columns, j); }

long panel_end(const Block *block, long first, long width) {
    long rows_end = piece(block->n, block->mesh->rows, row_of(block, first) + 1);
    long columns_end = piece(block->n, block->mesh->columns, column_of(block, first) + 1);
    long end = first + width;
    end = end < rows_end ? end : rows_end;
    return end < columns_end ? end : columns_end;
}

long first_row(const Block *block, long from) {
    long first = from - block->top;
    return first < 0 ? 0 : first > block->rows ? block->rows : first;
}

static bool counts(Part part, long i, long j) { return part == FULL || i > j || (i == j && part == LOWER); }

long spread_columns(const Block *block, long first, long end, long from, Part part, double *panel) {
    long top = first_row(block, from), rows = block->rows - top, width = end - first;
    int root = column_of(block, first);
    if (block->mesh->column == root)
        for (long i = 0; i < rows; i++)
            for (long j = 0; j < width; j++) {
                double value = block->data[(top + i) * block->columns + first - block->left + j];
                panel[i * width + j] = counts(part, block->top + top + i, first + j) ? value : 0;
            }
    CHECK(MPI_Bcast(panel, (int)(rows * width), MPI_DOUBLE, root, block->mesh->along_row));
    return rows;
}

void spread_rows(const Block *block, long first, long end, double *panel) {
    long size = (end - first) * block->columns;
    int root = row_of(block, first);
    if (block->mesh->row == root)
        memcpy(panel, block->data + (first - block->top) * block->columns, (size_t)size * sizeof *panel);
    CHECK(MPI_Bcast(panel, (int)size, MPI_DOUBLE, root, block->mesh->along_column));
}

void apply(const Block *block, View view, const double *x, double *y) {
    memset(y, 0, (size_t)block->n * sizeof *y);
    for (long r = 0; r < block->rows; r++)
        for (long c = 0; c < block->columns; c++) {
            long i = block->top + r, j = block->left + c;
            double value = block->data[r * block->columns + c];
            if (view == GENERAL || ((view == LOWER_TRIANGLE || view == SYMMETRIC) && i >= j))
                y[i] += value * x[j];
            if (view == TRANSPOSED || (view == SYMMETRIC && i > j))
                y[j] += value * x[i];
        }
    CHECK(MPI_Allreduce(MPI_IN_PLACE, y, (int)block->n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
}
