/* showalter (gradient flow until time 1/lambda): r = exp(-s/lambda), g = (1 - r)/s, g(0) =
 * 1/lambda. */
#include <math.h>

#include "filter/filter.h"

static void eval(const sri_filter *self, double s, const double *lambda, int64_t count, double *g,
                 double *r)
{
    (void)self;
    for (int64_t i = 0; i < count; i++) {
        r[i] = exp(-s / lambda[i]);
        g[i] = s > 0 ? -expm1(-s / lambda[i]) / s : 1 / lambda[i];
    }
}

static const sri_filter_about about = {
    .g = "(1-r)/s",
    .r = "exp(-s/lambda)",
    .qualification = "infinite",
    .bound_g = "1",
    .bound_sg = "1",
};

const sri_filter_ops sri_filter_showalter = {
    .name = "showalter",
    .about = &about,
    .path = SRI_PATH_LAMBDA,
    .eval = eval,
    .smooth = true,
};
