#include "engine/job.h"

#include <math.h>

#include "core/arena.h"

sri_job sri_job_make(const sri_engine_problem *problem, const sri_path *path,
                     const sri_request *request, const sri_hint *hint)
{
    return (sri_job){.problem = *problem,
                     .path = *path,
                     .request = *request,
                     .hint = *hint,
                     .shape = sri_op_shape(problem->op)};
}

int64_t sri_job_divide(const sri_job *job, int64_t fold, int64_t *row)
{
    const int64_t n = job->problem.op->n;
    const sri_fold without = sri_job_fold(job, fold);
    const int64_t train = n - sri_fold_rows(without, n);
    int64_t in = 0, out = train;
    for (int64_t i = 0; i < n; i++)
        row[sri_fold_holds(without, i) ? out++ : in++] = i;
    return train;
}

double sri_job_mass(const sri_job *job, int64_t fold)
{
    const sri_op *op = job->problem.op;
    const sri_fold without = sri_job_fold(job, fold);
    double mass = 0;
    if (fold < 0)
        return op->mass;
    for (int64_t i = 0; i < op->n; i++)
        if (!sri_fold_holds(without, i))
            mass += (op->weight ? op->weight[i] : 1) * (op->share ? op->share[i] : 1);
    return mass;
}

int64_t sri_job_held_out(const sri_job *job, int64_t fold)
{
    const int64_t n = job->problem.folds.n;
    const int64_t rows = sri_fold_rows(sri_job_fold(job, fold), n);
    return job->shape.n == n ? rows : llround((double)rows * (double)job->shape.n / (double)n);
}

specreg_status sri_job_projections_make(specreg_context *ctx, const sri_job *job,
                                        sri_fold_projection **out)
{
    specreg_status st = SPECREG_OK;
    const sri_projection *p = job->problem.op->projection;
    *out = NULL;
    if (!p)
        return st;
    SRI_CALLOC(ctx, *out, sri_job_folds(job), 1);
    for (int64_t fold = 0; fold < sri_job_folds(job); fold++)
        SRI_TRY(sri_fold_projection_make(ctx, p, sri_job_fold(job, fold), &(*out)[fold]));
done:
    if (st != SPECREG_OK) {
        sri_job_projections_free(job, *out);
        *out = NULL;
    }
    return st;
}

void sri_job_projections_free(const sri_job *job, sri_fold_projection *projections)
{
    for (int64_t fold = 0; projections && fold < sri_job_folds(job); fold++)
        sri_fold_projection_free(&projections[fold]);
    sri_free(projections);
}

specreg_status sri_job_apply(specreg_context *ctx, const sri_job *job, int64_t columns,
                             const int64_t *column, const double *X, double *KX)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_engine_problem *problem = &job->problem;
    const int64_t n = problem->op->n;
    double *factor, *other = NULL;
    SRI_TRY(sri_op_apply(ctx, problem->op, columns, X, KX));
    if (!problem->scale && !problem->blend)
        return st;
    SRI_SCRATCH(ctx, &scratch, factor, columns, 1);
    for (int64_t c = 0; c < columns; c++) {
        const int64_t t = (column ? column[c] : c) % problem->T;
        factor[c] = problem->blend ? problem->blend->share[t] : problem->scale[t];
    }
    if (problem->blend) {
        SRI_SCRATCH(ctx, &scratch, other, n, columns);
        SRI_TRY(sri_op_apply(ctx, problem->blend->other, columns, X, other));
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < columns; c++) {
            double *v = &KX[i * columns + c];
            *v = factor[c] * *v + (other ? (1 - factor[c]) * other[i * columns + c] : 0);
        }
done:
    sri_arena_free(&scratch);
    return st;
}

specreg_status sri_job_prepare(specreg_context *ctx, const sri_job *job, sri_report *report)
{
    sri_op *op = job->problem.op;
    const specreg_status st = sri_op_prepare(ctx, op, job->request.memory / 2);
    report->rounding = op->single ? op->rounding : 0;
    return st;
}

double sri_job_seconds(const sri_job *job, const sri_cost *cost)
{
    /* Rates are the best of many short runs, which long ones do not reach. */
    static const double REALISTIC_SLOWDOWN = 1.15;
    const sri_rates rates = sri_machine_now(job->request.machine);
    const double entries = job->shape.value_entries > 0 ? job->shape.value_entries : 1;
    const double values =
        sri_rates_value_seconds(&rates, cost->values / entries, job->shape.value_flops);
    return REALISTIC_SLOWDOWN * (sri_rates_seconds(&rates, cost) + values);
}

double sri_job_stored_bytes(const sri_job *job)
{
    const double bytes = sri_op_stored_bytes(job->problem.op, &job->shape);
    return bytes <= (double)job->request.memory / 2 ? bytes : 0;
}

void sri_job_product_cost(const sri_job *job, bool stored, double columns, double times,
                          sri_cost *cost)
{
    sri_op_product_cost(job->problem.op, &job->shape, stored, columns, times, cost);
}
