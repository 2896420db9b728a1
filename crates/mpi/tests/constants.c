/* Prints what an MPI's own header says of each constant: the name of the field of `Constants`, and the value in decimal, or the
   name of the data symbol whose address it is. constants.rs compiles and reads this. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static void number(const char *name, long long value)
{
    printf("%s %lld\n", name, value);
}

static void handle(const char *name, uintptr_t value)
{
#ifdef OPEN_MPI
    Dl_info found;
    if (dladdr((void *) value, &found) && found.dli_saddr == (void *) value && found.dli_sname) {
        printf("%s %s\n", name, found.dli_sname);
        return;
    }
#endif
    number(name, (long long) value);
}

int main(void)
{
#if defined(OPEN_MPI)
    puts("abi openmpi");
#elif defined(MPI_ABI_VERSION)
    puts("abi standard");
#elif defined(MPICH_VERSION) || defined(I_MPI_VERSION) || defined(MVAPICH_VERSION)
    puts("abi mpich");
#endif
    handle("comm_world", (uintptr_t) MPI_COMM_WORLD);
    handle("comm_self", (uintptr_t) MPI_COMM_SELF);
    handle("comm_null", (uintptr_t) MPI_COMM_NULL);
    handle("byte", (uintptr_t) MPI_BYTE);
    handle("datatype_null", (uintptr_t) MPI_DATATYPE_NULL);
    handle("double", (uintptr_t) MPI_DOUBLE);
    handle("sum", (uintptr_t) MPI_SUM);
    handle("unsigned_char", (uintptr_t) MPI_UNSIGNED_CHAR);
    handle("info_null", (uintptr_t) MPI_INFO_NULL);
    handle("request_null", (uintptr_t) MPI_REQUEST_NULL);
    handle("errors_return", (uintptr_t) MPI_ERRORS_RETURN);
    number("in_place", (intptr_t) MPI_IN_PLACE);
    number("status_ignore", (intptr_t) MPI_STATUS_IGNORE);
    number("statuses_ignore", (intptr_t) MPI_STATUSES_IGNORE);
    number("proc_null", MPI_PROC_NULL);
    number("root", MPI_ROOT);
    number("cart", MPI_CART);
    number("graph", MPI_GRAPH);
    number("dist_graph", MPI_DIST_GRAPH);
    number("lock_exclusive", MPI_LOCK_EXCLUSIVE);
    number("lock_shared", MPI_LOCK_SHARED);
    number("mode_nosucceed", MPI_MODE_NOSUCCEED);
    number("combiner_named", MPI_COMBINER_NAMED);
    number("any_source", MPI_ANY_SOURCE);
    number("any_tag", MPI_ANY_TAG);
    number("undefined", MPI_UNDEFINED);
    number("thread_single", MPI_THREAD_SINGLE);
    number("thread_multiple", MPI_THREAD_MULTIPLE);
    number("tag_ub", MPI_TAG_UB);
    number("err_truncate", MPI_ERR_TRUNCATE);
    number("bsend_overhead", MPI_BSEND_OVERHEAD);
    number("max_error_string", MPI_MAX_ERROR_STRING);
    number("max_library_version", MPI_MAX_LIBRARY_VERSION_STRING);
    number("status.size", sizeof(MPI_Status));
    number("status.source", offsetof(MPI_Status, MPI_SOURCE));
    number("status.tag", offsetof(MPI_Status, MPI_TAG));
    number("status.error", offsetof(MPI_Status, MPI_ERROR));
#if defined(OPEN_MPI)
    number("status.count", offsetof(MPI_Status, _ucount));
#elif defined(MPI_ABI_VERSION)
    number("status.count", sizeof(MPI_Status));
#else
    number("status.count", offsetof(MPI_Status, count_lo));
#endif
    return 0;
}
