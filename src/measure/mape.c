/* The mean of |f - y| / |y| over the targets that are there and are not 0; NaN without any. */
#include <math.h>

#include "measure/measure.h"

static specreg_status value(specreg_context *ctx, const sri_comparison *p, double *mape)
{
    (void)ctx;
    double sum = 0, weight = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double *f = sri_row_outputs(p, i), *y = sri_row_targets(p, i);
        for (int64_t t = 0; t < p->T; t++) {
            if (isnan(y[t]) || y[t] == 0)
                continue;
            sum += sri_row_weight(p, i) * (fabs(f[t] - y[t]) / fabs(y[t]));
            weight += sri_row_weight(p, i);
        }
    }
    *mape = sum / weight;
    return SPECREG_OK;
}

const sri_measure sri_measure_mape = {
    .info = {.name = "mape", .title = "mape", .unit = "%", .line = 2},
    .suits = SRI_SUITS_REGRESSION,
    .reports = SRI_IN_TEST | SRI_IN_FOLDS,
    .value = value,
};
