// A manager hands out work to any worker that requests it (MPI_ANY_SOURCE, MPI_ANY_TAG); the
// workers' results arrive in any order.
#include "../common/common.h"

enum { ASK = 1, ANSWER = 2, WORK = 3, STOP = 4 };

static long compute(int item) {
    long sum = 0;
    for (int i = 0; i < 1000 + item; i++)
        sum = (sum * 31 + i) % 1000003;
    return sum;
}

static void manage(long items) {
    long given = 0, answered = 0, sum = 0, expected = 0;
    for (int stopped = 0; stopped < ranks - 1;) {
        MPI_Status status;
        long answer;
        CHECK(MPI_Recv(&answer, 1, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        if (status.MPI_TAG == ANSWER) {
            sum += answer;
            answered++;
        }
        bool more = given < items;
        int item = more ? (int)given++ : -1;
        stopped += !more;
        CHECK(MPI_Send(&item, 1, MPI_INT, status.MPI_SOURCE, more ? WORK : STOP, MPI_COMM_WORLD));
    }
    for (int item = 0; item < items; item++)
        expected += compute(item);
    EXPECT(answered == items && sum == expected, "%ld answers make %ld, not %ld", answered, sum, expected);
}

static void work(void) {
    long answer = 0;
    int tag = ASK;
    for (;;) {
        MPI_Status status;
        int item;
        CHECK(MPI_Send(&answer, 1, MPI_LONG, 0, tag, MPI_COMM_WORLD));
        CHECK(MPI_Recv(&item, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        if (status.MPI_TAG == STOP)
            return;
        answer = compute(item);
        tag = ANSWER;
    }
}

// Wildcards in non-blocking receives, and receives without a status.
static void gather_blindly(void) {
    enum { EACH = 5 };
    if (rank > 0) {
        for (int i = 0; i < EACH; i++)
            CHECK(MPI_Send(&(int){rank * 100 + i}, 1, MPI_INT, 0, i, MPI_COMM_WORLD));
        return;
    }
    long sum = 0, expected = 0;
    for (int i = 0; i < EACH * (ranks - 1); i++) {
        int value;
        MPI_Request request;
        if (i % 2) {
            CHECK(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        } else {
            CHECK(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request));
            CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
        sum += value;
    }
    for (int source = 1; source < ranks; source++)
        for (int i = 0; i < EACH; i++)
            expected += source * 100 + i;
    EXPECT(sum == expected, "the sum is %ld, not %ld", sum, expected);
}

int main(int argc, char **argv) {
    long items = 40;
    const Option options[] = {{"-n", "pieces of work", &items, 0, false}, {0}};
    begin(&argc, &argv, "A manager and workers, with wildcards.", options, NULL);
    need_ranks(2);
    if (rank == 0)
        manage(items);
    else
        work();
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    gather_blindly();
    finish("wildcards: %ld pieces of work on %d ranks", items, ranks);
}
