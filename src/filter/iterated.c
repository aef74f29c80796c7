/* iterated tikhonov of order q: r = (lambda / (s + lambda))^q, g = (1 - r) / s, g(0) = q /
 * lambda.  The path runs over lambda with the parameter `order`, or over the order with the
 * parameter `lambda`. */
#include <math.h>

#include "filter/filter.h"

enum { ORDER, LAMBDA };

static sri_systems resolvents(const sri_filter *self, double param)
{
    return self->path == SRI_PATH_ORDER ? (sri_systems){(int)param, self->param[LAMBDA]}
                                        : (sri_systems){(int)self->param[ORDER], param};
}

static void eval(const sri_filter *self, double s, const double *param, int64_t count, double *g,
                 double *r)
{
    for (int64_t i = 0; i < count; i++) {
        const sri_systems of = resolvents(self, param[i]);
        const double e = -of.order * log1p(s / of.lambda); /* log r */
        r[i] = exp(e);
        g[i] = s > 0 ? -expm1(e) / s : of.order / of.lambda;
    }
}

static const sri_param params[] = {
    [ORDER] = {.name = "order", .value = 2, .least = 1, .whole = true},
    [LAMBDA] = {.name = "lambda", .value = NAN, .least = 0, .open = true},
};

static const sri_filter_about about = {
    .g = "(1-r)/s",
    .r = "(lambda/(s+lambda))^q",
    .qualification = "q",
    .bound_g = "q",
    .bound_sg = "1",
};

const sri_filter_ops sri_filter_iterated = {
    .name = "iterated",
    .about = &about,
    .params = params,
    .n_params = 2,
    .path = SRI_PATH_LAMBDA,
    .takes_order = true,
    .eval = eval,
    .resolvents = resolvents,
    .smooth = true,
};
