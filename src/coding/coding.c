#include "coding/coding.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

int64_t sri_coding_width(const sri_coding_spec *spec, int64_t n_classes)
{
    return spec->ops->width ? spec->ops->width(spec, n_classes) : 0;
}

/* Finds the entries of the words that are not 0. */
static specreg_status list_entries(specreg_context *ctx, sri_coding *c)
{
    const int64_t k = c->n_classes, width = c->width;
    int64_t count = 0;
    if (!c->word)
        return SPECREG_OK;
    SRI_NEW(ctx, c->first, k + 1, 1);
    SRI_NEW(ctx, c->entry, k, width);
    for (int64_t i = 0; i < k * width; i++) {
        if (i % width == 0)
            c->first[i / width] = count;
        if (c->word[i] != 0)
            c->entry[count++] = (int32_t)(i % width);
    }
    c->first[k] = count;
    c->leaves_out = c->spec.ops->signs && count < k * width;
    return SPECREG_OK;
}

specreg_status sri_coding_of_words(specreg_context *ctx, const sri_coding_spec *spec,
                                   int64_t n_classes, double *word, int64_t width, sri_coding **out)
{
    sri_coding *c = *out = sri_calloc(ctx, 1, 1, sizeof *c);
    if (!c) {
        sri_free(word);
        return SPECREG_E_NOMEM;
    }
    *c = (sri_coding){.spec = *spec, .n_classes = n_classes, .width = width, .word = word};
    c->spec.file = NULL;
    const specreg_status st = list_entries(ctx, c);
    if (st != SPECREG_OK) {
        sri_coding_free(c);
        *out = NULL;
    }
    return st;
}

specreg_status sri_coding_new(specreg_context *ctx, const sri_coding_spec *spec, int64_t n_classes,
                              sri_coding **out)
{
    specreg_status st = SPECREG_OK;
    sri_coding *c = NULL;
    *out = NULL;
    SRI_TRY(sri_coding_of_words(ctx, spec, n_classes, NULL, sri_coding_width(spec, n_classes), &c));
    if (spec->ops->fill) {
        SRI_ALLOC(ctx, c->word, n_classes, c->width);
        SRI_TRY(spec->ops->fill(ctx, c, c->word));
        SRI_TRY(list_entries(ctx, c));
    }
    SRI_MOVE(*out, c);
done:
    sri_coding_free(c);
    return st;
}

void sri_coding_free(sri_coding *coding)
{
    if (coding) {
        sri_free(coding->first);
        sri_free(coding->entry);
        sri_free(coding->word);
    }
    sri_free(coding);
}

void sri_encode(const sri_coding *coding, const int32_t *classes, int64_t n, double *Y)
{
    const int64_t width = coding->width;
    for (int64_t i = 0; i < n; i++)
        if (coding->word)
            memcpy(Y + i * width, coding->word + classes[i] * width, (size_t)width * sizeof *Y);
        else
            coding->spec.ops->row(coding, classes[i], Y + i * width);
}

/* A word and the outputs, by the columns where it is not 0. */
typedef struct match {
    const double *w, *f;
    const int32_t *entry;
    int64_t count;
} match;

static double product(const match *m)
{
    double sum = 0;
    for (int64_t i = 0; i < m->count; i++)
        sum += m->w[m->entry[i]] * m->f[m->entry[i]];
    return sum;
}

/* Signs that agree minus those that differ; an output of 0 does neither. */
static double same_signs(const match *m)
{
    double sum = 0;
    for (int64_t i = 0; i < m->count; i++) {
        const double f = m->f[m->entry[i]];
        sum += m->w[m->entry[i]] * (double)((f > 0) - (f < 0));
    }
    return sum;
}

/* The same where an output of 0 is one of -1. */
static double same_sides(const match *m)
{
    double sum = 0;
    for (int64_t i = 0; i < m->count; i++)
        sum += m->w[m->entry[i]] * (m->f[m->entry[i]] > 0 ? 1 : -1);
    return sum;
}

static double hinge_loss(const match *m)
{
    double sum = 0;
    for (int64_t i = 0; i < m->count; i++) {
        const double short_by = fmax(0, 1 - m->w[m->entry[i]] * m->f[m->entry[i]]);
        sum += short_by * short_by;
    }
    return sum;
}

/* Numbers of votes differ by 1 or more; what is added is within 1/2. */
static double votes(const match *m)
{
    const double margin = product(m);
    return same_signs(m) + margin / (2 * (1 + fabs(margin)));
}

static double word_score(sri_decoding decoding, const match *m)
{
    switch (decoding) {
    case SRI_DECODE_HAMMING:
        return same_signs(m);
    case SRI_DECODE_LOSS:
        return -hinge_loss(m);
    case SRI_DECODE_VOTES:
        return votes(m);
    case SRI_DECODE_MAJORITY:
        return same_sides(m);
    case SRI_DECODE_SQUARED:
        break;
    }
    return product(m); /* words have one length: the nearest has the largest product */
}

void sri_coding_scores(const sri_coding *coding, const double *outputs, double *scores)
{
    if (!coding->word) {
        coding->spec.ops->scores(coding, outputs, scores);
        return;
    }
    for (int64_t c = 0; c < coding->n_classes; c++) {
        const match m = {.w = coding->word + c * coding->width,
                         .f = outputs,
                         .entry = coding->entry + coding->first[c],
                         .count = coding->first[c + 1] - coding->first[c]};
        scores[c] = word_score(coding->spec.decoding, &m);
        if (coding->spec.ops->signs)
            scores[c] /= (double)m.count;
    }
}

int32_t sri_decode(const sri_coding *coding, const double *outputs, double *scores)
{
    int64_t best = 0;
    sri_coding_scores(coding, outputs, scores);
    for (int64_t c = 1; c < coding->n_classes; c++)
        if (scores[c] > scores[best])
            best = c;
    return (int32_t)best;
}

/* The common product of two different words, as scores have it; NaN: there is none. */
static double common_product(const sri_coding *c)
{
    const double unit = c->spec.ops->signs ? (double)c->width : 1;
    double first = NAN;
    for (int64_t a = 0; a < c->n_classes; a++)
        for (int64_t b = 0; b < a; b++) {
            double sum = 0;
            for (int64_t t = 0; t < c->width; t++)
                sum += c->word[a * c->width + t] * c->word[b * c->width + t] / unit;
            first = isnan(first) ? sum : first;
            if (!(fabs(sum - first) < 1e-9))
                return NAN;
        }
    return first;
}

/* Words w of length 1 with one product q: the score <w_c, f> of the mean outputs f = sum_d p_d w_d
 * is p_c + (1 - p_c) q. */
sri_posterior sri_coding_posterior(const sri_coding *c)
{
    double one = 1, zero = NAN;
    if (c->spec.ops->ends)
        c->spec.ops->ends(c, &one, &zero);
    else if (c->spec.decoding == SRI_DECODE_SQUARED && !c->leaves_out)
        zero = common_product(c);
    if (!(one > zero))
        return (sri_posterior){0};
    return (sri_posterior){.slope = 1 / (one - zero), .shift = -zero / (one - zero)};
}

bool sri_coding_is_convex(const sri_coding *coding)
{
    return coding->spec.decoding == SRI_DECODE_SQUARED; /* scores are linear in the outputs */
}
