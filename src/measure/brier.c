/* The mean squared error of probabilities: of two classes that of the second, of more the sum over
 * the classes. */
#include "measure/measure.h"

static void losses(const sri_comparison *p, double *x)
{
    const int64_t k = p->n_classes;
    for (int64_t i = 0; i < p->n; i++) {
        x[i] = 0;
        for (int64_t c = k == 2 ? 1 : 0; c < k; c++) {
            const double d = p->probability[i * k + c] - (c == sri_row_class(p, i));
            x[i] += d * d;
        }
    }
}

const sri_measure sri_measure_brier = {
    .info = {.name = "brier", .title = "brier", .unit = "", .line = 2},
    .uses = SRI_USES_PROBABILITIES,
    .suits = SRI_SUITS_CLASSES,
    .reports = SRI_IN_TEST | SRI_IN_FOLDS,
    .losses = losses,
};
