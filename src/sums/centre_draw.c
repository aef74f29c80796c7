/* Random choices that depend on the seed and the numbers of rows alone. */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "data/blocks.h"
#include "sums/centre_rules.h"

/* Numbers that are kept for all candidates together. */
static const int64_t KEPT = (int64_t)1 << 25;

/* A row and what it is sorted by. */
typedef struct keyed {
    double key;
    int64_t number, row;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->number > y->number) - (x->number < y->number);
}

/* A number in [0, 1) that depends on seed and row number alone. */
static double hash_of(const sri_centre_pool *pool, int64_t i)
{
    sri_rng r = sri_rng_make(pool->seed, SRI_STREAM_CENTRES);
    r.counter = (uint64_t)pool->number[i];
    return sri_rng_uniform(&r);
}

/* The rows with the least -log(u) / weight: weight 0 comes last. */
specreg_status sri_centres_draw(specreg_context *ctx, const sri_centre_pool *pool,
                                const double *weight, int64_t m, int64_t *row, int64_t *count)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = pool->points->n;
    keyed *list = NULL;
    SRI_ALLOC(ctx, list, n, 1);
    for (int64_t i = 0; i < n; i++) {
        const double u = -log1p(-hash_of(pool, i)), w = weight ? weight[i] : 1;
        list[i] = (keyed){w > 0 ? u / w : INFINITY, pool->number[i], i};
    }
    qsort(list, (size_t)n, sizeof *list, by_key);
    *count = m < n ? m : n;
    for (int64_t k = 0; k < *count; k++)
        row[k] = list[k].row;
done:
    sri_free(list);
    return st;
}

specreg_status sri_candidates_make(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                                   sri_candidates *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t most = KEPT / m > 2 * m ? KEPT / m : 2 * m;
    int64_t count;
    *out = (sri_candidates){.points = pool->points};
    if (pool->points->n <= most)
        return SPECREG_OK;
    SRI_ALLOC(ctx, out->row, most, 1);
    SRI_TRY(sri_centres_draw(ctx, pool, NULL, most, out->row, &count));
    qsort(out->row, (size_t)count, sizeof *out->row, sri_by_number);
    SRI_TRY(sri_points_subset(ctx, pool->points, out->row, count, &out->own));
    out->points = out->own;
done:
    if (st != SPECREG_OK)
        sri_candidates_free(out);
    return st;
}

void sri_candidates_free(sri_candidates *c)
{
    sri_points_free(c->own);
    sri_free(c->row);
    *c = (sri_candidates){0};
}
