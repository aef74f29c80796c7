/* The mean of the classes' own error rates: the error rate where each row has its weight divided by
 * that of its class. */

#include "core/memory.h"
#include "measure/confusion.h"
#include "measure/measure.h"

static specreg_status report(specreg_context *ctx, const sri_comparison *p, double *value)
{
    specreg_status st = SPECREG_OK;
    double *counts = NULL;
    SRI_ALLOC(ctx, counts, p->n_classes, p->n_classes);
    sri_confusion(p, counts);
    *value = 1 - sri_measure_macro(counts, p->n_classes).recall;
done:
    sri_free(counts);
    return st;
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
