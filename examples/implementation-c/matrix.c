/*
 * Operations on a matrix for Panto to measure: a guard update in two phases, and a shift.
 *
 *     cc -shared -fPIC -O2 -o libmatrix.so matrix.c
 *     panto bench comet/guard comet/shift --ranks 4 --impl library,./libmatrix.so:phases
 */
#include "panto_matrix.h"

/* Sends to one rank while receiving from another; a rank that is its own neighbour copies. */
static int exchange(const panto_world *world, const double *data, int to, double *buffer, int from,
                    size_t count) {
    size_t bytes = count * sizeof *data;
    if (to == world->rank && from == world->rank) {
        world->copy(world, buffer, data, bytes);
        return 0;
    }
    panto_request receive = 0, send = 0;
    int code = world->start_receive(world, buffer, bytes, from, &receive);
    if (code == 0) {
        code = world->start_send(world, data, bytes, to, &send);
    }
    if (code == 0) {
        code = world->wait(world, &receive);
    }
    return code == 0 ? world->wait(world, &send) : code;
}

/* The rank of the neighbour that is this far down and to the right on the wrapping mesh. */
static int neighbour(const panto_matrix_call *call, int down, int right) {
    int row = (call->mesh_row + down + call->mesh_rows) % call->mesh_rows;
    int col = (call->mesh_col + right + call->mesh_cols) % call->mesh_cols;
    return call->ranks[row * call->mesh_cols + col];
}

static size_t height_of(const panto_matrix_call *call, int mesh_row) {
    return (size_t)(call->row_starts[mesh_row + 1] - call->row_starts[mesh_row]);
}

static size_t width_of(const panto_matrix_call *call, int mesh_col) {
    return (size_t)(call->col_starts[mesh_col + 1] - call->col_starts[mesh_col]);
}

/* First rows, which need not be packed, then columns. Each phase has one message in each direction. */
static int update_guard(const panto_world *world, const panto_matrix_call *call) {
    size_t height = height_of(call, call->mesh_row), width = width_of(call, call->mesh_col), line = width + 2;
    int above = neighbour(call, -1, 0), below = neighbour(call, 1, 0);
    int left = neighbour(call, 0, -1), right = neighbour(call, 0, 1);
    double *first = call->array + line + 1, *last = call->array + height * line + 1;
    double *packed = call->work, *arrived = call->work + height;
    int code = exchange(world, first, above, last + line, below, width);
    if (code == 0) {
        code = exchange(world, last, below, first - line, above, width);
    }
    if (code == 0) {
        call->strided(world, packed, 1, first, line, height);
        code = exchange(world, packed, left, arrived, right, height);
    }
    if (code == 0) {
        call->strided(world, first + width, line, arrived, 1, height);
        call->strided(world, packed, 1, first + width - 1, line, height);
        code = exchange(world, packed, right, arrived, left, height);
    }
    if (code == 0) {
        call->strided(world, first - 1, line, arrived, 1, height);
    }
    return code;
}

/* The whole array moves, with its guard, so that nothing is packed. */
static int shift(const panto_world *world, const panto_matrix_call *call) {
    int north = call->direction == PANTO_NORTH;
    int to = north ? neighbour(call, -1, 0) : neighbour(call, 0, 1);
    int from = north ? neighbour(call, 1, 0) : neighbour(call, 0, -1);
    int from_row = north ? (call->mesh_row + 1) % call->mesh_rows : call->mesh_row;
    int from_col = north ? call->mesh_col : (call->mesh_col + call->mesh_cols - 1) % call->mesh_cols;
    size_t sent = (height_of(call, call->mesh_row) + 2) * (width_of(call, call->mesh_col) + 2);
    size_t received = (height_of(call, from_row) + 2) * (width_of(call, from_col) + 2);
    if (to == world->rank) {
        world->copy(world, call->result, call->array, sent * sizeof(double));
        return 0;
    }
    panto_request receive = 0, send = 0;
    int code = world->start_receive(world, call->result, received * sizeof(double), from, &receive);
    if (code == 0) {
        code = world->start_send(world, call->array, sent * sizeof(double), to, &send);
    }
    if (code == 0) {
        code = world->wait(world, &receive);
    }
    return code == 0 ? world->wait(world, &send) : code;
}

static int phases_run(const panto_world *world, const panto_matrix_call *call) {
    return call->operation == PANTO_GUARD ? update_guard(world, call) : shift(world, call);
}

const panto_matrix_implementation phases = {
    PANTO_MATRIX_IMPLEMENTATION,
    .operations = PANTO_SERVES(PANTO_GUARD) | PANTO_SERVES(PANTO_SHIFT),
    .run = phases_run,
};
