// The calls with counts of elements, each of which exists twice: with `int` counts and, since MPI
// 4, as MPI_X_c with large ones. Included once for each form: COUNT is the type of counts,
// DISPLACEMENT that of displacements, MPI_(x) and PMPI_(x) are the names.

#define STRING(x) #x
#define NAMED(x) STRING(x)
#define FUNCTION(x) static Function function = {.name = NAMED(MPI_(x))}

// A blocking or non-blocking call: counted when it is called.
#define CALL(x, traffic, parameters, arguments) \
    int MPI_(x) parameters { \
        FUNCTION(x); \
        counted(&function, traffic); \
        return PMPI_(x) arguments; \
    }

// A call that creates a persistent request: its traffic is counted at each start.
#define INIT(x, traffic, parameters, arguments) \
    int MPI_(x) parameters { \
        FUNCTION(x); \
        counted(&function, nothing()); \
        Traffic each = traffic; \
        int code = PMPI_(x) arguments; \
        if (code == MPI_SUCCESS) \
            remember(*request, each); \
        return code; \
    }

#define P(...) __VA_ARGS__

// ---- Point-to-point

#define SENDS P(const void *buffer, COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
#define RECEIVES P(void *buffer, COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
#define MESSAGE P(buffer, count, type, peer, tag, comm)
#define SENT sending(count, type, peer, comm)

CALL(Send, SENT, (SENDS), (MESSAGE))
CALL(Bsend, SENT, (SENDS), (MESSAGE))
CALL(Ssend, SENT, (SENDS), (MESSAGE))
CALL(Rsend, SENT, (SENDS), (MESSAGE))
CALL(Isend, SENT, (SENDS, MPI_Request *request), (MESSAGE, request))
CALL(Ibsend, SENT, (SENDS, MPI_Request *request), (MESSAGE, request))
CALL(Issend, SENT, (SENDS, MPI_Request *request), (MESSAGE, request))
CALL(Irsend, SENT, (SENDS, MPI_Request *request), (MESSAGE, request))
INIT(Send_init, SENT, (SENDS, MPI_Request *request), (MESSAGE, request))
INIT(Bsend_init, SENT, (SENDS, MPI_Request *request), (MESSAGE, request))
INIT(Ssend_init, SENT, (SENDS, MPI_Request *request), (MESSAGE, request))
INIT(Rsend_init, SENT, (SENDS, MPI_Request *request), (MESSAGE, request))

CALL(Recv, receiving(count, type), (RECEIVES, MPI_Status *status), (MESSAGE, status))
CALL(Irecv, receiving(count, type), (RECEIVES, MPI_Request *request), (MESSAGE, request))
INIT(Recv_init, receiving(count, type), (RECEIVES, MPI_Request *request), (MESSAGE, request))
CALL(Mrecv, receiving(count, type),
     (void *buffer, COUNT count, MPI_Datatype type, MPI_Message *message, MPI_Status *status),
     (buffer, count, type, message, status))
CALL(Imrecv, receiving(count, type),
     (void *buffer, COUNT count, MPI_Datatype type, MPI_Message *message, MPI_Request *request),
     (buffer, count, type, message, request))

#define EXCHANGES \
    P(const void *buffer, COUNT count, MPI_Datatype type, int peer, int tag, void *in, COUNT in_count, \
      MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm)
#define EXCHANGE P(buffer, count, type, peer, tag, in, in_count, in_type, source, in_tag, comm)
#define REPLACES \
    P(void *buffer, COUNT count, MPI_Datatype type, int peer, int tag, int source, int in_tag, MPI_Comm comm)
#define REPLACED P(buffer, count, type, peer, tag, source, in_tag, comm)

CALL(Sendrecv, both(SENT, receiving(in_count, in_type)), (EXCHANGES, MPI_Status *status), (EXCHANGE, status))
CALL(Sendrecv_replace, both(SENT, receiving(count, type)), (REPLACES, MPI_Status *status), (REPLACED, status))
#if MPI_VERSION >= 4
CALL(Isendrecv, both(SENT, receiving(in_count, in_type)), (EXCHANGES, MPI_Request *request), (EXCHANGE, request))
CALL(Isendrecv_replace, both(SENT, receiving(count, type)), (REPLACES, MPI_Request *request), (REPLACED, request))
#endif

// ---- Collectives: blocking, non-blocking and, since MPI 4, persistent

#define BLOCKING(blocking, non_blocking, traffic, parameters, arguments) \
    CALL(blocking, traffic, (parameters), (arguments)) \
    CALL(non_blocking, traffic, (parameters, MPI_Request *request), (arguments, request))
#if MPI_VERSION >= 4
#define COLLECTIVE(blocking, non_blocking, persistent, traffic, parameters, arguments) \
    BLOCKING(blocking, non_blocking, traffic, P(parameters), P(arguments)) \
    INIT(persistent, traffic, (parameters, MPI_Info info, MPI_Request *request), (arguments, info, request))
