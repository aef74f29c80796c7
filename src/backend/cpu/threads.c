#include "backend/threads.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "core/openmp.h"

/* Of OpenBLAS, whether it was named at building or stands behind the system's libblas; another
 * library has none of these and follows OMP_NUM_THREADS. */
enum { BUILT_ON_OPENMP = 2 }; /* openblas_get_parallel: calls in a region take one thread then */
#pragma weak openblas_set_num_threads
#pragma weak openblas_get_num_threads
#pragma weak openblas_get_parallel
#pragma weak openblas_get_corename
void openblas_set_num_threads(int);
int openblas_get_num_threads(void);
int openblas_get_parallel(void);
char *openblas_get_corename(void);

static bool is_openblas(void)
{
    return openblas_set_num_threads && openblas_get_num_threads && openblas_get_parallel;
}

static void set_count(int threads)
{
    if (is_openblas())
        openblas_set_num_threads(threads);
}

static int count(void)
{
    return is_openblas() ? openblas_get_num_threads() : 0;
}

/* Whether the call that runs on this thread leaves the counts alone. */
static _Thread_local bool keep;

/* Several threads may be in calls at the same time.  When OpenBLAS on OpenMP gets fewer threads, it
 * frees buffers that the BLAS calls of other threads may be using; and each BLAS call gives it as
 * many as OpenMP has on the calling thread.  So the number shrinks only while one thread alone is
 * in calls, and all of them have one thread or `most`.  The last one to leave puts back what the
 * first one found. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int callers, found, most;
static _Thread_local int depth; /* calls in each other on this thread */

static void set_blas(int threads)
{
    pthread_mutex_lock(&lock);
    if (callers <= 1 || threads > count())
        set_count(threads);
    pthread_mutex_unlock(&lock);
}

/* How many threads a call may have that asks for so many. */
static int enter_call(int threads)
{
    pthread_mutex_lock(&lock);
    if (depth++ == 0 && callers++ == 0)
        found = count();
    if (callers > 1 && most > 1)
        threads = most <= threads ? most : 1;
    most = threads > most ? threads : most;
    pthread_mutex_unlock(&lock);
    return threads;
}

static void leave_call(int blas)
{
    pthread_mutex_lock(&lock);
    const bool last = --depth == 0 && --callers == 0, inner = depth > 0 && callers == 1;
    if ((last || inner) && !keep)
        set_count(last ? found : blas);
    most = last ? 0 : most;
    pthread_mutex_unlock(&lock);
}

/* Whether so much address space is free, where there is a limit on it. */
static bool address_space_has(size_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return true;
    void *block = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block != MAP_FAILED && munmap(block, bytes) == 0;
}

double sri_blas_lacks(int threads)
{
    static const size_t BUFFER = (size_t)136 << 20;
    static int seen; /* threads that there was space for */
    if (!is_openblas())
        return 0;
    pthread_mutex_lock(&lock);
    const bool fits = threads <= seen || address_space_has((size_t)threads * BUFFER);
    seen = fits && threads > seen ? threads : seen;
    pthread_mutex_unlock(&lock);
    return fits ? 0 : (double)threads * (double)BUFFER;
}

int sri_threads_enter(int threads, sri_threads *before)
{
    *before = (sri_threads){true, keep, omp_get_max_threads(), count()};
    keep = keep || threads == SRI_THREADS_KEEP;
    if (keep)
        return enter_call(before->openmp), before->openmp;
    threads = enter_call(threads > 0 ? threads : before->openmp);
    set_blas(threads);
    omp_set_num_threads(threads);
    return threads;
}

/* OpenBLAS on OpenMP also sets OpenMP's count, which therefore comes second. */
void sri_threads_leave(const sri_threads *before)
{
    if (!before->entered)
        return;
    leave_call(before->blas);
    if (!keep)
        omp_set_num_threads(before->openmp);
    keep = before->kept;
}

bool sri_threads_kept(void)
{
    return keep;
}

int sri_region_threads(void)
{
    const bool nests =
        is_openblas() && (!keep || openblas_get_parallel() == BUILT_ON_OPENMP || count() == 1);
    return nests ? omp_get_max_threads() : 1;
}

/* Regions say num_threads(): OpenBLAS on OpenMP takes OpenMP to one thread as well. */
sri_region sri_region_enter(void)
{
    const sri_region region = {sri_region_threads(), count()};
    if (!keep)
        set_blas(1);
    return region;
}

void sri_region_leave(sri_region region)
{
    if (keep)
        return;
    set_blas(region.blas);
    if (is_openblas())
        omp_set_num_threads(region.threads);
}

const char *sri_blas_name(void)
{
    return is_openblas() && openblas_get_corename ? openblas_get_corename() : "unknown";
}
