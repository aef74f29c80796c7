#include "select/family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum { MOST_COLUMNS = 128 }; /* of one run */

/* ------------------------------------------------------------------- operators */

/* Without what outputs have to do with each other. */
static sri_kernel scalar_kernel(const sri_kernel *kernel)
{
    sri_kernel scalar = *kernel;
    for (int t = 0; t < scalar.n_terms; t++)
        scalar.term[t].coupling = NULL;
    return scalar;
}

specreg_status sri_family_make(specreg_context *ctx, const sri_kernel *candidate, int64_t members,
                               const sri_task *task, sri_family *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = task->T, columns = members * T;
    *out = (sri_family){.members = members, .kernel = scalar_kernel(&candidate[0])};
    SRI_ALLOC(ctx, out->share, columns, 1);
    SRI_ALLOC(ctx, out->Y, task->n, columns);
    for (int64_t c = 0; c < columns; c++) {
        out->share[c] = sri_kernel_coupling(&candidate[c / T])->param[0];
        for (int64_t i = 0; i < task->n; i++)
            out->Y[i * columns + c] = task->Y[i * T + c % T];
    }
    SRI_TRY(sri_op_kernel_weighted(ctx, &out->kernel, task->points, task->weight, &out->op));
    SRI_TRY(sri_op_same(ctx, &out->kernel, task->points, sri_kernel_coupling(&candidate[0])->T,
                        &out->other));
    if (task->weight)
        SRI_TRY(sri_op_weighted(ctx, out->other, task->weight, &out->other));
    out->blend = (sri_blend){.other = out->other, .share = out->share};
done:
    if (st != SPECREG_OK)
        sri_family_free(out);
    return st;
}

void sri_family_free(sri_family *family)
{
    sri_op_free(family->other);
    sri_op_free(family->op);
    free(family->Y);
    free(family->share);
    *family = (sri_family){0};
}

void sri_family_job(const sri_family *family, sri_job *job)
{
    job->op = family->op;
    job->Y = family->Y;
    job->T *= family->members;
    job->blend = &family->blend;
    job->coupling = NULL;
}

/* ------------------------------------------------------------------- who belongs together */

/* What `common` is called; NULL for others. */
static const sri_coupling *on_a_line(const sri_kernel *kernel)
{
    const sri_coupling *c = sri_kernel_coupling(kernel);
    return c && !isnan(c->unseen) ? c : NULL;
}

/* Seconds of the cheapest engine that takes the job. */
static double cheapest(const char *name, const sri_job *job)
{
    double best = INFINITY;
    for (int i = 0; sri_engine_at(i); i++) {
        const sri_engine *e = sri_engine_at(i);
        if ((strcmp(name, "auto") != 0 && strcmp(name, e->name) != 0) || e->refuses(job))
            continue;
        const sri_cost cost = e->cost(job);
        if (cost.bytes <= (double)job->memory)
            best = fmin(best, sri_job_seconds(job, &cost));
    }
    return best;
}

/* Whether an engine would take all of them for less than one by one. */
static specreg_status is_worth(specreg_context *ctx, const sri_search_spec *spec,
                               const sri_setting *setting, const sri_kernel *candidate,
                               int64_t members, bool *worth)
{
    specreg_status st = SPECREG_OK;
    const sri_task *task = setting->trials.count ? &setting->trials.trial[0].train : &setting->task;
    const unsigned need = setting->trials.count ? 0 : spec->rule->ops->need;
    sri_candidate c = {0};
    sri_op *op = NULL;
    double none = 0;
    const sri_blend blend = {.share = &none};
    SRI_TRY(sri_candidate_make(ctx, spec, setting, 0, candidate, NULL, &c, &op));
    sri_job job = {.op = op,
                   .Y = task->Y,
                   .T = task->T,
                   .filter = &c.filter,
                   .param = c.path.v,
                   .count = c.path.count,
                   .need = need & SRI_NEED_OF_ENGINE,
                   .fold = task->fold,
                   .folds = task->folds,
                   .repeats = task->repeats,
                   .memory = task->memory,
                   .machine = task->machine,
                   .tolerance = need ? setting->tolerance : 0,
                   .held_alone = need && setting->held_alone,
                   .steps = setting->steps};
    op->n = task->n;
    const double one = cheapest(spec->engine, &job);
    job.T *= members;
    job.blend = &blend;
    *worth = cheapest(spec->engine, &job) < (double)members * one;
    op->n = setting->task.n;
done:
    sri_candidate_free(&c);
    sri_op_free(op);
    return st;
}

