/*
 * The interface between Panto and an operation on a distributed matrix of your own (version 1).
 *
 * Write a function, export a `panto_matrix_implementation` with its address, build a shared library,
 * and let Panto set up the matrix, measure your function and check every element after every run:
 *
 *     cc -shared -fPIC -O2 -o libmine.so mine.c
 *     panto bench comet/guard --impl library,./libmine.so:mine
 *
 * See docs/implementations.md; matrix.c in this directory is an example.
 */
#ifndef PANTO_MATRIX_H
#define PANTO_MATRIX_H

#include "panto_collective.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PANTO_MATRIX_VERSION 1u
/* The beginning of every implementation: the letters PANTOMAT, and the version. */
#define PANTO_MATRIX_IMPLEMENTATION UINT64_C(0x50414e544f4d4154), PANTO_MATRIX_VERSION

/* The operations. */
enum panto_matrix_operation {
    PANTO_GUARD = 0,       /* the guard wrapper gets the elements beyond it, with wrap-around */
    PANTO_SHIFT,           /* every block moves to the next rank */
    PANTO_TRANSPOSE,       /* the matrix is transposed; the guard stays as it is */
    PANTO_ROW_BROADCAST,   /* a row goes to all blocks of its mesh column */
    PANTO_COLUMN_BROADCAST /* a column goes to all blocks of its mesh row */
};

/* The direction of a shift: to the rank above, or to the one on the right. */
enum panto_matrix_direction { PANTO_NORTH = 0, PANTO_EAST };

/*
 * The parameters of a call on one rank. A global matrix of dim x dim doubles is cut into blocks over
 * a wrapping mesh of ranks. A rank has its block in a local array with a guard wrapper, one element
 * thick, around it: of height + 2 rows of width + 2 doubles, row by row, where
 *     height = row_starts[mesh_row + 1] - row_starts[mesh_row], and likewise for the width.
 */
typedef struct panto_matrix_call {
    uint32_t operation;    /* PANTO_GUARD ... */
    uint32_t direction;    /* in a shift */
    int dim;               /* rows and columns of the global matrix */
    int mesh_rows;         /* of the mesh of ranks */
    int mesh_cols;
    int mesh_row;          /* the place of this rank in the mesh */
    int mesh_col;
    const int *ranks;      /* the rank of each cell of the mesh, row by row */
    const int *row_starts; /* the first global row of each mesh row, and dim behind them */
    const int *col_starts; /* the first global column of each mesh column, and dim behind them */
    int owner;             /* in a broadcast: the rank that sends to this one; it may be itself */
    int place;             /* in a broadcast: the row or column of the array that is sent or replaced */
    double *array;         /* the local array, which is changed in place, except in a shift */
    double *result;        /* in a shift: the array that arrives, with its guard; else NULL */
    double *work;          /* memory for messages, without values: 4 times the larger array */
    size_t work_len;       /* the doubles of it */

    /* Copies doubles that are strides apart; a simulated machine charges for each of them. */
    void (*strided)(const panto_world *world, double *into, size_t into_stride, const double *from,
                    size_t from_stride, size_t count);
} panto_matrix_call;

/* The table that a library exports:
 * const panto_matrix_implementation name = { PANTO_MATRIX_IMPLEMENTATION, .operations = ..., .run = ... };
 * where operations are PANTO_SERVES(PANTO_GUARD) | PANTO_SERVES(PANTO_SHIFT), for example. */
typedef struct panto_matrix_implementation {
    uint64_t magic;
    uint32_t version;
    uint64_t operations;

    /* Runs an operation. All ranks call it together. */
    int (*run)(const panto_world *world, const panto_matrix_call *call);
} panto_matrix_implementation;

#ifdef __cplusplus
}
#endif

#endif
