/* Dealing out whole groups: no group in two parts, parts of the right size, and each with its share
 * of every class as far as whole groups allow.  Exact answers are as hard as packing; these are
 * greedy, random by the seed and nothing else. */
#include "data/split.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/arena.h"

enum { SWEEPS = 20 };
static const double SWAP_WORK = 2e7; /* groups times rows up to which pairs are tried */
static const double TINY = 1e-9;     /* less than that is rounding, no gain            */

/* Rows by group, groups in random order. */
typedef struct deck {
    const sri_strata *s;
    int64_t *start, *row; /* the rows of group g: row[start[g]] .. row[start[g + 1] - 1] */
    int64_t *order;       /* of the groups                                               */
    double *share;        /* of one row in its class: 1 / rows of the class              */
    sri_arena scratch;
} deck;

static int32_t class_of(const sri_strata *s, int64_t row)
{
    return s->classes ? s->classes[row] : 0;
}

static int64_t classes_of(const sri_strata *s)
{
    return s->classes ? s->n_classes : 1;
}

/* `start` has one entry more, so that counts can be shifted into places: a counting sort. */
static specreg_status deck_make(specreg_context *ctx, const sri_strata *s, sri_rng *rng, deck *d)
{
    *d = (deck){.s = s};
    SRI_ARENA_NEW_ZERO(ctx, &d->scratch, d->start, s->n_groups + 2, 1);
    SRI_ARENA_NEW(ctx, &d->scratch, d->row, s->n, 1);
    SRI_ARENA_NEW(ctx, &d->scratch, d->order, s->n_groups, 1);
    SRI_ARENA_NEW_ZERO(ctx, &d->scratch, d->share, classes_of(s), 1);
    for (int64_t i = 0; i < s->n; i++) {
        d->start[s->group[i] + 2]++;
        d->share[class_of(s, i)]++;
    }
    for (int64_t g = 2; g < s->n_groups + 2; g++)
        d->start[g] += d->start[g - 1];
    for (int64_t i = 0; i < s->n; i++)
        d->row[d->start[s->group[i] + 1]++] = i;
    for (int64_t c = 0; c < classes_of(s); c++)
        d->share[c] = d->share[c] > 0 ? 1 / d->share[c] : 0;
    for (int64_t g = 0; g < s->n_groups; g++)
        d->order[g] = g;
    sri_rng_shuffle(rng, d->order, s->n_groups);
    return SPECREG_OK;
}

typedef struct ranked {
    int64_t group, size, place; /* place: in the random order */
} ranked;

static int larger_first(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size) - (x->size > y->size)
                              : (x->place > y->place) - (x->place < y->place);
}

static specreg_status rank_groups(specreg_context *ctx, deck *d, ranked **out)
{
    const int64_t n = d->s->n_groups;
    SRI_ARENA_NEW(ctx, &d->scratch, *out, n, 1);
    for (int64_t i = 0; i < n; i++) {
        const int64_t g = d->order[i];
        (*out)[i] = (ranked){g, d->start[g + 1] - d->start[g], i};
    }
    qsort(*out, (size_t)n, sizeof **out, larger_first);
    return SPECREG_OK;
}

/* The fold f for which sum_c count_fc^2 / total_c grows least when group g comes: what differs
 * between folds is the sum over g's rows of count_fc / total_c.  Ties go to the smaller fold; an
 * empty one is never passed over, so that k groups or more fill k folds. */
static int64_t least_harm(const deck *d, int64_t g, int64_t k, const double *count,
                          const int64_t *size)
{
    const int64_t classes = classes_of(d->s);
    int64_t best = 0;
    double least = 0;
    for (int64_t f = 0; f < k; f++) {
        double harm = 0;
        for (int64_t i = d->start[g]; i < d->start[g + 1]; i++) {
            const int32_t c = class_of(d->s, d->row[i]);
            harm += count[f * classes + c] * d->share[c];
        }
        if (f == 0 || harm < least || (harm == least && size[f] < size[best])) {
            best = f;
            least = harm;
        }
    }
    return best;
}

