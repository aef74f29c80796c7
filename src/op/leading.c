#include "op/leading.h"

#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/eigen.h"
#include "core/arena.h"
#include "kernel/linear_map.h"

/* Up to this order, and where a good part of all pairs is wanted, all of them are computed. */
enum { SMALL = 1000, PART = 10 };

specreg_status sri_op_leading_level(specreg_context *ctx, sri_op *op, double *level)
{
    const sri_projection *p = op->projection;
    const double *KD;
    *level = 0;
    if (!p)
        return SPECREG_OK;
    SRI_CALL(sri_op_projected_rest(ctx, op, &KD));
    for (int64_t k = 0; k < p->l * p->n; k++)
        *level += p->U[k] * KD[k] / op->mass;
    return SPECREG_OK;
}

/* An eigenvalue below 0 is rounding, or the matrix is not what it should be. */
static specreg_status check_bottom(specreg_context *ctx, int64_t n, double bottom, double top,
                                   double level)
{
    if (bottom >= -1e-8 * (fabs(top) + fabs(level)) * sqrt((double)n))
        return SPECREG_OK;
    return sri_fail(
        ctx, SPECREG_E_NUMERIC,
        "the kernel matrix is not positive semi-definite: its eigenvalues go from %g to %g", bottom,
        top);
}

static specreg_status by_rows(specreg_context *ctx, sri_op *op, int64_t m, double *s, double *V)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t n = op->n;
    double *Q, *t, level;
    SRI_TRY(sri_op_leading_level(ctx, op, &level));
    SRI_SCRATCH(ctx, &scratch, Q, n, n);
    SRI_SCRATCH(ctx, &scratch, t, n, 1);
    SRI_TRY(sri_op_fill(ctx, op, false, Q));
    SRI_TRY(sri_poll(ctx));
    SRI_TRY(sri_eigen(ctx, n, Q, t, true));
    SRI_TRY(check_bottom(ctx, n, t[0], t[n - 1], level * op->mass));
    for (int64_t j = 0; j < m; j++) {
        s[j] = fmax(0, t[n - 1 - j]) / op->mass;
        memcpy(V + j * n, Q + (n - 1 - j) * n, (size_t)n * sizeof *V);
    }
done:
    sri_arena_free(&scratch);
    return st;
}

/* C = A'A becomes A'SA = A'A - (A'U)(A'U)'. */
static specreg_status project_columns(specreg_context *ctx, const sri_linear_map *map,
                                      const sri_projection *p, double *C)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    double *U, *B;
    SRI_SCRATCH(ctx, &scratch, U, p->n, p->l);
    SRI_SCRATCH(ctx, &scratch, B, map->p, p->l);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->l; j++)
            U[i * p->l + j] = p->U[j * p->n + i];
    SRI_TRY(sri_linear_back(ctx, map, p->l, U, B));
    sri_gemm(false, true, map->p, map->p, p->l, -1, B, p->l, B, p->l, 1, C, map->p);
done:
    sri_arena_free(&scratch);
    return st;
}

/* K = A A': with A'A w = l w the vector A w / l^(1/2) is K's, for the same l; with S A in the
 * place of A where features are projected out. */
static specreg_status by_columns(specreg_context *ctx, const sri_op *op, int64_t m, double *s,
                                 double *V)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_linear_map map = sri_linear_map_make(op->linear.points, op->linear.scale, NULL);
    const int64_t n = map.n, p = map.p, known = m < p ? m : p;
    double *C, *t, *W, *F;
    int64_t *row;
    SRI_SCRATCH(ctx, &scratch, row, n, 1);
    SRI_SCRATCH(ctx, &scratch, C, p, p);
    SRI_SCRATCH(ctx, &scratch, t, p, 1);
    SRI_SCRATCH(ctx, &scratch, W, p, known);
    SRI_SCRATCH(ctx, &scratch, F, n, known);
    for (int64_t i = 0; i < n; i++)
        row[i] = i;
    SRI_TRY(sri_linear_gram(ctx, &map, row, n, C));
    if (op->projection)
        SRI_TRY(project_columns(ctx, &map, op->projection, C));
    SRI_TRY(sri_poll(ctx));
    SRI_TRY(sri_eigen(ctx, p, C, t, true));
    for (int64_t j = 0; j < known; j++)
        for (int64_t k = 0; k < p; k++)
            W[k * known + j] = C[(p - 1 - j) * p + k];
    SRI_TRY(sri_linear_forward(ctx, &map, known, W, F));
    if (op->projection)
        SRI_TRY(sri_project(ctx, op->projection, known, F));
    memset(V, 0, (size_t)(m * n) * sizeof *V);
    for (int64_t j = 0; j < m; j++) {
        const double l = j < known ? fmax(0, t[p - 1 - j]) : 0;
        s[j] = l / op->mass;
        for (int64_t i = 0; l > 0 && i < n; i++)
            V[j * n + i] = F[i * known + j] / sqrt(l);
    }
done:
    sri_arena_free(&scratch);
    return st;
}

/* A'A may be the smaller matrix; its rank is K's. */
static int64_t order_of(const sri_op *op)
{
    const int64_t p = op->linear.points ? sri_linear_map_make(op->linear.points, 1, NULL).p : op->n;
    return p > 0 && p < op->n ? p : op->n;
}

specreg_status sri_op_leading(specreg_context *ctx, sri_op *op, int64_t m,
                              sri_leading_limits limits, double *s, double *V)
{
    const int64_t memory = limits.memory;
    const int64_t order = order_of(op);
    const double all = 24.0 * (double)order * (double)order + 16.0 * (double)m * (double)op->n;
    const double some = sri_op_leading_krylov_bytes(op->n, m);
    const bool can = order <= SRI_EIG_MAX && all <= (double)memory;
    const bool few = sri_op_leading_krylov_fits(order, m);
    char need[32], have[32];
    if (can && (order <= SMALL || m > order / PART || !few))
        return order < op->n ? by_columns(ctx, op, m, s, V) : by_rows(ctx, op, m, s, V);
    SRI_CHECK(ctx, few && some <= (double)memory, SPECREG_E_NOMEM,
              "%lld components of %lld rows need %s of memory, the budget is %s", (long long)m,
              (long long)op->n, sri_bytes_text(few ? some : all, need),
              sri_bytes_text((double)memory, have));
    SRI_CALL(sri_op_prepare(ctx, op, memory - (int64_t)some));
    return sri_op_leading_krylov(ctx, op, m, limits.seed, s, V);
}