#else
#define COLLECTIVE(blocking, non_blocking, persistent, traffic, parameters, arguments) \
    BLOCKING(blocking, non_blocking, traffic, P(parameters), P(arguments))
#endif

// The contribution of a rank that only receives.
#define NO_BYTES contributing(0, MPI_BYTE)
// With MPI_IN_PLACE the send arguments are ignored, and those of the receive replace them.
#define IN_PLACE (out == MPI_IN_PLACE)
#define GIVEN(times) \
    (IN_PLACE ? contributing((times) * (long long)in_count, in_type) \
              : contributing((times) * (long long)out_count, out_type))

COLLECTIVE(Bcast, Ibcast, Bcast_init, root == MPI_PROC_NULL ? NO_BYTES : contributing(count, type),
           P(void *buffer, COUNT count, MPI_Datatype type, int root, MPI_Comm comm),
           P(buffer, count, type, root, comm))

#define OUT P(const void *out, COUNT out_count, MPI_Datatype out_type)
#define IN P(void *in, COUNT in_count, MPI_Datatype in_type)
#define OUT_IN P(out, out_count, out_type, in, in_count, in_type)

COLLECTIVE(Gather, Igather, Gather_init, root == MPI_PROC_NULL || root == MPI_ROOT ? NO_BYTES : GIVEN(1),
           P(OUT, IN, int root, MPI_Comm comm), P(OUT_IN, root, comm))
COLLECTIVE(Scatter, Iscatter, Scatter_init,
           is_root(root, comm) ? contributing(members(comm) * (long long)out_count, out_type) : NO_BYTES,
           P(OUT, IN, int root, MPI_Comm comm), P(OUT_IN, root, comm))
COLLECTIVE(Allgather, Iallgather, Allgather_init, GIVEN(1), P(OUT, IN, MPI_Comm comm), P(OUT_IN, comm))
COLLECTIVE(Alltoall, Ialltoall, Alltoall_init, GIVEN(members(comm)), P(OUT, IN, MPI_Comm comm), P(OUT_IN, comm))
COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, Neighbor_allgather_init, contributing(out_count, out_type),
           P(OUT, IN, MPI_Comm comm), P(OUT_IN, comm))
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, Neighbor_alltoall_init,
           contributing(targets(comm) * (long long)out_count, out_type), P(OUT, IN, MPI_Comm comm),
           P(OUT_IN, comm))

#define OUTS P(const void *out, const COUNT out_counts[], const DISPLACEMENT out_at[], MPI_Datatype out_type)
#define INS P(void *in, const COUNT in_counts[], const DISPLACEMENT in_at[], MPI_Datatype in_type)

COLLECTIVE(Gatherv, Igatherv, Gatherv_init,
           root == MPI_PROC_NULL || root == MPI_ROOT ? NO_BYTES
           : IN_PLACE ? contributing(in_counts[own(comm)], in_type)
                      : contributing(out_count, out_type),
           P(OUT, INS, int root, MPI_Comm comm),
           P(out, out_count, out_type, in, in_counts, in_at, in_type, root, comm))
COLLECTIVE(Scatterv, Iscatterv, Scatterv_init,
           is_root(root, comm) ? contributing(SUM_OF(out_counts, members(comm)), out_type) : NO_BYTES,
           P(OUTS, IN, int root, MPI_Comm comm),
           P(out, out_counts, out_at, out_type, in, in_count, in_type, root, comm))
COLLECTIVE(Allgatherv, Iallgatherv, Allgatherv_init,
           IN_PLACE ? contributing(in_counts[own(comm)], in_type) : contributing(out_count, out_type),
           P(OUT, INS, MPI_Comm comm), P(out, out_count, out_type, in, in_counts, in_at, in_type, comm))
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, Neighbor_allgatherv_init, contributing(out_count, out_type),
           P(OUT, INS, MPI_Comm comm), P(out, out_count, out_type, in, in_counts, in_at, in_type, comm))

#define MANY P(out, out_counts, out_at, out_type, in, in_counts, in_at, in_type, comm)

COLLECTIVE(Alltoallv, Ialltoallv, Alltoallv_init,
           IN_PLACE ? contributing(SUM_OF(in_counts, members(comm)), in_type)
                    : contributing(SUM_OF(out_counts, members(comm)), out_type),
           P(OUTS, INS, MPI_Comm comm), MANY)
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, Neighbor_alltoallv_init,
           contributing(SUM_OF(out_counts, targets(comm)), out_type), P(OUTS, INS, MPI_Comm comm), MANY)

#define OUT_TYPES(displacement) \
    P(const void *out, const COUNT out_counts[], const displacement out_at[], const MPI_Datatype out_type[])
#define IN_TYPES(displacement) \
    P(void *in, const COUNT in_counts[], const displacement in_at[], const MPI_Datatype in_type[])

