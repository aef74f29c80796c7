/* Centres that are the pivots of a Cholesky decomposition of the kernel matrix of the candidates:
 * each is a row of which the centres before it leave much unexplained, d_i = k(x_i, x_i) -
 * |b(x_i)|^2. */
#include "core/memory.h"
#include "op/low_rank.h"
#include "sums/centre_rules.h"

typedef struct choice {
    sri_candidates candidates;
    sri_low_rank factor;
} choice;

static specreg_status begin(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                            choice *out)
{
    *out = (choice){0};
    SRI_CALL(sri_candidates_make(ctx, pool, m, &out->candidates));
    SRI_CALL(sri_low_rank_new(ctx, pool->kernel, out->candidates.points, &out->factor));
    return sri_low_rank_reserve(ctx, &out->factor, m);
}

static void hand_over(const choice *c, int64_t *row, int64_t *count)
{
    *count = c->factor.rank;
    for (int64_t k = 0; k < *count; k++)
        row[k] = sri_candidates_row(&c->candidates, c->factor.pivot[k]);
}

static void choice_free(choice *c)
{
    sri_low_rank_free(&c->factor);
    sri_candidates_free(&c->candidates);
}

/* The largest d_i each time. */
specreg_status sri_centres_pivoted(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                                   int64_t *row, int64_t *count)
{
    specreg_status st = SPECREG_OK;
    choice c;
    SRI_TRY(begin(ctx, pool, m, &c));
    c.factor.worth = 1;
    SRI_TRY(sri_low_rank_extend(ctx, &c.factor, m, 0));
    hand_over(&c, row, count);
done:
    choice_free(&c);
    return st;
}

/* At random, with probabilities that follow d_i, each time. */
specreg_status sri_centres_rpcholesky(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                                      int64_t *row, int64_t *count)
{
    specreg_status st = SPECREG_OK;
    choice c;
    sri_rng rng = sri_rng_make(pool->seed, SRI_STREAM_CENTRES);
    SRI_TRY(begin(ctx, pool, m, &c));
    SRI_TRY(sri_low_rank_extend_random(ctx, &c.factor, m, 0, &rng));
    hand_over(&c, row, count);
done:
    choice_free(&c);
    return st;
}
