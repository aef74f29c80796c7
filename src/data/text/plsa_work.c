/* What EM works on: the counts by rows and by columns, a workspace, and a start. */
#include <math.h>

#include "core/arena.h"
#include "core/rng.h"
#include "data/text/plsa_sweep.h"

specreg_status sri_plsa_check(specreg_context *ctx, const sri_matrix *counts)
{
    const double most = 1e15; /* sums of products of such numbers are far from the largest */
    for (int64_t d = 0; d < counts->n; d++)
        for (int64_t i = counts->start[d]; i < counts->start[d + 1]; i++) {
            const double value = counts->value[i];
            if (!(value >= 0 && value <= most))
                return sri_fail(ctx, SPECREG_E_NUMERIC,
                                "row %lld, column %lld: %g is no count, which is from 0 to %g",
                                (long long)d + 1, (long long)counts->index[i] + 1, value, most);
        }
    return SPECREG_OK;
}

specreg_status sri_plsa_hold_out(specreg_context *ctx, const sri_matrix *counts, double share,
                                 uint64_t seed, double *train, double *held)
{
    specreg_status st = SPECREG_OK;
    const int64_t entries = counts->start[counts->n];
    sri_rng rng = sri_rng_make(seed, SRI_STREAM_TOPICS_HELD);
    double *remaining = NULL, sum = 0; /* of each word, for training */
    SRI_CALLOC(ctx, remaining, counts->p, 1);
    for (int64_t i = 0; i < entries; i++) {
        const double c = counts->value[i], unit = c < 1 ? c : 1;
        const double taken = unit * floor((c < 1 ? 1 : c) * share + sri_rng_uniform(&rng));
        held[i] = taken < c ? taken : c;
        train[i] = c - held[i];
        remaining[counts->index[i]] += train[i];
    }
    for (int64_t i = 0; i < entries; i++) {
        if (remaining[counts->index[i]] == 0) {
            train[i] = counts->value[i];
            held[i] = 0;
        }
        sum += held[i];
    }
    SRI_REQUIRE(ctx, sum > 0, SPECREG_E_NUMERIC,
                "held-out=%g takes none of so few counts: give a larger share, or 0", share);
done:
    sri_free(remaining);
    return st;
}

specreg_status sri_plsa_state_new(specreg_context *ctx, sri_plsa_work *w, sri_plsa_state *out)
{
    SRI_ARENA_NEW_ZERO(ctx, &w->scratch, out->word, w->words, w->stride);
    SRI_ARENA_NEW_ZERO(ctx, &w->scratch, out->mix, w->n, w->stride);
    SRI_ARENA_NEW_ZERO(ctx, &w->scratch, out->prior, w->stride, 1);
    return SPECREG_OK;
}

/* The entries by columns, in the order of their rows. */
static specreg_status list_by_words(specreg_context *ctx, sri_plsa_work *w)
{
    const sri_matrix *c = w->counts;
    const int64_t entries = c->start[w->n];
    SRI_ARENA_NEW_ZERO(ctx, &w->scratch, w->word_start, w->words + 2, 1);
    SRI_ARENA_NEW(ctx, &w->scratch, w->word_row, entries, 1);
    SRI_ARENA_NEW(ctx, &w->scratch, w->word_entry, entries, 1);
    int64_t *const at = w->word_start + 1; /* where the next entry of a word goes; last, its end */
    for (int64_t i = 0; i < entries; i++)
        at[c->index[i] + 1]++;
    for (int64_t j = 0; j < w->words; j++)
        at[j + 1] += at[j];
    for (int64_t d = 0; d < w->n; d++)
        for (int64_t i = c->start[d]; i < c->start[d + 1]; i++) {
            const int64_t place = at[c->index[i]]++;
            w->word_row[place] = (int32_t)d;
            w->word_entry[place] = i;
        }
    return SPECREG_OK;
}

