/* Matthews' correlation of true and predicted classes, for any number of them (Gorodkin 2004):
 * with s rows, c of them right, t_k of class k and p_k with its label,
 *     (c s - sum t_k p_k) / sqrt((s^2 - sum p_k^2) (s^2 - sum t_k^2)),   0 where that is 0 / 0. */
#include <math.h>

#include "measure/confusion.h"
#include "measure/measure.h"

static double of_counts(const double *counts, int64_t k)
{
    double all = 0, right = 0, both = 0, predicted2 = 0, true2 = 0;
    for (int64_t c = 0; c < k; c++) {
        const sri_class_measure m = sri_measure_class(counts, k, c);
        all += m.support;
        right += m.right;
        both += m.support * m.predicted;
        predicted2 += m.predicted * m.predicted;
        true2 += m.support * m.support;
    }
    const double root = sqrt((all * all - predicted2) * (all * all - true2));
    return root > 0 ? (right * all - both) / root : 0;
}

static specreg_status value(specreg_context *ctx, const sri_comparison *p, double *out)
{
    return sri_of_confusion(ctx, p, of_counts, out);
}

const sri_measure sri_measure_mcc = {
    .info = {.name = "mcc", .title = "mcc", .unit = "", .larger_is_better = 1, .line = 2},
    .uses = SRI_USES_LABELS,
    .suits = SRI_SUITS_CLASSES,
    .reports = SRI_IN_TEST | SRI_IN_FOLDS,
    .value = value,
};
