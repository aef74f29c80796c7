/* Topics of documents that were not there in training: EM in which words stay as they are. */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "data/text/plsa_sweep.h"

enum { CHUNK = 1024 }; /* documents between two looks at whether to go on */

typedef struct fold {
    const sri_plsa *plsa;
    const sri_matrix *counts;
    int64_t stride;
    double *word;  /* words x stride: P(w|z)^beta           */
    double *mix;   /* CHUNK x stride: P(z|d),               */
    double *power; /* P(z|d)^beta,                          */
    double *next;  /* and what comes after it, of each      */
} fold;

/* P(w|z)^beta in rows of `stride`. */
static void spread_words(fold *f)
{
    const int64_t k = f->plsa->topics, s = f->stride;
    for (int64_t j = 0; j < f->plsa->words; j++)
        for (int64_t z = 0; z < s; z++)
            f->word[j * s + z] = z < k ? f->plsa->word[j * k + z] : 0;
    if (f->plsa->beta != 1)
        sri_plsa_power(f->plsa->words * s, f->word, f->plsa->beta, f->word);
}

/* One sweep of document d, whose rows are number i of the chunk: the largest change of a share, or
 * -1 where no word is known. */
static double sweep(const fold *f, int64_t d, int64_t i)
{
    const int64_t s = f->stride;
    double *mix = f->mix + i * s, *power = mix, *next = f->next + i * s, change = 0;
    if (f->plsa->beta != 1) {
        power = f->power + i * s;
        for (int64_t z = 0; z < s; z++)
            power[z] = mix[z] > 0 ? pow(mix[z], f->plsa->beta) : 0;
    }
    memset(next, 0, (size_t)s * sizeof *next);
    for (int64_t e = f->counts->start[d]; e < f->counts->start[d + 1]; e++) {
        const int64_t j = f->counts->index[e];
        if (j >= f->plsa->words)
            break; /* they ascend */
        const double *word = f->word + j * s, sum = sri_plsa_dot(s, word, power);
        if (sum > 0)
            sri_plsa_add(s, f->counts->value[e] / sum, word, next);
    }
    if (!sri_plsa_shares(s, power, next))
        return -1;
    for (int64_t z = 0; z < s; z++) {
        change = fmax(change, fabs(next[z] - mix[z]));
        mix[z] = next[z];
    }
    return change;
}

/* Whether it has a word that is known; `out` takes its topics. */
static bool one_document(const fold *f, int64_t d, int64_t i, double *out)
{
    const int64_t k = f->plsa->topics;
    double *mix = f->mix + i * f->stride, change = 1;
    for (int64_t z = 0; z < f->stride; z++)
        mix[z] = z < k ? 1 / (double)k : 0;
    for (int t = 0; t < SRI_PLSA_FOLD_SWEEPS && change > SRI_PLSA_TOLERANCE; t++)
        change = sweep(f, d, i);
    memcpy(out, change < 0 ? f->plsa->prior : mix, (size_t)k * sizeof *out);
    return change >= 0;
}

specreg_status sri_plsa_fold_in(specreg_context *ctx, const sri_plsa *plsa,
                                const sri_matrix *counts, double *mixture, int64_t *without)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    fold f = {.plsa = plsa, .counts = counts, .stride = sri_plsa_stride(plsa->topics)};
    const int64_t n = counts->n;
    int64_t known = 0;
    *without = 0;
    SRI_TRY(sri_plsa_check(ctx, counts));
    SRI_SCRATCH(ctx, &scratch, f.word, plsa->words, f.stride);
    SRI_SCRATCH(ctx, &scratch, f.mix, CHUNK, f.stride);
    SRI_SCRATCH(ctx, &scratch, f.power, CHUNK, f.stride);
    SRI_SCRATCH(ctx, &scratch, f.next, CHUNK, f.stride);
    spread_words(&f);
    SRI_TRY(sri_stage(ctx, "fold in", n));
    for (int64_t first = 0; first < n; first += CHUNK) {
        const int64_t last = first + CHUNK < n ? first + CHUNK : n;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : known) \
    if ((last - first) * f.stride > SRI_PLSA_SERIAL / 100)
        for (int64_t d = first; d < last; d++)
            known += one_document(&f, d, d - first, mixture + d * plsa->topics);
        SRI_TRY(sri_progress(ctx, last));
    }
    *without = n - known;
done:
    sri_arena_free(&scratch);
    return st;
}
