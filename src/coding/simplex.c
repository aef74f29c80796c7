/* The vertices of a regular simplex about 0: words of length 1 that sum to 0, each pair with the
 * product -1/(k-1), in the k-1 dimensions that takes. */
#include <math.h>

#include "coding/coding.h"

static int64_t simplex_width(const sri_coding_spec *spec, int64_t n_classes)
{
    (void)spec;
    return n_classes - 1;
}

/* The matrix of products is G = k/(k-1) (I - 11'/k); the words are the rows of its Cholesky factor.
 * With r = k-1-t columns from column t on,
 *
 *     w_tt = sqrt(k/(k-1) r/(r+1)),      w_ct = -w_tt / r  for c > t,      0 for c < t. */
static specreg_status simplex_fill(specreg_context *ctx, const sri_coding *self, double *word)
{
    (void)ctx;
    const int64_t k = self->n_classes, width = self->width;
    for (int64_t t = 0; t < width; t++) {
        const double r = (double)(width - t);
        const double own = sqrt((double)k / (double)width * r / (r + 1));
        for (int64_t c = 0; c < k; c++)
            word[c * width + t] = c == t ? own : c > t ? -own / r : 0;
    }
    return SPECREG_OK;
}

const sri_coding_ops sri_coding_simplex = {
    .name = "simplex",
    .width = simplex_width,
    .fill = simplex_fill,
};
