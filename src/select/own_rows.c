/* Outputs that train on rows of their own: columns of a coding that leave some classes out, as
 * those of one against one do.
 *
 * Each is a problem of the rows of its classes, with their number in place of n; columns that leave
 * out the same classes are one problem.  k classes have k (k-1) / 2 pairs of 2n/k rows: all their
 * factors together take 4/k of the work of one factor of all rows.  What an output says of rows
 * that did not train it is its prediction, with the row or without: leave-one-out needs nothing
 * more. */
#include <math.h>
#include <string.h>

#include "coding/groups.h"
#include "engine/run.h"
#include "select/run.h"

/* The points of the path, L of them, as outputs come in: point j has entries from j n T on. */
typedef struct gathered {
    const sri_run *r;
    const sri_problem *problem;
    const sri_job *job;
    int64_t n, T, L, l;
    double *alpha;    /* L x n x T                                                          */
    double *beta;     /* L x l x T                                                          */
    double *residual; /* L x n x T; NULL: coefficients are enough                           */
    double *loo;      /* L x n x T: residuals without the row; NULL: they are not asked for */
    double *df;       /* L: the mean over outputs                                           */
} gathered;

/* Outputs of the same rows. */
typedef struct group {
    sri_sink base;
    const gathered *to;
    const sri_output_group *outputs;
    int64_t *row, rows; /* that train                                                      */
    double *A, *B;      /* rows x (L columns), l x (L columns): coefficients of all points */
} group;

/* The rows of a group's classes. */
static void list_rows(group *g)
{
    const sri_problem *problem = g->to->problem;
    g->rows = 0;
    for (int64_t i = 0; i < problem->n; i++)
        if (g->outputs->trains[problem->classes[i]])
            g->row[g->rows++] = i;
}

static specreg_status group_put(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    group *g = (group *)self;
    const gathered *to = g->to;
    const int64_t T = to->T, columns = g->outputs->count, j = point->index;
    for (int64_t i = 0; i < g->rows; i++)
        for (int64_t c = 0; c < columns; c++) {
            const int64_t from = i * columns + c;
            const int64_t at = (j * to->n + g->row[i]) * T + g->outputs->output[c];
            to->alpha[at] = point->alpha[from];
            g->A[(i * to->L + j) * columns + c] = point->alpha[from];
            if (to->residual)
                to->residual[at] = point->residual[from];
            if (to->loo)
                to->loo[at] = sri_point_loo_residual(point, columns, from);
        }
    for (int64_t i = 0; i < to->l; i++)
        for (int64_t c = 0; c < columns; c++) {
            to->beta[(j * to->l + i) * T + g->outputs->output[c]] = point->beta[i * columns + c];
            g->B[(i * to->L + j) * columns + c] = point->beta[i * columns + c];
        }
    to->df[j] += point->df * (double)columns / (double)T;
    return SPECREG_OK;
}

/* What the outputs say of the rows that did not train them. */
static specreg_status predict_others(specreg_context *ctx, const group *g,
                                     const sri_points *centres)
{
    specreg_status st = SPECREG_OK;
    const gathered *to = g->to;
    const sri_problem *problem = to->problem;
    const int64_t width = to->L * g->outputs->count;
    sri_arena scratch = {0};
    double *F;
    bool *own;
    const sri_predictors f = {&to->r->candidate->kernel, centres, g->A, width};
    SRI_SCRATCH(ctx, &scratch, F, to->n, width);
    SRI_SCRATCH_ZERO(ctx, &scratch, own, to->n, 1);
    SRI_TRY(sri_predict_rows(ctx, &f, &problem->points->rows, F));
    sri_features_add(problem->unpenalised.P, to->n, to->l, g->B, width, F);
    for (int64_t i = 0; i < g->rows; i++)
        own[g->row[i]] = true;
    for (int64_t i = 0; i < to->n; i++)
        for (int64_t k = 0; !own[i] && k < width; k++) {
            const int64_t j = k / g->outputs->count, t = g->outputs->output[k % g->outputs->count];
            const int64_t at = (j * to->n + i) * to->T + t;
            to->residual[at] = problem->Y[i * to->T + t] - F[i * width + k];
            if (to->loo)
                to->loo[at] = to->residual[at];
        }
done:
    sri_arena_free(&scratch);
    return st;
}

/* The filter and the path as these rows take them. */
static specreg_status prepare_path(specreg_context *ctx, const sri_job *job, sri_op *op,
                                   sri_filter *filter, double *param)
{
    *filter = *job->path.filter;
    for (int64_t j = 0; j < job->path.count; j++)
        param[j] = filter->path == SRI_PATH_COMPONENTS ? fmin(job->path.param[j], (double)op->n)
                                                       : job->path.param[j];
    return filter->step_rule == SRI_STEP_NORM ? sri_filter_prepare(ctx, filter, op) : SPECREG_OK;
}

