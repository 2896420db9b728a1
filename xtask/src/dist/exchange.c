/* Each rank sends a message to the next: the least that shows a traced program. */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank = 0, ranks = 0, received = -1;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, &received, 1, MPI_INT, (rank + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return received == (rank + ranks - 1) % ranks ? 0 : 1;
}
