#include "select/extended.h"

#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/factor.h"
#include "engine/run.h"
#include "op/low_rank.h"
#include "select/run.h"

specreg_status sri_extension_points(specreg_context *ctx, const sri_unlabelled *unlabelled,
                                    const sri_points *labelled, sri_points **out)
{
    const int64_t n = labelled->n, u = unlabelled->X.n, p = labelled->p;
    double *X = NULL;
    *out = NULL;
    SRI_NEW(ctx, X, n + u, p);
    for (int64_t i = 0; i < n; i++)
        memcpy(X + i * p, sri_view_x(&labelled->rows, i), (size_t)p * sizeof *X);
    memcpy(X + n * p, unlabelled->X.x, (size_t)(u * p) * sizeof *X);
    const sri_matrix all = {.x = X, .n = n + u, .p = p};
    const specreg_status st = sri_points_of(ctx, &all, false, out);
    if (st == SPECREG_OK)
        (*out)->owns = true;
    else
        sri_free(X);
    return st;
}

specreg_status sri_extension_make(specreg_context *ctx, const sri_unlabelled *unlabelled,
                                  const sri_points *labelled, sri_extension **out)
{
    specreg_status st = SPECREG_OK;
    SRI_CALLOC(ctx, *out, 1, 1);
    (*out)->unlabelled = unlabelled;
    SRI_TRY(sri_extension_points(ctx, unlabelled, labelled, &(*out)->all));
    if (unlabelled->has_graph)
        SRI_TRY(sri_graph_make(ctx, (*out)->all, &unlabelled->graph, &(*out)->graph));
done:
    if (st != SPECREG_OK) {
        sri_extension_free(*out);
        *out = NULL;
    }
    return st;
}

void sri_extension_free(sri_extension *extension)
{
    if (!extension)
        return;
    sri_graph_free(&extension->graph);
    sri_points_free(extension->all);
    sri_free(extension);
}

/* ------------------------------------------------------------------- one run */

/* Turns the points of a run into points of the problem. */
typedef struct extended {
    sri_sink base;
    sri_sink *to;
    const sri_problem *problem;
    int64_t n, N, T;
    double factor;     /* N / n                                                         */
    double *alpha;     /* N x T                                                         */
    double *residual;  /* n x T                                                         */
    int64_t rank;      /* of K = Z Z' in all points                                     */
    double *Zt, *MZt;  /* rank x N: Z', (M Z)'; NULL: no graph                          */
    double *half;      /* rank x n: C^-1 Z' of the labelled rows, C = I + Z'M Z         */
    double *projected; /* rank x T                                                      */
} extended;

/* Without a graph: coefficients are there; f(x_i) = (N/n) y_i - residual. */
static specreg_status put_all(specreg_context *ctx, sri_sink *self, const sri_path_point *point)
{
    extended *e = (extended *)self;
    sri_path_point own = *point;
    for (int64_t k = 0; k < e->n * e->T; k++)
        e->residual[k] = point->residual[k] + (1 - e->factor) * e->problem->Y[k];
    own.residual = e->residual;
    own.n_centres = e->N;
    own.df = NAN;
    own.slope = NULL;
    return e->to->put(ctx, e->to, &own);
}

/* With one: (I + M K)^-1 a = a - M Z C^-1 Z'a, a being 0 beyond the labelled rows. */
static specreg_status put_labelled(specreg_context *ctx, sri_sink *self,
                                   const sri_path_point *point)
{
    extended *e = (extended *)self;
    sri_path_point own = *point;
    const int64_t T = e->T;
    memset(e->alpha, 0, (size_t)(e->N * T) * sizeof *e->alpha);
    memcpy(e->alpha, point->alpha, (size_t)(e->n * T) * sizeof *e->alpha);
    sri_gemm(false, false, e->rank, T, e->n, 1, e->half, e->n, point->alpha, T, 0, e->projected, T);
    sri_gemm(true, false, e->N, T, e->rank, -1, e->MZt, e->N, e->projected, T, 1, e->alpha, T);
    own.alpha = e->alpha;
    own.n_centres = e->N;
    own.slope = NULL;
    return e->to->put(ctx, e->to, &own);
}

/* The engine with its own plan; the filter is prepared for this operator. */
static specreg_status run(specreg_context *ctx, const sri_run *r, const sri_engine_problem *asked,
                          const sri_job *job, sri_sink *sink)
{
    sri_filter filter = *job->path.filter;
    sri_path path = job->path;
    const sri_request request = {.memory = job->request.memory, .machine = job->request.machine};
    SRI_CALL(sri_filter_prepare(ctx, &filter, asked->op));
    path.filter = &filter;
    sri_job own = sri_job_make(asked, &path, &request, &(sri_hint){0});
    SRI_CALL(sri_engine_plan(ctx, r->setting->spec->engine, &own, &r->out->engine, NULL));
    return sri_engine_run(ctx, r->out->engine, &own, sink, &r->out->report);
}