specreg_status sri_family_size(specreg_context *ctx, const sri_search_spec *spec,
                               const sri_setting *setting, const sri_kernel *candidate,
                               const bool *marked, int64_t first, int64_t count, int64_t *size)
{
    specreg_status st = SPECREG_OK;
    const sri_task *task = &setting->task;
    const sri_coupling *own = on_a_line(&candidate[first]);
    const int64_t parts = setting->together ? task->folds * task->repeats + 1 : 1;
    bool worth = false;
    *size = 1;
    if (!task->points->labelled || task->points->share || !own || spec->checkpoint || spec->watch ||
        spec->rule->ops->choose || spec->rule->ops->fixed ||
        sri_op_same_bytes(task->points, own->T) > (double)task->memory / 4)
        return st;
    while (first + *size < count && marked[first + *size] &&
           sri_kernel_same_scalar(&candidate[first], &candidate[first + *size]) &&
           (*size + 1) * parts * task->T <= MOST_COLUMNS)
        ++*size;
    if (*size > 1)
        SRI_TRY(is_worth(ctx, spec, setting, &candidate[first], *size, &worth));
    if (!worth)
        *size = 1;
done:
    return st;
}

/* ------------------------------------------------------------------- a sink for each */

/* Columns m T .. (m + 1) T of `rows` rows. */
static const double *columns_of(const sri_fan *f, int64_t m, int64_t rows, const double *all,
                                double *one)
{
    for (int64_t i = 0; all && i < rows; i++)
        memcpy(one + i * f->T, all + (i * f->members + m) * f->T, (size_t)f->T * sizeof *one);
    return all ? one : NULL;
}

static specreg_status fan_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    specreg_status st = SPECREG_OK;
    const sri_fan *f = (sri_fan *)self;
    for (int64_t m = 0; m < f->members; m++) {
        sri_path_point own = *point;
        own.alpha = columns_of(f, m, f->n, point->alpha, f->alpha);
        own.residual = columns_of(f, m, f->n, point->residual, f->residual);
        own.fold_residual = columns_of(f, m, f->n * f->repeats, point->fold_residual, f->held);
        SRI_TRY(f->to[m]->put(ctx, f->to[m], &own));
    }
done:
    return st;
}

static bool fan_enough(const sri_sink *self)
{
    const sri_fan *f = (const sri_fan *)self;
    for (int64_t m = 0; m < f->members; m++)
        if (!f->to[m]->enough || !f->to[m]->enough(f->to[m]))
            return false;
    return true;
}

specreg_status sri_fan_make(specreg_context *ctx, const sri_job *job, int64_t members,
                            sri_sink *const *to, sri_fan *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_fan){.base = {fan_put, fan_enough},
                     .to = to,
                     .members = members,
                     .n = job->op->n,
                     .T = job->T / members,
                     .repeats = job->need & SRI_NEED_FOLDS ? job->repeats : 0};
    SRI_ALLOC(ctx, out->alpha, out->n, out->T);
    SRI_ALLOC(ctx, out->residual, out->n, out->T);
    SRI_ALLOC(ctx, out->held, out->n * out->repeats, out->T);
done:
    if (st != SPECREG_OK)
        sri_fan_free(out);
    return st;
}

void sri_fan_free(sri_fan *fan)
{
    free(fan->held);
    free(fan->residual);
    free(fan->alpha);
    *fan = (sri_fan){0};
}
