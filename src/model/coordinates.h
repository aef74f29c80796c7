/* Models whose outputs are coordinates of a row, not predictions. */
#ifndef SRI_MODEL_COORDINATES_H
#define SRI_MODEL_COORDINATES_H

#include "model/model.h"

typedef struct sri_coordinates {
    sri_model_kind kind;
    const char *name;         /* of the columns, before their number       */
    int64_t n, m;             /* centres, coordinates                      */
    double *a;                /* n x m: coefficients                       */
    bool center;              /* the mean is taken out, by a constant      */
    bool fewer;               /* m may become less, where s_m is rounding  */
    double *beta;             /* m: coefficients of that                   */
    double *s, *V;            /* m; m x n: eigenvalues and vectors of K/n  */
    double trace;             /* of K/n                                    */
    double level;             /* what rounding is to be compared with, beside s_1 */
    sri_approx_report approx; /* of centres that were chosen               */
} sri_coordinates;

/* Takes over what it needs of the data, and the coefficients.  Centres are the rows, or those of
 * d->points where these are others. */
specreg_status sri_coordinates_model(specreg_context *ctx, sri_dataset *d, const sri_call *call,
                                     const sri_kernel *kernel, sri_coordinates *c,
                                     specreg_model **out);
void sri_coordinates_free(sri_coordinates *c);

#endif
