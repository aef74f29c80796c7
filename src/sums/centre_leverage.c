/* Approximate ridge leverage scores, from a uniform subset J of s rows:
 *
 *     score(x) ~ k(x, x) - k_J(x)' (K_JJ + s lambda I)^-1 k_J(x),
 *
 * up to a factor that is the same for all rows.  lambda is such that the effective dimension of J
 * is half the number of centres, or of J where that is smaller. */
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/eigen.h"
#include "core/arena.h"
#include "core/memory.h"
#include "sums/centre_rules.h"

enum { SUBSET = 1000, ROWS = 1024 };

typedef struct subset {
    sri_points *points;
    double *V; /* s x s: an eigenvector of K_JJ in each row      */
    double *e; /* s: its eigenvalues, then those of the inverse  */
} subset;

static void subset_free(subset *s)
{
    sri_free(s->e);
    sri_free(s->V);
    sri_points_free(s->points);
}

static double dimension(const double *e, int64_t s, double ridge)
{
    double sum = 0;
    for (int64_t k = 0; k < s; k++)
        sum += e[k] > 0 ? e[k] / (e[k] + ridge) : 0;
    return sum;
}

/* s lambda, by bisection of its logarithm; the last eigenvalue is the largest. */
static double find_ridge(const double *e, int64_t s, double wanted)
{
    double low = log(1e-14 * e[s - 1]), high = log((double)s * e[s - 1]);
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        if (dimension(e, s, exp(middle)) > wanted)
            low = middle;
        else
            high = middle;
    }
    return exp(high);
}

static specreg_status decompose(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                                subset *out)
{
    specreg_status st = SPECREG_OK;
    int64_t *row = NULL, s;
    *out = (subset){0};
    SRI_ALLOC(ctx, row, SUBSET, 1);
    SRI_TRY(sri_centres_draw(ctx, pool, NULL, SUBSET, row, &s));
    SRI_TRY(sri_points_subset(ctx, pool->points, row, s, &out->points));
    SRI_ALLOC(ctx, out->V, s, s);
    SRI_ALLOC(ctx, out->e, s, 1);
    SRI_TRY(sri_kernel_gram(ctx, pool->kernel, out->points, false, out->V, s));
    SRI_TRY(sri_eigen(ctx, s, out->V, out->e, true));
    SRI_REQUIRE(ctx, out->e[s - 1] > 0, SPECREG_E_NUMERIC,
                "the kernel is 0 at %lld rows: there are no leverage scores", (long long)s);
    const double ridge = find_ridge(out->e, s, (double)(m < s ? m : s) / 2);
    for (int64_t k = 0; k < s; k++)
        out->e[k] = 1 / (fmax(out->e[k], 0) + ridge);
done:
    sri_free(row);
    return st;
}

/* score, which holds k(x, x), of rows first .. first + n - 1. */
static specreg_status subtract_explained(specreg_context *ctx, const sri_centre_pool *pool,
                                         const subset *J, int64_t first, double *score)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t s = J->points->n, left = pool->points->n - first, n = left < ROWS ? left : ROWS;
    const sri_rows_view rows = sri_points_rows(pool->points, first, n);
    double *K, *Q;
    SRI_SCRATCH(ctx, &scratch, K, n, s);
    SRI_SCRATCH(ctx, &scratch, Q, n, s);
    SRI_TRY(sri_kernel_block(ctx, pool->kernel, &rows, J->points, K, s));
    sri_gemm(false, true, n, s, s, 1, K, s, J->V, s, 0, Q, s);
    for (int64_t i = 0; i < n; i++) {
        double explained = 0;
        for (int64_t k = 0; k < s; k++)
            explained += Q[i * s + k] * Q[i * s + k] * J->e[k];
        score[first + i] = fmax(score[first + i] - explained, 0);
    }
    SRI_TRY(sri_poll(ctx));
done:
    sri_arena_free(&scratch);
    return st;
}

specreg_status sri_centres_leverage(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                                    int64_t *row, int64_t *count)
{
    specreg_status st = SPECREG_OK;
    double *score = NULL;
    subset J;
    SRI_TRY(decompose(ctx, pool, m, &J));
    SRI_ALLOC(ctx, score, pool->points->n, 1);
    SRI_TRY(sri_kernel_diagonal(ctx, pool->kernel, pool->points, score));
    for (int64_t i = 0; i < pool->points->n; i += ROWS)
        SRI_TRY(subtract_explained(ctx, pool, &J, i, score));
    SRI_TRY(sri_centres_draw(ctx, pool, score, m, row, count));
done:
    sri_free(score);
    subset_free(&J);
    return st;
}
