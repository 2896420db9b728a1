// Every form of send and receive: the eight sends, exchanges, persistent and partitioned requests,
// probes, cancelled receives. Even ranks send to the odd rank after them; then all take part in
// rings.
#include "../common/common.h"

#include <stdlib.h>

enum { SMALL = 25, LARGE = 30000, ROUNDS = 3 };

static long whole;
static int data[LARGE], got[LARGE];
static int count = SMALL;

static int partner(void) { return rank ^ 1; }
static bool paired(void) { return partner() < ranks; }
static bool sends(void) { return rank % 2 == 0; }

// The receiver confirms that its receive is posted, which ready sends require.
static void post(int tag, MPI_Request *request) {
    CHECK(MPI_Irecv(got, count, MPI_INT, partner(), tag, MPI_COMM_WORLD, request));
    CHECK(MPI_Send(NULL, 0, MPI_INT, partner(), tag, MPI_COMM_WORLD));
}

static void await_post(int tag) {
    CHECK(MPI_Recv(NULL, 0, MPI_INT, partner(), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void receive(int tag) {
    MPI_Status status;
    int arrived;
    CHECK(MPI_Recv(got, count, MPI_INT, partner(), tag, MPI_COMM_WORLD, &status));
    CHECK(MPI_Get_count(&status, MPI_INT, &arrived));
    EXPECT(arrived == count && status.MPI_TAG == tag, "%d elements with tag %d", arrived, status.MPI_TAG);
    expect_filled(got, count, partner(), rank, tag);
}

static void receive_posted(int tag) {
    MPI_Request request;
    post(tag, &request);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect_filled(got, count, partner(), rank, tag);
}

typedef int Send(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int Start(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static void blocking(Send *send, int tag, bool ready) {
    if (!sends()) {
        ready ? receive_posted(tag) : receive(tag);
        return;
    }
    fill(data, count, rank, partner(), tag);
    if (ready)
        await_post(tag);
    CHECK(send(data, count, MPI_INT, partner(), tag, MPI_COMM_WORLD));
}

static void non_blocking(Start *start, int tag, bool ready) {
    MPI_Request request;
    if (!sends()) {
        ready ? receive_posted(tag) : receive(tag);
        return;
    }
    fill(data, count, rank, partner(), tag);
    if (ready)
        await_post(tag);
    CHECK(start(data, count, MPI_INT, partner(), tag, MPI_COMM_WORLD, &request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void persistent(Start *make, int tag, bool ready) {
    MPI_Request request;
    if (sends())
        CHECK(make(data, count, MPI_INT, partner(), tag, MPI_COMM_WORLD, &request));
    else
        CHECK(MPI_Recv_init(got, count, MPI_INT, partner(), tag, MPI_COMM_WORLD, &request));
    for (int round = 0; round < ROUNDS; round++) {
        fill(data, count, rank, partner(), tag + round);
        if (ready && sends())
            await_post(tag);
        CHECK(MPI_Start(&request));
        if (ready && !sends())
            CHECK(MPI_Send(NULL, 0, MPI_INT, partner(), tag, MPI_COMM_WORLD));
        CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        if (!sends())
            expect_filled(got, count, partner(), rank, tag + round);
    }
    CHECK(MPI_Request_free(&request));
}

static void all_sends(void) {
    blocking(MPI_Send, 1, false);
    blocking(MPI_Bsend, 2, false);
    blocking(MPI_Ssend, 3, false);
    blocking(MPI_Rsend, 4, true);
    non_blocking(MPI_Isend, 5, false);
    non_blocking(MPI_Ibsend, 6, false);
    non_blocking(MPI_Issend, 7, false);
    non_blocking(MPI_Irsend, 8, true);
    persistent(MPI_Send_init, 10, false);
    persistent(MPI_Bsend_init, 20, false);
    persistent(MPI_Ssend_init, 30, false);
    persistent(MPI_Rsend_init, 40, true);
}

// A send whose request is freed is still delivered. A cancelled receive gets no message.
static void abandoned(void) {
    MPI_Request request;
    MPI_Status status;
    int cancelled;
    if (sends()) {
        fill(data, count, rank, partner(), 50);
        CHECK(MPI_Isend(data, count, MPI_INT, partner(), 50, MPI_COMM_WORLD, &request));
        CHECK(MPI_Request_free(&request));
        await_post(51);
    } else {
        receive(50);
        CHECK(MPI_Send(NULL, 0, MPI_INT, partner(), 51, MPI_COMM_WORLD));
    }
    CHECK(MPI_Irecv(got, count, MPI_INT, partner(), 52, MPI_COMM_WORLD, &request));
    CHECK(MPI_Cancel(&request));
    CHECK(MPI_Wait(&request, &status));
    CHECK(MPI_Test_cancelled(&status, &cancelled));
    EXPECT(cancelled, "a receive without a matching send was not cancelled");
}

static void probed(void) {
    if (sends()) {
        for (int tag = 60; tag < 64; tag++) {
            fill(data, count, rank, partner(), tag);
            CHECK(MPI_Send(data, count, MPI_INT, partner(), tag, MPI_COMM_WORLD));
        }
        return;
    }
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int flag = 0, arrived;
    CHECK(MPI_Probe(partner(), 60, MPI_COMM_WORLD, &status));
    CHECK(MPI_Get_count(&status, MPI_INT, &arrived));
    EXPECT(arrived == count, "the probe saw %d elements", arrived);
    receive(60);
    while (!flag)
        CHECK(MPI_Iprobe(MPI_ANY_SOURCE, 61, MPI_COMM_WORLD, &flag, &status));
    EXPECT(status.MPI_SOURCE == partner(), "the probe saw rank %d", status.MPI_SOURCE);
    receive(61);
    CHECK(MPI_Mprobe(partner(), MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
    EXPECT(status.MPI_TAG == 62, "the probe saw tag %d", status.MPI_TAG);
    CHECK(MPI_Mrecv(got, count, MPI_INT, &message, &status));
    expect_filled(got, count, partner(), rank, 62);
    for (flag = 0; !flag;)
        CHECK(MPI_Improbe(partner(), 63, MPI_COMM_WORLD, &flag, &message, &status));
    CHECK(MPI_Imrecv(got, count, MPI_INT, &message, &request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect_filled(got, count, partner(), rank, 63);
}

// Round a ring, then along a line that ends with MPI_PROC_NULL.
static void exchanged(void) {
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    fill(data, count, rank, next, 70);
    CHECK(MPI_Sendrecv(data, count, MPI_INT, next, 70, got, count, MPI_INT, last, 70, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE));
    expect_filled(got, count, last, rank, 70);
    fill(data, count, rank, next, 71);
    CHECK(MPI_Sendrecv_replace(data, count, MPI_INT, next, 71, last, 71, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    expect_filled(data, count, last, rank, 71);
    int up = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    fill(data, count, rank, rank + 1, 72);
    CHECK(MPI_Sendrecv(data, count, MPI_INT, up, 72, got, count, MPI_INT, down, 72, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE));
    if (rank > 0)
        expect_filled(got, count, rank - 1, rank, 72);
#if MPI_VERSION >= 4
    MPI_Request request;
    fill(data, count, rank, next, 73);
    CHECK(MPI_Isendrecv(data, count, MPI_INT, next, 73, got, count, MPI_INT, last, 73, MPI_COMM_WORLD, &request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect_filled(got, count, last, rank, 73);
    fill(data, count, rank, next, 74);
    CHECK(MPI_Isendrecv_replace(data, count, MPI_INT, next, 74, last, 74, MPI_COMM_WORLD, &request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect_filled(data, count, last, rank, 74);
#endif
}

// Both directions at once, by one MPI_Startall.
static void started_together(void) {
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    MPI_Request requests[2];
    CHECK(MPI_Recv_init(got, count, MPI_INT, last, 80, MPI_COMM_WORLD, &requests[0]));
    CHECK(MPI_Send_init(data, count, MPI_INT, next, 80, MPI_COMM_WORLD, &requests[1]));
    for (int round = 0; round < ROUNDS; round++) {
        fill(data, count, rank, next, 80 + round);
        CHECK(MPI_Startall(2, requests));
        CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        expect_filled(got, count, last, rank, 80 + round);
    }
    CHECK(MPI_Request_free(&requests[0]));
    CHECK(MPI_Request_free(&requests[1]));
}

// A persistent receive that takes whatever comes, here from two ranks in any order.
static void started_for_any(void) {
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, sources = 0;
    MPI_Request request;
    MPI_Status status;
    CHECK(MPI_Recv_init(got, count, MPI_INT, MPI_ANY_SOURCE, 85, MPI_COMM_WORLD, &request));
    for (int to = 0; to < 2; to++) {
        CHECK(MPI_Start(&request));
        fill(data, count, rank, to == 0 ? next : last, 85);
        CHECK(MPI_Send(data, count, MPI_INT, to == 0 ? next : last, 85, MPI_COMM_WORLD));
        CHECK(MPI_Wait(&request, &status));
        EXPECT(status.MPI_TAG == 85, "the receive took tag %d", status.MPI_TAG);
        expect_filled(got, count, status.MPI_SOURCE, rank, 85);
        sources += status.MPI_SOURCE;
    }
    EXPECT(sources == next + last, "the sources add up to %d", sources);
    CHECK(MPI_Start(&request));
    CHECK(MPI_Cancel(&request));
    CHECK(MPI_Wait(&request, &status));
    CHECK(MPI_Test_cancelled(&status, &sources));
    EXPECT(sources, "a persistent receive was not cancelled");
    CHECK(MPI_Request_free(&request));
}

#if MPI_VERSION >= 4
static void partitioned(void) {
    enum { PARTS = 5 };
    MPI_Request request;
    int each = count / PARTS, flag = 0;
    if (sends())
        CHECK(MPI_Psend_init(data, PARTS, each, MPI_INT, partner(), 90, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    else
        CHECK(MPI_Precv_init(got, PARTS, each, MPI_INT, partner(), 90, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(MPI_Start(&request));
        fill(data, count, rank, partner(), 90 + round);
        for (int part = 0; sends() && part < PARTS - 2; part++)
            CHECK(MPI_Pready(part, request));
        if (sends())
            CHECK(MPI_Pready_range(PARTS - 2, PARTS - 1, request));
        for (flag = 0; !sends() && !flag;)
            CHECK(MPI_Parrived(request, PARTS - 1, &flag));
        CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        if (!sends())
            expect_filled(got, each * PARTS, partner(), rank, 90 + round);
    }
    CHECK(MPI_Request_free(&request));
}
#endif

static void all_pairs(void) {
    if (!paired())
        return;
    all_sends();
    abandoned();
    probed();
#if MPI_VERSION >= 4
    if (!whole)
        partitioned();
#endif
}

int main(int argc, char **argv) {
    const Option options[] = {{"--whole", "no partitioned messages", &whole, 0, true}, {0}};
    begin(&argc, &argv, "Every way to send and to receive.", options, NULL);
    int size = 16 * ((int)sizeof data + MPI_BSEND_OVERHEAD);
    void *buffer = allocate(1, (size_t)size);
    CHECK(MPI_Buffer_attach(buffer, size));
    // A few bytes are sent eagerly; a hundred thousand by rendezvous.
    for (count = SMALL; count <= LARGE; count += LARGE - SMALL) {
        all_pairs();
        exchanged();
        started_together();
        started_for_any();
    }
    CHECK(MPI_Buffer_detach(&buffer, &size));
    free(buffer);
    finish("modes: %d ranks", ranks);
}
