/* What the filters are, and their values over the spectrum. */
#ifndef SRI_MODEL_FILTERS_H
#define SRI_MODEL_FILTERS_H

#include "engine/engine.h"

enum { SRI_MOST_ENGINES = 16 };

/* The engines that serve a filter, where K allows it; how many. */
specreg_status sri_filter_engines(specreg_context *ctx, const sri_filter *filter,
                                  const sri_engine *out[SRI_MOST_ENGINES], int *count);

typedef struct sri_filter_curve {
    sri_filter filter; /* its step is 1 where it is not a number: s_max = kappa^2 = 1 */
    sri_values param, s;
    double nu;
    double *g, *r; /* s.count x param.count */
} sri_filter_curve;

/* From the texts of --filter, --param and of s, as "log:1e-4:1:100". */
specreg_status sri_filter_curve_make(specreg_context *ctx, const char *filter, const char *param,
                                     const char *s, sri_filter_curve *out);
void sri_filter_curve_free(sri_filter_curve *curve);

#endif
