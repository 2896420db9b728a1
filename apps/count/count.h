// What the wrappers in count.c and calls.h share: what is counted, and the requests whose start or completion says what passed.
#ifndef COUNT_H
#define COUNT_H

#include <mpi.h>
#include <stdbool.h>

typedef struct Function Function;

// One function of MPI and what this rank did with it.
struct Function {
    const char *name;
    long calls;
    long long bytes, capacity, completed, failed;
    bool sends, receives, completes, fails; // which of the figures make sense
    struct {
        long calls;
        long long bytes;
    } *peers;                               // by rank in MPI_COMM_WORLD
    Function *next;
};

// A message or operation, as the arguments of a call give it.
typedef struct {
    long long bytes;    // what this rank sends
    long long capacity; // how much fits where it receives
    bool sends, receives;
    int peer;           // to which rank of MPI_COMM_WORLD, or -1
} Traffic;

// One call of the function, with this traffic.
void counted(Function *function, Traffic traffic);
// Traffic beside that of the call itself, where one call starts several requests.
void joined(Function *function, Traffic traffic);
// One call of a function that completes requests: how many it did, and whether it found nothing.
void completed(Function *function, int count, bool failed);

Traffic nothing(void);
Traffic sending(long long count, MPI_Datatype type, int destination, MPI_Comm comm);
// One-sided: to a target of a window.
Traffic putting(long long count, MPI_Datatype type, int target, MPI_Win win);
Traffic aimed(Traffic traffic, int target, MPI_Win win);
Traffic receiving(long long count, MPI_Datatype type);
Traffic both(Traffic sent, Traffic received);
Traffic contributing(long long count, MPI_Datatype type);

// How many bytes the type has.
long long size_of(MPI_Datatype type);
// How many take part on the side that this rank talks to.
int members(MPI_Comm comm);
// Is this the rank that scatters or gathers?
bool is_root(int root, MPI_Comm comm);
// How many neighbours get something from this rank.
int targets(MPI_Comm comm);

// A persistent request was made: each start of it is this traffic.
void remember(MPI_Request request, Traffic traffic);
// It was started; answers its traffic.
Traffic started(MPI_Request request);
// Its start gave it another handle: Open MPI does so while the message of the start before is still on its way.
void renamed(MPI_Request before, MPI_Request after);
void forget(MPI_Request request);
// Could this request complete now? No null and no persistent one that was not started.
bool active(MPI_Request request);
// It completed. A persistent one may be started again.
void ended(MPI_Request request);


// Requests vanish when they complete: what was there before the call. To be freed.
MPI_Request *copy(const MPI_Request *requests, int count);

#endif
