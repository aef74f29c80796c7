/* The mean squared error, over rows and outputs; of classes that of their coded outputs. */
#include "measure/columns.h"
#include "measure/measure.h"

static void losses(const sri_comparison *p, double *x)
{
    for (int64_t i = 0; i < p->n; i++) {
        const double *f = sri_row_outputs(p, i), *y = sri_row_targets(p, i);
        int64_t outputs = 0;
        x[i] = 0;
        for (int64_t t = 0; t < p->T; t++)
            outputs += !sri_is_left_out(p, y[t]);
        for (int64_t t = 0; t < p->T; t++)
            if (!sri_is_left_out(p, y[t]))
                x[i] += (f[t] - y[t]) * (f[t] - y[t]) / (double)outputs;
    }
}

static specreg_status report(specreg_context *ctx, const sri_comparison *p, double *value)
{
    (void)ctx;
    *value = sri_errors_averaged(p).mse;
    return SPECREG_OK;
}

const sri_measure sri_measure_mse = {
    .info = {.name = "mse", .title = "mse", .unit = "", .line = 1},
    .suits = SRI_SUITS_REGRESSION | SRI_SUITS_CLASSES,
    .reports = SRI_IN_ALL,
    .mean_square = true,
    .losses = losses,
    .report = report,
};
