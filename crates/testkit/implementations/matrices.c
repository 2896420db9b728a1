/* Matrix operations: a correct one of each kind that the example does not have, and wrong ones. */
#define _POSIX_C_SOURCE 200809L
#include "panto_matrix.h"

#include <signal.h>

static size_t height(const panto_matrix_call *call) {
    return (size_t)(call->row_starts[call->mesh_row + 1] - call->row_starts[call->mesh_row]);
}

static size_t width(const panto_matrix_call *call) {
    return (size_t)(call->col_starts[call->mesh_col + 1] - call->col_starts[call->mesh_col]);
}

/* The rank of a cell of the mesh. */
static int at(const panto_matrix_call *call, int row, int col) {
    return call->ranks[row * call->mesh_cols + col];
}

/* A line of the array, packed into the working memory, goes from its owner to the others, which
 * acknowledge it when it is in place. */
static int broadcast(const panto_world *world, const panto_matrix_call *call, double *line, size_t stride,
                     size_t count) {
    int rows = call->operation == PANTO_ROW_BROADCAST, code = 0;
    int ranks = rows ? call->mesh_rows : call->mesh_cols;
    size_t bytes = count * sizeof(double);
    if (world->rank != call->owner) {
        code = world->receive(world, call->work, bytes, call->owner);
        call->strided(world, line, stride, call->work, 1, count);
        return code ? code : world->send(world, NULL, 0, call->owner);
    }
    call->strided(world, call->work, 1, line, stride, count);
    for (int acknowledges = 0; acknowledges < 2; acknowledges++) {
        for (int other = 0; other < ranks && code == 0; other++) {
            int to = rows ? at(call, other, call->mesh_col) : at(call, call->mesh_row, other);
            if (to != world->rank) {
                code = acknowledges ? world->receive(world, NULL, 0, to)
                                    : world->send(world, call->work, bytes, to);
            }
        }
    }
    return code;
}

/* On a square mesh with equal blocks: the block is exchanged with that of the mirrored cell. */
static int transpose(const panto_world *world, const panto_matrix_call *call) {
    size_t side = height(call), line = side + 2, all = side * side;
    double *first = call->array + line + 1, *arrived = call->work + all;
    int peer = at(call, call->mesh_col, call->mesh_row), code = 0;
    for (size_t row = 0; row < side; row++) {
        world->copy(world, call->work + row * side, first + row * line, side * sizeof(double));
    }
    if (peer == world->rank) {
        arrived = call->work;
    } else {
        panto_request receive = 0, send = 0;
        code = world->start_receive(world, arrived, all * sizeof(double), peer, &receive);
        code = code ? code : world->start_send(world, call->work, all * sizeof(double), peer, &send);
        code = code ? code : world->wait(world, &receive);
        code = code ? code : world->wait(world, &send);
    }
    for (size_t row = 0; row < side && code == 0; row++) {
        call->strided(world, first + row, line, arrived + row * side, 1, side);
    }
    return code;
}

static int right_run(const panto_world *world, const panto_matrix_call *call) {
    size_t line = width(call) + 2;
    switch (call->operation) {
    case PANTO_TRANSPOSE:
        return transpose(world, call);
    case PANTO_ROW_BROADCAST:
        return broadcast(world, call, call->array + (size_t)call->place * line + 1, 1, width(call));
    default:
        return broadcast(world, call, call->array + line + (size_t)call->place, line, height(call));
    }
}

#define MATRIX(name, function)                                                                     \
    const panto_matrix_implementation name = {                                                     \
        PANTO_MATRIX_IMPLEMENTATION,                                                               \
        .operations = PANTO_SERVES(PANTO_TRANSPOSE) | PANTO_SERVES(PANTO_ROW_BROADCAST) |          \
                      PANTO_SERVES(PANTO_COLUMN_BROADCAST),                                        \
        .run = function,                                                                           \
    }
MATRIX(right, right_run);

/* Nothing happens. */
static int idle_run(const panto_world *world, const panto_matrix_call *call) {
    (void)world, (void)call;
    return 0;
}
MATRIX(idle, idle_run);

static int crashes_run(const panto_world *world, const panto_matrix_call *call) {
    (void)world, (void)call;
    return raise(SIGSEGV);
}
MATRIX(crashes, crashes_run);

static int refuses_run(const panto_world *world, const panto_matrix_call *call) {
    (void)world, (void)call;
    return 7;
}
MATRIX(refuses, refuses_run);
