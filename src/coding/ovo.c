/* One against one: a column for each pair of classes a < b, in the order of (a, b), with 1 for a,
 * -1 for b, and no row of any other class. */
#include "coding/coding.h"

static int64_t ovo_width(const sri_coding_spec *spec, int64_t n_classes)
{
    (void)spec;
    return n_classes * (n_classes - 1) / 2;
}

static specreg_status ovo_fill(specreg_context *ctx, const sri_coding *self, double *word)
{
    enum { MOST = 300 }; /* classes: 44,850 pairs */
    const int64_t k = self->n_classes, width = self->width;
    SRI_CHECK(ctx, k <= MOST, SPECREG_E_ARG,
              "coding: ovo is for up to %d classes, there are %lld: take ova", (int)MOST,
              (long long)k);
    for (int64_t i = 0; i < k * width; i++)
        word[i] = 0;
    for (int64_t a = 0, t = 0; a < k; a++)
        for (int64_t b = a + 1; b < k; b++, t++) {
            word[a * width + t] = 1;
            word[b * width + t] = -1;
        }
    return SPECREG_OK;
}

const sri_coding_ops sri_coding_ovo = {
    .name = "ovo",
    .signs = true,
    .by_pairs = true,
    .width = ovo_width,
    .fill = ovo_fill,
};
