/* 1 - mse / variance of y, averaged over the outputs that are not constant. */
#include "measure/columns.h"
#include "measure/measure.h"

static specreg_status value(specreg_context *ctx, const sri_comparison *p, double *r2)
{
    (void)ctx;
    *r2 = sri_errors_averaged(p).r2;
    return SPECREG_OK;
}

const sri_measure sri_measure_r2 = {
    .info = {.name = "r2", .title = "r2", .unit = "", .larger_is_better = 1, .line = 1},
    .suits = SRI_SUITS_REGRESSION,
    .reports = SRI_IN_ALL,
    .value = value,
};
