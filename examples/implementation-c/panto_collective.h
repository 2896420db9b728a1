/*
 * The interface between Panto and a collective of your own (version 1).
 *
 * Write a function, export a `panto_implementation` with its address, build a shared library, and
 * let Panto measure it:
 *
 *     cc -shared -fPIC -O2 -o libmine.so mine.c
 *     panto bench scenario --collective bcast --impl library,./libmine.so:mine
 *
 * See docs/implementations.md; tree.c in this directory is an example.
 */
#ifndef PANTO_COLLECTIVE_H
#define PANTO_COLLECTIVE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PANTO_COLLECTIVE_VERSION 1u
/* The beginning of every implementation: the letters PANTOCOL, and the version. */
#define PANTO_IMPLEMENTATION UINT64_C(0x50414e544f434f4c), PANTO_COLLECTIVE_VERSION

/* The collectives. */
enum panto_collective {
    PANTO_BARRIER = 0,
    PANTO_BCAST,
    PANTO_GATHER,
    PANTO_GATHERV,
    PANTO_SCATTER,
    PANTO_SCATTERV,
    PANTO_ALLGATHER,
    PANTO_ALLGATHERV,
    PANTO_ALLTOALL,
    PANTO_ALLTOALLV,
    PANTO_REDUCE,
    PANTO_ALLREDUCE,
    PANTO_REDUCE_SCATTER,
    PANTO_SCAN,
    PANTO_EXSCAN
};

/* The collectives of an implementation: PANTO_SERVES(PANTO_BCAST) | PANTO_SERVES(PANTO_ALLREDUCE). */
#define PANTO_SERVES(collective) (UINT64_C(1) << (collective))

/* A pending message; 0 is none. */
typedef uint64_t panto_request;

/*
 * One rank's endpoint of the message layer. There are no tags: a collective's messages are separate
 * from all others, and the k-th message from one rank to another matches the k-th receive that the
 * other posts for it. A rank does not send to itself.
 *
 * Functions return 0. If one returns another value, the collective has failed: return that value.
 * All requests are cancelled then.
 */
typedef struct panto_world panto_world;
struct panto_world {
    uint32_t version;    /* PANTO_COLLECTIVE_VERSION */
    int rank;            /* this rank, from 0 */
    int size;            /* the number of ranks */
    const void *context; /* Panto's own state */

    /* Sends, and returns when the data may be changed. It may wait for the receiver. */
    int (*send)(const panto_world *world, const void *data, size_t bytes, int to);
    /* Receives exactly this number of bytes. */
    int (*receive)(const panto_world *world, void *buffer, size_t bytes, int from);
    /* Starts a send; do not change the data until it is complete. */
    int (*start_send)(const panto_world *world, const void *data, size_t bytes, int to, panto_request *request);
    /* Starts a receive; do not access the buffer until it is complete. */
    int (*start_receive)(const panto_world *world, void *buffer, size_t bytes, int from, panto_request *request);
    /* Tests a request, and makes progress on all messages. A complete request is set to 0. */
    int (*test)(const panto_world *world, panto_request *request, int *done);
    /* Waits for a request, which is set to 0. */
    int (*wait)(const panto_world *world, panto_request *request);

    /* Like memcpy; a simulated machine charges for it. */
    void (*copy)(const panto_world *world, void *into, const void *from, size_t bytes);
    /* Combines elements: into = from op into, for this number of bytes. The operator is associative
     * and commutative. */
    void (*combine)(const panto_world *world, const void *from, void *into, size_t bytes);
};

/* The parameters of a call. Input and output are as long as those of MPI's function on this rank. */
typedef struct panto_call {
    uint32_t collective; /* PANTO_BCAST ... */
    int root;            /* the root, where the collective has one */
    const void *input;   /* what this rank contributes; do not change it */
    void *output;        /* what it receives; in a broadcast the root's data is here */
    size_t input_bytes;
    size_t output_bytes;
    size_t bytes;        /* of the vector, or of one rank's block; 0 in the v-variants */
    size_t element;      /* bytes per element: split vectors between elements only */

    /* In the v-variants: length and start in bytes of the block for (or from) each rank; else NULL. */
    const size_t *input_lens;
    const size_t *input_starts;
    const size_t *output_lens;
    const size_t *output_starts;
} panto_call;

/* The table that a library exports:
 * const panto_implementation name = { PANTO_IMPLEMENTATION, .collectives = ..., .run = ... }; */
typedef struct panto_implementation {
    uint64_t magic;
    uint32_t version;
    uint64_t collectives; /* PANTO_SERVES(...) | ... */

    /* Runs a collective. All ranks call it together. */
    int (*run)(const panto_world *world, const panto_call *call);
    /* Starts a collective that overlaps with other work; may store a state of its own. NULL if it
     * cannot. */
    int (*start)(const panto_world *world, const panto_call *call, void **state);
    /* Advances the collective without blocking, and sets *done when it is complete; the state must
     * be freed then. */
    int (*test)(const panto_world *world, const panto_call *call, void *state, int *done);
} panto_implementation;

#ifdef __cplusplus
}
#endif

#endif
