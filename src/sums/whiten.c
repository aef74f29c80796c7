#include "sums/whiten.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/factor.h"
#include "backend/threads.h"
#include "core/arena.h"
#include "core/rng.h"

/* The factor of the kernel between `centres`, all of whose pivots are above rounding. */
static specreg_status take_factor(specreg_context *ctx, const double *K, int64_t m, int64_t rank,
                                  sri_whitening *w)
{
    SRI_NEW_ZERO(ctx, w->L, rank, rank);
    for (int64_t i = 0; i < rank; i++)
        memcpy(w->L + i * rank, K + i * m, (size_t)(i + 1) * sizeof *K);
    return sri_lower_rows_new(ctx, rank, w->L, &w->lower);
}

/* Elimination of m columns leaves about so much of a diagonal entry where it should leave
 * nothing. */
static double rounding(const double *K, int64_t m)
{
    double most = 0;
    for (int64_t i = 0; i < m; i++)
        most = fmax(most, K[i * (m + 1)]);
    return 100 * DBL_EPSILON * (double)m * most;
}

specreg_status sri_whitening_make(specreg_context *ctx, const sri_kernel *kernel,
                                  const sri_points *points, const int64_t *row, int64_t count,
                                  sri_whitening *out)
{
    specreg_status st = SPECREG_OK;
    sri_points *all = NULL;
    double *K = NULL;
    int64_t *pivot = NULL, rank;
    *out = (sri_whitening){.kernel = kernel, .asked = count};
    SRI_TRY(sri_points_subset(ctx, points, row, count, &all));
    SRI_ALLOC(ctx, K, count, count);
    SRI_ALLOC(ctx, pivot, count, 1);
    SRI_TRY(sri_kernel_gram(ctx, kernel, all, false, K, count));
    SRI_TRY(sri_cholesky_pivoted(ctx, count, K, rounding(K, count), pivot, &rank));
    SRI_REQUIRE(ctx, rank > 0, SPECREG_E_NUMERIC,
                "the kernel is 0 at all %lld centres: there is nothing to learn with",
                (long long)count);
    SRI_ALLOC(ctx, out->row, rank, 1);
    for (int64_t i = 0; i < rank; i++)
        out->row[i] = row[pivot[i]];
    SRI_TRY(sri_points_subset(ctx, all, pivot, rank, &out->centres));
    SRI_TRY(take_factor(ctx, K, count, rank, out));
done:
    if (st != SPECREG_OK)
        sri_whitening_free(out);
    sri_free(pivot);
    sri_free(K);
    sri_points_free(all);
    return st;
}

void sri_whitening_free(sri_whitening *w)
{
    sri_lower_rows_free(&w->lower);
    sri_free(w->L);
    sri_free(w->row);
    sri_points_free(w->centres);
    *w = (sri_whitening){0};
}

specreg_status sri_whiten(specreg_context *ctx, const sri_whitening *w, const sri_rows_view *rows,
                          double *B, int64_t ld)
{
    SRI_CALL(sri_kernel_block(ctx, w->kernel, rows, w->centres, B, ld));
    sri_lower_rows_solve(&w->lower, rows->n, B, ld);
    return SPECREG_OK;
}

void sri_whitening_coefficients(const sri_whitening *w, int64_t t, double *W)
{
    const int64_t r = sri_whitening_rank(w);
    sri_lower_solve_transposed(r, t, w->L, r, W);
}

/* Steps of the power method with (L L')^-1; the last one's growth is the estimate. */
specreg_status sri_whitening_amplification(specreg_context *ctx, const sri_whitening *w,
                                           double *out)
{
    enum { STEPS = 12 };
    specreg_status st = SPECREG_OK;
    const int64_t r = sri_whitening_rank(w);
    const sri_region region = sri_region_enter();
    sri_rng random = sri_rng_make(0, SRI_STREAM_START);
    double *x = NULL;
    SRI_ALLOC(ctx, x, r, 1);
    for (int64_t i = 0; i < r; i++)
        x[i] = sri_rng_uniform(&random) - 0.5;
    for (int step = 0; step <= STEPS; step++) {
        const double norm = sri_norm(r, x);
        for (int64_t i = 0; i < r; i++)
            x[i] /= norm;
        sri_lower_solve_rows(r, 1, w->L, false, x, r);
        sri_lower_solve_rows(r, 1, w->L, true, x, r);
    }
    *out = sqrt(sri_norm(r, x));
done:
    sri_region_leave(region);
    sri_free(x);
    return st;
}

specreg_status sri_whitening_captured(specreg_context *ctx, const sri_whitening *w,
                                      const sri_points *points, double *share)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t n = points->n < SRI_WHITEN_ROWS ? points->n : SRI_WHITEN_ROWS,
                  r = sri_whitening_rank(w);
    const sri_rows_view rows = sri_points_rows(points, 0, n);
    double *B, *d, inside = 0, all = 0;
    SRI_SCRATCH(ctx, &scratch, B, n, r);
    SRI_SCRATCH(ctx, &scratch, d, points->n, 1);
    SRI_TRY(sri_whiten(ctx, w, &rows, B, r));
    SRI_TRY(sri_kernel_diagonal(ctx, w->kernel, points, d));
    for (int64_t k = 0; k < n * r; k++)
        inside += B[k] * B[k];
    for (int64_t i = 0; i < n; i++)
        all += d[i];
    *share = inside / all;
done:
    sri_arena_free(&scratch);
    return st;
}
