// One-sided communication: created and allocated windows; puts, gets and accumulates, synchronised
// by fences, by locks, and by post-start-complete-wait.
#include "../common/common.h"

#include <stdlib.h>

enum { CELLS = 16 };

static int next, last;

static void fenced(MPI_Win win, int *window) {
    int out[CELLS], in[CELLS];
    fill(out, CELLS, rank, next, 1);
    CHECK(MPI_Win_fence(0, win));
    CHECK(MPI_Put(out, CELLS, MPI_INT, next, 0, CELLS, MPI_INT, win));
    CHECK(MPI_Win_fence(0, win));
    expect_filled(window, CELLS, last, rank, 1);
    CHECK(MPI_Get(in, CELLS, MPI_INT, next, 0, CELLS, MPI_INT, win));
    CHECK(MPI_Win_fence(0, win));
    expect_filled(in, CELLS, rank, next, 1);
}

// Every rank accumulates into rank 0.
static void accumulated(MPI_Win win, int *window) {
    int one = 1, before = -1;
    window[0] = 0;
    CHECK(MPI_Win_fence(0, win));
    CHECK(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    CHECK(MPI_Win_fence(0, win));
    EXPECT(rank != 0 || window[0] == ranks, "%d of %d arrived", window[0], ranks);
    CHECK(MPI_Win_fence(0, win));
    CHECK(MPI_Get_accumulate(&one, 1, MPI_INT, &before, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    CHECK(MPI_Win_fence(0, win));
    EXPECT(before >= ranks && before < 2 * ranks, "there were %d before", before);
    EXPECT(rank != 0 || window[0] == 2 * ranks, "%d of %d arrived", window[0], 2 * ranks);
}

static void locked(MPI_Win win) {
    int out[CELLS], in[CELLS], got = -1, one = 1, expected = 0, swapped = -1;
    MPI_Request request;
    fill(out, CELLS, rank, next, 2);
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win));
    CHECK(MPI_Put(out, CELLS, MPI_INT, next, 0, CELLS, MPI_INT, win));
    CHECK(MPI_Win_unlock(next, win));
    CHECK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    CHECK(MPI_Get(in, CELLS, MPI_INT, next, 0, CELLS, MPI_INT, win));
    CHECK(MPI_Win_unlock(next, win));
    expect_filled(in, CELLS, rank, next, 2);
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(MPI_Win_lock_all(0, win));
    CHECK(MPI_Rput(&expected, 1, MPI_INT, next, 1, 1, MPI_INT, win, &request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(MPI_Win_flush(next, win));
    CHECK(MPI_Fetch_and_op(&one, &got, MPI_INT, next, 1, MPI_SUM, win));
    CHECK(MPI_Win_flush(next, win));
    EXPECT(got == 0, "there was %d", got);
    expected = 1;
    CHECK(MPI_Compare_and_swap(&rank, &expected, &swapped, MPI_INT, next, 1, win));
    CHECK(MPI_Win_flush_all(win));
    EXPECT(swapped == 1, "there was %d", swapped);
    CHECK(MPI_Rget(&got, 1, MPI_INT, next, 1, 1, MPI_INT, win, &request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(MPI_Win_unlock_all(win));
    EXPECT(got == rank, "there is %d", got);
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
}

// The target exposes its window to a group, and waits until the group has completed.
static void posted(MPI_Win win, int *window) {
    MPI_Group world, sources, targets;
    int out[CELLS];
    fill(out, CELLS, rank, next, 3);
    CHECK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK(MPI_Group_incl(world, 1, &last, &sources));
    CHECK(MPI_Group_incl(world, 1, &next, &targets));
    CHECK(MPI_Win_post(sources, 0, win));
    CHECK(MPI_Win_start(targets, 0, win));
    CHECK(MPI_Put(out, CELLS, MPI_INT, next, 0, CELLS, MPI_INT, win));
    CHECK(MPI_Win_complete(win));
    CHECK(MPI_Win_wait(win));
    expect_filled(window, CELLS, last, rank, 3);
    CHECK(MPI_Group_free(&targets));
    CHECK(MPI_Group_free(&sources));
    CHECK(MPI_Group_free(&world));
}

int main(int argc, char **argv) {
    begin(&argc, &argv, "One-sided communication.", (Option[]){{0}}, NULL);
    need_ranks(2); // Open MPI 4 does not support windows of a single process.
    next = (rank + 1) % ranks;
    last = (rank + ranks - 1) % ranks;
    MPI_Win win;
    int *given, *window;
    CHECK(MPI_Alloc_mem(CELLS * sizeof(int), MPI_INFO_NULL, &given));
    CHECK(MPI_Win_create(given, CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    fenced(win, given);
    accumulated(win, given);
    CHECK(MPI_Win_free(&win));
    CHECK(MPI_Free_mem(given));
    CHECK(MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win));
    locked(win);
    posted(win, window);
    CHECK(MPI_Win_free(&win));
    finish("onesided: %d ranks", ranks);
}
