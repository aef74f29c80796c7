/* The rank of an operator, to an accuracy: columns of a Cholesky factor with pivots are added until
 * the trace of what is left, which bounds its norm, is small enough.
 *
 * Most matrices have no low rank, and finding that out must be cheap.  The trace left falls ever
 * more slowly for smooth kernels (its logarithm is convex in the number of columns), so that
 * going on as fast as over the last columns is the best that can happen: where even that takes
 * too many of them, it is given up.  Kernels of finite rank fall off a cliff instead, but theirs
 * is known. */
#include <math.h>

#include "core/memory.h"
#include "op/op.h"

enum { FIRST = 32 };

/* The trace of d with the operator's weights. */
static double weighted_sum(const sri_op *op, const double *d, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += op->weight ? op->weight[i] * d[i] : d[i];
    return sum;
}

/* Nothing is gained by going beyond rounding. */
static double reachable(const sri_op *op, double enough)
{
    return fmax(enough, SRI_LOW_RANK_ROUNDING * op->revealed.trace);
}

bool sri_op_is_revealed(const sri_op *op, double enough)
{
    return op->revealed.factor && op->revealed.left <= reachable(op, enough);
}

/* How many columns it takes at least, having gone from `before` to `left` with the last
 * `columns`. */
static double expected_rank(const sri_low_rank *f, double before, double left, int64_t columns,
                            double enough)
{
    const double rate = log(before / left) / (double)columns;
    return fmin(f->known, (double)f->rank + log(left / enough) / rate);
}

/* Adds columns up to a rank; false when there are none to be had: all that is left is rounding. */
static specreg_status extend(specreg_context *ctx, sri_op *op, sri_low_rank *f, int64_t rank,
                             double enough, bool *more)
{
    double heaviest = 1;
    for (int64_t i = 0; op->weight && i < f->n; i++)
        heaviest = fmax(i ? heaviest : 0, op->weight[i]);
    const specreg_status st = sri_low_rank_extend(ctx, f, rank, enough / (heaviest * f->trace));
    op->revealed.left = weighted_sum(op, f->d, f->n);
    *more = f->rank == rank;
    return st;
}

/* The factor as far as it has come, rank 0 at first; operators around another share its factor. */
static specreg_status find_factor(specreg_context *ctx, sri_op *op)
{
    specreg_status st = SPECREG_OK;
    sri_op *owner = op;
    sri_low_rank *f = NULL;
    while (owner->inner)
        owner = owner->inner;
    if (!owner->revealed.factor) {
        SRI_CALLOC(ctx, f, 1, 1);
        SRI_TRY(sri_low_rank_new(ctx, op->revealed.kernel, op->revealed.points, f));
        owner->revealed.factor = f;
        f = NULL;
    }
    op->revealed.factor = owner->revealed.factor;
done:
    sri_free(f);
    return st;
}

specreg_status sri_op_reveal(specreg_context *ctx, sri_op *op, double enough, int64_t most,
                             bool stubborn)
{
    sri_revealed *r = &op->revealed;
    if (!r->kernel || sri_op_is_revealed(op, enough) ||
        (r->factor && enough <= r->failed_at_trace && most <= r->failed_at_rank))
        return SPECREG_OK;
    SRI_CALL(find_factor(ctx, op));
    sri_low_rank *f = r->factor;
    r->trace = weighted_sum(op, f->diagonal, f->n);
    r->left = weighted_sum(op, f->d, f->n);
    enough = reachable(op, enough);
    bool more = true;
    while (more && r->left > enough) {
        const int64_t rank = f->rank, next = rank < FIRST ? FIRST : rank + rank / 2;
        const double before = r->left;
        if (rank >= most)
            break;
        SRI_CALL(extend(ctx, op, f, next < most ? next : most, enough, &more));
        if (more && rank && !stubborn && r->left > enough &&
            expected_rank(f, before, r->left, f->rank - rank, enough) > (double)most)
            break;
    }
    if (r->left > enough) {
        r->failed_at_trace = enough;
        r->failed_at_rank = most;
    }
    return SPECREG_OK;
}
