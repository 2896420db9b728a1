// Square matrices in blocks on a 2-D mesh of ranks.
#ifndef MESH_H
#define MESH_H

#include "common.h"

typedef struct {
    int rows, columns;
    int row, column;       // coordinates of this rank
    MPI_Comm along_row;    // the ranks of this row, by column
    MPI_Comm along_column; // the ranks of this column, by row
} Mesh;

// Which elements are used; the others are taken as 0.
typedef enum { FULL, LOWER, STRICTLY_LOWER } Part;

// This rank's block of an n by n matrix, row-major.
typedef struct {
    const Mesh *mesh;
    long n, top, left, rows, columns;
    double *data;
} Block;

// Creates a mesh; with 0 rows it is as square as possible.
Mesh mesh_make(long rows);
void mesh_free(Mesh *mesh);

// Create a block of zeros, or of random numbers with n added on the diagonal.
Block block_zero(const Mesh *mesh, long n);
Block block_random(const Mesh *mesh, long n, long seed);
void block_free(Block *block);

// Returns the end of the panel that begins at `first`: all its rows are in one row of the mesh, and
// all its columns in one column.
long panel_end(const Block *block, long first, long width);
// Return the row, or column, of the mesh that has this row, or column, of the matrix.
int row_of(const Block *block, long i);
int column_of(const Block *block, long j);
// Returns the first row of the block, counted in the block, that is not above row `from` of the
// matrix.
long first_row(const Block *block, long from);

// Broadcasts columns `first` to `end`, from row `from` down, along each row of the mesh. Returns
// the number of rows of this rank; the panel is row-major.
long spread_columns(const Block *block, long first, long end, long from, Part part, double *panel);
// Broadcasts rows `first` to `end` along each column of the mesh.
void spread_rows(const Block *block, long first, long end, double *panel);

// Computes y = M x with vectors that are replicated on every rank. Collective. The triangle that is
// not stored follows by symmetry, or is 0.
typedef enum { GENERAL, TRANSPOSED, LOWER_TRIANGLE, SYMMETRIC } View;
void apply(const Block *block, View view, const double *x, double *y);

#endif