COLLECTIVE(Alltoallw, Ialltoallw, Alltoallw_init,
           IN_PLACE ? TYPED(in_counts, in_type, members(comm)) : TYPED(out_counts, out_type, members(comm)),
           P(OUT_TYPES(DISPLACEMENT), IN_TYPES(DISPLACEMENT), MPI_Comm comm), MANY)
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, Neighbor_alltoallw_init,
           TYPED(out_counts, out_type, targets(comm)), P(OUT_TYPES(MPI_Aint), IN_TYPES(MPI_Aint), MPI_Comm comm),
           MANY)

#define REDUCES P(const void *out, void *in, COUNT count, MPI_Datatype type, MPI_Op op)
#define REDUCED P(out, in, count, type, op)

COLLECTIVE(Reduce, Ireduce, Reduce_init,
           root == MPI_PROC_NULL || root == MPI_ROOT ? NO_BYTES : contributing(count, type),
           P(REDUCES, int root, MPI_Comm comm), P(REDUCED, root, comm))
COLLECTIVE(Allreduce, Iallreduce, Allreduce_init, contributing(count, type), P(REDUCES, MPI_Comm comm),
           P(REDUCED, comm))
COLLECTIVE(Scan, Iscan, Scan_init, contributing(count, type), P(REDUCES, MPI_Comm comm), P(REDUCED, comm))
COLLECTIVE(Exscan, Iexscan, Exscan_init, contributing(count, type), P(REDUCES, MPI_Comm comm), P(REDUCED, comm))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, Reduce_scatter_block_init,
           contributing(own_size(comm) * (long long)count, type), P(REDUCES, MPI_Comm comm), P(REDUCED, comm))
COLLECTIVE(Reduce_scatter, Ireduce_scatter, Reduce_scatter_init,
           contributing(SUM_OF(counts, own_size(comm)), type),
           P(const void *out, void *in, const COUNT counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           P(out, in, counts, type, op, comm))

// ---- One-sided: bytes to the target, or capacity of the buffer at the origin

#define WINDOW(kind) \
    P(kind void *buffer, COUNT count, MPI_Datatype type, int peer, MPI_Aint at, COUNT there, MPI_Datatype theirs)
#define TARGET P(buffer, count, type, peer, at, there, theirs)
#define PUT putting(count, type, peer, win)
#define GOT aimed(receiving(count, type), peer, win)

CALL(Put, PUT, (WINDOW(const), MPI_Win win), (TARGET, win))
CALL(Get, GOT, (WINDOW(), MPI_Win win), (TARGET, win))
CALL(Accumulate, PUT, (WINDOW(const), MPI_Op op, MPI_Win win), (TARGET, op, win))
CALL(Rput, PUT, (WINDOW(const), MPI_Win win, MPI_Request *request), (TARGET, win, request))
CALL(Rget, GOT, (WINDOW(), MPI_Win win, MPI_Request *request), (TARGET, win, request))
CALL(Raccumulate, PUT, (WINDOW(const), MPI_Op op, MPI_Win win, MPI_Request *request), (TARGET, op, win, request))
CALL(Get_accumulate, both(PUT, receiving(in_count, in_type)),
     (const void *buffer, COUNT count, MPI_Datatype type, IN, int peer, MPI_Aint at, COUNT there, MPI_Datatype theirs,
      MPI_Op op, MPI_Win win),
     (buffer, count, type, in, in_count, in_type, peer, at, there, theirs, op, win))

// ---- Files

#define FILE_CALL(x, kind, traffic) \
    CALL(x, traffic, (MPI_File file, kind void *buffer, COUNT count, MPI_Datatype type, MPI_Status *status), \
         (file, buffer, count, type, status))
#define FILE_CALL_AT(x, kind, traffic) \
    CALL(x, traffic, \
         (MPI_File file, MPI_Offset at, kind void *buffer, COUNT count, MPI_Datatype type, MPI_Status *status), \
         (file, at, buffer, count, type, status))
#define FILE_START_AT(x, kind, traffic) \
    CALL(x, traffic, \
         (MPI_File file, MPI_Offset at, kind void *buffer, COUNT count, MPI_Datatype type, MPI_Request *request), \
         (file, at, buffer, count, type, request))

FILE_CALL(File_write, const, contributing(count, type))
FILE_CALL(File_write_all, const, contributing(count, type))
FILE_CALL_AT(File_write_at, const, contributing(count, type))
FILE_CALL_AT(File_write_at_all, const, contributing(count, type))
FILE_START_AT(File_iwrite_at, const, contributing(count, type))
FILE_CALL(File_read, , receiving(count, type))
FILE_CALL(File_read_all, , receiving(count, type))
FILE_CALL_AT(File_read_at, , receiving(count, type))
FILE_CALL_AT(File_read_at_all, , receiving(count, type))
FILE_START_AT(File_iread_at, , receiving(count, type))
