// Every call that completes requests: wait and test, of one, any, some and all, with null and
// persistent requests among them.
#include "../common/common.h"

enum { MANY = 12 };

static int out[MANY][4], in[MANY][4];
static int next, last;
static int tag; // the first tag of this round

// Receives first, then sends, with one null request.
static int start(MPI_Request *requests) {
    int count = 0;
    for (int i = 0; i < MANY; i++)
        CHECK(MPI_Irecv(in[i], 4, MPI_INT, last, tag + i, MPI_COMM_WORLD, &requests[count++]));
    for (int i = 0; i < MANY; i++) {
        fill(out[i], 4, rank, next, tag + i);
        CHECK(MPI_Isend(out[i], 4, MPI_INT, next, tag + i, MPI_COMM_WORLD, &requests[count++]));
    }
    requests[count++] = MPI_REQUEST_NULL;
    return count;
}

static void verify(void) {
    for (int i = 0; i < MANY; i++)
        expect_filled(in[i], 4, last, rank, tag + i);
}

static void one(MPI_Request *requests, int count) {
    for (int i = 0; i < count; i++) {
        MPI_Status status;
        CHECK(MPI_Wait(&requests[i], &status));
        EXPECT(requests[i] == MPI_REQUEST_NULL, "request %d is still there", i);
        EXPECT(i >= MANY || (status.MPI_SOURCE == last && status.MPI_TAG == tag + i), "request %d is from %d with %d", i,
               status.MPI_SOURCE, status.MPI_TAG);
    }
}

static void one_tested(MPI_Request *requests, int count) {
    for (int i = 0; i < count; i++)
        for (int flag = 0; !flag;)
            CHECK(MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE));
}

static void any(MPI_Request *requests, int count) {
    int index = 0, done = -1;
    for (; index != MPI_UNDEFINED; done++)
        CHECK(MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE));
    EXPECT(done == 2 * MANY, "%d were waited for", done);
}

static void any_tested(MPI_Request *requests, int count) {
    int index = 0, done = 0, flag = 0;
    while (!flag || index != MPI_UNDEFINED) {
        CHECK(MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE));
        done += flag && index != MPI_UNDEFINED;
    }
    EXPECT(done == 2 * MANY, "%d were found", done);
}

static void some(MPI_Request *requests, int count) {
    int indices[2 * MANY + 1], got = 0, done = 0;
    MPI_Status statuses[2 * MANY + 1];
    for (;;) {
        CHECK(MPI_Waitsome(count, requests, &got, indices, statuses));
        if (got == MPI_UNDEFINED)
            break;
        for (int i = 0; i < got; i++)
            EXPECT(indices[i] >= MANY || statuses[i].MPI_TAG == tag + indices[i], "request %d has tag %d", indices[i],
                   statuses[i].MPI_TAG);
        done += got;
    }
    EXPECT(done == 2 * MANY, "%d were waited for", done);
}

static void some_tested(MPI_Request *requests, int count) {
    int indices[2 * MANY + 1], got = 0, done = 0;
    for (; got != MPI_UNDEFINED; done += got == MPI_UNDEFINED ? 0 : got)
        CHECK(MPI_Testsome(count, requests, &got, indices, MPI_STATUSES_IGNORE));
    EXPECT(done == 2 * MANY, "%d were found", done);
}

static void all(MPI_Request *requests, int count) {
    MPI_Status statuses[2 * MANY + 1];
    CHECK(MPI_Waitall(count, requests, statuses));
    for (int i = 0; i < MANY; i++)
        EXPECT(statuses[i].MPI_SOURCE == last && statuses[i].MPI_TAG == tag + i, "request %d has tag %d", i,
               statuses[i].MPI_TAG);
}

static void all_tested(MPI_Request *requests, int count) {
    for (int flag = 0; !flag;)
        CHECK(MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE));
}

// Queries a request without completing it.
static void looked_at(MPI_Request *requests, int count) {
    for (int flag = 0; !flag;)
        CHECK(MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE));
    CHECK(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE));
}

// A persistent request that is not started is inactive: waits return at once and ignore it.
static void inactive(void) {
    MPI_Request requests[2];
    int index, flag;
    CHECK(MPI_Recv_init(in[0], 4, MPI_INT, last, 900, MPI_COMM_WORLD, &requests[0]));
    CHECK(MPI_Send_init(out[0], 4, MPI_INT, next, 900, MPI_COMM_WORLD, &requests[1]));
    CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    CHECK(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE));
    EXPECT(flag, "a request that was never started is awaited");
    CHECK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
    EXPECT(index == MPI_UNDEFINED, "request %d completed without having started", index);
    for (int round = 0; round < 3; round++) {
        fill(out[0], 4, rank, next, 900 + round);
        CHECK(MPI_Startall(2, requests));
        CHECK(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
        CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        expect_filled(in[0], 4, last, rank, 900 + round);
    }
    CHECK(MPI_Request_free(&requests[0]));
    CHECK(MPI_Request_free(&requests[1]));
}

int main(int argc, char **argv) {
    static void (*const ways[])(MPI_Request *, int) = {one,         one_tested, any,        any_tested, some,
                                                       some_tested, all,        all_tested, looked_at};
    begin(&argc, &argv, "Every way to complete requests.", (Option[]){{0}}, NULL);
    next = (rank + 1) % ranks;
    last = (rank + ranks - 1) % ranks;
    for (int way = 0; way < (int)(sizeof ways / sizeof *ways); way++) {
        MPI_Request requests[2 * MANY + 1];
        tag = 100 * way;
        ways[way](requests, start(requests));
        verify();
    }
    inactive();
    finish("completions: %d ranks", ranks);
}
