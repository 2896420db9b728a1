// A collective in each form of call: blocking, non-blocking and, since MPI 4, persistent.
#ifndef WAYS_H
#define WAYS_H

#include "../common/common.h"

typedef enum { BLOCKING, NON_BLOCKING, PERSISTENT } Way;
#if MPI_VERSION >= 4
enum { WAYS = 3 };
#define START_PERSISTENT(name, ...) CHECK(MPI_##name(__VA_ARGS__, MPI_INFO_NULL, &request))
#else
enum { WAYS = 2 };
#define START_PERSISTENT(name, ...) request = MPI_REQUEST_NULL
#endif

// MPICH 4.0.2 fails in the second start of a persistent scatter with three or more ranks ("Invalid
// communicator"); 5.0 does not.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
enum { MOST_STARTS = 1 };
#else
enum { MOST_STARTS = 3 };
#endif

static inline void repeat(MPI_Request *request, int times) {
    for (int i = 0; i < times && i < MOST_STARTS; i++) {
        CHECK(MPI_Start(request));
        CHECK(MPI_Wait(request, MPI_STATUS_IGNORE));
    }
    CHECK(MPI_Request_free(request));
}

// Runs a collective with these arguments; a persistent one `times` times. In-place operations run
// once, because they change their input.
#define RUN(way, times, blocking, non_blocking, persistent, ...) \
    do { \
        MPI_Request request; \
        if (way == BLOCKING) { \
            CHECK(MPI_##blocking(__VA_ARGS__)); \
        } else if (way == NON_BLOCKING) { \
            CHECK(MPI_##non_blocking(__VA_ARGS__, &request)); \
            CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE)); \
        } else { \
            START_PERSISTENT(persistent, __VA_ARGS__); \
            repeat(&request, times); \
        } \
    } while (0)

#endif
