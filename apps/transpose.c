// The transpose of a distributed matrix, as a Fourier transform in two dimensions needs it: rows are
// distributed, every rank sends a block to every other one, by MPI_Alltoall or by single messages.
#include "common/common.h"

#include <stdlib.h>

// Exchanges blocks of `cells` elements by messages: step i goes to the i-th rank after this one.
static void exchange(const double *out, double *in, int cells) {
    MPI_Request *requests = allocate((size_t)(2 * ranks), sizeof *requests);
    int count = 0;
    for (int i = 1; i < ranks; i++) {
        int to = (rank + i) % ranks, from = (rank - i + ranks) % ranks;
        CHECK(MPI_Irecv(in + (long)from * cells, cells, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &requests[count++]));
        CHECK(MPI_Isend(out + (long)to * cells, cells, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, &requests[count++]));
    }
    for (long i = 0; i < cells; i++)
        in[(long)rank * cells + i] = out[(long)rank * cells + i];
    CHECK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
    free(requests);
}

int main(int argc, char **argv) {
    long n = 384, times = 4, by_messages = 0;
    const Option options[] = {
        {"-n", "rows and columns, a multiple of the number of ranks", &n, 1, false},
        {"-i", "transposes", &times, 1, false},
        {"--messages", "single messages instead of MPI_Alltoall", &by_messages, 0, true},
        {0},
    };
    begin(&argc, &argv, "The transpose of a distributed matrix.", options, NULL);
    if (n % ranks != 0)
        refuse("-n %ld is not a multiple of %d ranks", n, ranks);
    long rows = n / ranks;
    int cells = (int)(rows * rows);
    double *matrix = allocate((size_t)(rows * n), sizeof(double));
    double *out = allocate((size_t)(rows * n), sizeof(double)), *in = allocate((size_t)(rows * n), sizeof(double));
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < n; j++)
            matrix[i * n + j] = (double)((rank * rows + i) * n + j);

    double start = start_clock();
    for (long time = 0; time < times; time++) {
        for (long to = 0; to < ranks; to++)
            for (long i = 0; i < rows; i++)
                for (long j = 0; j < rows; j++)
                    out[to * cells + j * rows + i] = matrix[i * n + to * rows + j];
        if (by_messages)
            exchange(out, in, cells);
        else
            CHECK(MPI_Alltoall(out, cells, MPI_DOUBLE, in, cells, MPI_DOUBLE, MPI_COMM_WORLD));
        for (long from = 0; from < ranks; from++)
            for (long i = 0; i < rows; i++)
                for (long j = 0; j < rows; j++)
                    matrix[i * n + from * rows + j] = in[from * cells + i * rows + j];
    }
    double time = stop_clock(start);
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < n; j++) {
            long a = rank * rows + i, b = j;
            double expected = times % 2 ? (double)(b * n + a) : (double)(a * n + b);
            EXPECT(matrix[i * n + j] == expected, "element (%ld, %ld) is %g, not %g", a, b, matrix[i * n + j], expected);
        }
    free(matrix);
    free(out);
    free(in);
    finish("transpose: %ld by %ld, %ld times, parallel time %.6f s", n, n, times, time);
}
