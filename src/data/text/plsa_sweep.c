#include "data/text/plsa_sweep.h"

#include <math.h>
#include <string.h>

enum { BLOCK = SRI_PLSA_BLOCK };

bool sri_plsa_shares(int64_t stride, const double *before, double *next)
{
    double total = 0;
    for (int64_t z = 0; z < stride; z++) {
        next[z] *= before[z];
        total += next[z];
    }
    for (int64_t z = 0; total > 0 && z < stride; z++) {
        next[z] /= total;
        next[z] = next[z] < SRI_PLSA_TINY ? 0 : next[z];
    }
    return total > 0;
}

void sri_plsa_power(int64_t count, const double *in, double beta, double *out)
{
#pragma omp parallel for schedule(static) if (count > SRI_PLSA_SERIAL)
    for (int64_t i = 0; i < count; i++)
        out[i] = in[i] > 0 ? pow(in[i], beta) : 0;
}

/* Sums of n log p.  Most counts are 1: logarithms are taken of products, while those are far from
 * the smallest number. */
typedef struct likelihood {
    double train, held, product;
} likelihood;

static inline void add_likelihood(likelihood *l, double train, double held, double p)
{
    const double safe = p > SRI_PLSA_TINY * SRI_PLSA_TINY ? p : SRI_PLSA_TINY * SRI_PLSA_TINY;
    if (train == 1 && held == 0) {
        l->product *= safe;
        if (l->product > SRI_PLSA_TINY)
            return;
        l->train += log(l->product);
        l->product = 1;
    } else {
        const double log_p = log(safe);
        l->train += train * log_p;
        l->held += held * log_p;
    }
}

static void one_document(sri_plsa_work *w, int64_t d, const double *word, const double *mix,
                         likelihood *l)
{
    const int64_t s = w->stride;
    double *next = w->next_mix + d * s;
    memset(next, 0, (size_t)s * sizeof *next);
    for (int64_t i = w->counts->start[d]; i < w->counts->start[d + 1]; i++) {
        const int64_t at = w->counts->index[i] * s;
        const double sum = sri_plsa_dot(s, word + at, mix);
        const double p = w->beta == 1 ? sum : sri_plsa_dot(s, w->now.word + at, w->now.mix + d * s);
        add_likelihood(l, w->train[i], w->held ? w->held[i] : 0, p);
        w->ratio[i] = sum > 0 ? w->train[i] / sum : 0;
        sri_plsa_add(s, w->ratio[i], word + at, next);
    }
    if (!sri_plsa_shares(s, mix, next)) /* no counts to go by */
        memcpy(next, w->now.prior, (size_t)s * sizeof *next);
}

void sri_plsa_rows(sri_plsa_work *w)
{
    const int64_t blocks = (w->n + BLOCK - 1) / BLOCK, entries = w->counts->start[w->n];
    const double *word = w->now.word, *mix = w->now.mix;
    double train = 0, held = 0;
    if (w->beta != 1) {
        sri_plsa_power(w->words * w->stride, word, w->beta, w->word_beta);
        sri_plsa_power(w->n * w->stride, mix, w->beta, w->mix_beta);
        word = w->word_beta;
        mix = w->mix_beta;
    }
#pragma omp parallel for schedule(dynamic, 1) if (entries * w->stride > SRI_PLSA_SERIAL)
    for (int64_t b = 0; b < blocks; b++) {
        likelihood l = {.product = 1};
        for (int64_t d = b * BLOCK; d < (b + 1) * BLOCK && d < w->n; d++)
            one_document(w, d, word, mix + d * w->stride, &l);
        w->partial[2 * b] = l.train + log(l.product);
        w->partial[2 * b + 1] = l.held;
    }
    for (int64_t b = 0; b < blocks; b++) {
        train += w->partial[2 * b];
        held += w->partial[2 * b + 1];
    }
    w->perplexity = exp(-train / w->n_train);
    w->held_perplexity = w->held ? exp(-held / w->n_held) : NAN;
}

/* What each topic has of a word in all, not yet divided by what the topic has; added to `total`. */
static void one_word(sri_plsa_work *w, int64_t j, const double *word, const double *mix,
                     double *total)
{
    const int64_t s = w->stride;
    double *next = w->next_word + j * s;
    memset(next, 0, (size_t)s * sizeof *next);
    for (int64_t i = w->word_start[j]; i < w->word_start[j + 1]; i++)
        sri_plsa_add(s, w->ratio[w->word_entry[i]], mix + w->word_row[i] * s, next);
    for (int64_t z = 0; z < s; z++) {
        next[z] *= word[z];
        total[z] += next[z];
    }
}

static void exchange(double **a, double **b)
{
    double *const c = *a;
    *a = *b;
    *b = c;
}

static void add_totals(const sri_plsa_work *w, int64_t blocks, double *total)
{
    const int64_t s = w->stride;
    memset(total, 0, (size_t)s * sizeof *total);
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t z = 0; z < s; z++)
            total[z] += w->partial[b * s + z];
}

void sri_plsa_columns(sri_plsa_work *w)
{
    const int64_t s = w->stride, blocks = (w->words + BLOCK - 1) / BLOCK;
    const double *word = w->beta == 1 ? w->now.word : w->word_beta;
    const double *mix = w->beta == 1 ? w->now.mix : w->mix_beta;
    double *const total = w->now.prior;
    double all = 0;
#pragma omp parallel for schedule(dynamic, 1) if (w->counts->start[w->n] * s > SRI_PLSA_SERIAL)
    for (int64_t b = 0; b < blocks; b++) {
        memset(w->partial + b * s, 0, (size_t)s * sizeof *w->partial);
        for (int64_t j = b * BLOCK; j < (b + 1) * BLOCK && j < w->words; j++)
            one_word(w, j, word + j * s, mix, w->partial + b * s);
    }
    add_totals(w, blocks, total);
#pragma omp parallel for schedule(static) if (w->words * s > SRI_PLSA_SERIAL)
    for (int64_t j = 0; j < w->words; j++)
        for (int64_t z = 0; z < s; z++) { /* a topic that has nothing stays a column of zeros */
            const double p = total[z] > 0 ? w->next_word[j * s + z] / total[z] : 0;
            w->next_word[j * s + z] = p < SRI_PLSA_TINY ? 0 : p;
        }
    for (int64_t z = 0; z < s; z++)
        all += total[z];
    for (int64_t z = 0; z < s; z++)
        w->now.prior[z] = total[z] / all;
    exchange(&w->now.word, &w->next_word);
    exchange(&w->now.mix, &w->next_mix);
}