static void take_report(sri_report *all, const sri_report *one)
{
    all->steps = one->steps > all->steps ? one->steps : all->steps;
    all->bound = fmax(all->bound, one->bound);
    all->residual = fmax(all->residual, one->residual);
    all->fell_back += one->fell_back;
}

static specreg_status run_group(specreg_context *ctx, group *g)
{
    specreg_status st = SPECREG_OK;
    const gathered *to = g->to;
    const sri_run *r = to->r;
    const int64_t L = to->L, columns = g->outputs->count;
    sri_arena scratch = {0};
    sri_subproblem sub = {0};
    sri_op *op = NULL;
    sri_filter filter;
    sri_report report = {0};
    double *Y, *param;
    SRI_SCRATCH(ctx, &scratch, g->A, g->rows, L * columns);
    SRI_SCRATCH(ctx, &scratch, g->B, to->l, L * columns);
    SRI_SCRATCH(ctx, &scratch, Y, g->rows, columns);
    SRI_SCRATCH(ctx, &scratch, param, L, 1);
    for (int64_t k = 0; k < g->rows * columns; k++)
        Y[k] = to->job->problem.Y[g->row[k / columns] * to->T + g->outputs->output[k % columns]];
    SRI_TRY(sri_subproblem_make(ctx, to->problem, g->row, g->rows, &sub));
    SRI_TRY(sri_problem_op(ctx, &sub.problem, &r->candidate->kernel, &op));
    SRI_TRY(prepare_path(ctx, to->job, op, &filter, param));
    const sri_engine_problem asked = {.op = op, .Y = Y, .T = columns, .folds = {.n = g->rows}};
    const sri_path path = {.filter = &filter, .param = param, .count = L};
    sri_job job = sri_job_make(&asked, &path, &to->job->request, &(sri_hint){0});
    SRI_TRY(sri_engine_plan(ctx, r->setting->spec->engine, &job, &r->out->engine, NULL));
    SRI_TRY(sri_engine_run(ctx, r->out->engine, &job, &g->base, &report));
    take_report(&r->out->report, &report);
    if (to->residual)
        SRI_TRY(predict_others(ctx, g, sub.points));
    SRI_TRY(sri_poll(ctx));
done:
    sri_op_free(op);
    sri_subproblem_free(&sub);
    sri_arena_free(&scratch);
    return st;
}

static specreg_status put_points(specreg_context *ctx, const gathered *to, sri_sink *sink)
{
    const int64_t size = to->n * to->T;
    for (int64_t j = 0; j < to->L; j++) {
        sri_path_point point = sri_job_point(to->job, j);
        point.alpha = to->alpha + j * size;
        point.n_centres = to->n;
        point.residual = to->residual ? to->residual + j * size : NULL;
        point.loo_residual = to->loo ? to->loo + j * size : NULL;
        point.beta = to->l ? to->beta + j * to->l * to->T : NULL;
        point.df = to->df[j];
        SRI_CALL(sink->put(ctx, sink, &point));
    }
    return SPECREG_OK;
}

specreg_status sri_run_own_rows(specreg_context *ctx, const sri_run *r, const sri_problem *problem,
                                const sri_job *job, sri_sink *sink)
{
    specreg_status st = SPECREG_OK;
    sri_arena memory = {0};
    gathered to = {.r = r,
                   .problem = problem,
                   .job = job,
                   .n = problem->n,
                   .T = problem->T,
                   .L = job->path.count,
                   .l = problem->unpenalised.l};
    group g = {.base = {.put = group_put}, .to = &to};
    const bool trial = problem != &r->setting->problem;
    sri_output_group *all;
    int64_t groups;
    SRI_TRY(sri_coding_groups(ctx, &memory, problem->coding, &all, &groups));
    SRI_SCRATCH(ctx, &memory, g.row, to.n, 1);
    SRI_SCRATCH_ZERO(ctx, &memory, to.alpha, to.L * to.n, to.T);
    SRI_SCRATCH(ctx, &memory, to.beta, to.L * to.l, to.T);
    SRI_SCRATCH_ZERO(ctx, &memory, to.df, to.L, 1);
    if (!trial)
        SRI_SCRATCH(ctx, &memory, to.residual, to.L * to.n, to.T);
    if (sri_job_needs(job, SRI_NEED_LEVERAGE))
        SRI_SCRATCH(ctx, &memory, to.loo, to.L * to.n, to.T);
    for (int64_t k = 0; k < groups; k++) {
        g.outputs = &all[k];
        list_rows(&g);
        SRI_TRY(run_group(ctx, &g));
    }
    SRI_TRY(put_points(ctx, &to, sink));
done:
    sri_arena_free(&memory);
    return st;
}
