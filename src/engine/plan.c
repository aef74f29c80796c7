/* The list of engines, and the choice between them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "engine/engine.h"

static const sri_engine *const engines[] = {
#define ENGINE(name) &sri_engine_##name,
#include "engine/engines.def"
#undef ENGINE
};
enum { N_ENGINES = sizeof engines / sizeof *engines };

const sri_engine *sri_engine_at(int index)
{
    return index >= 0 && index < N_ENGINES ? engines[index] : NULL;
}

specreg_status sri_engine_name_check(specreg_context *ctx, const char *name)
{
    const char *known[N_ENGINES + 1] = {"auto"};
    for (int i = 0; i < N_ENGINES; i++)
        known[i + 1] = engines[i]->name;
    for (int i = 0; i <= N_ENGINES; i++)
        if (strcmp(known[i], name) == 0)
            return SPECREG_OK;
    return sri_fail_unknown(ctx, "engine", name, known, N_ENGINES + 1);
}

const char *sri_engine_refuses(const sri_engine *engine, const sri_job *job)
{
    const sri_projection *p = job->problem.op->projection;
    if (p && p->pivots && job->request.need)
        return "with variant=paper nothing but a fit of its own tells how it does without a row";
    if (p && job->problem.blend)
        return "operators on a line are for models without features";
    return engine->refuses(job);
}

static specreg_status fail_memory(specreg_context *ctx, const sri_job *job, double bytes)
{
    char need[32], have[32];
    return sri_fail(ctx, SPECREG_E_NOMEM,
                    "training on %lld rows with filter %s needs at least %s of memory beside the "
                    "data, the budget leaves %s",
                    (long long)job->shape.n, sri_filter_name(job->path.filter),
                    sri_bytes_text(bytes, need), sri_bytes_text((double)job->request.memory, have));
}

static specreg_status choose_named(specreg_context *ctx, const char *name, const sri_job *job,
                                   const sri_engine **out)
{
    for (int i = 0; i < N_ENGINES; i++) {
        if (strcmp(engines[i]->name, name) != 0)
            continue;
        const char *reason = sri_engine_refuses(engines[i], job);
        if (reason)
            return sri_fail(ctx, SPECREG_E_ARG, "engine %s cannot be used here: %s", name, reason);
        const double bytes = engines[i]->cost(job).bytes;
        if (bytes > (double)job->request.memory)
            return fail_memory(ctx, job, bytes);
        *out = engines[i];
        return SPECREG_OK;
    }
    return sri_engine_name_check(ctx, name);
}

/* What a job takes by one engine, infinite where it cannot do it. */
static double seconds_by(const sri_engine *engine, const sri_job *job)
{
    if (sri_engine_refuses(engine, job))
        return INFINITY;
    const sri_cost cost = engine->cost(job);
    return cost.bytes <= (double)job->request.memory ? sri_job_seconds(job, &cost) : INFINITY;
}

double sri_engine_seconds(const char *name, const sri_job *job)
{
    double best = INFINITY;
    for (int i = 0; i < N_ENGINES; i++)
        if (strcmp(name, "auto") == 0 || strcmp(name, engines[i]->name) == 0)
            best = fmin(best, seconds_by(engines[i], job));
    return best;
}

/* By the engines that need not look. */
static double seconds_of_others(const sri_job *job)
{
    double best = INFINITY;
    for (int i = 0; i < N_ENGINES; i++)
        if (!engines[i]->look)
            best = fmin(best, seconds_by(engines[i], job));
    return best;
}

specreg_status sri_engine_look(specreg_context *ctx, const char *name, sri_job *job)
{
    specreg_status st = SPECREG_OK;
    for (int i = 0; i < N_ENGINES && st == SPECREG_OK; i++) {
        const bool asked = strcmp(name, engines[i]->name) == 0;
        if (engines[i]->look && (asked || strcmp(name, "auto") == 0))
            st = engines[i]->look(ctx, job, asked ? INFINITY : seconds_of_others(job), asked);
    }
    job->shape.rank = sri_op_shape(job->problem.op).rank;
    return st;
}

specreg_status sri_engine_choose(specreg_context *ctx, const char *name, const sri_job *job,
                                 const sri_engine **out, char *why)
{
    *out = NULL;
    if (strcmp(name, "auto") != 0) {
        if (why)
            snprintf(why, 200, "asked for");
        return choose_named(ctx, name, job, out);
    }
    double least = INFINITY, best = INFINITY, least_bytes = INFINITY;
    const char *refusal = "no engine serves this filter";
    for (int i = 0; i < N_ENGINES; i++) {
        const char *reason = sri_engine_refuses(engines[i], job);
        if (reason) {
            refusal = i == 0 ? reason : refusal;
            continue;
        }
        const sri_cost cost = engines[i]->cost(job);
        const double seconds = sri_job_seconds(job, &cost);
        const double counts = seconds * (cost.handicap > 0 ? cost.handicap : 1);
        if (cost.bytes < least_bytes)
            least_bytes = cost.bytes;
        if (cost.bytes <= (double)job->request.memory && counts < least) {
            least = counts;
            best = seconds;
            *out = engines[i];
        }
    }
    if (*out) {
        if (why)
            snprintf(why, 200, "the fastest: about %.2g s a run", best);
        return SPECREG_OK;
    }
    if (isfinite(least_bytes))
        return fail_memory(ctx, job, least_bytes);
    return sri_fail(ctx, SPECREG_E_ARG, "filter %s cannot be used here: %s",
                    sri_filter_name(job->path.filter), refusal);
}
