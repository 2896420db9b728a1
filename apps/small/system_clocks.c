// Sleeps by each function of the system that can, and prints for how long by each of its clocks. On
// a simulated machine without computation all are exact. The clocks never go backwards.
#define _GNU_SOURCE
#include "../common/common.h"

#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long is_long;

static double monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static double time_of_day(void) {
    struct timeval now;
    gettimeofday(&now, NULL);
    return (double)now.tv_sec * 1e6 + (double)now.tv_usec;
}

static double own(void) { return MPI_Wtime() * 1e6; }

static void by_sleep(void) { sleep(is_long ? 2 : 0); }
static void by_usleep(void) { usleep(2500); }
static void by_nanosleep(void) { nanosleep(&(struct timespec){0, 1500000}, NULL); }
static void by_clock(void) { clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, 250000}, NULL); }

// Sleeps until a moment: an hour from now, or a millisecond.
static void until(void) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += is_long ? 3600 : 0;
    end.tv_nsec += is_long ? 0 : 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        end.tv_sec++;
    }
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &end, NULL);
}

static void show(const char *name, void (*sleeps)(void)) {
    double mpi = own(), clock = monotonic(), day = time_of_day();
    time_t seconds = time(NULL);
    sleeps();
    EXPECT(time(NULL) >= seconds, "time went backwards");
    day = time_of_day() - day;
    clock = monotonic() - clock;
    mpi = own() - mpi;
    if (rank == 0)
        printf("%s: %.0f us by MPI, %.0f us by clock_gettime, %.0f us by gettimeofday\n", name, mpi, clock,
               day);
}

int main(int argc, char **argv) {
    const Option options[] = {{"--long", "sleep for an hour, too", &is_long, 0, true}, {0}};
    double before = monotonic();
    begin(&argc, &argv, "sleeps, and what the system's clocks say", options, NULL);
    double first = monotonic();
    EXPECT(first >= before, "the clock went backwards by %.3f us in MPI_Init", before - first);
    show("sleep", by_sleep);
    show("usleep", by_usleep);
    show("nanosleep", by_nanosleep);
    show("clock_nanosleep", by_clock);
    show("until", until);
    double last = monotonic();
    finish("clocks never went backwards");
    double after = monotonic();
    if (after < last)
        fprintf(stderr, "the clock went backwards by %.3f us in MPI_Finalize\n", last - after);
    return after < last;
}