/* Documents and words that have counts: as many topics can be told apart, at most. */
static specreg_status check_topics(specreg_context *ctx, const sri_plsa_work *w)
{
    int64_t documents = 0, words = 0;
    for (int64_t d = 0; d < w->n; d++)
        documents += sri_plsa_has_counts(w->counts, d);
    for (int64_t j = 0; j < w->words; j++) {
        bool any = false;
        for (int64_t i = w->word_start[j]; i < w->word_start[j + 1] && !any; i++)
            any = w->counts->value[w->word_entry[i]] > 0;
        words += any;
    }
    SRI_CHECK(ctx, documents > 0, SPECREG_E_NUMERIC,
              "none of the %lld documents has a count: there is nothing to learn from",
              (long long)w->n);
    SRI_CHECK(ctx, w->k <= documents && w->k <= words, SPECREG_E_NUMERIC,
              "%lld topics are too many for %lld documents with counts and %lld different words",
              (long long)w->k, (long long)documents, (long long)words);
    return SPECREG_OK;
}

static specreg_status deal_out(specreg_context *ctx, sri_plsa_work *w, double share, uint64_t seed)
{
    const int64_t entries = w->counts->start[w->n];
    w->train = w->counts->value;
    if (share > 0) {
        SRI_ARENA_NEW(ctx, &w->scratch, w->own, entries, 1);
        SRI_ARENA_NEW(ctx, &w->scratch, w->held, entries, 1);
        SRI_CALL(sri_plsa_hold_out(ctx, w->counts, share, seed, w->own, w->held));
        w->train = w->own;
    }
    for (int64_t i = 0; i < entries; i++) {
        w->n_train += w->train[i];
        w->n_held += w->held ? w->held[i] : 0;
    }
    return SPECREG_OK;
}

specreg_status sri_plsa_work_new(specreg_context *ctx, const sri_matrix *counts,
                                 const sri_plsa_how *how, uint64_t seed, sri_plsa_work *w)
{
    const int64_t n = counts->n, s = sri_plsa_stride(how->topics);
    const int64_t rows = n > counts->p ? n : counts->p;
    *w = (sri_plsa_work){.counts = counts,
                         .n = n,
                         .words = counts->p,
                         .k = how->topics,
                         .stride = s,
                         .beta = 1};
    SRI_CALL(sri_plsa_check(ctx, counts));
    SRI_CALL(list_by_words(ctx, w));
    SRI_CALL(check_topics(ctx, w));
    SRI_CALL(deal_out(ctx, w, how->held_out, seed));
    SRI_ARENA_NEW(ctx, &w->scratch, w->next_word, w->words, s);
    SRI_ARENA_NEW(ctx, &w->scratch, w->next_mix, n, s);
    if (w->held && how->temper < 1) {
        SRI_ARENA_NEW(ctx, &w->scratch, w->word_beta, w->words, s);
        SRI_ARENA_NEW(ctx, &w->scratch, w->mix_beta, n, s);
    }
    SRI_ARENA_NEW(ctx, &w->scratch, w->ratio, counts->start[n], 1);
    SRI_ARENA_NEW(ctx, &w->scratch, w->partial, rows / SRI_PLSA_BLOCK + 1, s);
    return sri_plsa_state_new(ctx, w, &w->now);
}

/* Exponential variates, divided by their sums: uniform on a simplex. */
void sri_plsa_start(sri_plsa_work *w, uint64_t seed)
{
    sri_rng rng = sri_rng_make(seed, SRI_STREAM_TOPICS);
    const int64_t s = w->stride;
    double *const total = w->now.prior;
    for (int64_t j = 0; j < w->words; j++)
        for (int64_t z = 0; z < w->k; z++)
            total[z] += w->now.word[j * s + z] = -log1p(-sri_rng_uniform(&rng));
    for (int64_t j = 0; j < w->words; j++)
        for (int64_t z = 0; z < w->k; z++)
            w->now.word[j * s + z] /= total[z];
    for (int64_t d = 0; d < w->n; d++) {
        double sum = 0, *mix = w->now.mix + d * s;
        for (int64_t z = 0; z < w->k; z++)
            sum += mix[z] = -log1p(-sri_rng_uniform(&rng));
        for (int64_t z = 0; z < w->k; z++)
            mix[z] /= sum;
    }
    for (int64_t z = 0; z < w->k; z++)
        w->now.prior[z] = 1 / (double)w->k;
}
