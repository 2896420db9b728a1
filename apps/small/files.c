// A file that all ranks write and read: at offsets, collectively, through views, and non-blocking.
#define _POSIX_C_SOURCE 200809L
#include "../common/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CELLS = 100 };

static const int BYTES = CELLS * (int)sizeof(int);

// Creates a new file whose name rank 0 chooses.
static void name_file(char *path, int room) {
    if (rank == 0) {
        const char *folder = getenv("TMPDIR");
        snprintf(path, (size_t)room, "%s/panto-files-XXXXXX", folder ? folder : "/tmp");
        int file = mkstemp(path);
        EXPECT(file >= 0, "cannot create %s", path);
        close(file);
    }
    CHECK(MPI_Bcast(path, room, MPI_CHAR, 0, MPI_COMM_WORLD));
}

static void at_places(MPI_File file) {
    int out[CELLS], in[CELLS], last = (rank + ranks - 1) % ranks;
    MPI_Status status;
    int count;
    fill(out, CELLS, rank, 0, 1);
    CHECK(MPI_File_write_at(file, (MPI_Offset)rank * BYTES, out, CELLS, MPI_INT, &status));
    CHECK(MPI_Get_count(&status, MPI_INT, &count));
    EXPECT(count == CELLS, "%d elements were written", count);
    CHECK(MPI_File_sync(file));
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(MPI_File_sync(file));
    CHECK(MPI_File_read_at_all(file, (MPI_Offset)last * BYTES, in, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    expect_filled(in, CELLS, last, 0, 1);
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
}

static void without_waiting(MPI_File file) {
    int out[CELLS], in[CELLS];
    MPI_Request request;
    fill(out, CELLS, rank, 0, 2);
    CHECK(MPI_File_iwrite_at(file, (MPI_Offset)rank * BYTES, out, CELLS, MPI_INT, &request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(MPI_File_iread_at(file, (MPI_Offset)rank * BYTES, in, CELLS, MPI_INT, &request));
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    expect_filled(in, CELLS, rank, 0, 2);
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
}

// Cell i of rank r is at position i * ranks + r.
static void through_views(MPI_File file) {
    MPI_Datatype type;
    int out[CELLS], in[CELLS];
    fill(out, CELLS, rank, 0, 3);
    CHECK(MPI_Type_vector(CELLS, 1, ranks, MPI_INT, &type));
    CHECK(MPI_Type_commit(&type));
    CHECK(MPI_File_set_view(file, (MPI_Offset)rank * (int)sizeof(int), MPI_INT, type, "native", MPI_INFO_NULL));
    CHECK(MPI_File_write_all(file, out, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(MPI_File_seek(file, 0, MPI_SEEK_SET));
    CHECK(MPI_File_read_all(file, in, CELLS, MPI_INT, MPI_STATUS_IGNORE));
    expect_filled(in, CELLS, rank, 0, 3);
    CHECK(MPI_File_seek(file, 1, MPI_SEEK_SET));
    CHECK(MPI_File_read(file, in, 1, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT(in[0] == out[1], "cell 1 is %d", in[0]);
    CHECK(MPI_Type_free(&type));
}

int main(int argc, char **argv) {
    begin(&argc, &argv, "A file that all ranks write and read.", (Option[]){{0}}, NULL);
    char path[512];
    MPI_File file;
    MPI_Offset size;
    name_file(path, sizeof path);
    CHECK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    CHECK(MPI_File_set_size(file, (MPI_Offset)ranks * BYTES));
    at_places(file);
    without_waiting(file);
    through_views(file);
    CHECK(MPI_File_get_size(file, &size));
    EXPECT(size == (MPI_Offset)ranks * BYTES, "the file has %lld bytes", (long long)size);
    CHECK(MPI_File_close(&file));
    if (rank == 0)
        CHECK(MPI_File_delete(path, MPI_INFO_NULL));
    finish("files: %d ranks", ranks);
}
