#include "sums/coupled.h"

#include <string.h>

#include "backend/blas.h"

specreg_status sri_scales_make(specreg_context *ctx, sri_arena *memory,
                               const sri_coupling *coupling, int64_t T, sri_scales *out)
{
    *out = (sri_scales){.count = 0};
    SRI_ARENA_NEW(ctx, memory, out->value, T, 1);
    SRI_ARENA_NEW(ctx, memory, out->of, T, 1);
    SRI_ARENA_NEW_ZERO(ctx, memory, out->outputs, T, 1);
    for (int64_t t = 0; t < T; t++) {
        const double a = coupling ? coupling->a[t] : 1;
        int64_t k = 0;
        while (k < out->count && out->value[k] != a)
            k++;
        if (k == out->count)
            out->value[out->count++] = a;
        out->of[t] = k;
        out->outputs[k]++;
    }
    return SPECREG_OK;
}

specreg_status sri_outputs_apart(specreg_context *ctx, const sri_coupling *coupling, int64_t rows,
                                 double *V)
{
    return coupling ? sri_outputs_times(ctx, coupling->U, true, rows, coupling->T, V) : SPECREG_OK;
}

specreg_status sri_outputs_together(specreg_context *ctx, const sri_coupling *coupling,
                                    int64_t rows, double *V)
{
    return coupling ? sri_outputs_times(ctx, coupling->U, false, rows, coupling->T, V) : SPECREG_OK;
}

specreg_status sri_sums_apart(specreg_context *ctx, const sri_coupling *coupling, int64_t order,
                              int64_t first, double *M)
{
    specreg_status st = SPECREG_OK;
    double *targets = NULL;
    if (!coupling)
        return st;
    const int64_t T = coupling->T;
    SRI_ALLOC(ctx, targets, order, T);
    for (int64_t i = 0; i < order; i++)
        memcpy(targets + i * T, M + i * order + first, (size_t)T * sizeof *targets);
    SRI_TRY(sri_outputs_apart(ctx, coupling, order, targets));
    sri_gemm(false, false, T, T, T, 1, coupling->U, T, targets + first * T, T, 0,
             M + first * order + first, order);
    for (int64_t i = 0; i < order; i++)
        for (int64_t t = 0; t < T && (i < first || i >= first + T); t++)
            M[i * order + first + t] = M[(first + t) * order + i] = targets[i * T + t];
done:
    sri_free(targets);
    return st;
}
