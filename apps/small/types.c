// Derived types: contiguous, vector, indexed, struct and more; freed while in use, and created
// again.
#include "../common/common.h"

#include <stddef.h>
#include <string.h>

enum { CELLS = 60 };

static int next, last;

// Sends `count` elements of the type round the ring; expects the sender's data at the positions of
// the type, and all other bytes unchanged.
static void pass(MPI_Datatype type, int count, int elements, const int *touched, int tag) {
    int out[CELLS], in[CELLS], expected[CELLS];
    fill(out, CELLS, rank, next, tag);
    memset(in, -1, sizeof in);
    fill(expected, CELLS, last, rank, tag);
    MPI_Status status;
    int arrived;
    CHECK(MPI_Sendrecv(out, count, type, next, tag, in, count, type, last, tag, MPI_COMM_WORLD, &status));
    CHECK(MPI_Get_elements(&status, MPI_INT, &arrived));
    EXPECT(arrived == elements, "%d integers arrived, not %d", arrived, elements);
    for (int i = 0; i < CELLS; i++) {
        int right = touched[i] ? expected[i] : -1;
        EXPECT(in[i] == right, "type %d: cell %d is %d, not %d", tag, i, in[i], right);
    }
}

static void contiguous(void) {
    MPI_Datatype type;
    int touched[CELLS] = {0};
    for (int i = 0; i < 15; i++)
        touched[i] = 1;
    CHECK(MPI_Type_contiguous(5, MPI_INT, &type));
    CHECK(MPI_Type_commit(&type));
    pass(type, 3, 15, touched, 1);
    CHECK(MPI_Type_free(&type));
}

static void vector(void) {
    MPI_Datatype type;
    int touched[CELLS] = {0};
    for (int i = 0; i < 6; i++)
        touched[10 * i] = touched[10 * i + 1] = 1;
    CHECK(MPI_Type_vector(6, 2, 10, MPI_INT, &type));
    CHECK(MPI_Type_commit(&type));
    pass(type, 1, 12, touched, 2);
    CHECK(MPI_Type_free(&type));
    CHECK(MPI_Type_create_hvector(6, 2, 10 * sizeof(int), MPI_INT, &type));
    CHECK(MPI_Type_commit(&type));
    pass(type, 1, 12, touched, 3);
    CHECK(MPI_Type_free(&type));
}

static void indexed(void) {
    MPI_Datatype type;
    int lengths[] = {1, 3, 2}, places[] = {4, 10, 20}, touched[CELLS] = {0};
    touched[4] = touched[10] = touched[11] = touched[12] = touched[20] = touched[21] = 1;
    CHECK(MPI_Type_indexed(3, lengths, places, MPI_INT, &type));
    CHECK(MPI_Type_commit(&type));
    pass(type, 1, 6, touched, 4);
    CHECK(MPI_Type_free(&type));
    CHECK(MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type));
    CHECK(MPI_Type_commit(&type));
    touched[5] = 1;
    touched[12] = 0;
    pass(type, 1, 6, touched, 5);
    CHECK(MPI_Type_free(&type));
}

static void subarray(void) {
    MPI_Datatype type;
    int sizes[] = {6, 10}, part[] = {2, 3}, start[] = {1, 4}, touched[CELLS] = {0};
    for (int i = 1; i < 3; i++)
        for (int j = 4; j < 7; j++)
            touched[10 * i + j] = 1;
    CHECK(MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_INT, &type));
    CHECK(MPI_Type_commit(&type));
    pass(type, 1, 6, touched, 6);
    CHECK(MPI_Type_free(&type));
}

