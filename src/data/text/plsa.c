/* Learning topics: the sweeps, when to stop, and what is kept. */
#include "data/text/plsa.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "data/text/plsa_sweep.h"

/* Falls of the perplexity below these shares of it are none. */
static const double converged = 1e-7, negligible = 1e-4;

void sri_plsa_free(sri_plsa *plsa)
{
    if (!plsa)
        return;
    sri_free(plsa->held);
    sri_free(plsa->perplexity);
    sri_free(plsa->prior);
    sri_free(plsa->word);
    sri_free(plsa);
}

typedef struct search { /* what is known of the held-out counts */
    sri_plsa_state best;
    double perplexity, beta; /* of the best                         */
    int64_t sweep;           /* that made it                        */
    bool better;             /* a sweep with this beta was better   */
} search;

static void copy_state(const sri_plsa_work *w, const sri_plsa_state *from, sri_plsa_state *to)
{
    memcpy(to->word, from->word, (size_t)(w->words * w->stride) * sizeof *to->word);
    memcpy(to->mix, from->mix, (size_t)(w->n * w->stride) * sizeof *to->mix);
    memcpy(to->prior, from->prior, (size_t)w->stride * sizeof *to->prior);
}

/* After sweep number `sweep`: whether to go on.  A sweep that does not help the held-out counts is
 * undone; then beta falls, unless it already fell for nothing. */
static bool judge(sri_plsa_work *w, const sri_plsa_how *how, int64_t sweep, search *held)
{
    if (sweep == 0 || w->held_perplexity < held->perplexity * (1 - negligible)) {
        copy_state(w, &w->now, &held->best);
        held->perplexity = w->held_perplexity;
        held->beta = w->beta;
        held->sweep = sweep;
        held->better = true;
        return true;
    }
    if (!held->better || how->temper == 1)
        return false;
    copy_state(w, &held->best, &w->now);
    w->beta *= how->temper;
    held->better = false;
    sri_plsa_rows(w); /* r by the new beta */
    return true;
}

static specreg_status run_sweeps(specreg_context *ctx, sri_plsa_work *w, search *held, sri_plsa *p)
{
    double before = INFINITY;
    SRI_CALL(sri_stage(ctx, "topics", p->how.sweeps));
    for (int64_t sweep = 0;; sweep++) {
        sri_plsa_rows(w);
        const double now = w->perplexity;
        if (sweep > 0) {
            p->perplexity[sweep - 1] = now;
            if (p->held)
                p->held[sweep - 1] = w->held_perplexity;
        }
        p->sweeps = p->kept = sweep;
        SRI_CALL(sri_progress(ctx, sweep));
        const bool go_on =
            w->held ? judge(w, &p->how, sweep, held) : now < before * (1 - converged);
        if (!go_on || sweep == p->how.sweeps)
            break;
        before = now;
        sri_plsa_columns(w);
    }
    if (w->held) {
        copy_state(w, &held->best, &w->now);
        w->beta = held->beta;
        p->kept = held->sweep;
    }
    return SPECREG_OK;
}

/* Topics by their shares, the largest first; equal ones stay in order. */
static specreg_status take_over(specreg_context *ctx, const sri_plsa_work *w, sri_plsa *p)
{
    specreg_status st = SPECREG_OK;
    int64_t *order = NULL;
    SRI_ALLOC(ctx, order, w->k, 1);
    SRI_ALLOC(ctx, p->word, w->words, w->k);
    SRI_ALLOC(ctx, p->prior, w->k, 1);
    for (int64_t z = 0; z < w->k; z++) {
        int64_t at = z;
        for (; at > 0 && w->now.prior[order[at - 1]] < w->now.prior[z]; at--)
            order[at] = order[at - 1];
        order[at] = z;
    }
    for (int64_t z = 0; z < w->k; z++)
        p->prior[z] = w->now.prior[order[z]];
    for (int64_t j = 0; j < w->words; j++)
        for (int64_t z = 0; z < w->k; z++)
            p->word[j * w->k + z] = w->now.word[j * w->stride + order[z]];
    p->beta = w->beta;
    p->counts = w->n_train + w->n_held;
    for (int64_t d = 0; d < w->n; d++)
        p->empty += !sri_plsa_has_counts(w->counts, d);
done:
    sri_free(order);
    return st;
}

/* Whether the numbers can be used at all; those from a text have been seen before. */
static specreg_status check_how(specreg_context *ctx, const sri_plsa_how *how, int64_t n)
{
    SRI_CHECK(ctx, how->held_out >= 0 && how->held_out < 1, SPECREG_E_ARG,
              "held-out must be a number from 0 to below 1, not %g", how->held_out);
    SRI_CHECK(ctx, how->temper > 0 && how->temper <= 1, SPECREG_E_ARG,
              "temper must be a number above 0 and up to 1, not %g", how->temper);
    SRI_CHECK(ctx, how->topics >= 1 && how->sweeps >= 1, SPECREG_E_ARG,
              "topics and sweeps must be 1 or more, not %lld and %lld", (long long)how->topics,
              (long long)how->sweeps);
    SRI_CHECK(ctx, n <= INT32_MAX, SPECREG_E_SHAPE, "%lld documents are too many", (long long)n);
    return SPECREG_OK;
}

specreg_status sri_plsa_learn(specreg_context *ctx, const sri_matrix *counts,
                              const sri_plsa_how *how, uint64_t seed, double *mixture,
                              sri_plsa **out)
{
    specreg_status st = SPECREG_OK;
    sri_plsa_work w = {0};
    search held = {0};
    sri_plsa *p = NULL;
    int64_t without;
    *out = NULL;
    SRI_TRY(check_how(ctx, how, counts->n));
    SRI_TRY(sri_plsa_work_new(ctx, counts, how, seed, &w));
    SRI_CALLOC(ctx, p, 1, 1);
    *p = (sri_plsa){.how = *how,
                    .topics = w.k,
                    .words = w.words,
                    .documents = counts->n,
                    .seed = seed};
    SRI_ALLOC(ctx, p->perplexity, how->sweeps, 1);
    if (w.held) {
        SRI_ALLOC(ctx, p->held, how->sweeps, 1);
        SRI_TRY(sri_plsa_state_new(ctx, &w, &held.best));
    }
    sri_plsa_start(&w, seed);
    SRI_TRY(run_sweeps(ctx, &w, &held, p));
    SRI_TRY(take_over(ctx, &w, p));
    sri_arena_free(&w.scratch);
    if (mixture)
        SRI_TRY(sri_plsa_fold_in(ctx, p, counts, mixture, &without));
    SRI_MOVE(*out, p);
done:
    sri_plsa_free(p);
    sri_arena_free(&w.scratch);
    return st;
}
