#include "select/batch.h"

#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 128 }; /* of one run */

/* Where a candidate lies on the line between two operators, NaN for one that does not: tasks
 * that are alike to the degree omega between those alike and those independent, fields with the
 * share gamma without divergence between those and fields without curl. */
static double place_of(const sri_kernel *kernel)
{
    const sri_coupling *c = sri_kernel_coupling(kernel);
    const double *share = sri_kernel_share(kernel);
    if (share)
        return *share;
    return c && !isnan(c->unseen) ? c->param[0] : NAN;
}

/* The kernel at one end of the line: the scalar one, or that of fields with the share gamma. */
static sri_kernel end_of_line(const sri_kernel *kernel, double gamma)
{
    sri_kernel end = *kernel;
    for (int t = 0; t < end.n_terms; t++)
        end.term[t].coupling = NULL;
    if (sri_kernel_share(kernel))
        end.term[0].param[0] = gamma;
    return end;
}

static specreg_status make_ends(specreg_context *ctx, const sri_kernel *kernel,
                                const sri_problem *problem, sri_batch *out)
{
    specreg_status st = SPECREG_OK;
    const sri_kernel one = end_of_line(kernel, 1), other = end_of_line(kernel, 0);
    SRI_TRY(sri_op_kernel_weighted(ctx, &one, problem->points, problem->rows.weight, &out->op));
    if (sri_kernel_is_field(kernel)) {
        SRI_TRY(sri_op_kernel_weighted(ctx, &other, problem->points, problem->rows.weight,
                                       &out->other));
        goto done;
    }
    SRI_TRY(sri_op_same(ctx, &other, problem->points, sri_kernel_coupling(kernel)->T, &out->other));
    if (problem->rows.weight)
        SRI_TRY(sri_op_weighted(ctx, out->other, problem->rows.weight, &out->other));
done:
    return st;
}

specreg_status sri_batch_make(specreg_context *ctx, const sri_candidate *candidate, int64_t members,
                              const sri_problem *problem, sri_batch *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = problem->T, columns = members * T;
    *out = (sri_batch){.members = members};
    if (members == 1)
        return sri_problem_op(ctx, problem, &candidate->kernel, &out->op);
    SRI_SCRATCH(ctx, &out->memory, out->share, columns, 1);
    SRI_SCRATCH(ctx, &out->memory, out->Y, problem->n, columns);
    for (int64_t c = 0; c < columns; c++) {
        out->share[c] = place_of(&candidate[c / T].kernel);
        for (int64_t i = 0; i < problem->n; i++)
            out->Y[i * columns + c] = problem->Y[i * T + c % T];
    }
    SRI_TRY(make_ends(ctx, &candidate[0].kernel, problem, out));
    out->blend = (sri_blend){.other = out->other, .share = out->share};
done:
    if (st != SPECREG_OK)
        sri_batch_free(out);
    return st;
}

void sri_batch_free(sri_batch *batch)
{
    sri_op_free(batch->other);
    sri_op_free(batch->op);
    sri_arena_free(&batch->memory);
    *batch = (sri_batch){0};
}

void sri_batch_job(const sri_batch *batch, sri_job *job)
{
    job->problem.Y = batch->Y;
    job->problem.T *= batch->members;
    job->problem.blend = &batch->blend;
    job->problem.coupling = NULL;
}

/* Whether two lie on one line, with the same kappa^2: of fields that is so in the plane. */
static bool on_a_line(const sri_problem *problem, const sri_kernel *a, const sri_kernel *b)
{
    const sri_kernel one = end_of_line(a, 1), other = end_of_line(b, 1);
    const bool field = sri_kernel_is_field(a);
    if (isnan(place_of(a)) || isnan(place_of(b)) || !sri_points_labelled(problem->points) ||
        !sri_kernel_same_scalar(&one, &other))
        return false;
    return field ? problem->points->p == 2 : !problem->points->share;
}

/* Whether what the other end of the line stores leaves memory enough. */
static bool has_memory(const sri_problem *problem, const sri_kernel *kernel)
{
    return sri_kernel_is_field(kernel) ||
           sri_op_same_bytes(problem->points, sri_kernel_coupling(kernel)->T) <=
               (double)problem->resources.memory / 4;
}

