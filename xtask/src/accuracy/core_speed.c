// Measures the speed of a core a few hundred times a second; a core that is shared with other
// virtual machines varies. Each line: seconds since 1970, seconds that a fixed amount of work took,
// and CPU seconds of this program since the last line.
#include <stdio.h>
#include <time.h>

#define N 32
#define TIMES 6

static double a[N][N], b[N][N], c[N][N];

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void work(void) {
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                c[i][j] += a[i][k] * b[k][j];
}

int main(void) {
    const struct timespec pause = {.tv_nsec = 2500000};
    double spent = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = b[i][j] = 1.0 / (1 + i + j);
    while (c[1][1] >= 0) {
        nanosleep(&pause, NULL);
        work(); // Warms the caches, which other programs have used since the last line.
        double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < TIMES; i++)
            work();
        double end = seconds(CLOCK_PROCESS_CPUTIME_ID);
        printf("%.6f %.9f %.9f\n", seconds(CLOCK_REALTIME), end - start, end - spent);
        if (fflush(stdout))
            return 0;
        spent = end;
    }
    return 0;
}