/* Z, M Z, C^-1 Z_l' and the matrix of k~ in the labelled rows (n x n): Z_l C^-1 Z_l'. */
static specreg_status deform(specreg_context *ctx, const sri_kernel *kernel, extended *e,
                             sri_arena *memory, double *K)
{
    specreg_status st = SPECREG_OK;
    const sri_extension *x = e->problem->extension;
    const int64_t n = e->n, N = e->N;
    const double rho = x->unlabelled->graph.strength / ((double)N * (double)N);
    sri_low_rank f = {0};
    double *C, *Zl;
    int64_t failed_at;
    SRI_TRY(sri_low_rank_new(ctx, kernel, x->all, &f));
    SRI_TRY(sri_low_rank_extend(ctx, &f, N, 0));
    e->rank = f.rank;
    SRI_SCRATCH(ctx, memory, e->Zt, f.rank, N);
    SRI_SCRATCH(ctx, memory, e->MZt, f.rank, N);
    SRI_SCRATCH(ctx, memory, e->half, f.rank, n);
    SRI_SCRATCH(ctx, memory, e->projected, f.rank, e->T);
    SRI_SCRATCH(ctx, memory, Zl, f.rank, n);
    SRI_SCRATCH(ctx, memory, C, f.rank, f.rank);
    memcpy(e->Zt, f.Lt, (size_t)(f.rank * N) * sizeof *f.Lt);
    sri_graph_apply(&x->graph, f.rank, e->Zt, e->MZt);
    for (int64_t k = 0; k < f.rank * N; k++)
        e->MZt[k] *= rho;
    sri_gemm(false, true, f.rank, f.rank, N, 1, e->MZt, N, e->Zt, N, 0, C, f.rank);
    for (int64_t k = 0; k < f.rank; k++)
        C[k * f.rank + k] += 1;
    for (int64_t k = 0; k < f.rank; k++)
        memcpy(Zl + k * n, e->Zt + k * N, (size_t)n * sizeof *Zl);
    memcpy(e->half, Zl, (size_t)(f.rank * n) * sizeof *Zl);
    SRI_TRY(sri_cholesky(ctx, f.rank, C, &failed_at));
    SRI_REQUIRE(ctx, !failed_at, SPECREG_E_NUMERIC,
                "laplacian: a strength of %g is more than rounding allows: take less",
                x->unlabelled->graph.strength);
    SRI_TRY(sri_cholesky_solve(ctx, f.rank, n, C, e->half));
    sri_gemm(true, false, n, n, f.rank, 1, Zl, n, e->half, n, 0, K, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            K[i * n + j] = K[j * n + i] = (K[i * n + j] + K[j * n + i]) / 2;
done:
    sri_low_rank_free(&f);
    return st;
}

static specreg_status system_of_all(specreg_context *ctx, const sri_kernel *kernel,
                                    const extended *e, sri_extended_system *out)
{
    specreg_status st = SPECREG_OK;
    double *Y;
    out->n = e->N;
    SRI_SCRATCH_ZERO(ctx, &out->memory, Y, e->N, e->T);
    for (int64_t k = 0; k < e->n * e->T; k++)
        Y[k] = e->factor * e->problem->Y[k];
    out->Y = Y;
    SRI_TRY(sri_op_kernel(ctx, kernel, e->problem->extension->all, &out->op));
done:
    return st;
}

static specreg_status system_of_labelled(specreg_context *ctx, const sri_kernel *kernel,
                                         extended *e, sri_extended_system *out)
{
    specreg_status st = SPECREG_OK;
    sri_problem own = *e->problem;
    double *K;
    out->n = e->n;
    out->Y = own.Y;
    SRI_SCRATCH(ctx, &out->memory, K, e->n, e->n);
    SRI_TRY(deform(ctx, kernel, e, &out->memory, K));
    const sri_matrix matrix = {.x = K, .n = e->n, .p = e->n};
    SRI_TRY(sri_points_of(ctx, &matrix, true, &out->points));
    SRI_TRY(sri_kernel_grid_parse(ctx, "precomputed", &out->given));
    own.points = out->points;
    own.extension = NULL;
    const sri_kernel deformed = sri_kernel_grid_at(&out->given, 0);
    SRI_TRY(sri_problem_op(ctx, &own, &deformed, &out->op));
done:
    return st;
}

static extended extended_begin(const sri_problem *problem)
{
    const int64_t N = problem->extension->all->n;
    return (extended){.problem = problem,
                      .n = problem->n,
                      .N = N,
                      .T = problem->T,
                      .factor = (double)N / (double)problem->n};
}

static specreg_status system_make(specreg_context *ctx, const sri_kernel *kernel, extended *e,
                                  sri_extended_system *out)
{
    const bool graph = e->problem->extension->unlabelled->has_graph;
    return graph ? system_of_labelled(ctx, kernel, e, out) : system_of_all(ctx, kernel, e, out);
}

specreg_status sri_extended_system_make(specreg_context *ctx, const sri_problem *problem,
                                        const sri_kernel *kernel, sri_extended_system *out)
{
    extended e = extended_begin(problem);
    *out = (sri_extended_system){0};
    return system_make(ctx, kernel, &e, out);
}

void sri_extended_system_free(sri_extended_system *system)
{
    sri_op_free(system->op);
    sri_points_free(system->points);
    sri_kernel_grid_free(&system->given);
    sri_arena_free(&system->memory);
    *system = (sri_extended_system){0};
}

specreg_status sri_run_extended(specreg_context *ctx, const sri_run *r, const sri_problem *problem,
                                const sri_job *job, sri_sink *to)
{
    specreg_status st = SPECREG_OK;
    extended e = extended_begin(problem);
    sri_extended_system system = {0};
    e.base.put = problem->extension->unlabelled->has_graph ? put_labelled : put_all;
    e.to = to;
    SRI_SCRATCH(ctx, &system.memory, e.alpha, e.N, e.T);
    SRI_SCRATCH(ctx, &system.memory, e.residual, e.n, e.T);
    SRI_TRY(system_make(ctx, &r->candidate->kernel, &e, &system));
    const sri_engine_problem asked = {.op = system.op,
                                      .Y = system.Y,
                                      .T = e.T,
                                      .folds = {.n = system.n}};
    SRI_TRY(run(ctx, r, &asked, job, &e.base));
    SRI_TRY(sri_poll(ctx));
done:
    sri_extended_system_free(&system);
    return st;
}
