/* What a row says of its own prediction: with e, b~, V and s as in spectrum.h,
 *
 *     H_ii = w_i (|e_i|^2 + (1/mass) sum_j (V b~_i)_j^2 a g(a s_j)),
 *
 * a = 1 but for outputs that were coupled. */
#include "backend/blas.h"
#include "backend/slab.h"
#include "backend/vec.h"
#include "core/arena.h"
#include "sums/accumulate.h"
#include "sums/spectrum.h"

/* V b~ = V b - V (sum of b e') E'phi, as a matrix for (b, phi). */
static specreg_status make_rotation(specreg_context *ctx, const sri_sums_spectrum *sp,
                                    sri_leverages *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t r = sp->at.r, l = sp->at.l;
    double *VBE = NULL;
    SRI_SCRATCH(ctx, &out->memory, out->V, r + l, r);
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < r; j++)
            out->V[i * r + j] = sp->V[j * r + i];
    SRI_ALLOC(ctx, VBE, r, l);
    sri_gemm(false, false, r, l, r, 1, sp->V, r, sp->BE, l, 0, VBE, l);
    sri_gemm(false, true, l, r, l, -1, sp->E, l, VBE, l, 0, out->V + r * r, r);
done:
    sri_free(VBE);
    return st;
}

specreg_status sri_leverages_make(specreg_context *ctx, const sri_sums_spectrum *sp,
                                  const sri_sums_question *q, const sri_filter *filter,
                                  sri_leverages *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t r = sp->at.r, l = sp->at.l, count = q->path.count;
    sri_sums_filter of = {.count = 0};
    double *residual = NULL;
    *out = (sri_leverages){.r = r, .l = l, .count = count, .coupling = q->coupling};
    SRI_TRY(sri_scales_make(ctx, &out->memory, q->coupling, sp->at.T, &out->scales));
    SRI_TRY(make_rotation(ctx, sp, out));
    const int64_t columns = sri_leverages_columns(out);
    SRI_SCRATCH(ctx, &out->memory, out->g, r, columns);
    SRI_SCRATCH(ctx, &out->memory, out->E, l, l);
    for (int64_t k = 0; k < l * l; k++)
        out->E[k] = sp->E[k];
    SRI_ALLOC(ctx, residual, count, 1);
    SRI_TRY(sri_sums_filter_make(ctx, sp, q, filter, &out->scales, &of));
    for (int64_t j = 0; j < r; j++)
        for (int64_t d = 0; d < out->scales.count; d++) {
            double *g = out->g + j * columns + d * count;
            sri_sums_filter_at(&of, j, d, g, residual);
            for (int64_t k = 0; k < count; k++)
                g[k] *= out->scales.value[d] / sp->mass;
        }
done:
    sri_sums_filter_free(&of);
    sri_free(residual);
    if (st != SPECREG_OK)
        sri_leverages_free(out);
    return st;
}

void sri_leverages_free(sri_leverages *leverages)
{
    sri_arena_free(&leverages->memory);
    *leverages = (sri_leverages){0};
}

specreg_status sri_leverages_pack(specreg_context *ctx, sri_arena *memory, const sri_leverages *of,
                                  sri_leverages *out)
{
    const int64_t r = of->r, l = of->l, columns = sri_leverages_columns(of);
    *out = *of;
    SRI_ARENA_NEW(ctx, memory, out->V_panels, r + l, sri_slab_padded(r));
    SRI_ARENA_NEW(ctx, memory, out->g_panels, r, sri_slab_padded(columns));
    sri_slab_pack(r + l, r, of->V, r, 1, out->V_panels);
    sri_slab_pack(r, columns, of->g, columns, 1, out->g_panels);
    return SPECREG_OK;
}

/* |e|^2 of the unpenalised terms of a row. */
static double of_terms(const sri_leverages *of, const double *phi)
{
    double sum = 0;
    for (int64_t j = 0; j < of->l; j++) {
        double e = 0;
        for (int64_t i = 0; i < of->l; i++)
            e += phi[i] * of->E[i * of->l + j];
        sum += e * e;
    }
    return sum;
}

specreg_status sri_leverages_of(specreg_context *ctx, const sri_leverages *of, const double *Z,
                                int64_t ld, int64_t rows, double *h)
{
    specreg_status st = SPECREG_OK;
    const sri_slab_vec *vec = sri_vec_best()->slab;
    const int64_t r = of->r, columns = sri_leverages_columns(of);
    const int64_t wide = sri_slab_padded(r), ldh = sri_slab_padded(columns);
    double *U = NULL;
    SRI_ALLOC(ctx, U, rows, wide);
    vec->times(&(sri_slab){rows, r + of->l, Z, ld}, of->V_panels, U, wide);
    for (int64_t k = 0; k < rows * wide; k++)
        U[k] *= U[k];
    vec->times(&(sri_slab){rows, r, U, wide}, of->g_panels, h, ldh);
    for (int64_t i = 0; of->l && i < rows; i++) {
        const double terms = of_terms(of, Z + i * ld + r);
        for (int64_t k = 0; k < columns; k++)
            h[i * ldh + k] += terms;
    }
done:
    sri_free(U);
    return st;
}
