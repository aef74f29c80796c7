/* What a fit reports of its training rows, compared with what the finished model predicts of them:
 * coefficients that have to cancel each other may have lost what the engine had found. */
#ifndef SRI_MODEL_CLAIM_H
#define SRI_MODEL_CLAIM_H

#include "model/model.h"

typedef struct sri_claim {
    sri_sample rows;   /* at most 1,000 of the training rows, evenly spread */
    double *F;         /* their fitted values, rows.n x T                   */
    double *deviation; /* T: standard deviations of the targets             */
    double largest;    /* root mean square of a target                      */
    bool single;       /* residuals are those of a matrix in single precision */
} sri_claim;

/* Before the model takes over the data; freed also after a failure. */
specreg_status sri_claim_make(specreg_context *ctx, const sri_prepared *p,
                              const sri_search_result *result, sri_claim *out);
void sri_claim_free(sri_claim *claim);
/* A note in the report where the model predicts something else than was reported, an error where
 * that is more than 1 % of a target's standard deviation. */
specreg_status sri_claim_check(specreg_context *ctx, const sri_claim *claim,
                               const specreg_model *model, sri_fit_report *report);

#endif
