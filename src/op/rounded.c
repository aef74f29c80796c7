#include "op/rounded.h"

#include <math.h>
#include <string.h>

#include "backend/vec.h"
#include "core/memory.h"
#include "op/low_rank.h"

enum { STEP = 32, MOST = 128 };
/* STEP columns of L are worth their time where they leave no more than this of the trace. */
static const double LITTLE = 0.5;
/* A value is rounded by 2.4e-8 of itself on average, and a sum of 32 products by 1e-7 of their root
 * sum of squares: for a vector that is spread over all rows that makes this times |R|_F /
 * sqrt(n). */
static const double SUM_ERROR = 1.5e-7;

double sri_rounded_bytes(int64_t n)
{
    return sri_triangle_bytes(n, true) + 8.0 * (double)n * 3 * MOST;
}

typedef struct rounding {
    const sri_rounded *r;
    double *L; /* n x rank */
} rounding;

/* Takes L L' away from a tile of K and rounds the rest. */
static void put_tile(void *payload, int64_t i, int64_t j, double *tile)
{
    const rounding *under_way = payload;
    const sri_rounded *r = under_way->r;
    const sri_vec *vec = sri_vec_best();
    const int64_t n = r->panels.n, rank = r->panels.rank;
    for (int64_t row = 0; rank && row < SRI_PANEL && i * SRI_PANEL + row < n;
         row += SRI_TILE_ROWS) {
        double product[SRI_TILE_ROWS * SRI_PANEL];
        const int64_t first = i * SRI_PANEL + row;
        const int64_t rows = n - first < SRI_TILE_ROWS ? n - first : SRI_TILE_ROWS;
        vec->dot(under_way->L + first * rank, rank, rows, r->panels.values + j * rank * SRI_PANEL,
                 rank, product);
        for (int64_t k = 0; k < rows * SRI_PANEL; k++)
            tile[row * SRI_PANEL + k] -= product[k];
    }
    sri_triangle_set(r->rest, i, j, tile);
}

/* Sorting copies the points, and loses what is known of pairs of them. */
static bool may_be_sorted(const sri_points *points)
{
    enum { COORDINATES = 64 };
    return !points->pairs && points->stored != SRI_STORED_SPARSE &&
           sri_points_width(points) <= COORDINATES;
}

/* The pivots that are worth it. */
static specreg_status take_pivots(specreg_context *ctx, sri_low_rank *factor)
{
    double before;
    int64_t rank;
    do { /* where values are not finite it stays where it is */
        before = factor->left;
        rank = factor->rank;
        SRI_CALL(sri_low_rank_extend(ctx, factor, rank + STEP, 0));
    } while (factor->left <= LITTLE * before && factor->rank > rank && factor->rank < MOST);
    if (factor->left > LITTLE * factor->trace)
        factor->rank = 0;
    return SPECREG_OK;
}

static specreg_status make(specreg_context *ctx, const sri_kernel *kernel, const sri_points *points,
                           sri_rounded **out)
{
    specreg_status st = SPECREG_OK;
    sri_rounded *r = NULL;
    sri_low_rank factor = {0};
    rounding under_way = {0};
    *out = NULL;
    SRI_CALLOC(ctx, r, 1, 1);
    SRI_TRY(sri_triangle_new(ctx, points->n, true, &r->rest));
    SRI_TRY(sri_low_rank_new(ctx, kernel, points, &factor));
    SRI_TRY(take_pivots(ctx, &factor));
    SRI_TRY(sri_low_rank_rows(ctx, &factor, &under_way.L));
    SRI_TRY(sri_panels_new(ctx, points->n, factor.rank, factor.Lt, &r->panels));
    sri_low_rank_free(&factor);
    under_way.r = r;
    SRI_TRY(sri_kernel_tiles(ctx, kernel, points, put_tile, &under_way));
    r->error = SUM_ERROR * sri_triangle_norm(r->rest) / sqrt((double)points->n);
    *out = r;
    r = NULL;
done:
    sri_free(under_way.L);
    sri_low_rank_free(&factor);
    sri_rounded_free(r);
    return st;
}

specreg_status sri_rounded_new(specreg_context *ctx, const sri_kernel *kernel,
                               const sri_points *points, const int64_t *order, sri_rounded **out)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = points->n;
    sri_points *sorted = NULL;
    *out = NULL;
    if (!order || !may_be_sorted(points))
        return make(ctx, kernel, points, out);
    SRI_TRY(sri_points_subset(ctx, points, order, n, &sorted));
    st = make(ctx, kernel, sorted, out);
    if (st == SPECREG_E_NUMERIC) { /* which is to name rows by their own numbers */
        st = make(ctx, kernel, points, out);
        goto done;
    }
    SRI_TRY(st);
    SRI_ALLOC(ctx, (*out)->order, n, 1);
    memcpy((*out)->order, order, (size_t)n * sizeof *order);
done:
    if (st != SPECREG_OK) {
        sri_rounded_free(*out);
        *out = NULL;
    }
    sri_points_free(sorted);
    return st;
}

void sri_rounded_free(sri_rounded *r)
{
    if (!r)
        return;
    sri_free(r->order);
    sri_panels_free(&r->panels);
    sri_triangle_free(r->rest);
    sri_free(r);
}

static specreg_status product(specreg_context *ctx, const sri_rounded *r, int64_t t,
                              const double *X, double *Y)
{
    SRI_CALL(sri_triangle_product(ctx, r->rest, t, X, Y));
    if (r->panels.rank)
        SRI_CALL(sri_panels_add_square(ctx, &r->panels, t, X, Y));
    return SPECREG_OK;
}

specreg_status sri_rounded_product(specreg_context *ctx, const sri_rounded *r, int64_t t,
                                   const double *X, double *Y)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = r->panels.n;
    const size_t row = (size_t)t * sizeof *X;
    double *sorted = NULL;
    if (!r->order)
        return product(ctx, r, t, X, Y);
    SRI_ALLOC(ctx, sorted, 2 * n, t);
    double *result = sorted + n * t;
    for (int64_t i = 0; i < n; i++)
        memcpy(sorted + i * t, X + r->order[i] * t, row);
    SRI_TRY(product(ctx, r, t, sorted, result));
    for (int64_t i = 0; i < n; i++)
        memcpy(Y + r->order[i] * t, result + i * t, row);
done:
    sri_free(sorted);
    return st;
}
