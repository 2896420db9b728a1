#define _POSIX_C_SOURCE 200809L
#include "spin.h"

#include <time.h>

static long long used(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

long long spin(long long nanoseconds) {
    long long start = used(), time = 0;
    volatile double sum = 0;
    while (time < nanoseconds) {
        for (int i = 1; i < 200; i++)
            sum = sum + 1.0 / i;
        time = used() - start;
    }
    return time;
}
