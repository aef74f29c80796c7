#include "sums/crew.h"

#include <string.h>

#include "backend/threads.h"
#include "core/memory.h"
#include "core/openmp.h"

enum { MOST = 64 };

int sri_crew_size(void)
{
    const int threads = sri_region_threads();
    return threads < MOST ? threads : MOST;
}

/* The context of a job: no callbacks, and no limit on memory, which is counted by thread. */
static specreg_context *own_context(const specreg_context *ctx, specreg_context *own)
{
    *own = *ctx;
    own->progress = NULL;
    own->log = NULL;
    own->memory_limit = 0;
    return own;
}

specreg_status sri_crew_run(specreg_context *ctx, int64_t count, int most, sri_job_fn *work,
                            void *payload)
{
    specreg_status st = SPECREG_OK;
    int64_t failed = count;
    const sri_region region = sri_region_enter();
    const int threads = most < region.threads ? most : region.threads;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t job = 0; job < count; job++) {
        specreg_context own;
        omp_set_num_threads(1);
        const specreg_status its = work(own_context(ctx, &own), payload, job);
#pragma omp critical /* without a name, which the library would export */
        if (its != SPECREG_OK && job < failed) {
            failed = job;
            st = its;
            memcpy(ctx->error, own.error, sizeof ctx->error);
        }
    }
    sri_region_leave(region);
    return st;
}
