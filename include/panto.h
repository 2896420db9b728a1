/* Regions of a program for Panto's tracer: names for parts of it.
 *
 *     #include "panto.h"
 *     panto_region_begin("solve");
 *     ...
 *     panto_region_end();
 *
 * Under `panto trace` the beginning and the end are recorded, and timelines and profiles show the
 * region. Without the tracer both functions do nothing: one comparison each, after the first call.
 * Regions nest. This file is all that is needed: there is no library to link (with a glibc before
 * 2.34, add -ldl). OpenMP and accelerators are not traced.
 */
#ifndef PANTO_H
#define PANTO_H

#include <dlfcn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a function of the tracer; null if the program is not traced. RTLD_DEFAULT is null. */
static inline void *panto_tracer_function(const char *name) { return dlsym((void *)0, name); }

typedef void (*panto_begin_function)(const char *name);
typedef void (*panto_end_function)(void);

/* Begins a region. The name is a string in UTF-8, of which 80 bytes are kept. */
static inline void panto_region_begin(const char *name) {
    static int is_known = 0;
    static panto_begin_function begin = 0;
    if (!is_known) {
        /* A pointer to a function cannot be converted from one to an object in ISO C. */
        void *found = panto_tracer_function("panto_region_begin");
        *(void **)&begin = found;
        is_known = 1;
    }
    if (begin) begin(name);
}

/* Ends the innermost region. */
static inline void panto_region_end(void) {
    static int is_known = 0;
    static panto_end_function end = 0;
    if (!is_known) {
        void *found = panto_tracer_function("panto_region_end");
        *(void **)&end = found;
        is_known = 1;
    }
    if (end) end();
}

#ifdef __cplusplus
}
#endif

#endif
