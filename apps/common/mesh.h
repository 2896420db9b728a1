// Square matrices in blocks on a 2-D mesh of ranks.
#ifndef MESH_H
#define MESH_H

#include "common.h"

typedef struct {
    int rows, columns;
    int row, column;       // this rank's place
    MPI_Comm along_row;    // the ranks of this row, by column
    MPI_Comm along_column; // the ranks of this column, by row
} Mesh;

// Which elements count; the others are taken as 0.
typedef enum { FULL, LOWER, STRICTLY_LOWER } Part;

// This rank's block of an n by n matrix, row by row.
typedef struct {
    const Mesh *mesh;
    long n, top, left, rows, columns;
    double *data;
} Block;

// With 0 rows, the mesh is as square as can be.
Mesh mesh_make(long rows);
void mesh_free(Mesh *mesh);

// Zero, or random numbers with a diagonal that is as heavy as n.
Block block_zero(const Mesh *mesh, long n);
Block block_random(const Mesh *mesh, long n, long seed);
void block_free(Block *block);

// Where the panel that begins at `first` ends: all its rows lie in one row of the mesh, all its columns in one column.
long panel_end(const Block *block, long first, long width);
// Which row, or column, of the mesh holds this row, or column, of the matrix.
int row_of(const Block *block, long i);
int column_of(const Block *block, long j);
// The first row of the block that is not above row `from` of the matrix, counted in the block.
long first_row(const Block *block, long from);

// Whoever holds columns `first` to `end` gives them, from row `from` down, to all in its row of the mesh. Answers how many
// rows of them this rank has; the panel holds them one after the other.
long spread_columns(const Block *block, long first, long end, long from, Part part, double *panel);
// Whoever holds rows `first` to `end` gives them to all in its column of the mesh.
void spread_rows(const Block *block, long first, long end, double *panel);

// y = M x, of vectors that every rank has whole. Collective. The triangle that is not stored follows by symmetry, or is 0.
typedef enum { GENERAL, TRANSPOSED, LOWER_TRIANGLE, SYMMETRIC } View;
void apply(const Block *block, View view, const double *x, double *y);

#endif
