/* A preconditioner for (G + mass lambda I) x = h from a sample of the rows: with its own weight
 * mass_s, G/mass is about S = (sum of b b' over the sample)/mass_s.  One reduction S = Q B Q' to a
 * band serves every lambda and every training set: a factor of B + lambda I takes no time. */
#ifndef SRI_SUMS_PRECONDITION_H
#define SRI_SUMS_PRECONDITION_H

#include "backend/band.h"
#include "select/problem.h"
#include "sums/whiten.h"

typedef struct sri_sums_preconditioner {
    sri_band band;
    double *S;    /* r x r: what the band refers to */
    int64_t rows; /* of the sample                  */
} sri_sums_preconditioner;

/* Where the sample comes from: rows in memory, those with the least hash of their number. */
typedef struct sri_sample_source {
    const sri_whitening *whitening;
    const sri_problem *problem;
    const int64_t *number; /* of its rows in the data */
} sri_sample_source;

specreg_status sri_sums_preconditioner_make(specreg_context *ctx, const sri_sample_source *from,
                                            int64_t rows, sri_sums_preconditioner *out);
void sri_sums_preconditioner_free(sri_sums_preconditioner *p);

/* Columns r_c, one after the other; z_c = (S + lambda_c I)^-1 r_c / mass_c. */
typedef struct sri_shifted_columns {
    int64_t count;
    const double *lambda, *mass;
    const double *R;
} sri_shifted_columns;

specreg_status sri_sums_preconditioner_apply(specreg_context *ctx, const sri_sums_preconditioner *p,
                                             sri_shifted_columns columns, double *Z);

#endif
