// Persistent requests: the traffic of a start of each, and whether it is active.
#include "count.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct Entry {
    MPI_Request request;
    Traffic traffic;
    bool active;
    struct Entry *next;
} Entry;

static Entry *entries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static Entry **find(MPI_Request request) {
    Entry **at = &entries;
    while (*at && (*at)->request != request)
        at = &(*at)->next;
    return at;
}

void remember(MPI_Request request, Traffic traffic) {
    Entry *entry = malloc(sizeof *entry);
    if (!entry)
        abort();
    pthread_mutex_lock(&lock);
    *entry = (Entry){request, traffic, false, entries};
    entries = entry;
    pthread_mutex_unlock(&lock);
}

Traffic started(MPI_Request request) {
    Traffic traffic = nothing();
    pthread_mutex_lock(&lock);
    Entry *entry = *find(request);
    if (entry) {
        entry->active = true;
        traffic = entry->traffic;
    }
    pthread_mutex_unlock(&lock);
    return traffic;
}

void forget(MPI_Request request) {
    pthread_mutex_lock(&lock);
    Entry **at = find(request), *entry = *at;
    if (entry) {
        *at = entry->next;
        free(entry);
    }
    pthread_mutex_unlock(&lock);
}

bool active(MPI_Request request) {
    if (request == MPI_REQUEST_NULL)
        return false;
    pthread_mutex_lock(&lock);
    Entry *entry = *find(request);
    bool is = !entry || entry->active;
    pthread_mutex_unlock(&lock);
    return is;
}

void ended(MPI_Request request) {
    pthread_mutex_lock(&lock);
    Entry *entry = *find(request);
    if (entry)
        entry->active = false;
    pthread_mutex_unlock(&lock);
}

void renamed(MPI_Request before, MPI_Request after) {
    pthread_mutex_lock(&lock);
    Entry *entry = *find(before);
    if (entry)
        entry->request = after;
    pthread_mutex_unlock(&lock);
}

MPI_Request *copy(const MPI_Request *requests, int count) {
    MPI_Request *kept = malloc((size_t)(count + 1) * sizeof *kept);
    if (!kept)
        abort();
    memcpy(kept, requests, (size_t)count * sizeof *kept);
    return kept;
}
