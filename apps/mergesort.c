// Parallel merge sort (P17), as in PUPPET's thesis (5.1.1): each rank sorts its piece, and pairs
// merge up a binary tree.
#include "common/common.h"

#include <stdlib.h>
#include <string.h>

static void bubble_sort(int *data, long count) {
    for (long end = count; end > 1; end--)
        for (long i = 1; i < end; i++)
            if (data[i - 1] > data[i]) {
                int swapped = data[i];
                data[i] = data[i - 1];
                data[i - 1] = swapped;
            }
}

static void merge(const int *a, long m, const int *b, long n, int *out) {
    while (m > 0 && n > 0) {
        if (*a <= *b) {
            *out++ = *a++;
            m--;
        } else {
            *out++ = *b++;
            n--;
        }
    }
    memcpy(out, a, (size_t)m * sizeof *a);
    memcpy(out + m, b, (size_t)n * sizeof *b);
}

static void merge_sort(int *data, long count, int *scratch) {
    if (count < 2)
        return;
    long half = count / 2;
    merge_sort(data, half, scratch);
    merge_sort(data + half, count - half, scratch);
    merge(data, half, data + half, count - half, scratch);
    memcpy(data, scratch, (size_t)count * sizeof *data);
}

static int element(long seed, long i) { return (int)(uint32_t)random_bits((uint64_t)seed, (uint64_t)i); }

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Returns the end of the pieces of `step` ranks from rank `first` on.
static long behind(long size, int first, int step) {
    return piece(size, ranks, first + step < ranks ? first + step : ranks);
}

// Merges up the tree; the result is in `*data`.
static void climb(int **data, int **scratch, long size) {
    long first = piece(size, ranks, rank);
    for (int step = 1; step < ranks; step *= 2) {
        long mine = behind(size, rank, step) - first;
        if (rank & step) {
            CHECK(MPI_Send(*data, (int)mine, MPI_INT, rank - step, step, MPI_COMM_WORLD));
            return;
        }
        if (rank + step >= ranks)
            continue;
        long theirs = behind(size, rank + step, step) - piece(size, ranks, rank + step);
        CHECK(MPI_Recv(*data + mine, (int)theirs, MPI_INT, rank + step, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        merge(*data, mine, *data + mine, theirs, *scratch);
        int *merged = *scratch;
        *scratch = *data;
        *data = merged;
    }
}

static void verify(const int *data, int *expected, long size, long seed) {
    for (long i = 0; i < size; i++)
        expected[i] = element(seed, i);
    qsort(expected, (size_t)size, sizeof *expected, by_value);
    for (long i = 0; i < size; i++)
        EXPECT(data[i] == expected[i], "element %ld is %d, not %d", i, data[i], expected[i]);
}

int main(int argc, char **argv) {
    long size = 100000, seed = 1, bubble = 0, unchecked = 0;
    const Option options[] = {
        {"-n", "how many integers", &size, 0, false},
        {"-s", "seed of the random numbers", &seed, 0, false},
        {"--bubble", "bubble sort for the pieces, as in the thesis", &bubble, 0, true},
        {"--no-check", "leave the check of the result out", &unchecked, 0, true},
        {0},
    };
    begin(&argc, &argv, "Parallel merge sort of random integers.", options, NULL);

    // Rank 0 ends with all elements; the others with those of their subtree, which are fewer.
    long first = piece(size, ranks, rank), mine = piece(size, ranks, rank + 1) - first;
    int *data = allocate((size_t)(size - first), sizeof *data);
    int *scratch = allocate((size_t)(size - first), sizeof *scratch);
    for (long i = 0; i < mine; i++)
        data[i] = element(seed, first + i);

    double start = start_clock();
    if (bubble)
        bubble_sort(data, mine);
    else
        merge_sort(data, mine, scratch);
    climb(&data, &scratch, size);
    double time = stop_clock(start);

    if (rank == 0 && !unchecked)
        verify(data, scratch, size, seed);
    free(data);
    free(scratch);
    finish("mergesort: %ld integers on %d ranks, parallel time %.6f s", size, ranks, time);
}
