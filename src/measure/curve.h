/* ROC curves: one class against all others, by how much the scores speak for it.  Exact by sorting.
 * Rows of an unknown class (-1) are left out; there is no curve where no row is of the class, or
 * every one, or a score is NaN. */
#ifndef SRI_MEASURE_CURVE_H
#define SRI_MEASURE_CURVE_H

#include "measure/comparison.h"

/* A curve has no more points; the area is that of all. */
enum { SRI_CURVE_POINTS = 10001 };

typedef struct sri_curve_point {
    double threshold, fpr, tpr;
} sri_curve_point;

typedef struct sri_curve {
    double area;            /* ties counted half; NaN where there is no curve */
    sri_curve_point *point; /* NULL: only the area was asked for              */
    int64_t count;
} sri_curve;

/* The area under the curve of class c. */
specreg_status sri_curve_area(specreg_context *ctx, const sri_comparison *p, int32_t c,
                              double *area);
/* The curve with its points, one per distinct score in falling order after (0, 0), whose threshold
 * is infinity.  With `corners`, or if there are too many, it lacks the points in the middle of a
 * horizontal or vertical line; if there are still too many, it has some of the others, equally far
 * apart. */
specreg_status sri_curve_make(specreg_context *ctx, const sri_comparison *p, int32_t c,
                              bool corners, sri_curve *out);
void sri_curve_free(sri_curve *curve);

#endif
