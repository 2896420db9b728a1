// An interposer that counts calls and bytes, written independently of Panto's tracer, so that tests
// can compare the two. It is compiled against each MPI's own mpi.h and preloaded; it defines MPI_X
// and calls PMPI_X. At MPI_Finalize, or when the process ends without it, it writes `rank-N.txt`
// into the directory $COUNT_DIR. README.md describes the lines.
#define _POSIX_C_SOURCE 200809L
#include "count.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Function *functions;
static MPI_Group world = MPI_GROUP_NULL;
static int world_rank = -1, world_size;
static bool written;

Traffic nothing(void) { return (Traffic){.peer = -1}; }

long long size_of(MPI_Datatype type) {
    MPI_Count size = 0;
    // Insignificant arguments may be null types.
    if (type != MPI_DATATYPE_NULL)
        PMPI_Type_size_x(type, &size);
    return (long long)size;
}

static bool between(MPI_Comm comm) {
    int is = 0;
    PMPI_Comm_test_inter(comm, &is);
    return is;
}

static void look_around(void) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &world_size);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
}

// Not only in MPI_Init, which a Fortran binding may bypass.
static void begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look_around);
}

// Returns the rank in MPI_COMM_WORLD of a rank in this group, or -1 for none. Frees the group.
static int in_world(int one, MPI_Group group) {
    int found = MPI_UNDEFINED;
    begin();
    if (one != MPI_PROC_NULL)
        PMPI_Group_translate_ranks(group, 1, &one, world, &found);
    PMPI_Group_free(&group);
    return found == MPI_UNDEFINED ? -1 : found;
}

static MPI_Group group_of(MPI_Comm comm) {
    MPI_Group group;
    if (between(comm))
        PMPI_Comm_remote_group(comm, &group);
    else
        PMPI_Comm_group(comm, &group);
    return group;
}

Traffic sending(long long count, MPI_Datatype type, int destination, MPI_Comm comm) {
    long long bytes = destination == MPI_PROC_NULL ? 0 : count * size_of(type);
    return (Traffic){.bytes = bytes, .sends = true, .peer = in_world(destination, group_of(comm))};
}

Traffic aimed(Traffic traffic, int target, MPI_Win win) {
    MPI_Group group;
    PMPI_Win_get_group(win, &group);
    traffic.peer = in_world(target, group);
    return traffic;
}

Traffic putting(long long count, MPI_Datatype type, int target, MPI_Win win) {
    return aimed(contributing(target == MPI_PROC_NULL ? 0 : count, type), target, win);
}

Traffic receiving(long long count, MPI_Datatype type) {
    return (Traffic){.capacity = count * size_of(type), .receives = true, .peer = -1};
}

Traffic both(Traffic sent, Traffic received) {
    return (Traffic){sent.bytes, received.capacity, true, true, sent.peer};
}

Traffic contributing(long long count, MPI_Datatype type) {
    return (Traffic){.bytes = count * size_of(type), .sends = true, .peer = -1};
}

int members(MPI_Comm comm) {
    int size = 0;
    if (between(comm))
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    return size;
}

bool is_root(int root, MPI_Comm comm) {
    int me = -1;
    if (between(comm))
        return root == MPI_ROOT;
    PMPI_Comm_rank(comm, &me);
    return root == me;
}

int targets(MPI_Comm comm) {
    int kind = MPI_UNDEFINED, in = 0, out = 0, weighted = 0;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &out);
        return 2 * out;
    }
    if (kind == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &in);
        PMPI_Graph_neighbors_count(comm, in, &out);
    } else if (kind == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    }
    return out;
}

// The lock is held.
static void enlist(Function *function) {
    if (function->calls > 0)
        return;
    function->next = functions;
    functions = function;
}

// The lock is held.
static void add(Function *function, Traffic traffic) {
    function->bytes += traffic.bytes;
    function->capacity += traffic.capacity;
    function->sends |= traffic.sends;
    function->receives |= traffic.receives;
    if (traffic.peer >= 0) {
        if (!function->peers)
            function->peers = calloc((size_t)world_size, sizeof *function->peers);
        if (!function->peers)
            abort();
        function->peers[traffic.peer].calls++;
        function->peers[traffic.peer].bytes += traffic.bytes;
    }
}

void counted(Function *function, Traffic traffic) {
    begin();
    pthread_mutex_lock(&lock);
    enlist(function);
    function->calls++;
    add(function, traffic);
    pthread_mutex_unlock(&lock);
}

void joined(Function *function, Traffic traffic) {
    pthread_mutex_lock(&lock);
    add(function, traffic);
    pthread_mutex_unlock(&lock);
}

void completed(Function *function, int count, bool failed) {
    begin();
    pthread_mutex_lock(&lock);
    enlist(function);
    function->calls++;
    function->completed += count;
    function->failed += failed;
    pthread_mutex_unlock(&lock);
}

static int by_name(const void *a, const void *b) {
    return strcmp((*(Function *const *)a)->name, (*(Function *const *)b)->name);
}

static void write_function(FILE *file, const Function *function) {
    fprintf(file, "%s calls %ld", function->name, function->calls);
    if (function->sends)
        fprintf(file, " bytes %lld", function->bytes);
    if (function->receives)
        fprintf(file, " capacity %lld", function->capacity);
    if (function->completes)
        fprintf(file, " completed %lld", function->completed);
    if (function->fails)
        fprintf(file, " failed %lld", function->failed);
    fputc('\n', file);
}

static void write_peers(FILE *file, const Function *function) {
    for (int peer = 0; function->peers && peer < world_size; peer++)
        if (function->peers[peer].calls)
            fprintf(file, "peer %s %d calls %ld bytes %lld\n", function->name, peer, function->peers[peer].calls,
                    function->peers[peer].bytes);
}

static void write_all(FILE *file) {
    size_t count = 0;
    for (Function *each = functions; each; each = each->next)
        count++;
    Function **sorted = calloc(count + 1, sizeof *sorted);
    if (!sorted)
        abort();
    count = 0;
    for (Function *each = functions; each; each = each->next)
        sorted[count++] = each;
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0; i < count; i++)
        write_function(file, sorted[i]);
    for (size_t i = 0; i < count; i++)
        write_peers(file, sorted[i]);
    free(sorted);
}

// Runs once per process, at MPI_Finalize or at exit. Processes without MPI_Init write nothing.
__attribute__((destructor)) static void write_file(void) {
    const char *folder = getenv("COUNT_DIR");
    pthread_mutex_lock(&lock);
    if (folder && !written && world_rank >= 0) {
        char path[4096];
        snprintf(path, sizeof path, "%s/rank-%d.txt", folder, world_rank);
        FILE *file = fopen(path, "w");
        if (!file) {
            perror(path);
            abort();
        }
        write_all(file);
        fclose(file);
        written = true;
    }
    pthread_mutex_unlock(&lock);
}

int MPI_Init(int *argc, char ***argv) {
    int code = PMPI_Init(argc, argv);
    begin();
    return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int code = PMPI_Init_thread(argc, argv, required, provided);
    begin();
    return code;
}

int MPI_Finalize(void) {
    PMPI_Group_free(&world);
    write_file();
    return PMPI_Finalize();
}

// Some libraries end the process without running destructors.
int MPI_Abort(MPI_Comm comm, int code) {
    write_file();
    return PMPI_Abort(comm, code);
}
