/* A matrix in single precision, packed for products with few columns: half the memory to pass by. */
#ifndef SRI_BACKEND_CPU_SINGLE_H
#define SRI_BACKEND_CPU_SINGLE_H

#include "core/context.h"

typedef struct sri_single {
    int64_t rows, n;
    float *strips; /* strips of SRI_STRIP rows, each column by column; rows filled up with zeros */
} sri_single;

specreg_status sri_single_new(specreg_context *ctx, int64_t rows, int64_t n, sri_single **out);
void sri_single_free(sri_single *s);
/* Rows first .. first + count - 1 from K (rows n apart); first is a multiple of SRI_STRIP. */
void sri_single_set(sri_single *s, int64_t first, int64_t count, const double *K);
/* Y (rows x t) = K X, X n x t: kernel values and X rounded to single precision, sums in double. */
specreg_status sri_single_product(specreg_context *ctx, const sri_single *s, int64_t t,
                                  const double *X, double *Y);

#endif
