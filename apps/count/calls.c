// The wrappers. Most are generated from the lists in calls.h; irregular ones are defined here.
#include "count.h"

#include <stdlib.h>

// ---- Helpers of the lists

static inline int own(MPI_Comm comm) {
    int me = 0;
    PMPI_Comm_rank(comm, &me);
    return me;
}

static inline int own_size(MPI_Comm comm) {
    int size = 0;
    PMPI_Comm_size(comm, &size);
    return size;
}

#define SUMS(name, count) \
    static inline long long name(const count *counts, int number) { \
        long long sum = 0; \
        for (int i = 0; i < number; i++) \
            sum += counts[i]; \
        return sum; \
    } \
    static inline Traffic name##_typed(const count *counts, const MPI_Datatype *types, int number) { \
        Traffic sum = contributing(0, MPI_BYTE); \
        for (int i = 0; i < number; i++) \
            sum.bytes += counts[i] * size_of(types[i]); \
        return sum; \
    }
SUMS(sum_small, int)
SUMS(sum_large, MPI_Count)
#define CHOOSE(counts, small, large) _Generic((counts), const int *: small, const MPI_Count *: large)
#define SUM_OF(counts, number) CHOOSE(counts, sum_small, sum_large)(counts, number)
#define TYPED(counts, types, number) CHOOSE(counts, sum_small_typed, sum_large_typed)(counts, types, number)

// ---- The lists

#define COUNT int
#define DISPLACEMENT int
#define MPI_(x) MPI_##x
#define PMPI_(x) PMPI_##x
#include "calls.h"

#if MPI_VERSION >= 4
#undef COUNT
#undef DISPLACEMENT
#undef MPI_
#undef PMPI_
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#define MPI_(x) MPI_##x##_c
#define PMPI_(x) PMPI_##x##_c
#include "calls.h"
#endif

#undef MPI_
#undef PMPI_
#define MPI_(x) MPI_##x
#define PMPI_(x) PMPI_##x

COLLECTIVE(Barrier, Ibarrier, Barrier_init, nothing(), P(MPI_Comm comm), P(comm))

#if MPI_VERSION >= 4
#define PARTS \
    P(int partitions, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Info info, \
      MPI_Request *request)
#define PARTITIONED P(buffer, partitions, count, type, peer, tag, comm, info, request)
INIT(Psend_init, sending(partitions * (long long)count, type, peer, comm), (const void *buffer, PARTS), (PARTITIONED))
INIT(Precv_init, receiving(partitions * (long long)count, type), (void *buffer, PARTS), (PARTITIONED))
CALL(Pready, nothing(), (int partition, MPI_Request request), (partition, request))
CALL(Pready_range, nothing(), (int low, int high, MPI_Request request), (low, high, request))
#endif

CALL(Fetch_and_op, both(putting(1, type, peer, win), receiving(1, type)),
     (const void *buffer, void *in, MPI_Datatype type, int peer, MPI_Aint at, MPI_Op op, MPI_Win win),
     (buffer, in, type, peer, at, op, win))
CALL(Compare_and_swap, both(putting(1, type, peer, win), receiving(1, type)),
     (const void *buffer, const void *compared, void *in, MPI_Datatype type, int peer, MPI_Aint at, MPI_Win win),
     (buffer, compared, in, type, peer, at, win))

// ---- Starts, and calls that end requests without completing them

int MPI_Start(MPI_Request *request) {
    FUNCTION(Start);
    MPI_Request before = *request;
    counted(&function, started(before));
    int code = PMPI_Start(request);
    renamed(before, *request);
    return code;
}

// One call with the bytes of all its requests; each request counts with its own peer.
int MPI_Startall(int count, MPI_Request requests[]) {
    FUNCTION(Startall);
    MPI_Request *before = copy(requests, count);
    for (int i = 0; i < count; i++)
        joined(&function, started(before[i]));
    counted(&function, nothing());
    int code = PMPI_Startall(count, requests);
    for (int i = 0; i < count; i++)
        renamed(before[i], requests[i]);
    free(before);
    return code;
}

int MPI_Request_free(MPI_Request *request) {
    FUNCTION(Request_free);
    counted(&function, nothing());
    forget(*request);
    return PMPI_Request_free(request);
}

CALL(Cancel, nothing(), (MPI_Request *request), (request))

// ---- Probes

#define SOURCE P(int source, int tag, MPI_Comm comm)
#define LOOKING(x) static Function function = {.name = NAMED(MPI_(x)), .fails = true}

CALL(Probe, nothing(), (SOURCE, MPI_Status *status), (source, tag, comm, status))
CALL(Mprobe, nothing(), (SOURCE, MPI_Message *message, MPI_Status *status), (source, tag, comm, message, status))

int MPI_Iprobe(SOURCE, int *flag, MPI_Status *status) {
    LOOKING(Iprobe);
    int code = PMPI_Iprobe(source, tag, comm, flag, status);
    completed(&function, 0, !*flag);
    return code;
}

int MPI_Improbe(SOURCE, int *flag, MPI_Message *message, MPI_Status *status) {
    LOOKING(Improbe);
    int code = PMPI_Improbe(source, tag, comm, flag, message, status);
    completed(&function, 0, !*flag);
    return code;
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
    LOOKING(Request_get_status);
    int code = PMPI_Request_get_status(request, flag, status);
    completed(&function, 0, !*flag);
    return code;
}

#if MPI_VERSION >= 4
int MPI_Parrived(MPI_Request request, int partition, int *flag) {
    LOOKING(Parrived);
    int code = PMPI_Parrived(request, partition, flag);
    completed(&function, 0, !*flag);
    return code;
}
#endif
