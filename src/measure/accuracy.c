/* The share of rows that are decoded to their class. */
#include "measure/confusion.h"
#include "measure/measure.h"

static double of_counts(const double *counts, int64_t k)
{
    double right = 0, all = 0;
    for (int64_t c = 0; c < k * k; c++)
        all += counts[c];
    for (int64_t c = 0; c < k; c++)
        right += counts[c * k + c];
    return right / all;
}

static specreg_status value(specreg_context *ctx, const sri_comparison *p, double *out)
{
    return sri_of_confusion(ctx, p, of_counts, out);
}

const sri_measure sri_measure_accuracy = {
    .info =
        {.name = "accuracy", .title = "accuracy", .unit = "%", .larger_is_better = 1, .line = 2},
    .uses = SRI_USES_LABELS,
    .suits = SRI_SUITS_CLASSES,
    .reports = SRI_IN_TEST | SRI_IN_FOLDS,
    .value = value,
};
