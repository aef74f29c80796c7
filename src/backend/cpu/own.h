/* The slots that this library fills with algorithms of its own, see own.c. */
#ifndef SRI_BACKEND_CPU_OWN_H
#define SRI_BACKEND_CPU_OWN_H

#include "backend/backend.h"

/* product.c */
specreg_status sri_own_product(specreg_context *ctx, sri_dense K, int64_t t, const double *X,
                               double *Y);
specreg_status sri_own_add_square(specreg_context *ctx, int64_t rows, int64_t p, const double *B,
                                  double *C);
/* cholesky.c.  Any number of threads gives the same bits. */
specreg_status sri_own_cholesky(specreg_context *ctx, int64_t n, double *K, int64_t *failed_at);
specreg_status sri_own_cholesky_inverse_diagonal(specreg_context *ctx, int64_t n, const double *L,
                                                 double *out);
/* eigen.c */
specreg_status sri_own_eigen(specreg_context *ctx, int64_t n, double *K, double *s, bool vectors);
/* band_reduce.c, band_form.c */
specreg_status sri_own_band_reduce(specreg_context *ctx, sri_band *band);
specreg_status sri_own_band_form(specreg_context *ctx, sri_band *band);

#endif
