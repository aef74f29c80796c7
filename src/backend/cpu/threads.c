#include "backend/threads.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "core/openmp.h"

#if SPECREG_HAVE_OPENBLAS_THREADS
enum { BUILT_ON_OPENMP = 2 }; /* openblas_get_parallel: calls in a region take one thread then */
void openblas_set_num_threads(int);
int openblas_get_num_threads(void);
int openblas_get_parallel(void);
char *openblas_get_corename(void);
#else
static void openblas_set_num_threads(int threads)
{
    (void)threads;
}

static int openblas_get_num_threads(void)
{
    return 0;
}
#endif

/* Whether the call that runs on this thread leaves the counts alone. */
static _Thread_local bool keep;

/* Several threads may be in calls at the same time.  The last one to leave puts back what the first
 * one found, whatever the order in between. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls, found;

static int enter_blas(int threads)
{
    pthread_mutex_lock(&lock);
    const int before = openblas_get_num_threads();
    if (calls++ == 0)
        found = before;
    openblas_set_num_threads(threads);
    pthread_mutex_unlock(&lock);
    return before;
}

#if SPECREG_HAVE_OPENBLAS_THREADS
/* Whether so much address space is free, where there is a limit on it. */
static bool address_space_has(size_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return true;
    void *block = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block != MAP_FAILED && munmap(block, bytes) == 0;
}
#endif

double sri_blas_lacks(int threads)
{
#if SPECREG_HAVE_OPENBLAS_THREADS
    static const size_t BUFFER = (size_t)136 << 20;
    static int most; /* threads that there was space for */
    pthread_mutex_lock(&lock);
    const bool fits = threads <= most || address_space_has((size_t)threads * BUFFER);
    most = fits && threads > most ? threads : most;
    pthread_mutex_unlock(&lock);
    return fits ? 0 : (double)threads * (double)BUFFER;
#else
    (void)threads;
    return 0;
#endif
}

static void leave_blas(int before)
{
    pthread_mutex_lock(&lock);
    openblas_set_num_threads(--calls == 0 ? found : before);
    pthread_mutex_unlock(&lock);
}

int sri_threads_enter(int threads, sri_threads *before)
{
    *before = (sri_threads){.entered = true, .kept = keep, .openmp = omp_get_max_threads()};
    keep = keep || threads == SRI_THREADS_KEEP;
    if (keep)
        return before->openmp;
    if (threads <= 0)
        threads = before->openmp;
    before->blas = enter_blas(threads);
    omp_set_num_threads(threads);
    return threads;
}

/* OpenBLAS on OpenMP also sets OpenMP's count, which therefore comes second. */
void sri_threads_leave(const sri_threads *before)
{
    const bool was_kept = keep;
    if (!before->entered)
        return;
    keep = before->kept;
    if (was_kept)
        return;
    leave_blas(before->blas);
    omp_set_num_threads(before->openmp);
}

bool sri_threads_kept(void)
{
    return keep;
}

int sri_region_threads(void)
{
#if SPECREG_HAVE_OPENBLAS_THREADS
    if (!keep || openblas_get_parallel() == BUILT_ON_OPENMP || openblas_get_num_threads() == 1)
        return omp_get_max_threads();
#endif
    return 1;
}

/* Regions say num_threads(): OpenBLAS on OpenMP takes OpenMP to one thread as well. */
sri_region sri_region_enter(void)
{
    const sri_region region = {sri_region_threads(), openblas_get_num_threads()};
    if (!keep)
        openblas_set_num_threads(1);
    return region;
}

void sri_region_leave(sri_region region)
{
    if (keep)
        return;
    openblas_set_num_threads(region.blas);
#if SPECREG_HAVE_OPENBLAS_THREADS
    omp_set_num_threads(region.threads);
#endif
}

const char *sri_blas_name(void)
{
#if SPECREG_HAVE_OPENBLAS_THREADS
    return openblas_get_corename();
#else
    return "unknown";
#endif
}
