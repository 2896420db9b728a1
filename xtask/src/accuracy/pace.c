// How much slower a core computes while the other one computes too: two virtual cores may be one real one.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define N 160
#define ROUNDS 15

static double a[N][N], b[N][N], c[N][N];

static double compute(void) {
    double start = MPI_Wtime();
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                c[i][j] += a[i][k] * b[k][j];
    return MPI_Wtime() - start;
}

static int by_size(const void *x, const void *y) {
    double first = *(const double *)x, second = *(const double *)y;
    return (first > second) - (first < second);
}

static double median(double *times) {
    qsort(times, ROUNDS, sizeof *times, by_size);
    return times[ROUNDS / 2];
}

int main(int argc, char **argv) {
    int rank;
    double alone[ROUNDS], together[ROUNDS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = b[i][j] = 1.0 / (1 + i + j);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            alone[round] = compute();
        else
            usleep(30000);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < 3; i++)
            together[round] = compute();
    }
    if (rank == 0)
        printf("%.6f\n", median(alone) / median(together));
    MPI_Finalize();
    return c[1][1] < 0;
}
