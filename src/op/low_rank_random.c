/* Cholesky with pivots at random, with probabilities that follow what is left of the diagonal. */
#include "core/memory.h"
#include "core/urn.h"
#include "op/low_rank.h"

enum { BLOCK = SRI_LOW_RANK_BLOCK };

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

specreg_status sri_low_rank_extend_random(specreg_context *ctx, sri_low_rank *f, int64_t most,
                                          double share, sri_rng *rng)
{
    specreg_status st = SPECREG_OK;
    sri_urn urn = {.n = f->n, .rng = *rng};
    SRI_ALLOC(ctx, urn.sum, urn.n, 1);
    for (int64_t before = -1; f->rank < most && f->rank > before && f->left > share * f->trace;) {
        before = f->rank;
        SRI_TRY(add_some(ctx, &urn, most, f));
        SRI_TRY(sri_poll(ctx));
    }
    *rng = urn.rng;
done:
    sri_free(urn.sum);
    return st;
}