// A vector whose extent is shorter than its data, and a type derived from a freed type.
static void resized(void) {
    MPI_Datatype column, type;
    int touched[CELLS] = {0};
    for (int i = 0; i < 6; i++)
        touched[10 * i] = touched[10 * i + 1] = touched[10 * i + 2] = 1;
    CHECK(MPI_Type_vector(6, 1, 10, MPI_INT, &column));
    CHECK(MPI_Type_create_resized(column, 0, sizeof(int), &type));
    CHECK(MPI_Type_free(&column));
    CHECK(MPI_Type_commit(&type));
    pass(type, 3, 18, touched, 7);
    CHECK(MPI_Type_free(&type));
}

typedef struct {
    char letter;
    double number;
    int cells[3];
} Mixed;

static void structured(void) {
    MPI_Datatype type, parts[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    int lengths[] = {1, 1, 3}, size;
    MPI_Aint places[] = {offsetof(Mixed, letter), offsetof(Mixed, number), offsetof(Mixed, cells)};
    MPI_Datatype whole;
    CHECK(MPI_Type_create_struct(3, lengths, places, parts, &type));
    CHECK(MPI_Type_create_resized(type, 0, sizeof(Mixed), &whole));
    CHECK(MPI_Type_commit(&whole));
    CHECK(MPI_Type_size(whole, &size));
    EXPECT(size == 1 + 8 + 12, "the structure has %d bytes", size);
    Mixed out[2], in[2];
    for (int i = 0; i < 2; i++)
        out[i] = (Mixed){(char)('a' + i), rank + 0.5 * i, {rank, i, rank + i}};
    CHECK(MPI_Sendrecv(out, 2, whole, next, 8, in, 2, whole, last, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < 2; i++)
        EXPECT(in[i].letter == 'a' + i && in[i].number == last + 0.5 * i && in[i].cells[2] == last + i,
               "structure %d is wrong", i);
    CHECK(MPI_Type_free(&whole));
    CHECK(MPI_Type_free(&type));
}

// A type may be freed while a message of it is in flight. Its handle may then be reused with
// another size.
static void reused(void) {
    for (int length = 1; length < 6; length++) {
        MPI_Datatype type;
        MPI_Request requests[2];
        int out[6], in[6];
        fill(out, 6, rank, next, length);
        CHECK(MPI_Type_contiguous(length, MPI_INT, &type));
        CHECK(MPI_Type_commit(&type));
        CHECK(MPI_Irecv(in, 1, type, last, length, MPI_COMM_WORLD, &requests[0]));
        CHECK(MPI_Isend(out, 1, type, next, length, MPI_COMM_WORLD, &requests[1]));
        CHECK(MPI_Type_free(&type));
        CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        expect_filled(in, length, last, rank, length);
    }
}

static void copied(void) {
    MPI_Datatype type, copy;
    int touched[CELLS] = {1, 1, 1, 1};
    CHECK(MPI_Type_contiguous(2, MPI_INT, &type));
    CHECK(MPI_Type_dup(type, &copy));
    CHECK(MPI_Type_commit(&copy));
    CHECK(MPI_Type_free(&type));
    pass(copy, 2, 4, touched, 9);
    CHECK(MPI_Type_free(&copy));
    // Packed data.
    int out[3], in[3], at = 0, size;
    char packed[64];
    fill(out, 3, rank, next, 10);
    CHECK(MPI_Pack(out, 3, MPI_INT, packed, sizeof packed, &at, MPI_COMM_WORLD));
    size = at;
    CHECK(MPI_Sendrecv_replace(packed, size, MPI_PACKED, next, 10, last, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    at = 0;
    CHECK(MPI_Unpack(packed, size, &at, in, 3, MPI_INT, MPI_COMM_WORLD));
    expect_filled(in, 3, last, rank, 10);
}

int main(int argc, char **argv) {
    begin(&argc, &argv, "Derived types.", (Option[]){{0}}, NULL);
    next = (rank + 1) % ranks;
    last = (rank + ranks - 1) % ranks;
    contiguous();
    vector();
    indexed();
    subarray();
    resized();
    structured();
    reused();
    copied();
    finish("types: %d ranks", ranks);
}
