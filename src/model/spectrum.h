/* The spectrum of K/n (with outputs that share a coupling, of Gamma/n), the effective dimension
 * sum_j s_j / (s_j + lambda), and the share of |y|^2 along each eigenvector; with sample
 * weights, of W^(1/2) K W^(1/2) / sum w and W^(1/2) y. */
#ifndef SRI_MODEL_SPECTRUM_H
#define SRI_MODEL_SPECTRUM_H

#include "model/prepare.h"

enum { SRI_DIMENSIONS = 11 };

typedef struct sri_spectrum_result {
    sri_kernel kernel;         /* its couplings are those of the preparation */
    int64_t candidates, shown; /* of how many it is the number               */
    int64_t n, rank;
    double trace;
    double *eigenvalue, *target_share; /* n, falling                                 */
    struct {
        double lambda, df;
    } dimension[SRI_DIMENSIONS];
} sri_spectrum_result;

specreg_status sri_spectrum_of(specreg_context *ctx, sri_prepared *p, sri_spectrum_result *out);
void sri_spectrum_result_free(sri_spectrum_result *result);

#endif
