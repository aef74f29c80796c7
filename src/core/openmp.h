/* The functions of OpenMP, or those of one thread in a build without it. */
#ifndef SRI_CORE_OPENMP_H
#define SRI_CORE_OPENMP_H

#ifdef _OPENMP
#include <omp.h>
#else
static inline int omp_get_max_threads(void)
{
    return 1;
}

static inline int omp_get_num_threads(void)
{
    return 1;
}

static inline int omp_get_thread_num(void)
{
    return 0;
}

static inline void omp_set_num_threads(int threads)
{
    (void)threads;
}
#endif

#endif
