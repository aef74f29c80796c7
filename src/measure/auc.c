/* The area under the ROC curve: of two classes the second's, of more the mean over the classes,
 * each against all others. */
#include <math.h>

#include "measure/curve.h"
#include "measure/measure.h"

/* NaN where a class is absent. */
static specreg_status value(specreg_context *ctx, const sri_comparison *p, double *auc)
{
    const int64_t k = p->n_classes;
    double area;
    *auc = 0;
    for (int32_t c = k == 2 ? 1 : 0; c < k; c++) {
        SRI_CALL(sri_curve_area(ctx, p, c, &area));
        *auc += area / (double)(k == 2 ? 1 : k);
    }
    return SPECREG_OK;
}

/* Over the classes that have an area: test data may lack some. */
static specreg_status report(specreg_context *ctx, const sri_comparison *p, double *auc)
{
    double area, sum = 0, count = 0;
    for (int32_t c = p->n_classes == 2 ? 1 : 0; c < p->n_classes; c++) {
        SRI_CALL(sri_curve_area(ctx, p, c, &area));
        sum += isnan(area) ? 0 : area;
        count += !isnan(area);
    }
    *auc = sum / count;
    return SPECREG_OK;
}

const sri_measure sri_measure_auc = {
    .info = {.name = "auc", .title = "auc", .unit = "", .larger_is_better = 1, .line = 1},
    .uses = SRI_USES_SCORES,
    .suits = SRI_SUITS_CLASSES,
    .reports = SRI_IN_TEST | SRI_IN_FOLDS,
    .value = value,
    .report = report,
};
