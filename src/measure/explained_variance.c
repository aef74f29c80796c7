/* 1 - mse / variance of y, with the targets of all outputs as one column: tasks and outputs that
 * differ in their means are explained in part by these. */
#include "measure/columns.h"
#include "measure/measure.h"

static specreg_status value(specreg_context *ctx, const sri_comparison *p, double *explained)
{
    (void)ctx;
    *explained = sri_errors_pooled(p).r2;
    return SPECREG_OK;
}

const sri_measure sri_measure_explained_variance = {
    .info = {.name = "explained_variance",
             .title = "explained variance",
             .unit = "",
             .larger_is_better = 1},
    .suits = SRI_SUITS_OUTPUTS,
    .reports = SRI_IN_TRAIN | SRI_IN_TEST | SRI_IN_FOLDS,
    .value = value,
};
