// What all programs share: beginning and end, options, checked calls, random numbers.
#ifndef COMMON_H
#define COMMON_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// This process in MPI_COMM_WORLD, and how many there are. Set by begin().
extern int rank, ranks;

// Ends the job with MPI's own words when a call fails.
#define CHECK(call) check((call), #call, __FILE__, __LINE__)
void check(int code, const char *call, const char *file, int line);

// Ends the job with exit code 1 and this message when the condition does not hold: a result is wrong.
#define EXPECT(condition, ...) \
    do { \
        if (!(condition)) \
            wrong(__FILE__, __LINE__, __VA_ARGS__); \
    } while (0)
_Noreturn void wrong(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Ends all ranks with exit code 2: what was asked for makes no sense. All ranks must call it; the first one speaks.
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

// An option of the command line. With `flag` it takes no number and sets one.
typedef struct {
    const char *name;
    const char *meaning;
    long *value;
    long least;
    bool flag;
} Option;

// Starts MPI, sets `rank` and `ranks`, reads the options. The table ends with an entry without a name. `word`, where given, gets
// the first word that is no option. On `--help` or a wrong option, the first rank says what there is and all end.
void begin(int *argc, char ***argv, const char *about, const Option *options, const char **word);
// The same, with this level of threads.
void begin_threaded(int *argc, char ***argv, const char *about, const Option *options, int level);
// Reads the options alone.
void read_options(int argc, char **argv, const char *about, const Option *options, const char **word);
// The first rank prints the line; all end MPI.
void finish(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The clock when all have come, and the longest time that anybody took since.
double start_clock(void);
double stop_clock(double start);

// Memory, or the end of the job.
void *allocate(size_t count, size_t size);

// The `index`-th number of a stream: the same on every rank, in any order.
uint64_t random_bits(uint64_t seed, uint64_t index);
// The same as a number from -1 to 1.
double random_number(uint64_t seed, uint64_t index);

// Data that says who sent it, to whom, and with which tag.
void fill(int *data, int count, int from, int to, int tag);
void expect_filled(const int *data, int count, int from, int to, int tag);

// Refuses fewer ranks.
void need_ranks(int least);

// Where the `part`-th of `parts` nearly equal pieces of `total` begins.
static inline long piece(long total, int parts, int part) { return total * part / parts; }

#endif
