/* A thin matrix L, packed in panels of SRI_PANEL rows (see vec.h), for products with L and L'. */
#ifndef SRI_BACKEND_PANELS_H
#define SRI_BACKEND_PANELS_H

#include "core/context.h"

typedef struct sri_panels {
    int64_t n, rank;
    double *values; /* panel after panel: rank x SRI_PANEL numbers, 0 beyond row n */
} sri_panels;

/* Lt is L', rank x n. */
specreg_status sri_panels_new(specreg_context *ctx, int64_t n, int64_t rank, const double *Lt,
                              sri_panels *out);
void sri_panels_free(sri_panels *p);
/* Y += L L'X, n x t.  Any number of threads gives the same bits. */
specreg_status sri_panels_add_square(specreg_context *ctx, const sri_panels *p, int64_t t,
                                     const double *X, double *Y);

#endif
