/* Coupled outputs, A = sum_j a_j u_j u_j', every row having all of them.
 *
 * U has the u_j as rows.  With targets U y in place of y the outputs are apart: output j is a
 * problem of its own, with the kernel a_j k.  What is found for these outputs, W, is W U for those
 * that were asked for. */
#ifndef SRI_SUMS_COUPLED_H
#define SRI_SUMS_COUPLED_H

#include "core/arena.h"
#include "kernel/outputs.h"

/* The factors a_j of the outputs, each number once. */
typedef struct sri_scales {
    int64_t count;
    double *value;    /* count */
    int64_t *of;      /* T: which of them an output has */
    int64_t *outputs; /* count: how many outputs have it */
} sri_scales;

/* Without a coupling (NULL) that of all outputs is 1. */
specreg_status sri_scales_make(specreg_context *ctx, sri_arena *memory,
                               const sri_coupling *coupling, int64_t T, sri_scales *out);
/* The factor of output t. */
static inline double sri_scale_of(const sri_scales *scales, int64_t t)
{
    return scales->value[scales->of[t]];
}
/* Each row of V, T numbers, as those of the outputs apart: V U'; and back: V U.  Nothing without a
 * coupling. */
specreg_status sri_outputs_apart(specreg_context *ctx, const sri_coupling *coupling, int64_t rows,
                                 double *V);
specreg_status sri_outputs_together(specreg_context *ctx, const sri_coupling *coupling,
                                    int64_t rows, double *V);
/* Replaces the targets y by U y in sums M (order x order), where they are the T numbers from
 * `first` on. */
specreg_status sri_sums_apart(specreg_context *ctx, const sri_coupling *coupling, int64_t order,
                              int64_t first, double *M);

#endif
