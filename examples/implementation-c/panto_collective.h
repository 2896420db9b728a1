/*
 * The interface between Panto and a collective of your own (version 1).
 *
 * Write a function, export a `panto_implementation` that names it, build a shared library, and let Panto measure it:
 *
 *     cc -shared -fPIC -O2 -o libmine.so mine.c
 *     panto bench scenario --collective bcast --impl library,./libmine.so:mine
 *
 * docs/implementations.md explains it; tree.c beside this file is an example.
 */
#ifndef PANTO_COLLECTIVE_H
#define PANTO_COLLECTIVE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PANTO_COLLECTIVE_VERSION 1u
/* What every implementation begins with: the letters PANTOCOL, and the version. */
#define PANTO_IMPLEMENTATION UINT64_C(0x50414e544f434f4c), PANTO_COLLECTIVE_VERSION

/* Which collective a call is. */
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

/* Those that an implementation serves: PANTO_SERVES(PANTO_BCAST) | PANTO_SERVES(PANTO_ALLREDUCE). */
#define PANTO_SERVES(collective) (UINT64_C(1) << (collective))

/* A message that is on its way; 0 is none. */
typedef uint64_t panto_request;

/*
 * One rank's end of the message layer. There are no tags: all messages of a collective are its own, and the k-th that one rank sends to
 * another meets the k-th receive that the other has for it. A rank does not send to itself.
 *
 * Functions return 0. If one returns something else, the collective has failed: return that number. All requests are gone then.
 */
typedef struct panto_world panto_world;
struct panto_world {
    uint32_t version;    /* PANTO_COLLECTIVE_VERSION */
    int rank;            /* this rank, from 0 */
    int size;            /* how many there are */
    const void *context; /* Panto's own */

    /* Sends, and returns when the data may be changed. It may wait for the receiver. */
    int (*send)(const panto_world *world, const void *data, size_t bytes, int to);
    /* Receives exactly so many bytes. */
    int (*receive)(const panto_world *world, void *buffer, size_t bytes, int from);
    /* Starts a send; do not change the data before it is complete. */
    int (*start_send)(const panto_world *world, const void *data, size_t bytes, int to, panto_request *request);
    /* Starts a receive; do not touch the buffer before it is complete. */
    int (*start_receive)(const panto_world *world, void *buffer, size_t bytes, int from, panto_request *request);
    /* Is it complete? Lets all messages go on meanwhile. A request that is complete becomes 0. */
    int (*test)(const panto_world *world, panto_request *request, int *done);
    /* Waits for it. The request becomes 0. */
    int (*wait)(const panto_world *world, panto_request *request);

    /* Like memcpy; a simulated machine charges for it. */
    void (*copy)(const panto_world *world, void *into, const void *from, size_t bytes);
    /* Combines elements: into = from op into, for so many bytes of them. The operation commutes and associates. */
    void (*combine)(const panto_world *world, const void *from, void *into, size_t bytes);
};

/* What is to be done. Bytes of input and output are those that MPI's function of that name has on this rank. */
typedef struct panto_call {
    uint32_t collective; /* PANTO_BCAST ... */
    int root;            /* the rank with a part of its own, where there is one */
    const void *input;   /* what this rank contributes; do not change it */
    void *output;        /* what it gets; in a broadcast the root's data lies here */
    size_t input_bytes;
    size_t output_bytes;
    size_t bytes;        /* of the vector, or of the block of one rank; 0 in the v-variants */
    size_t element;      /* bytes of an element: cut vectors between elements only */

    /* In the v-variants: bytes of the block for (or from) each rank, and where it begins; elsewhere NULL. */
    const size_t *input_lens;
    const size_t *input_starts;
    const size_t *output_lens;
    const size_t *output_starts;
} panto_call;

/* What a library exports: const panto_implementation name = { PANTO_IMPLEMENTATION, .collectives = ..., .run = ... }; */
typedef struct panto_implementation {
    uint64_t magic;
    uint32_t version;
    uint64_t collectives; /* PANTO_SERVES(...) | ... */

    /* Carries a collective out. All ranks call it together. */
    int (*run)(const panto_world *world, const panto_call *call);
    /* Starts one, for scenarios in which it goes on beside other work; may leave a state of its own. NULL if it cannot. */
    int (*start)(const panto_world *world, const panto_call *call, void **state);
    /* Lets it go on as far as it can without waiting, and sets *done when it is complete; then the state must be free again. */
    int (*test)(const panto_world *world, const panto_call *call, void *state, int *done);
} panto_implementation;

#ifdef __cplusplus
}
#endif

#endif
