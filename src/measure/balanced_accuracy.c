/* The mean over the classes of the share of their rows that are right. */
#include "measure/confusion.h"
#include "measure/measure.h"

static double of_counts(const double *counts, int64_t k)
{
    return sri_measure_macro(counts, k).recall;
}

static specreg_status value(specreg_context *ctx, const sri_comparison *p, double *out)
{
    return sri_of_confusion(ctx, p, of_counts, out);
}

const sri_measure sri_measure_balanced_accuracy = {
    .info = {.name = "balanced_accuracy",
             .title = "balanced accuracy",
             .unit = "%",
             .larger_is_better = 1},
    .uses = SRI_USES_LABELS,
    .suits = SRI_SUITS_CLASSES,
    .reports = SRI_IN_TEST | SRI_IN_FOLDS,
    .value = value,
};
