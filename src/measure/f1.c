/* The mean over the classes of F1, the harmonic mean of precision and recall. */
#include "measure/confusion.h"
#include "measure/measure.h"

static double of_counts(const double *counts, int64_t k)
{
    return sri_measure_macro(counts, k).f1;
}

static specreg_status value(specreg_context *ctx, const sri_comparison *p, double *out)
{
    return sri_of_confusion(ctx, p, of_counts, out);
}

const sri_measure sri_measure_f1 = {
    .info = {.name = "f1", .title = "f1", .unit = "", .larger_is_better = 1},
    .uses = SRI_USES_LABELS,
    .suits = SRI_SUITS_CLASSES,
    .reports = SRI_IN_TEST | SRI_IN_FOLDS,
    .value = value,
};
