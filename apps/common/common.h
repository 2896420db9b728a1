// Shared by all programs: beginning and end, options, checked calls, random numbers.
#ifndef COMMON_H
#define COMMON_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Rank of this process in MPI_COMM_WORLD, and number of ranks. Set by begin().
extern int rank, ranks;

// Aborts the job with MPI's error message if a call fails.
#define CHECK(call) check((call), #call, __FILE__, __LINE__)
void check(int code, const char *call, const char *file, int line);

// Aborts the job with exit code 1 and this message if the condition is false: a result is wrong.
#define EXPECT(condition, ...) \
    do { \
        if (!(condition)) \
            wrong(__FILE__, __LINE__, __VA_ARGS__); \
    } while (0)
_Noreturn void wrong(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Ends all ranks with exit code 2: invalid arguments. Collective; rank 0 prints the message.
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A command-line option. With `flag` it takes no number and sets the value to 1.
typedef struct {
    const char *name;
    const char *meaning;
    long *value;
    long least;
    bool flag;
} Option;

// Starts MPI, sets `rank` and `ranks`, and reads the options. The table ends with an entry without
// a name. `word`, if given, is set to the first argument that is not an option. On `--help` or an
// invalid option, rank 0 prints the help or the error and all ranks exit.
void begin(int *argc, char ***argv, const char *about, const Option *options, const char **word);
// Like begin(), with this level of thread support.
void begin_threaded(int *argc, char ***argv, const char *about, const Option *options, int level);
// Reads the options only.
void read_options(int argc, char **argv, const char *about, const Option *options, const char **word);
// Rank 0 prints the line; all ranks finalize MPI.
void finish(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Returns the time after a barrier, and the longest time over all ranks since then, in seconds.
double start_clock(void);
double stop_clock(double start);

// Allocates zeroed memory; aborts the job if there is none.
void *allocate(size_t count, size_t size);

// Returns the `index`-th number of a random stream: the same on every rank, in any order.
uint64_t random_bits(uint64_t seed, uint64_t index);
// Returns the `index`-th number of a random stream, from -1 to 1.
double random_number(uint64_t seed, uint64_t index);

// Fill and verify data that depends on sender, receiver and tag.
void fill(int *data, int count, int from, int to, int tag);
void expect_filled(const int *data, int count, int from, int to, int tag);

// Exits with an error if there are fewer ranks.
void need_ranks(int least);

// Returns the beginning of the `part`-th of `parts` nearly equal pieces of `total`.
static inline long piece(long total, int parts, int part) { return total * part / parts; }

#endif
