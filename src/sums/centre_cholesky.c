/* Centres that are the pivots of a Cholesky decomposition of the kernel matrix of the candidates:
 * each is a row of which the centres before it leave much unexplained, d_i = k(x_i, x_i) -
 * |b(x_i)|^2. */
#include <math.h>

#include "backend/blas.h"
#include "core/memory.h"
#include "op/low_rank.h"
#include "sums/centre_rules.h"

enum { BLOCK = SRI_LOW_RANK_BLOCK };

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

/* Rows that are proposed together, by the d_i before them. */
typedef struct proposals {
    int64_t row[BLOCK];
    double H[BLOCK * BLOCK]; /* of K - L L': the lower triangle between them */
} proposals;

static specreg_status residual_between(specreg_context *ctx, const sri_low_rank *f, proposals *p)
{
    specreg_status st = SPECREG_OK;
    sri_points *points = NULL;
    SRI_TRY(sri_points_subset(ctx, f->points, p->row, BLOCK, &points));
    SRI_TRY(sri_kernel_gram(ctx, f->kernel, points, false, p->H, BLOCK));
    for (int64_t k = 0; k < f->rank; k++) {
        const double *l = f->Lt + k * f->n;
        for (int i = 0; i < BLOCK; i++)
            for (int j = 0; j <= i; j++)
                p->H[i * BLOCK + j] -= l[p->row[i]] * l[p->row[j]];
    }
done:
    sri_points_free(points);
    return st;
}

/* Subtracts what proposal a explains of those after it. */
static void eliminate(double *H, int a)
{
    const double pivot = H[a * (BLOCK + 1)];
    for (int i = a + 1; i < BLOCK; i++)
        for (int j = a + 1; j <= i; j++)
            H[i * BLOCK + j] -= H[i * BLOCK + a] * H[j * BLOCK + a] / pivot;
}

/* Of rows that were proposed by the d_i of the beginning, accepts each with the probability (its d
 * now) / (its d at the beginning): then they are as if drawn one after the other by the d_i of that
 * moment (Epperly, Tropp and Webber, "Embrace rejection"). */
static int64_t accept(const sri_low_rank *f, proposals *p, sri_rng *rng, int64_t *row)
{
    int64_t accepted = 0;
    for (int a = 0; a < BLOCK; a++) {
        const int64_t i = p->row[a];
        const double now = p->H[a * (BLOCK + 1)], bar = sri_rng_uniform(rng) * f->d[i];
        if (now <= bar || now <= SRI_LOW_RANK_ROUNDING * f->diagonal[i])
            continue;
        row[accepted++] = i;
        eliminate(p->H, a);
    }
    return accepted;
}

/* One round: proposals, those accepted, and their columns of L. */
static specreg_status add_some(specreg_context *ctx, sri_urn *urn, int64_t m, sri_low_rank *f)
{
    proposals p;
    int64_t row[BLOCK];
    sri_urn_fill(urn, f->d);
    for (int a = 0; a < BLOCK; a++) {
        p.row[a] = sri_urn_draw(urn);
        if (p.row[a] < 0)
            return SPECREG_OK;
    }
    SRI_CALL(residual_between(ctx, f, &p));
    const int64_t accepted = accept(f, &p, &urn->rng, row), room = m - f->rank;
    return accepted ? sri_low_rank_take(ctx, f, row, accepted < room ? accepted : room)
                    : SPECREG_OK;
}

/* At random, with probabilities that follow d_i, each time. */
specreg_status sri_centres_rpcholesky(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                                      int64_t *row, int64_t *count)
{
    specreg_status st = SPECREG_OK;
    choice c;
    sri_urn urn = {.rng = sri_rng_make(pool->seed, SRI_STREAM_CENTRES)};
    SRI_TRY(begin(ctx, pool, m, &c));
    urn.n = c.factor.n;
    SRI_ALLOC(ctx, urn.sum, urn.n, 1);
    for (int64_t before = -1; c.factor.rank < m && c.factor.rank > before;) {
        before = c.factor.rank;
        SRI_TRY(add_some(ctx, &urn, m, &c.factor));
        SRI_TRY(sri_poll(ctx));
    }
    hand_over(&c, row, count);
done:
    sri_free(urn.sum);
    choice_free(&c);
    return st;
}
