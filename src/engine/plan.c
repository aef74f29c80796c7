/* The list of engines, and the choice between them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "engine/engine.h"
#include "engine/lowrank.h"

/* To add an engine: one file, one line here, one in engine.h.  Earlier ones win ties. */
static const sri_engine *const engines[] = {
    &sri_engine_eig,  &sri_engine_primal, &sri_engine_lowrank, &sri_engine_cholesky,
    &sri_engine_band, &sri_engine_krylov, &sri_engine_iterate,
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
    const sri_projection *p = job->op->projection;
    if (p && p->pivots && job->need)
        return "with variant=paper nothing but a fit of its own tells how it does without a row";
    if (p && job->blend)
        return "operators on a line are for models without features";
    return engine->refuses(job);
}

double sri_job_mass(const sri_job *job, int64_t part)
{
    const sri_op *op = job->op;
    double mass = 0;
    if (part < 0)
        return op->mass;
    for (int64_t i = 0; i < op->n; i++)
        if (sri_job_folds(job, part)[i] != sri_job_fold(job, part))
            mass += (op->weight ? op->weight[i] : 1) * (op->share ? op->share[i] : 1);
    return mass;
}

specreg_status sri_job_apply(specreg_context *ctx, const sri_job *job, int64_t columns,
                             const int64_t *column, const double *X, double *KX)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = job->op->n, T = job->T;
    double *factor = NULL, *other = NULL;
    SRI_TRY(sri_op_apply(ctx, job->op, columns, X, KX));
    if (!job->scale && !job->blend)
        return st;
    SRI_ALLOC(ctx, factor, columns, 1);
    for (int64_t c = 0; c < columns; c++) {
        const int64_t t = (column ? column[c] : c) % T;
        factor[c] = job->blend ? job->blend->share[t] : job->scale[t];
    }
    if (job->blend) {
        SRI_ALLOC(ctx, other, n, columns);
        SRI_TRY(sri_op_apply(ctx, job->blend->other, columns, X, other));
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < columns; c++) {
            double *v = &KX[i * columns + c];
            *v = factor[c] * *v + (other ? (1 - factor[c]) * other[i * columns + c] : 0);
        }
done:
    free(other);
    free(factor);
    return st;
}

double sri_job_value_seconds(const sri_job *job, const sri_cost *cost)
{
    const sri_rates rates = sri_machine_now(job->machine);
    const sri_shape *shape = &job->op->shape;
    const double entries = shape->value_entries > 0 ? shape->value_entries : 1;
    return sri_rates_value_seconds(&rates, cost->values / entries, shape->value_flops);
}

/* Rates are the best of many short runs, which work in earnest does not reach. */
static const double IN_EARNEST = 1.15;

double sri_job_seconds(const sri_job *job, const sri_cost *cost)
{
    const sri_rates rates = sri_machine_now(job->machine);
    return IN_EARNEST * (sri_rates_seconds(&rates, cost) + sri_job_value_seconds(job, cost));
}

double sri_job_stored_bytes(const sri_job *job)
{
    const sri_shape shape = sri_op_shape(job->op);
    const double bytes = sri_op_stored_bytes(job->op, &shape);
    return bytes <= (double)job->memory / 2 ? bytes : 0;
}

specreg_status sri_job_prepare(specreg_context *ctx, const sri_job *job, sri_report *report)
{
    const specreg_status st = sri_op_prepare(ctx, job->op, job->memory / 2);
    report->rounding = job->op->single ? job->op->rounding : 0;
    return st;
}

void sri_cost_products(sri_cost *cost, const sri_job *job, bool stored, double columns,
                       double times)
{
    const sri_shape shape = sri_op_shape(job->op);
    sri_op_product_cost(job->op, &shape, stored, columns, times, cost);
}

static specreg_status fail_memory(specreg_context *ctx, const sri_job *job, double bytes)
{
    char need[32], have[32];
    return sri_fail(ctx, SPECREG_E_NOMEM,
                    "training on %lld rows with filter %s needs at least %s of memory, the budget "
                    "is %s",
                    (long long)job->op->n, sri_filter_name(job->filter),
                    sri_bytes_text(bytes, need), sri_bytes_text((double)job->memory, have));
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
        if (bytes > (double)job->memory)
            return fail_memory(ctx, job, bytes);
        *out = engines[i];
        return SPECREG_OK;
    }
    return sri_engine_name_check(ctx, name);
}

double sri_engine_seconds(const char *name, const sri_job *job)
{
    double best = INFINITY;
    for (int i = 0; i < N_ENGINES; i++) {
        const sri_engine *e = engines[i];
        if ((strcmp(name, "auto") != 0 && strcmp(name, e->name) != 0) || sri_engine_refuses(e, job))
            continue;
        const sri_cost cost = e->cost(job);
        if (cost.bytes <= (double)job->memory)
            best = fmin(best, sri_job_seconds(job, &cost));
    }
    return best;
}

specreg_status sri_engine_choose(specreg_context *ctx, const char *name, const sri_job *job,
                                 const sri_engine **out, char *why)
{
    *out = NULL;
    const specreg_status looked = sri_lowrank_look(ctx, name, job);
    if (looked != SPECREG_OK)
        return looked;
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
        if (cost.bytes <= (double)job->memory && counts < least) {
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
                    sri_filter_name(job->filter), refusal);
}
