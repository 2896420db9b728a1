// NX/2, the message layer of the iPSC/860, over MPI: programs of that age can be compiled with an
// MPI, traced and predicted. Include it instead of <cube.h> or <nx.h>; no call to start or end is
// needed, as on the iPSC.
//
// Covered: mynode, numnodes, csend, crecv, isend, irecv, msgwait, msgdone, cprobe, iprobe, the
// info calls, gsync, gdsum, gdhigh, gdlow, gisum, dclock. Types are tags, and -1 as a type or a node
// matches all. Process ids are ignored, as there is one process per node.
//
// NX buffers every message on the receiving node, and an MPI only up to its eager limit: programs
// in which both sides of a long exchange send first can deadlock here.
#ifndef PANTO_NX_H
#define PANTO_NX_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

// Definitions that several files of a program may have; the linker keeps one.
#define NX_SHARED __attribute__((weak))

// Pending messages of a node, as on the iPSC.
#define NX_MESSAGES 1024

NX_SHARED MPI_Request nx_requests[NX_MESSAGES];
NX_SHARED int nx_is_used[NX_MESSAGES];
NX_SHARED MPI_Status nx_status;
NX_SHARED int nx_is_started;

static inline void nx_check(int code, const char *call) {
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "nx: %s failed with MPI error %d\n", call, code);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

#define NX_CHECK(call) nx_check((call), #call)

NX_SHARED void nx_end(void) {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (!is_over) NX_CHECK(MPI_Finalize());
}

__attribute__((constructor)) NX_SHARED void nx_start(void) {
    if (nx_is_started) return;
    nx_is_started = 1;
    NX_CHECK(MPI_Init(NULL, NULL));
    atexit(nx_end);
}

static inline int nx_source(long node) { return node < 0 ? MPI_ANY_SOURCE : (int)node; }
static inline int nx_tag(long type) { return type < 0 ? MPI_ANY_TAG : (int)type; }

static inline long nx_message(void) {
    for (long id = 0; id < NX_MESSAGES; id++)
        if (!nx_is_used[id]) {
            nx_is_used[id] = 1;
            return id;
        }
    fprintf(stderr, "nx: more than %d pending messages; call msgwait\n", NX_MESSAGES);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return -1;
}

static inline long mynode(void) {
    int rank;
    NX_CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    return rank;
}

static inline long numnodes(void) {
    int ranks;
    NX_CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
    return ranks;
}

static inline double dclock(void) { return MPI_Wtime(); }

// Sends to a node, or to all others if it is -1.
static inline void csend(long type, const void *data, long bytes, long node, long process) {
    (void)process;
    for (long to = node < 0 ? 0 : node; to < (node < 0 ? numnodes() : node + 1); to++)
        if (node >= 0 || to != mynode())
            NX_CHECK(MPI_Send(data, (int)bytes, MPI_BYTE, (int)to, (int)type, MPI_COMM_WORLD));
}

static inline void crecv(long type, void *data, long bytes) {
    NX_CHECK(MPI_Recv(data, (int)bytes, MPI_BYTE, MPI_ANY_SOURCE, nx_tag(type), MPI_COMM_WORLD, &nx_status));
}

static inline long isend(long type, const void *data, long bytes, long node, long process) {
    (void)process;
    long id = nx_message();
    NX_CHECK(MPI_Isend(data, (int)bytes, MPI_BYTE, (int)node, (int)type, MPI_COMM_WORLD, &nx_requests[id]));
    return id;
}

static inline long irecv(long type, void *data, long bytes) {
    long id = nx_message();
    NX_CHECK(MPI_Irecv(data, (int)bytes, MPI_BYTE, MPI_ANY_SOURCE, nx_tag(type), MPI_COMM_WORLD, &nx_requests[id]));
    return id;
}

static inline void msgwait(long id) {
    NX_CHECK(MPI_Wait(&nx_requests[id], &nx_status));
    nx_is_used[id] = 0;
}

static inline long msgdone(long id) {
    int is_done = 0;
    NX_CHECK(MPI_Test(&nx_requests[id], &is_done, &nx_status));
    if (is_done) nx_is_used[id] = 0;
    return is_done;
}

static inline void cprobe(long type) {
    NX_CHECK(MPI_Probe(MPI_ANY_SOURCE, nx_tag(type), MPI_COMM_WORLD, &nx_status));
}

static inline long iprobe(long type) {
    int is_there = 0;
    NX_CHECK(MPI_Iprobe(MPI_ANY_SOURCE, nx_tag(type), MPI_COMM_WORLD, &is_there, &nx_status));
    return is_there;
}

// Bytes, node and type of the last message that was received or probed.
static inline long infocount(void) {
    int bytes;
    NX_CHECK(MPI_Get_count(&nx_status, MPI_BYTE, &bytes));
    return bytes;
}

static inline long infonode(void) { return nx_status.MPI_SOURCE; }
static inline long infotype(void) { return nx_status.MPI_TAG; }

static inline void gsync(void) { NX_CHECK(MPI_Barrier(MPI_COMM_WORLD)); }

// The result is in x on all nodes; NX needs the work array.
static inline void nx_reduce(void *x, long n, MPI_Datatype type, MPI_Op op) {
    NX_CHECK(MPI_Allreduce(MPI_IN_PLACE, x, (int)n, type, op, MPI_COMM_WORLD));
}

static inline void gdsum(double x[], long n, double work[]) { (void)work, nx_reduce(x, n, MPI_DOUBLE, MPI_SUM); }
static inline void gdhigh(double x[], long n, double work[]) { (void)work, nx_reduce(x, n, MPI_DOUBLE, MPI_MAX); }
static inline void gdlow(double x[], long n, double work[]) { (void)work, nx_reduce(x, n, MPI_DOUBLE, MPI_MIN); }
static inline void gisum(long x[], long n, long work[]) { (void)work, nx_reduce(x, n, MPI_LONG, MPI_SUM); }

#endif
