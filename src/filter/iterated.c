/* iterated tikhonov of order q: r = (lambda / (s + lambda))^q, g = (1 - r) / s, g(0) = q /
 * lambda. */
#include <math.h>

#include "filter/filter.h"

static void eval(const sri_filter *self, double s, const double *lambda, int64_t count, double *g,
                 double *r)
{
    const double q = self->param[0];
    for (int64_t i = 0; i < count; i++) {
        const double e = -q * log1p(s / lambda[i]); /* log r */
        r[i] = exp(e);
        g[i] = s > 0 ? -expm1(e) / s : q / lambda[i];
    }
}

static int resolvents(const sri_filter *self)
{
    return (int)self->param[0];
}

static const sri_param params[] = {
    {.name = "order", .value = 2, .least = 1, .whole = true},
};

const sri_filter_ops sri_filter_iterated = {
    .name = "iterated",
    .params = params,
    .n_params = 1,
    .path = SRI_PATH_LAMBDA,
    .eval = eval,
    .resolvents = resolvents,
    .smooth = true,
};
