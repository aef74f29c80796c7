/* tikhonov (regularized least squares): g = 1 / (s + lambda), r = lambda / (s + lambda). */
#include "filter/filter.h"

static void eval(const sri_filter *self, double s, const double *lambda, int64_t count, double *g,
                 double *r)
{
    (void)self;
    for (int64_t i = 0; i < count; i++) {
        g[i] = 1 / (s + lambda[i]);
        r[i] = lambda[i] * g[i];
    }
}

static sri_systems resolvents(const sri_filter *self, double lambda)
{
    (void)self;
    return (sri_systems){1, lambda};
}

static const sri_filter_about about = {
    .g = "1/(s+lambda)",
    .r = "lambda/(s+lambda)",
    .qualification = "1",
    .bound_g = "1",
    .bound_sg = "1",
};

const sri_filter_ops sri_filter_tikhonov = {
    .name = "tikhonov",
    .about = &about,
    .path = SRI_PATH_LAMBDA,
    .eval = eval,
    .resolvents = resolvents,
    .smooth = true,
    .one_system = true,
};
