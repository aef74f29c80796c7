/* K = L L', panel by panel: the block on the diagonal is factored, the rows below it follow by
 * substitution, and their product with themselves is subtracted from the rest of the matrix.
 * Substitution packs the rows for that product once, where BLAS would pack them for every tile,
 * and runs at the speed of a product, where dtrsm has a third of it.
 *
 * Threads share the rows.  A row is summed in the same order by any thread, so any number of
 * threads gives the same bits.  The next block on the diagonal is updated first and factored
 * while the other threads go on with the rest. */

#include "backend/cpu/factor_vec.h"
#include "backend/cpu/lapack.h"
#include "backend/cpu/own.h"
#include "backend/factor.h"
#include "backend/threads.h"
#include "backend/vec.h"
#include "core/arena.h"
#include "core/openmp.h"

/* Panels inside a diagonal block have NARROW columns, those of the matrix a multiple of that, up to
 * WIDE; threads take SHARE rows at a time. */
enum { WIDE = 240, NARROW = 48, ROWS = SRI_FACTOR_ROWS, SHARE = 4 * ROWS };
_Static_assert(NARROW % SRI_FACTOR_STRIP == 0 && WIDE % NARROW == 0, "whole strips");
_Static_assert(NARROW % ROWS == 0, "the rows below a diagonal block begin with a packed block");

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Returns 0, or the order at which the matrix is not positive definite or not finite. */
static int64_t factor_block(int64_t n, double *A, int64_t ld)
{
    double packed[NARROW * NARROW] __attribute__((aligned(64)));
    double panel[WIDE * NARROW] __attribute__((aligned(64)));
    const sri_factor_vec *vec = sri_vec_best()->factor;
    for (int64_t at = 0; at < n; at += NARROW) {
        const int64_t left = n - at - NARROW;
        double *corner = A + at * (ld + 1), *below = corner + NARROW * ld;
        const int64_t failed_at = sri_lapack_factor(least(NARROW, n - at), corner, ld);
        if (failed_at)
            return at + failed_at;
        if (left <= 0)
            break;
        vec->pack(NARROW, corner, ld, packed);
        vec->solve(NARROW, packed, left, below, ld, panel);
        vec->update(0, left, NARROW, panel, below + NARROW, ld);
    }
    return 0;
}

/* A wide panel saves memory traffic, a narrow one leaves more work for threads to share. */
static int64_t panel_width(int64_t n)
{
    const int64_t width = (n / 8 + NARROW - 1) / NARROW * NARROW;
    return width < 2 * NARROW ? 2 * NARROW : least(WIDE, width);
}

/* The rows below the diagonal block at `at`, the update of the rest, and the next diagonal
 * block. */
static int64_t take_panel(int64_t n, double *K, int64_t at, int64_t width, double *packed,
                          double *panel)
{
    const sri_factor_vec *vec = sri_vec_best()->factor;
    const int64_t left = n - at - width, next = least(width, left);
    const int64_t shares = (left - next + SHARE - 1) / SHARE;
    double *corner = K + at * (n + 1), *below = corner + width * n, *rest = below + width;
    int64_t failed_at = 0;
    const sri_region region = sri_region_enter();
    vec->pack(width, corner, n, packed);
#pragma omp parallel num_threads(region.threads)
    {
#pragma omp for schedule(dynamic)
        for (int64_t i = 0; i < left; i += ROWS)
            vec->solve(width, packed, least(ROWS, left - i), below + i * n, n, panel + i * width);
#pragma omp for schedule(dynamic) /* long rows first, so that threads end at the same time */
        for (int64_t k = shares; k >= 0; k--) {
            const int64_t first = k == shares ? 0 : next + k * SHARE;
            const int64_t last = k == shares ? next : least(left, first + SHARE);
            vec->update(first, last, width, panel, rest, n);
            if (k == shares)
                failed_at = factor_block(next, rest, n);
        }
    }
    sri_region_leave(region);
    return failed_at ? at + width + failed_at : 0;
}

double sri_cholesky_bytes(int64_t n)
{
    const int inverse = SRI_FACTOR_COLUMNS * omp_get_max_threads();
    return 8.0 * (double)n * (inverse > WIDE ? inverse : WIDE);
}

specreg_status sri_own_cholesky(specreg_context *ctx, int64_t n, double *K, int64_t *failed_at)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t width = panel_width(n);
    double *packed, *panel;
    *failed_at = 0;
    SRI_TRY(sri_lapack_fits(ctx, n));
    *failed_at = factor_block(least(width, n), K, n);
    if (n <= width || *failed_at)
        return st;
    const int64_t rows = (n - width + ROWS - 1) / ROWS * ROWS;
    SRI_SCRATCH(ctx, &scratch, packed, width, width);
    SRI_SCRATCH(ctx, &scratch, panel, rows, width);
    sri_large_pages(panel, (double)(rows * width) * sizeof *panel);
    for (int64_t at = 0; at + width < n && !*failed_at; at += width) {
        *failed_at = take_panel(n, K, at, width, packed, panel);
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_arena_free(&scratch);
    return st;
}

/* (L L')^{-1}_ii = |L^{-1} e_i|^2.  The first columns are the longest and begin first, so that
 * threads end at the same time. */
specreg_status sri_own_cholesky_inverse_diagonal(specreg_context *ctx, int64_t n, const double *L,
                                                 double *out)
{
    specreg_status st = SPECREG_OK;
    enum { COLUMNS = SRI_FACTOR_COLUMNS, ROUND = 32 * COLUMNS };
    const sri_factor_vec *vec = sri_vec_best()->factor;
    const int64_t size = vec->inverse_work(n);
    const int threads = omp_get_max_threads();
    double *work = NULL;
    SRI_ALLOC(ctx, work, threads, size);
    sri_large_pages(work, (double)(threads * size) * sizeof *work);
    for (int64_t first = 0; first < n; first += ROUND) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int64_t i = first; i < least(n, first + ROUND); i += COLUMNS)
            vec->inverse_squares(n - i, least(COLUMNS, n - i), L + i * (n + 1), n,
                                 work + omp_get_thread_num() * size, out + i);
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_free(work);
    return st;
}
