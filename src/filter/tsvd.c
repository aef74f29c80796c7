/* tsvd (spectral cut-off): g = 1/s where s >= lambda, else 0.  A path over components is turned
 * into thresholds by the engine that knows the spectrum. */
#include "filter/filter.h"

static void eval(const sri_filter *self, double s, const double *lambda, int64_t count, double *g,
                 double *r)
{
    (void)self;
    for (int64_t i = 0; i < count; i++) {
        const bool kept = s >= lambda[i];
        g[i] = kept ? 1 / s : 0;
        r[i] = !kept;
    }
}

static const sri_filter_about about = {
    .g = "1/s where s >= lambda, else 0",
    .r = "0 or 1",
    .qualification = "infinite",
    .bound_g = "1",
    .bound_sg = "1",
};

const sri_filter_ops sri_filter_tsvd = {
    .name = "tsvd",
    .about = &about,
    .path = SRI_PATH_LAMBDA,
    .takes_components = true,
    .eval = eval,
    .truncates = true,
};
