#include "model/spectrum.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "backend/blas.h"
#include "backend/eigen.h"
#include "core/arena.h"
#include "model/semi.h"

/* From ascending eigenvalues, and y along their vectors, to descending lists. */
static specreg_status take_spectrum(specreg_context *ctx, const double *s, const double *VY,
                                    int64_t T, const double *Y, sri_spectrum_result *out)
{
    const int64_t n = out->n;
    double total = 0;
    SRI_NEW(ctx, out->eigenvalue, n, 1);
    SRI_NEW(ctx, out->target_share, n, 1);
    for (int64_t k = 0; k < n * T; k++)
        total += Y[k] * Y[k];
    for (int64_t j = n - 1; j >= 0; j--) {
        double along = 0;
        for (int64_t t = 0; t < T; t++)
            along += VY[j * T + t] * VY[j * T + t];
        out->eigenvalue[n - 1 - j] = s[j];
        out->target_share[n - 1 - j] = along / total;
        out->trace += s[j];
        out->rank += s[j] > (double)n * DBL_EPSILON * s[n - 1];
    }
    for (int e = 0; e < SRI_DIMENSIONS; e++) {
        const double lambda = pow(10, -e) * s[n - 1];
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += s[j] / (s[j] + lambda);
        out->dimension[e].lambda = lambda;
        out->dimension[e].df = sum;
    }
    return SPECREG_OK;
}

typedef struct pair { /* an eigenvalue, and y along its vector */
    double s, along;
} pair;

static int rising(const void *a, const void *b)
{
    const double x = ((const pair *)a)->s, y = ((const pair *)b)->s;
    return (x > y) - (x < y);
}

/* Where every row has all outputs Gamma is K times A, entry by entry: its eigenvalues are a_t
 * s_j, and y lies along them as V'Y U does. */
static specreg_status take_coupled(specreg_context *ctx, const sri_coupling *c, const double *s,
                                   const double *VY, const double *Y, sri_spectrum_result *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = out->n, T = c->T;
    sri_arena scratch = {0};
    double *rotated, *values, *along;
    pair *pairs;
    SRI_SCRATCH(ctx, &scratch, rotated, n, T);
    SRI_SCRATCH(ctx, &scratch, values, n, T);
    SRI_SCRATCH(ctx, &scratch, along, n, T);
    SRI_SCRATCH(ctx, &scratch, pairs, n, T);
    sri_gemm(false, true, n, T, T, 1, VY, T, c->U, T, 0, rotated, T);
    for (int64_t k = 0; k < n * T; k++)
        pairs[k] = (pair){c->a[k % T] * s[k / T], rotated[k]};
    qsort(pairs, (size_t)(n * T), sizeof *pairs, rising);
    for (int64_t k = 0; k < n * T; k++) {
        values[k] = pairs[k].s;
        along[k] = pairs[k].along;
    }
    out->n = n * T;
    SRI_TRY(take_spectrum(ctx, values, along, 1, Y, out));
done:
    sri_arena_free(&scratch);
    return st;
}

static specreg_status check_memory(specreg_context *ctx, int64_t n, int64_t budget)
{
    char need[32], have[32];
    const double bytes = 24.0 * (double)n * (double)n;
    if (bytes <= (double)budget)
        return SPECREG_OK;
    return sri_fail(ctx, SPECREG_E_NOMEM,
                    "the decomposition of %lld rows needs %s of memory, the budget is %s",
                    (long long)n, sri_bytes_text(bytes, need),
                    sri_bytes_text((double)budget, have));
}

/* V and s: eigenvectors in rows, and eigenvalues over the mass; VY: the targets along them. */
static specreg_status decompose(specreg_context *ctx, const sri_problem *problem,
                                sri_spectrum_result *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = out->n, T = problem->T;
    sri_op *own = NULL, *op;
    sri_extended_system system = {0};
    sri_arena scratch = {0};
    double *V, *s, *VY, *Y; /* Y: W^(1/2) times the targets */
    SRI_SCRATCH(ctx, &scratch, V, n, n);
    SRI_SCRATCH(ctx, &scratch, s, n, 1);
    SRI_SCRATCH(ctx, &scratch, VY, n, T);
    SRI_TRY(sri_stage(ctx, "spectrum", 1));
    SRI_SCRATCH(ctx, &scratch, Y, n, T);
    if (problem->extension)
        SRI_TRY(sri_extended_system_make(ctx, problem, &out->kernel, &system));
    else
        SRI_TRY(sri_problem_op(ctx, problem, &out->kernel, &own));
    op = problem->extension ? system.op : own;
    const double *targets = problem->extension ? system.Y : problem->Y;
    for (int64_t k = 0; k < n * T; k++)
        Y[k] = sqrt(sri_problem_weight(problem, k / T)) * targets[k];
    if (op->projection)
        SRI_TRY(sri_project(ctx, op->projection, T, Y));
    SRI_TRY(sri_op_fill(ctx, op, false, V));
    SRI_TRY(sri_eigen(ctx, n, V, s, true));
    for (int64_t j = 0; j < n; j++)
        s[j] /= op->mass;
    sri_gemm(false, false, n, T, n, 1, V, n, Y, T, 0, VY, T);
    const sri_coupling *coupling = sri_problem_coupling(problem, &out->kernel);
    SRI_TRY(coupling ? take_coupled(ctx, coupling, s, VY, Y, out)
                     : take_spectrum(ctx, s, VY, T, Y, out));
done:
    sri_extended_system_free(&system);
    sri_op_free(own);
    sri_arena_free(&scratch);
    return st;
}

specreg_status sri_spectrum_of(specreg_context *ctx, sri_prepared *p, sri_spectrum_result *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = p->problem.n; /* points: of fields one for each component */
    sri_threads threads = {0};
    *out = (sri_spectrum_result){.n = n};
    sri_search_threads(n, &threads);
    SRI_TRY(sri_prepare_kernels(ctx, p));
    SRI_REQUIRE(ctx, p->call->recipe->search.semi.strength.count < 2, SPECREG_E_ARG,
                "laplacian: a spectrum has one strength of the graph: give --laplacian "
                "strength=VALUE");
    SRI_TRY(sri_semi_attach(ctx, p));
    const sri_extension *x = p->problem.extension;
    out->n = x && !x->unlabelled->has_graph ? x->all->n : n;
    SRI_REQUIRE(
        ctx, !sri_kernel_grid_learns(&p->grid), SPECREG_E_ARG,
        "outputs learn: there is no spectrum before the matrix is learned: take matrix:file=");
    out->candidates = sri_kernel_grid_count(&p->grid);
    out->shown = out->candidates / 2; /* the one given, or the middle one of several */
    out->kernel = sri_kernel_grid_at(&p->grid, out->shown);
    SRI_TRY(check_memory(ctx, out->n, p->problem.resources.memory));
    SRI_TRY(decompose(ctx, &p->problem, out));
done:
    sri_threads_leave(&threads);
    return st;
}

void sri_spectrum_result_free(sri_spectrum_result *result)
{
    sri_free(result->eigenvalue);
    sri_free(result->target_share);
    *result = (sri_spectrum_result){0};
}
