// Shared by the wrappers in count.c and calls.h: the counts, and the requests whose starts and
// completions are counted.
#ifndef COUNT_H
#define COUNT_H

#include <mpi.h>
#include <stdbool.h>

typedef struct Function Function;

// An MPI function and the counts of this rank.
struct Function {
    const char *name;
    long calls;
    long long bytes, capacity, completed, failed;
    bool sends, receives, completes, fails; // which of the counts apply
    struct {
        long calls;
        long long bytes;
    } *peers;                               // by rank in MPI_COMM_WORLD
    Function *next;
};

// A message or operation, as described by the arguments of a call.
typedef struct {
    long long bytes;    // bytes that this rank sends
    long long capacity; // bytes of the receive buffer
    bool sends, receives;
    int peer;           // destination as a rank of MPI_COMM_WORLD, or -1
} Traffic;

// Counts one call of the function, with this traffic.
void counted(Function *function, Traffic traffic);
// Adds traffic without a call, where one call starts several requests.
void joined(Function *function, Traffic traffic);
// Counts one call of a function that completes requests: how many it completed, and whether it
// found nothing.
void completed(Function *function, int count, bool failed);

Traffic nothing(void);
Traffic sending(long long count, MPI_Datatype type, int destination, MPI_Comm comm);
// One-sided: to a target of a window.
Traffic putting(long long count, MPI_Datatype type, int target, MPI_Win win);
Traffic aimed(Traffic traffic, int target, MPI_Win win);
Traffic receiving(long long count, MPI_Datatype type);
Traffic both(Traffic sent, Traffic received);
Traffic contributing(long long count, MPI_Datatype type);

// Returns the size of the type, in bytes.
long long size_of(MPI_Datatype type);
// Returns the number of ranks in the group with which this rank communicates.
int members(MPI_Comm comm);
// Returns whether this rank is the root.
bool is_root(int root, MPI_Comm comm);
// Returns the number of neighbours that this rank sends to.
int targets(MPI_Comm comm);

// A persistent request was created: each start has this traffic.
void remember(MPI_Request request, Traffic traffic);
// The request was started; returns its traffic.
Traffic started(MPI_Request request);
// The start changed the request's handle: Open MPI does so while the message of the previous start
// is still in flight.
void renamed(MPI_Request before, MPI_Request after);
void forget(MPI_Request request);
// Returns whether this request is active: neither null, nor persistent and not started.
bool active(MPI_Request request);
// The request completed. A persistent one may be started again.
void ended(MPI_Request request);


// Returns a copy of the requests before a call that resets completed ones; the caller frees it.
MPI_Request *copy(const MPI_Request *requests, int count);

#endif
