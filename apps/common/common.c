#include "common.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int rank, ranks;

void check(int code, const char *call, const char *file, int line) {
    if (code == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, text, &length);
    fprintf(stderr, "%s:%d: rank %d: %s: %s\n", file, line, rank, call, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

_Noreturn void wrong(const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: rank %d: wrong result: ", file, line, rank);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static _Noreturn void leave(int code) {
    int inside = 0, outside = 0;
    MPI_Initialized(&inside);
    MPI_Finalized(&outside);
    if (inside && !outside)
        MPI_Finalize();
    exit(code);
}

static void help(const char *program, const char *about, const Option *options, bool word) {
    if (rank != 0)
        return;
    printf("%s\nUsage: %s%s [OPTIONS]\n", about, program, word ? " NAME" : "");
    for (const Option *option = options; option->name; option++) {
        if (option->flag)
            printf("  %-12s %s\n", option->name, option->meaning);
        else
            printf("  %-3s NUMBER   %s (%ld)\n", option->name, option->meaning, *option->value);
    }
}

_Noreturn void refuse(const char *format, ...) {
    if (rank == 0) {
        va_list arguments;
        va_start(arguments, format);
        fputs("error: ", stderr);
        vfprintf(stderr, format, arguments);
        fputs("; --help says what there is\n", stderr);
        va_end(arguments);
    }
    leave(2);
}

static const Option *find(const Option *options, const char *name) {
    for (; options->name; options++)
        if (strcmp(options->name, name) == 0)
            return options;
    return NULL;
}

static void set(const Option *option, const char *text) {
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : 0;
    if (!text || *text == '\0' || *end != '\0' || value < option->least)
        refuse("%s wants a number of at least %ld", option->name, option->least);
    *option->value = value;
}

void read_options(int argc, char **argv, const char *about, const Option *options, const char **word) {
    for (int i = 1; i < argc; i++) {
        const Option *option = find(options, argv[i]);
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            help(argv[0], about, options, word != NULL);
            leave(0);
        } else if (option && option->flag) {
            *option->value = 1;
        } else if (option) {
            set(option, argv[i + 1]);
            i++;
        } else if (word && !*word && argv[i][0] != '-') {
            *word = argv[i];
        } else {
            refuse("there is no option `%s`", argv[i]);
        }
    }
}

// Time at which MPI_Init had returned, in seconds.
static double began;

static void look_around(void) {
    began = MPI_Wtime();
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
}

void begin(int *argc, char ***argv, const char *about, const Option *options, const char **word) {
    CHECK(MPI_Init(argc, argv));
    look_around();
    read_options(*argc, *argv, about, options, word);
}

void begin_threaded(int *argc, char ***argv, const char *about, const Option *options, int level) {
    int provided;
    CHECK(MPI_Init_thread(argc, argv, level, &provided));
    look_around();
    read_options(*argc, *argv, about, options, NULL);
    if (provided < level) {
        if (rank == 0)
            fprintf(stderr, "error: this MPI gives threads of level %d, not %d\n", provided, level);
        leave(1);
    }
}

// Prints, if the environment requests it, how long this rank ran between the beginning and the end
// of MPI, and its end by the wall clock. Tests compare predictions with it.
static void tell_time(double ended) {
    if (getenv("APP_TIMES")) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        printf("ran for %.9f s until %.6f\n", ended - began, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
        fflush(stdout);
    }
}

void finish(const char *format, ...) {
    double ended = MPI_Wtime();
    if (rank == 0) {
        va_list arguments;
        va_start(arguments, format);
        vprintf(format, arguments);
        putchar('\n');
        fflush(stdout);
        va_end(arguments);
    }
    tell_time(ended);
    CHECK(MPI_Finalize());
}

double start_clock(void) {
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    return MPI_Wtime();
}

double stop_clock(double start) {
    double mine = MPI_Wtime() - start, longest = 0;
    CHECK(MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD));
    return longest;
}

void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "rank %d: no memory for %zu times %zu bytes; take a smaller size\n", rank, count, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

static int mark(int from, int to, int tag, int i) { return ((from * 131 + to) * 131 + tag) * 131 + i; }

void fill(int *data, int count, int from, int to, int tag) {
    for (int i = 0; i < count; i++)
        data[i] = mark(from, to, tag, i);
}

void expect_filled(const int *data, int count, int from, int to, int tag) {
    for (int i = 0; i < count; i++)
        EXPECT(data[i] == mark(from, to, tag, i), "element %d of message %d from %d to %d is %d", i, tag, from, to,
               data[i]);
}

void need_ranks(int least) {
    if (ranks < least)
        refuse("this program wants at least %d ranks, not %d", least, ranks);
}

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): the state is a counter, so any element can be
// computed directly.
uint64_t random_bits(uint64_t seed, uint64_t index) {
    uint64_t z = seed * UINT64_C(0xd1342543de82ef95) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double random_number(uint64_t seed, uint64_t index) {
    return (double)(random_bits(seed, index) >> 11) / (double)(UINT64_C(1) << 52) - 1.0;
}
