/* A sweep of EM, and what it works on.  With r(d,w) = n(d,w) / sum_z P(w|z) P(z|d) it is
 *
 *     P(z|d) <- P(z|d) sum_w r(d,w) P(w|z) / n(d),      by rows of the counts,
 *     P(w|z) <- P(w|z) sum_d r(d,w) P(z|d) / total_z,   by columns;
 *
 * P(z|d,w) is never stored, r is, once for each count.  Whoever adds owns the sum, and sums of sums
 * go by blocks of a fixed size: the number of threads changes nothing.  Tempered, every P(w|z) and
 * P(z|d) on the right is raised to beta, also in r. */
#ifndef SRI_DATA_TEXT_PLSA_SWEEP_H
#define SRI_DATA_TEXT_PLSA_SWEEP_H

#include "core/arena.h"
#include "data/text/plsa.h"

/* Rows of topics have a length that is a multiple of this here, the rest zeros: no loop has a
 * remainder. */
enum { SRI_PLSA_LANES = 4 };
/* Below so many numbers one thread does it; documents or words that are summed together. */
enum { SRI_PLSA_SERIAL = 20000, SRI_PLSA_BLOCK = 64 };
/* Probabilities below this are zeros: they would end as denormal numbers, which are slow, and a
 * product of two must not vanish. */
#define SRI_PLSA_TINY 1e-100

static inline int64_t sri_plsa_stride(int64_t topics)
{
    return (topics + SRI_PLSA_LANES - 1) / SRI_PLSA_LANES * SRI_PLSA_LANES;
}

static inline double sri_plsa_dot(int64_t stride, const double *a, const double *b)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t z = 0; z < stride; z++)
        sum += a[z] * b[z];
    return sum;
}

static inline void sri_plsa_add(int64_t stride, double factor, const double *a, double *sum)
{
#pragma omp simd
    for (int64_t z = 0; z < stride; z++)
        sum[z] += factor * a[z];
}

/* next_z <- next_z before_z / (their sum).  False where that is 0. */
bool sri_plsa_shares(int64_t stride, const double *before, double *next);
/* out = in^beta. */
void sri_plsa_power(int64_t count, const double *in, double beta, double *out);

/* Whether a document has any. */
static inline bool sri_plsa_has_counts(const sri_matrix *counts, int64_t d)
{
    for (int64_t i = counts->start[d]; i < counts->start[d + 1]; i++)
        if (counts->value[i] > 0)
            return true;
    return false;
}

/* The first count that is none, by row and column, is an error. */
specreg_status sri_plsa_check(specreg_context *ctx, const sri_matrix *counts);
/* Deals counts out: train + held = value.  A count of c has floor(c h + u) of it held out, u
 * uniform, so that it is h of it on average and whole; one below 1 goes as a whole.  Words that
 * would have nothing left stay in training. */
specreg_status sri_plsa_hold_out(specreg_context *ctx, const sri_matrix *counts, double share,
                                 uint64_t seed, double *train, double *held);

typedef struct sri_plsa_state { /* what EM changes */
    double *word;               /* words x stride: P(w|z) */
    double *mix;                /* n x stride: P(z|d)     */
    double *prior;              /* stride: P(z)           */
} sri_plsa_state;

typedef struct sri_plsa_work {
    sri_arena scratch; /* all that follows                        */
    const sri_matrix *counts;
    int64_t n, words, k, stride;
    double *own, *held;  /* dealt out; NULL: nothing is held out     */
    const double *train; /* own, or the counts as they are           */
    double n_train, n_held;
    int64_t *word_start; /* the entries by columns: words + 1        */
    int32_t *word_row;
    int64_t *word_entry; /* their places in the rows                 */
    sri_plsa_state now;
    double *next_word, *next_mix;
    double *word_beta, *mix_beta; /* powers, where beta may be below 1 */
    double *ratio;                /* r, in the order of the rows              */
    double *partial;              /* sums of blocks                           */
    double beta;
    double perplexity, held_perplexity; /* of `now`                  */
} sri_plsa_work;

/* Everything but `now`; the counts are checked.  All of it, and states, live in w->scratch, also
 * after a failure. */
specreg_status sri_plsa_work_new(specreg_context *ctx, const sri_matrix *counts,
                                 const sri_plsa_how *how, uint64_t seed, sri_plsa_work *w);
specreg_status sri_plsa_state_new(specreg_context *ctx, sri_plsa_work *w, sri_plsa_state *out);

/* Draws P(w|z) and P(z|d); they depend on the seed and the shape only. */
void sri_plsa_start(sri_plsa_work *w, uint64_t seed);
/* The first half of a sweep: r, the next mixtures, and the perplexities of `now`. */
void sri_plsa_rows(sri_plsa_work *w);
/* The second half, after which `now` is what the sweep makes of it. */
void sri_plsa_columns(sri_plsa_work *w);

#endif