specreg_status sri_groups_deal(specreg_context *ctx, const sri_strata *s, int64_t k, sri_rng *rng,
                               int32_t *fold)
{
    specreg_status st = SPECREG_OK;
    deck d = {0};
    ranked *rank;
    double *count; /* k x classes */
    int64_t *size;
    SRI_TRY(deck_make(ctx, s, rng, &d));
    SRI_TRY(rank_groups(ctx, &d, &rank));
    SRI_SCRATCH_ZERO(ctx, &d.scratch, count, k, classes_of(s));
    SRI_SCRATCH_ZERO(ctx, &d.scratch, size, k, 1);
    for (int64_t r = 0; r < s->n_groups; r++) {
        const int64_t g = rank[r].group, f = least_harm(&d, g, k, count, size);
        for (int64_t i = d.start[g]; i < d.start[g + 1]; i++) {
            fold[d.row[i]] = (int32_t)f;
            count[f * classes_of(s) + class_of(s, d.row[i])]++;
        }
        size[f] += rank[r].size;
    }
done:
    sri_arena_free(&d.scratch);
    return st;
}

/* The groups held out so far.  The harm is sum_c (held_out_c - wanted_c)^2 / total_c. */
typedef struct draw {
    deck d;
    double *excess; /* held_out_c - wanted_c */
    bool *held_out;
    int64_t n_held_out;
} draw;

/* Group g changes sides; returns by how much the harm grows. */
static double move(draw *w, int64_t g)
{
    const double step = w->held_out[g] ? -1 : 1;
    double growth = 0;
    for (int64_t i = w->d.start[g]; i < w->d.start[g + 1]; i++) {
        const int32_t c = class_of(w->d.s, w->d.row[i]);
        growth += (2 * step * w->excess[c] + 1) * w->d.share[c];
        w->excess[c] += step;
    }
    w->held_out[g] = !w->held_out[g];
    w->n_held_out += (int64_t)step;
    return growth;
}

/* Moves g when that is better, and leaves a group on either side. */
static bool try_move(draw *w, int64_t g)
{
    const int64_t after = w->n_held_out + (w->held_out[g] ? -1 : 1);
    if (after == 0 || after == w->d.s->n_groups)
        return false;
    if (move(w, g) < -TINY)
        return true;
    move(w, g);
    return false;
}

/* g changes places with the first group for which that is better. */
static bool try_swaps(draw *w, int64_t g)
{
    for (int64_t j = 0; j < w->d.s->n_groups; j++) {
        const int64_t other = w->d.order[j];
        if (w->held_out[other] == w->held_out[g])
            continue;
        if (move(w, g) + move(w, other) < -TINY)
            return true;
        move(w, other);
        move(w, g);
    }
    return false;
}

/* Where every group is too large, the one that does least harm. */
static void hold_one(draw *w)
{
    int64_t best = w->d.order[0];
    double least = 0;
    for (int64_t j = 0; j < w->d.s->n_groups; j++) {
        const int64_t g = w->d.order[j];
        const double growth = move(w, g);
        move(w, g);
        if (j == 0 || growth < least) {
            best = g;
            least = growth;
        }
    }
    move(w, best);
}

static void improve(draw *w)
{
    const sri_strata *s = w->d.s;
    const bool swaps = (double)s->n_groups * (double)s->n <= SWAP_WORK;
    bool better = true;
    for (int sweep = 0; sweep < SWEEPS && better; sweep++) {
        better = false;
        for (int64_t j = 0; j < s->n_groups; j++) {
            const int64_t g = w->d.order[j];
            better = try_move(w, g) || (swaps && try_swaps(w, g)) || better;
        }
    }
}

specreg_status sri_groups_hold(specreg_context *ctx, const sri_strata *s, double fraction,
                               sri_rng *rng, int32_t *part)
{
    specreg_status st = SPECREG_OK;
    draw w = {0};
    SRI_TRY(deck_make(ctx, s, rng, &w.d));
    SRI_SCRATCH_ZERO(ctx, &w.d.scratch, w.excess, classes_of(s), 1);
    SRI_SCRATCH_ZERO(ctx, &w.d.scratch, w.held_out, s->n_groups, 1);
    for (int64_t c = 0; c < classes_of(s); c++)
        w.excess[c] = w.d.share[c] > 0 ? -fraction / w.d.share[c] : 0;
    for (int64_t j = 0; j < s->n_groups; j++)
        try_move(&w, w.d.order[j]);
    if (w.n_held_out == 0)
        hold_one(&w);
    improve(&w);
    for (int64_t i = 0; i < s->n; i++)
        part[i] = w.held_out[s->group[i]] ? 0 : 1;
done:
    sri_arena_free(&w.d.scratch);
    return st;
}
