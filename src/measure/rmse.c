/* The root of the mean squared error, in the units of the target. */
#include <math.h>

#include "measure/columns.h"
#include "measure/measure.h"

static specreg_status value(specreg_context *ctx, const sri_comparison *p, double *rmse)
{
    (void)ctx;
    *rmse = sqrt(sri_errors_averaged(p).mse);
    return SPECREG_OK;
}

const sri_measure sri_measure_rmse = {
    .info = {.name = "rmse", .title = "rmse", .unit = "", .line = 1},
    .suits = SRI_SUITS_REGRESSION,
    .reports = SRI_IN_ALL,
    .value = value,
};
