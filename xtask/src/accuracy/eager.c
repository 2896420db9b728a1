// The largest message that a send gives away before its receive is posted, by bisection.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST (64 << 20)
#define PATIENCE 0.02

static char *data;

// Does a send of so many bytes end while the receiver does not look?
static int ends_alone(int rank, int bytes) {
    int done = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Request request;
        double start = MPI_Wtime();
        MPI_Isend(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        while (!done && MPI_Wtime() < start + PATIENCE)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        int answer = done;
        if (!done)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        done = answer;
    } else {
        double start = MPI_Wtime();
        while (MPI_Wtime() < start + 2 * PATIENCE)
            ;
        MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(&done, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return done;
}

int main(int argc, char **argv) {
    int rank, low = 0, high = MOST;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    data = calloc(1, MOST);
    while (low + 1 < high) {
        int middle = low + (high - low) / 2;
        if (ends_alone(rank, middle))
            low = middle;
        else
            high = middle;
    }
    if (rank == 0)
        printf("%d\n", low);
    MPI_Finalize();
    return 0;
}
