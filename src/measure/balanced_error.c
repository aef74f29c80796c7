/* The mean of the classes' own error rates: the error rate where each row has its weight divided by
 * that of its class. */
#include "measure/confusion.h"
#include "measure/measure.h"

static double of_counts(const double *counts, int64_t k)
{
    return 1 - sri_measure_macro(counts, k).recall;
}

static specreg_status report(specreg_context *ctx, const sri_comparison *p, double *value)
{
    return sri_of_confusion(ctx, p, of_counts, value);
}

const sri_measure sri_measure_balanced_error = {
    .info = {.name = "balanced_error", .title = "balanced error", .unit = "%", .line = 2},
    .uses = SRI_USES_LABELS,
    .suits = SRI_SUITS_CLASSES,
    .reports = SRI_IN_TEST,
    .balances_classes = true,
    .losses = sri_losses_wrong,
    .report = report,
};
