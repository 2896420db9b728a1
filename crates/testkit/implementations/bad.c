/* Broadcasts that are wrong, each in its own way. */
#include "panto_collective.h"

#include <string.h>

#define BROADCAST(name, function)                  \
    const panto_implementation name = {            \
        PANTO_IMPLEMENTATION,                      \
        .collectives = PANTO_SERVES(PANTO_BCAST),  \
        .run = function,                           \
    }

/* The root sends to everybody; the rest of the mistakes begin with that. */
static int direct(const panto_world *world, const panto_call *call) {
    if (world->rank != call->root) {
        return world->receive(world, call->output, call->bytes, call->root);
    }
    for (int to = 0; to < world->size; to++) {
        int code = to == world->rank ? 0 : world->send(world, call->output, call->bytes, to);
        if (code != 0) {
            return code;
        }
    }
    return 0;
}

/* The last byte is off by one. */
static int wrong_run(const panto_world *world, const panto_call *call) {
    int code = direct(world, call);
    if (world->rank != call->root && call->bytes > 0) {
        ((unsigned char *)call->output)[call->bytes - 1] ^= 1;
    }
    return code;
}
BROADCAST(wrong, wrong_run);

/* Every call returns the data of the first one. */
static int stale_run(const panto_world *world, const panto_call *call) {
    static __thread char first[1 << 16];
    static __thread int known;
    int code = direct(world, call);
    if (world->rank != call->root && known) {
        memcpy(call->output, first, call->bytes);
    }
    memcpy(first, call->output, call->bytes);
    known = 1;
    return code;
}
BROADCAST(stale, stale_run);

/* Writes one byte beyond the buffer. */
static int spills_run(const panto_world *world, const panto_call *call) {
    int code = direct(world, call);
    if (world->rank != call->root) {
        ((unsigned char *)call->output)[call->bytes] = 0;
    }
    return code;
}
BROADCAST(spills, spills_run);

/* The last rank never returns. */
static int spins_run(const panto_world *world, const panto_call *call) {
    volatile int forever = world->rank == world->size - 1;
    while (forever) {
    }
    return direct(world, call);
}
BROADCAST(spins, spins_run);

static int *volatile nowhere;

static int crashes_run(const panto_world *world, const panto_call *call) {
    if (world->rank == world->size - 1) {
        *nowhere = 1;
    }
    return direct(world, call);
}
BROADCAST(crashes, crashes_run);

/* Each rank waits for the next one: a deadlock. */
static int waits_run(const panto_world *world, const panto_call *call) {
    return world->receive(world, call->output, call->bytes, (world->rank + 1) % world->size);
}
BROADCAST(waits, waits_run);

static int refuses_run(const panto_world *world, const panto_call *call) {
    (void)world, (void)call;
    return 7;
}
BROADCAST(refuses, refuses_run);

/* A request is left pending. */
static int forgets_run(const panto_world *world, const panto_call *call) {
    panto_request request;
    int from = (world->rank + 1) % world->size;
    world->start_receive(world, call->output, call->bytes, from, &request);
    return 0;
}
BROADCAST(forgets, forgets_run);

/* Sends to a rank that does not exist. */
static int beyond_run(const panto_world *world, const panto_call *call) {
    return world->send(world, call->output, call->bytes, world->size);
}
BROADCAST(beyond, beyond_run);

const panto_implementation newer = {
    UINT64_C(0x50414e544f434f4c), 99, .collectives = PANTO_SERVES(PANTO_BCAST), .run = direct};
const panto_implementation empty = {PANTO_IMPLEMENTATION, .collectives = 0};

int not_one(void) {
    return 0;
}
