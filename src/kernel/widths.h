/* One width from the data: sigma=median|mean|knn:SHARE. */
#ifndef SRI_KERNEL_WIDTHS_H
#define SRI_KERNEL_WIDTHS_H

#include "core/spec.h"
#include "kernel/points.h"

#define SRI_WIDTH_SHARE 0.2 /* of `knn` alone */

typedef struct sri_width {
    enum {
        SRI_WIDTH_GIVEN, /* numbers, or automatic: it is no such word */
        SRI_WIDTH_MEDIAN,
        SRI_WIDTH_MEAN,
        SRI_WIDTH_NEAREST /* the mean distance to the nearest share of the rows */
    } kind;
    double share;
} sri_width;

/* SRI_WIDTH_GIVEN for every other text; `what` names the parameter in messages. */
specreg_status sri_width_parse(specreg_context *ctx, const char *what, const char *text,
                               sri_width *out);
/* How points are apart: in the 1-norm, and in the columns that are picked (NULL: all). */
typedef struct sri_metric {
    bool norm1;
    const sri_picked *columns;
} sri_metric;

/* The width over a random sample of at most 500 points, equal ones left out; 1 when all are
 * alike. */
specreg_status sri_width_find(specreg_context *ctx, const sri_points *points, sri_metric metric,
                              uint64_t seed, sri_width width, double *out);

#endif
