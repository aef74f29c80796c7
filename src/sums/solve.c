#include "sums/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/factor.h"
#include "core/arena.h"
#include "engine/run.h"
#include "sums/accumulate.h"
#include "sums/spectrum.h"

/* Few rows with given sums, and the linear problem that they are. */
typedef struct few_rows {
    sri_arena memory;
    int64_t n;
    double *X, *P, *Y, *share; /* n x r, n x l, n x T, n */
    sri_points *points;
    sri_op *op;
} few_rows;

static void few_rows_free(few_rows *few)
{
    sri_op_free(few->op);
    sri_points_free(few->points);
    sri_arena_free(&few->memory);
}

/* R (n x n) with R'R = M, n the numbers in z but the constant.  Rows and columns are brought to the
 * same size first, so that small coordinates keep their digits. */
static specreg_status factor(specreg_context *ctx, const double *M, int64_t n, double *R)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t order = n + 1;
    double *S, *size;
    int64_t *pivot, rank = 0;
    SRI_SCRATCH(ctx, &scratch, S, n, n);
    SRI_SCRATCH(ctx, &scratch, size, n, 1);
    SRI_SCRATCH(ctx, &scratch, pivot, n, 1);
    for (int64_t i = 0; i < n; i++)
        size[i] = sqrt(fmax(0, M[i * (order + 1)]));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double by = size[i] * size[j];
            S[i * n + j] = by > 0 ? M[i * order + j] / by : 0;
        }
    SRI_TRY(sri_cholesky_pivoted(ctx, n, S, (double)n * DBL_EPSILON, pivot, &rank));
    memset(R, 0, (size_t)(n * n) * sizeof *R);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k <= i && k < rank; k++)
            R[k * n + pivot[i]] = S[i * n + k] * size[pivot[i]];
done:
    sri_arena_free(&scratch);
    return st;
}

/* Columns first .. first + count - 1 of R. */
static specreg_status take_columns(specreg_context *ctx, few_rows *few, const double *R,
                                   int64_t first, int64_t count, double **out)
{
    SRI_ARENA_NEW(ctx, &few->memory, *out, few->n, count);
    for (int64_t i = 0; i < few->n; i++)
        memcpy(*out + i * count, R + i * few->n + first, (size_t)count * sizeof **out);
    return SPECREG_OK;
}

static specreg_status few_rows_make(specreg_context *ctx, const sri_sums_layout *at,
                                    const double *M, few_rows *few)
{
    specreg_status st = SPECREG_OK;
    double *R = NULL;
    few->n = sri_sums_order(at) - 1;
    const double mass = M[few->n * (few->n + 2)];
    SRI_ALLOC(ctx, R, few->n, few->n);
    SRI_TRY(factor(ctx, M, few->n, R));
    SRI_TRY(take_columns(ctx, few, R, 0, at->r, &few->X));
    SRI_TRY(take_columns(ctx, few, R, at->r, at->l, &few->P));
    SRI_TRY(take_columns(ctx, few, R, at->r + at->l, at->T, &few->Y));
    SRI_SCRATCH(ctx, &few->memory, few->share, few->n, 1);
    for (int64_t i = 0; i < few->n; i++)
        few->share[i] = mass / (double)few->n;
    SRI_TRY(sri_points_new(ctx, few->X, few->n, at->r, false, &few->points));
    few->points->share = few->share;
done:
    sri_free(R);
    return st;
}

static specreg_status make_op(specreg_context *ctx, const sri_sums_question *q,
                              const sri_sums_layout *at, few_rows *few)
{
    sri_kernel linear = {.n_terms = 1, .term = {{.ops = &sri_kernel_linear, .weight = 1}}};
    linear.term[0].coupling = q->coupling;
    const sri_problem problem = {.points = few->points,
                                 .n = few->n,
                                 .T = at->T,
                                 .Y = few->Y,
                                 .unpenalised = {.P = few->P, .l = at->l, .name = q->term_name},
                                 .resources = q->resources};
    return sri_problem_op(ctx, &problem, &linear, &few->op);
}

/* The step that the kernel itself has, not that of few rows with large numbers; a step by the norm
 * is the same for both. */
static specreg_status find_step(specreg_context *ctx, const sri_sums_question *q, sri_op *op,
                                sri_filter *filter)
{
    *filter = q->filter;
    if (filter->ops->iteration && filter->step_rule == SRI_STEP_AUTO) {
        filter->step = 1 / q->kappa2;
        return SPECREG_OK;
    }
    return sri_filter_prepare(ctx, filter, op);
}

/* Takes the points of a path. */
typedef struct collector {
    sri_sink base;
    const few_rows *few;
    const sri_sums_layout *at;
    sri_sums_path *path;
} collector;

static specreg_status collect(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    (void)ctx;
    const collector *c = (collector *)self;
    const int64_t r = c->at->r, T = c->at->T, ld = c->path->count * T;
    double *W = c->path->W + point->index * T;
    if (point->slope)
        for (int64_t j = 0; j < r; j++)
            memcpy(W + j * ld, point->slope + j * T, (size_t)T * sizeof *W);
    else
        sri_gemm(true, false, r, T, c->few->n, 1, c->few->X, r, point->alpha, T, 0, W, ld);
    for (int64_t j = 0; j < c->at->l; j++)
        memcpy(W + (r + j) * ld, point->beta + j * T, (size_t)T * sizeof *W);
    c->path->df[point->index] = point->df;
    return SPECREG_OK;
}

