// The calls that complete requests: the number of completed requests, and whether a test found
// nothing.
#include "count.h"

#include <stdlib.h>

// Marks all of these as completed; returns the number that were active.
static int end_all(const MPI_Request *requests, int count) {
    int done = 0;
    for (int i = 0; i < count; i++) {
        done += active(requests[i]);
        ended(requests[i]);
    }
    return done;
}

// Marks those with these indices as completed; returns their number.
static int end_some(const MPI_Request *requests, int count, const int *indices) {
    if (count == MPI_UNDEFINED)
        return 0;
    for (int i = 0; i < count; i++)
        ended(requests[indices[i]]);
    return count;
}

#define WAITS(x) static Function function = {.name = #x, .completes = true}
#define TESTS(x) static Function function = {.name = #x, .completes = true, .fails = true}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    WAITS(MPI_Wait);
    MPI_Request kept = *request;
    int code = PMPI_Wait(request, status);
    completed(&function, end_all(&kept, 1), false);
    return code;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    TESTS(MPI_Test);
    MPI_Request kept = *request;
    int code = PMPI_Test(request, flag, status);
    completed(&function, *flag ? end_all(&kept, 1) : 0, !*flag);
    return code;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    WAITS(MPI_Waitall);
    MPI_Request *kept = copy(requests, count);
    int code = PMPI_Waitall(count, requests, statuses);
    completed(&function, end_all(kept, count), false);
    free(kept);
    return code;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
    TESTS(MPI_Testall);
    MPI_Request *kept = copy(requests, count);
    int code = PMPI_Testall(count, requests, flag, statuses);
    completed(&function, *flag ? end_all(kept, count) : 0, !*flag);
    free(kept);
    return code;
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    WAITS(MPI_Waitany);
    MPI_Request *kept = copy(requests, count);
    int code = PMPI_Waitany(count, requests, index, status);
    completed(&function, end_some(kept, *index == MPI_UNDEFINED ? 0 : 1, index), false);
    free(kept);
    return code;
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    TESTS(MPI_Testany);
    MPI_Request *kept = copy(requests, count);
    int code = PMPI_Testany(count, requests, index, flag, status);
    completed(&function, end_some(kept, *flag && *index != MPI_UNDEFINED, index), !*flag);
    free(kept);
    return code;
}

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]) {
    WAITS(MPI_Waitsome);
    MPI_Request *kept = copy(requests, count);
    int code = PMPI_Waitsome(count, requests, done, indices, statuses);
    completed(&function, end_some(kept, *done, indices), false);
    free(kept);
    return code;
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]) {
    TESTS(MPI_Testsome);
    MPI_Request *kept = copy(requests, count);
    int code = PMPI_Testsome(count, requests, done, indices, statuses);
    completed(&function, end_some(kept, *done, indices), *done == 0);
    free(kept);
    return code;
}
