/* Coupled outputs, A = sum_j a_j u_j u_j', every row having all of them.  With targets U y in place
 * of y the outputs are apart: problems of their own with the kernels a_j k, whose predictors W
 * become W U.  In between, output j stands for u_j. */
#ifndef SRI_SUMS_COUPLED_H
#define SRI_SUMS_COUPLED_H

#include "core/arena.h"
#include "kernel/outputs.h"

/* The factors a_j of the outputs, each number once. */
typedef struct sri_scales {
    int64_t count;
    double *value; /* count */
    int64_t *of;   /* T: which of them an output has          */
    double *share; /* count: of the outputs that have each, 1 in all */
} sri_scales;

/* Without a coupling (NULL) that of all outputs is 1. */
specreg_status sri_scales_make(specreg_context *ctx, sri_arena *memory,
                               const sri_coupling *coupling, int64_t T, sri_scales *out);
/* The factor of output t. */
static inline double sri_scale_of(const sri_scales *scales, int64_t t)
{
    return scales->value[scales->of[t]];
}
/* V (rows x T, one after the other) becomes V U', or V U: to the u_j, and back.  Nothing without a
 * coupling. */
specreg_status sri_outputs_apart(specreg_context *ctx, const sri_coupling *coupling, int64_t rows,
                                 double *V);
specreg_status sri_outputs_together(specreg_context *ctx, const sri_coupling *coupling,
                                    int64_t rows, double *V);
/* Sums M (order x order) of products with targets, which are the T numbers from `first` on: those
 * with U y. */
specreg_status sri_sums_apart(specreg_context *ctx, const sri_coupling *coupling, int64_t order,
                              int64_t first, double *M);

#endif
