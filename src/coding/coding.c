#include "coding/coding.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

specreg_status sri_coding_of_words(specreg_context *ctx, const sri_coding_spec *spec,
                                   int64_t n_classes, double *word, sri_coding **out)
{
    sri_coding *c = *out = sri_calloc(ctx, 1, 1, sizeof *c);
    if (!c) {
        sri_free(word);
        return SPECREG_E_NOMEM;
    }
    *c = (sri_coding){.spec = *spec,
                      .n_classes = n_classes,
                      .width = spec->ops->width(spec, n_classes),
                      .word = word};
    return SPECREG_OK;
}

specreg_status sri_coding_new(specreg_context *ctx, const sri_coding_spec *spec, int64_t n_classes,
                              sri_coding **out)
{
    specreg_status st = SPECREG_OK;
    sri_coding *c = NULL;
    *out = NULL;
    SRI_TRY(sri_coding_of_words(ctx, spec, n_classes, NULL, &c));
    if (spec->ops->fill) {
        SRI_ALLOC(ctx, c->word, n_classes, c->width);
        SRI_TRY(spec->ops->fill(ctx, c, c->word));
    }
    SRI_MOVE(*out, c);
done:
    sri_coding_free(c);
    return st;
}

void sri_coding_free(sri_coding *coding)
{
    if (coding)
        sri_free(coding->word);
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

/* Words have one length, so the nearest has the largest product with the outputs. */
static double product(const double *w, const double *f, int64_t width)
{
    double sum = 0;
    for (int64_t t = 0; t < width; t++)
        sum += w[t] * f[t];
    return sum;
}

/* 1 - 2 (signs that differ) / width; an output of 0 differs by half. */
static double same_signs(const double *w, const double *f, int64_t width)
{
    double sum = 0;
    for (int64_t t = 0; t < width; t++)
        sum += w[t] * (double)((f[t] > 0) - (f[t] < 0));
    return sum / (double)width;
}

/* Minus the mean squared hinge loss. */
static double small_loss(const double *w, const double *f, int64_t width)
{
    double sum = 0;
    for (int64_t t = 0; t < width; t++) {
        const double short_by = fmax(0, 1 - w[t] * f[t]);
        sum -= short_by * short_by;
    }
    return sum / (double)width;
}

void sri_coding_scores(const sri_coding *coding, const double *outputs, double *scores)
{
    const int64_t width = coding->width;
    if (!coding->word) {
        coding->spec.ops->scores(coding, outputs, scores);
        return;
    }
    for (int64_t c = 0; c < coding->n_classes; c++) {
        const double *w = coding->word + c * width;
        switch (coding->spec.decoding) {
        case SRI_DECODE_HAMMING:
            scores[c] = same_signs(w, outputs, width);
            break;
        case SRI_DECODE_LOSS:
            scores[c] = small_loss(w, outputs, width);
            break;
        case SRI_DECODE_SQUARED:
            scores[c] = product(w, outputs, width) / (coding->spec.ops->signs ? (double)width : 1);
            break;
        }
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

bool sri_coding_is_convex(const sri_coding *coding)
{
    return coding->spec.decoding == SRI_DECODE_SQUARED; /* scores are linear in the outputs */
}