/* Whether an engine would take so many like the first for less than one by one. */
static specreg_status is_worth(specreg_context *ctx, const sri_setting *setting,
                               const sri_kernel *first, int64_t members, bool *worth)
{
    specreg_status st = SPECREG_OK;
    const sri_search_spec *spec = setting->spec;
    const bool trials = setting->trials.count > 0;
    sri_candidate c = {.kernel = *first};
    sri_op *op = NULL;
    double none = 0;
    const sri_blend blend = {.share = &none};
    SRI_TRY(sri_candidate_prepare(ctx, setting, NULL, &c, &op));
    const sri_path path = {.filter = &c.filter, .param = c.path.v, .count = c.path.count};
    sri_job job = sri_setting_job(setting, first, op, path, trials ? 0 : spec->rule->ops->need);
    SRI_TRY(sri_engine_look(ctx, spec->engine, &job)); /* what it finds serves one by one only */
    if (trials)
        job.shape = sri_shape_of_rows(&job.shape, setting->trials.trial[0].train.n);
    const double one = sri_engine_seconds(spec->engine, &job);
    job.problem.T *= members;
    job.problem.blend = &blend;
    *worth = sri_engine_seconds(spec->engine, &job) < (double)members * one;
done:
    sri_candidate_free(&c);
    sri_op_free(op);
    return st;
}

/* Whether the step of an iteration follows from kappa^2, which all on a line share; the norms of
 * their operators differ. */
static bool has_common_step(const sri_filter *filter)
{
    return !filter->ops->iteration || filter->step_rule == SRI_STEP_AUTO;
}

specreg_status sri_batch_size(specreg_context *ctx, const sri_setting *setting,
                              const sri_kernel *candidate, const bool *marked, int64_t count,
                              int64_t *size)
{
    const sri_problem *problem = &setting->problem;
    const sri_search_spec *spec = setting->spec;
    const int64_t folds = setting->together ? sri_folds_count(&problem->folds) + 1 : 1;
    bool worth = false;
    *size = 1;
    if (problem->unpenalised.l || !on_a_line(problem, candidate, candidate) ||
        !has_memory(problem, candidate) || !has_common_step(spec->filter) || spec->checkpoint ||
        spec->watch || spec->rule->ops->choose || spec->rule->ops->fixed)
        return SPECREG_OK;
    while (*size < count && marked[*size] && on_a_line(problem, candidate, &candidate[*size]) &&
           (*size + 1) * folds * problem->T <= MOST_COLUMNS)
        ++*size;
    if (*size > 1)
        SRI_CALL(is_worth(ctx, setting, candidate, *size, &worth));
    if (!worth)
        *size = 1;
    return SPECREG_OK;
}

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
    const sri_fan *f = (sri_fan *)self;
    for (int64_t m = 0; m < f->members; m++) {
        sri_path_point own = *point;
        own.alpha = columns_of(f, m, f->n_centres, point->alpha, f->alpha);
        own.residual = columns_of(f, m, f->n, point->residual, f->residual);
        own.fold_residual = columns_of(f, m, f->n * f->repeats, point->fold_residual, f->held_out);
        SRI_CALL(f->to[m]->put(ctx, f->to[m], &own));
    }
    return SPECREG_OK;
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
    *out = (sri_fan){.base = {fan_put, fan_enough},
                     .to = to,
                     .members = members,
                     .n = job->problem.op->n,
                     .n_centres = job->problem.op->centres.n,
                     .T = job->problem.T / members,
                     .repeats = sri_job_folds(job) ? job->problem.folds.repeats : 0};
    SRI_ARENA_NEW(ctx, &out->memory, out->alpha, out->n_centres, out->T);
    SRI_ARENA_NEW(ctx, &out->memory, out->residual, out->n, out->T);
    SRI_ARENA_NEW(ctx, &out->memory, out->held_out, out->n * out->repeats, out->T);
    return SPECREG_OK;
}
