/* Words of random signs, and of zeros with the probability that `zeros` says (the dense and sparse
 * codes of Allwein, Schapire and Singer, 2000): of DRAWS matrices the one whose least distance
 * between two words is largest; the earlier one of equals.  A column without a 1 or a -1 is drawn
 * again. */
#include <math.h>
#include <string.h>

#include "coding/coding.h"
#include "core/memory.h"
#include "core/rng.h"

enum { DRAWS = 1000, COLUMNS = 0, SEED, ZEROS };
static const double MOST_COLUMNS = 10000;

static const sri_param params[] = {
    {.name = "columns", .value = 0, .least = 0, .most = MOST_COLUMNS, .whole = true},
    {.name = "seed", .value = 1, .least = 1, .whole = true},
    {.name = "zeros", .value = 0, .least = 0, .most = 0.9},
};

/* Where nothing was said 10 log2 k, with zeros 15 log2 k: the sizes that the paper takes. */
static int64_t random_width(const sri_coding_spec *spec, int64_t n_classes)
{
    const double columns = spec->param[COLUMNS], bits = log2((double)n_classes);
    return (int64_t)(columns > 0 ? columns : ceil((spec->param[ZEROS] > 0 ? 15 : 10) * bits));
}

static void draw_column(sri_rng *rng, double zeros, int64_t k, int64_t width, double *word)
{
    int64_t count[2];
    do {
        count[0] = count[1] = 0;
        for (int64_t c = 0; c < k; c++) {
            const double u = sri_rng_uniform(rng);
            const bool one = u >= zeros + (1 - zeros) / 2;
            word[c * width] = u < zeros ? 0 : one ? 1 : -1;
            count[one] += u >= zeros;
        }
    } while (!count[0] || !count[1]);
}

/* The least number of columns in which two words have opposite signs. */
static int64_t least_distance(const double *word, int64_t k, int64_t width)
{
    int64_t least = width;
    for (int64_t c = 0; c < k; c++)
        for (int64_t d = 0; d < c; d++) {
            int64_t differ = 0;
            for (int64_t t = 0; t < width; t++)
                differ += word[c * width + t] * word[d * width + t] < 0;
            least = differ < least ? differ : least;
        }
    return least;
}

static specreg_status random_fill(specreg_context *ctx, const sri_coding *self, double *word)
{
    specreg_status st = SPECREG_OK;
    const int64_t k = self->n_classes, width = self->width;
    int64_t best = 0;
    double *drawn = NULL;
    /* k^2 width steps for each of the matrices: of very many classes fewer are drawn */
    const double draws = fmax(1, fmin(DRAWS, 1e9 / ((double)k * (double)k * (double)width)));
    SRI_REQUIRE(ctx, ldexp(1, (int)fmin((double)width, 1000)) >= (double)k, SPECREG_E_ARG,
                "coding: random: %lld columns have fewer words than the %lld classes",
                (long long)width, (long long)k);
    SRI_ALLOC(ctx, drawn, k, width);
    for (int i = 0; i < (int)draws || (!best && i < DRAWS); i++) {
        sri_rng rng = sri_rng_make((uint64_t)self->spec.param[SEED],
                                   SRI_STREAM_CODEWORDS | (uint64_t)i << 32);
        for (int64_t t = 0; t < width; t++)
            draw_column(&rng, self->spec.param[ZEROS], k, width, drawn + t);
        const int64_t least = least_distance(drawn, k, width);
        if (least > best) {
            best = least;
            memcpy(word, drawn, (size_t)(k * width) * sizeof *word);
        }
    }
    SRI_REQUIRE(ctx, best > 0, SPECREG_E_ARG,
                "coding: random: no %lld different words of %lld columns were found: take more "
                "columns",
                (long long)k, (long long)width);
done:
    sri_free(drawn);
    return st;
}

static int random_describe(const sri_coding *self, sri_coding_fact *facts)
{
    facts[0] =
        (sri_coding_fact){"distance", least_distance(self->word, self->n_classes, self->width)};
    return 1;
}

#define RANDOM(text, count)                                                                      \
    {                                                                                            \
        .name = text, .params = params, .n_params = count, .signs = true, .width = random_width, \
        .fill = random_fill, .describe = random_describe,                                        \
    }

const sri_coding_ops sri_coding_random = RANDOM("random", 3);
const sri_coding_ops sri_coding_dense = RANDOM("dense", 2); /* without zeros */
