#include "coding/coding.h"

static int64_t ova_width(const sri_coding_spec *spec, int64_t n_classes)
{
    (void)spec;
    return n_classes == 2 ? 1 : n_classes;
}

/* With two classes the one column says +1 for class 1. */
static void ova_row(const sri_coding *self, int64_t class, double *word)
{
    const int64_t first = self->n_classes == 2;
    for (int64_t t = 0; t < self->width; t++)
        word[t] = class == first + t ? 1.0 : -1.0;
}

static void ova_scores(const sri_coding *self, const double *outputs, double *scores)
{
    if (self->n_classes == 2) {
        const double f = outputs[0];
        scores[0] = -f;
        scores[1] = f;
        return;
    }
    for (int64_t c = 0; c < self->n_classes; c++)
        scores[c] = outputs[c];
}

static void ova_ends(const sri_coding *self, double *one, double *zero)
{
    (void)self;
    *one = 1;
    *zero = -1;
}

const sri_coding_ops sri_coding_ova = {
    .name = "ova",
    .width = ova_width,
    .row = ova_row,
    .scores = ova_scores,
    .ends = ova_ends,
};
