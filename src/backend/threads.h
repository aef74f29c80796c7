/* Thread counts of OpenMP and of the BLAS library.
 *
 * OpenMP's count belongs to the calling thread, OpenBLAS's to the whole process.  A call of the
 * library sets both when it begins and puts back what it found when it ends.  Calls on several
 * threads at once share OpenBLAS: all that have more than one thread have as many as the first of
 * them.  With SRI_THREADS_KEEP neither is ever set, also not by calls that this one makes. */
#ifndef SRI_BACKEND_THREADS_H
#define SRI_BACKEND_THREADS_H

#include <stdbool.h>

enum { SRI_THREADS_ALL = 0, SRI_THREADS_KEEP = -1 };

/* What sri_threads_leave puts back; zeros: nothing. */
typedef struct sri_threads {
    bool entered, kept;
    int openmp, blas;
} sri_threads;

/* Sets the counts for the calls that follow, on this thread, and returns the number of threads:
 * what is asked for or, beside other threads that have another number, that one if it is smaller,
 * else 1. */
int sri_threads_enter(int threads, sri_threads *before);
void sri_threads_leave(const sri_threads *before);
/* OpenBLAS maps a buffer for every thread at its first call, and tries for ever where a limit on
 * address space leaves too little: the bytes that so many threads need, where that is so, else 0.
 * Each number of threads is tried once in a process. */
double sri_blas_lacks(int threads);
/* Whether the counts are to be left alone. */
bool sri_threads_kept(void);

/* An OpenMP region whose threads call BLAS, each for itself: BLAS has one thread from enter to
 * leave.  `threads` is how many the region may have: 1 where BLAS cannot be told. */
typedef struct sri_region {
    int threads, blas;
} sri_region;

sri_region sri_region_enter(void);
void sri_region_leave(sri_region region);
/* The `threads` that sri_region_enter would return. */
int sri_region_threads(void);

/* The processor that the BLAS library's loops are for, as far as the library says. */
const char *sri_blas_name(void);

#endif
