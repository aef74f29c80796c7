/* Words of signs from a file, which the caller reads. */
#include <math.h>

#include "coding/coding.h"

/* The entry that is neither -1 nor 0 nor 1, or NULL. */
static const double *odd_entry(const double *word, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (word[i] != 0 && fabs(word[i]) != 1)
            return word + i;
    return NULL;
}

static specreg_status check_rows(specreg_context *ctx, const char *source, const double *word,
                                 int64_t k, int64_t width)
{
    for (int64_t c = 0; c < k; c++)
        for (int64_t d = 0; d < c; d++) {
            bool equal = true, told_apart = false;
            for (int64_t t = 0; t < width; t++) {
                const double v = word[c * width + t], w = word[d * width + t];
                equal = equal && v == w;
                told_apart = told_apart || v * w < 0;
            }
            SRI_CHECK(ctx, told_apart, SPECREG_E_NUMERIC,
                      "%s: %s lines %lld and %lld%s: no output could tell their classes apart",
                      source, equal ? "the codewords of" : "no column has 1 and -1 in",
                      (long long)d + 1, (long long)c + 1, equal ? " are equal" : "");
        }
    return SPECREG_OK;
}

static specreg_status check_columns(specreg_context *ctx, const char *source, const double *word,
                                    int64_t k, int64_t width)
{
    for (int64_t t = 0; t < width; t++) {
        int64_t ones = 0, minus = 0;
        for (int64_t c = 0; c < k; c++) {
            ones += word[c * width + t] > 0;
            minus += word[c * width + t] < 0;
        }
        SRI_CHECK(ctx, ones && minus, SPECREG_E_NUMERIC,
                  "%s: column %lld has no %s: it does not divide the classes in two", source,
                  (long long)t + 1, ones ? "-1" : "1");
    }
    return SPECREG_OK;
}

specreg_status sri_codewords_check(specreg_context *ctx, const char *source, const double *word,
                                   int64_t n_classes, int64_t width)
{
    const double *odd = odd_entry(word, n_classes * width);
    SRI_CHECK(ctx, !odd, SPECREG_E_NUMERIC,
              "%s:%lld: column %lld: codewords are of -1, 1 and 0, not %g", source,
              (long long)((odd - word) / width) + 1, (long long)((odd - word) % width) + 1, *odd);
    SRI_CHECK(ctx, width >= 62 || n_classes <= INT64_C(1) << width, SPECREG_E_NUMERIC,
              "%s: %lld columns have %lld codewords, too few for %lld classes", source,
              (long long)width, (long long)(INT64_C(1) << width), (long long)n_classes);
    SRI_CALL(check_rows(ctx, source, word, n_classes, width));
    return check_columns(ctx, source, word, n_classes, width);
}

const sri_coding_ops sri_coding_file = {
    .name = "code",
    .signs = true,
    .takes_file = true,
};
