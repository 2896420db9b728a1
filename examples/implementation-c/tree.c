/*
 * Two implementations for Panto: a broadcast along a binomial tree, blocking and non-blocking, and an
 * allreduce around a ring.
 *
 *     cc -shared -fPIC -O2 -o libtree.so tree.c
 *     panto bench scenario --ranks 4 --collective bcast --impl library,binomial,./libtree.so:tree
 *     panto bench scenario --ranks 4 --collective allreduce --impl library,ring,./libtree.so:around
 */
#include "panto_collective.h"

#include <stdlib.h>

/* Returns the same code when a function of the message layer fails. */
#define CHECK(call)              \
    do {                         \
        int code_ = (call);      \
        if (code_ != 0) {        \
            return code_;        \
        }                        \
    } while (0)

/* The rank relative to the root. */
static int relative(const panto_world *world, int root) {
    return (world->rank - root + world->size) % world->size;
}

static int absolute(const panto_world *world, int root, int number) {
    return (number + root) % world->size;
}

/* The lowest set bit of a number is the distance to its parent; the root has none. */
static int parent_distance(const panto_world *world, int number) {
    int distance = 1;
    while (distance < world->size && (number & distance) == 0) {
        distance <<= 1;
    }
    return distance;
}

static int tree_run(const panto_world *world, const panto_call *call) {
    int number = relative(world, call->root);
    int distance = parent_distance(world, number);
    if (number != 0) {
        int parent = absolute(world, call->root, number - distance);
        CHECK(world->receive(world, call->output, call->bytes, parent));
    }
    for (int step = distance >> 1; step > 0; step >>= 1) {
        if (number + step < world->size) {
            int child = absolute(world, call->root, number + step);
            CHECK(world->send(world, call->output, call->bytes, child));
        }
    }
    return 0;
}

/* The state of a non-blocking broadcast. */
typedef struct tree_state {
    int sending; /* whether the data has arrived */
    int open;    /* requests that are not complete */
    panto_request requests[32];
} tree_state;

static int tree_send(const panto_world *world, const panto_call *call, tree_state *state) {
    int number = relative(world, call->root);
    state->sending = 1;
    for (int step = parent_distance(world, number) >> 1; step > 0; step >>= 1) {
        if (number + step < world->size) {
            int child = absolute(world, call->root, number + step);
            CHECK(world->start_send(world, call->output, call->bytes, child, &state->requests[state->open]));
            state->open++;
        }
    }
    return 0;
}

static int tree_start(const panto_world *world, const panto_call *call, void **state_out) {
    tree_state *state = calloc(1, sizeof *state);
    if (state == NULL) {
        return 12;
    }
    *state_out = state;
    int number = relative(world, call->root);
    if (number == 0) {
        return tree_send(world, call, state);
    }
    int parent = absolute(world, call->root, number - parent_distance(world, number));
    CHECK(world->start_receive(world, call->output, call->bytes, parent, &state->requests[0]));
    state->open = 1;
    return 0;
}

static int tree_test(const panto_world *world, const panto_call *call, void *opaque, int *done) {
    tree_state *state = opaque;
    while (state->open > 0) {
        int complete = 0;
        CHECK(world->test(world, &state->requests[state->open - 1], &complete));
        if (!complete) {
            return 0;
        }
        state->open--;
        if (state->open == 0 && !state->sending) {
            CHECK(tree_send(world, call, state));
        }
    }
    free(state);
    *done = 1;
    return 0;
}

const panto_implementation tree = {
    PANTO_IMPLEMENTATION,
    .collectives = PANTO_SERVES(PANTO_BCAST),
    .run = tree_run,
    .start = tree_start,
    .test = tree_test,
};

/* The start of a part of the vector in bytes: parts differ by one element at most. */
static size_t part_start(const panto_world *world, const panto_call *call, int part) {
    size_t elements = call->bytes / call->element;
    return elements * (size_t)part / (size_t)world->size * call->element;
}

/* Parts travel around the ring twice: they are combined first, and distributed then. */
static int around_run(const panto_world *world, const panto_call *call) {
    int size = world->size, next = (world->rank + 1) % size, before = (world->rank + size - 1) % size;
    char *output = call->output;
    world->copy(world, output, call->input, call->bytes);
    if (size == 1 || call->bytes == 0) {
        return 0;
    }
    char *arrived = malloc(call->bytes / (size_t)size + 2 * call->element);
    if (arrived == NULL) {
        return 12;
    }
    int code = 0;
    for (int round = 0; round < 2 * (size - 1) && code == 0; round++) {
        int sent = (world->rank + 2 * size - round) % size, received = (sent + size - 1) % size;
        size_t from = part_start(world, call, sent), to = part_start(world, call, sent + 1);
        size_t at = part_start(world, call, received), end = part_start(world, call, received + 1);
        int combines = round < size - 1;
        panto_request receive = 0, send = 0;
        code = world->start_receive(world, combines ? arrived : output + at, end - at, before, &receive);
        if (code == 0) {
            code = world->start_send(world, output + from, to - from, next, &send);
        }
        if (code == 0) {
            code = world->wait(world, &receive);
        }
        if (code == 0) {
            code = world->wait(world, &send);
        }
        if (code == 0 && combines) {
            world->combine(world, arrived, output + at, end - at);
        }
    }
    free(arrived);
    return code;
}

const panto_implementation around = {
    PANTO_IMPLEMENTATION,
    .collectives = PANTO_SERVES(PANTO_ALLREDUCE),
    .run = around_run,
};