static specreg_status run(specreg_context *ctx, const sri_sums_question *q,
                          const sri_sums_layout *at, const few_rows *few, sri_sums_path *path)
{
    const bool nonlinear = sri_filter_nonlinear(&q->filter) != SRI_LINEAR;
    const sri_engine_problem problem = {.op = few->op,
                                        .Y = few->Y,
                                        .T = at->T,
                                        .coupling = q->coupling};
    const sri_path points = {&path->filter, q->path.v, q->path.count};
    const sri_request request = {.need = nonlinear ? 0 : SRI_NEED_DF,
                                 .memory = q->resources.memory,
                                 .machine = q->resources.machine};
    sri_job job = sri_job_make(&problem, &points, &request, &(sri_hint){0});
    collector sink = {.base = {.put = collect}, .few = few, .at = at, .path = path};
    sri_report report = {0};
    SRI_CALL(sri_engine_plan(ctx, nonlinear || q->coupling ? "auto" : "primal", &job, &path->engine,
                             NULL));
    SRI_CALL(sri_engine_run(ctx, path->engine, &job, &sink.base, &report));
    path->rank = report.rank;
    return SPECREG_OK;
}

static specreg_status solve_few(specreg_context *ctx, const sri_sums_question *q,
                                const sri_sums_layout *at, const double *M, sri_sums_path *out,
                                sri_leverages *leverages)
{
    specreg_status st = SPECREG_OK;
    few_rows few = {0};
    sri_sums_spectrum sp = {.mass = 0};
    SRI_TRY(few_rows_make(ctx, at, M, &few));
    SRI_TRY(make_op(ctx, q, at, &few));
    SRI_TRY(find_step(ctx, q, few.op, &out->filter));
    SRI_TRY(run(ctx, q, at, &few, out));
    if (leverages) {
        SRI_TRY(sri_sums_spectrum_make(ctx, at, M, &sp));
        SRI_TRY(sri_leverages_make(ctx, &sp, &out->filter, &q->path, leverages));
    }
done:
    sri_sums_spectrum_free(&sp);
    few_rows_free(&few);
    return st;
}

static specreg_status solve_by_spectrum(specreg_context *ctx, const sri_sums_question *q,
                                        const sri_sums_layout *at, const double *M,
                                        sri_sums_path *out, sri_leverages *leverages)
{
    specreg_status st = SPECREG_OK;
    sri_sums_spectrum sp = {.mass = 0};
    out->filter = q->filter;
    out->engine = &sri_engine_primal;
    if (q->filter.ops->iteration)
        out->filter.step = 1 / q->kappa2;
    SRI_TRY(sri_sums_spectrum_make(ctx, at, M, &sp));
    SRI_TRY(sri_sums_spectrum_path(ctx, &sp, &q->path, M, out));
    if (leverages)
        SRI_TRY(sri_leverages_make(ctx, &sp, &out->filter, &q->path, leverages));
done:
    sri_sums_spectrum_free(&sp);
    return st;
}

/* Whether eigenvalues alone decide: the filter is linear, its step known, and outputs are alike. */
static bool spectrum_decides(const sri_sums_question *q)
{
    return !sri_filter_nonlinear(&q->filter) && !q->coupling &&
           (!q->filter.ops->iteration || q->filter.step_rule == SRI_STEP_AUTO);
}

specreg_status sri_sums_solve(specreg_context *ctx, const sri_sums_question *q,
                              const sri_sums_layout *at, const double *M, sri_sums_path *out,
                              sri_leverages *leverages)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_sums_path){.count = q->path.count, .width = at->r + at->l, .T = at->T};
    SRI_ALLOC(ctx, out->W, out->width, out->count * at->T);
    SRI_ALLOC(ctx, out->df, out->count, 1);
    SRI_TRY((spectrum_decides(q) ? solve_by_spectrum : solve_few)(ctx, q, at, M, out, leverages));
done:
    if (st != SPECREG_OK)
        sri_sums_path_free(out);
    return st;
}

void sri_sums_path_free(sri_sums_path *path)
{
    sri_free(path->df);
    sri_free(path->W);
    *path = (sri_sums_path){0};
}

/* With u = (-W, 1 at output t) the sum of squares is u'M u. */
specreg_status sri_sums_errors(specreg_context *ctx, const sri_sums_path *path,
                               const sri_sums_layout *at, const double *M, double *error)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t n = path->width, T = path->T, columns = path->count * T;
    const int64_t rows = n + T, order = sri_sums_order(at);
    double *U, *MU;
    SRI_SCRATCH_ZERO(ctx, &scratch, U, rows, columns);
    SRI_SCRATCH(ctx, &scratch, MU, rows, columns);
    for (int64_t k = 0; k < n * columns; k++)
        U[k] = -path->W[k];
    for (int64_t c = 0; c < columns; c++)
        U[(n + c % T) * columns + c] = 1;
    sri_gemm(false, false, rows, columns, rows, 1, M, order, U, columns, 0, MU, columns);
    memset(error, 0, (size_t)columns * sizeof *error);
    for (int64_t k = 0; k < rows * columns; k++)
        error[k % columns] += U[k] * MU[k];
    for (int64_t c = 0; c < columns; c++)
        error[c] = fmax(0, error[c]);
done:
    sri_arena_free(&scratch);
    return st;
}
