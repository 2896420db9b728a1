// The functions with large counts, MPI_X_c, since MPI 4. With an older MPI it only prints a
// message.
#include "../common/common.h"

#if MPI_VERSION >= 4
enum { COUNT = 1000 };

static int out[COUNT], in[COUNT];

static void messages(void) {
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Count arrived;
    fill(out, COUNT, rank, next, 1);
    CHECK(MPI_Irecv_c(in, COUNT, MPI_INT, last, 1, MPI_COMM_WORLD, &requests[0]));
    CHECK(MPI_Isend_c(out, COUNT, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]));
    CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    expect_filled(in, COUNT, last, rank, 1);
    CHECK(MPI_Isend_c(out, COUNT, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[0]));
    CHECK(MPI_Recv_c(in, COUNT, MPI_INT, last, 2, MPI_COMM_WORLD, &status));
    CHECK(MPI_Get_count_c(&status, MPI_INT, &arrived));
    EXPECT(arrived == COUNT, "%lld elements arrived", (long long)arrived);
    CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    fill(out, COUNT, rank, next, 3);
    CHECK(MPI_Sendrecv_c(out, COUNT, MPI_INT, next, 3, in, COUNT, MPI_INT, last, 3, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE));
    expect_filled(in, COUNT, last, rank, 3);
    CHECK(MPI_Recv_init_c(in, COUNT, MPI_INT, last, 4, MPI_COMM_WORLD, &requests[0]));
    CHECK(MPI_Send_init_c(out, COUNT, MPI_INT, next, 4, MPI_COMM_WORLD, &requests[1]));
    for (int round = 0; round < 3; round++) {
        fill(out, COUNT, rank, next, 4 + round);
        CHECK(MPI_Startall(2, requests));
        CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        expect_filled(in, COUNT, last, rank, 4 + round);
    }
    CHECK(MPI_Request_free(&requests[0]));
    CHECK(MPI_Request_free(&requests[1]));
}

static void blocking_sends(void) {
    int partner = rank ^ 1;
    if (partner >= ranks)
        return;
    if (rank % 2) {
        for (int tag = 10; tag < 12; tag++) {
            CHECK(MPI_Recv_c(in, COUNT, MPI_INT, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            expect_filled(in, COUNT, partner, rank, tag);
        }
        return;
    }
    fill(out, COUNT, rank, partner, 10);
    CHECK(MPI_Send_c(out, COUNT, MPI_INT, partner, 10, MPI_COMM_WORLD));
    fill(out, COUNT, rank, partner, 11);
    CHECK(MPI_Ssend_c(out, COUNT, MPI_INT, partner, 11, MPI_COMM_WORLD));
}

static void collectives(void) {
    MPI_Request request;
    MPI_Datatype type;
    MPI_Count size;
    if (rank == 0)
        fill(in, COUNT, 0, 0, 20);
    CHECK(MPI_Bcast_c(in, COUNT, MPI_INT, 0, MPI_COMM_WORLD));
    expect_filled(in, COUNT, 0, 0, 20);
    for (int i = 0; i < COUNT; i++)
        out[i] = rank;
    CHECK(MPI_Allreduce_c(out, in, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    EXPECT(in[COUNT - 1] == ranks * (ranks - 1) / 2, "the sum is %d", in[COUNT - 1]);
    CHECK(MPI_Ireduce_c(out, in, COUNT, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD, &request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT(rank != 0 || in[0] == ranks - 1, "the greatest is %d", in[0]);
    CHECK(MPI_Type_contiguous_c(COUNT, MPI_INT, &type));
    CHECK(MPI_Type_commit(&type));
    CHECK(MPI_Type_size_c(type, &size));
    EXPECT(size == COUNT * sizeof(int), "the type has %lld bytes", (long long)size);
    CHECK(MPI_Bcast_c(out, 1, type, ranks - 1, MPI_COMM_WORLD));
    EXPECT(out[7] == ranks - 1, "the broadcast brought %d", out[7]);
    CHECK(MPI_Type_free(&type));
}
#endif

int main(int argc, char **argv) {
    begin(&argc, &argv, "The forms with large counts.", (Option[]){{0}}, NULL);
#if MPI_VERSION >= 4
    messages();
    blocking_sends();
    collectives();
    finish("large: %d ranks", ranks);
#else
    finish("large: nothing, this MPI has version %d", MPI_VERSION);
#endif
}
