#include "sums/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/eigen.h"
#include "backend/factor.h"
#include "engine/spectrum.h"

specreg_status sri_terms_orthonormal(specreg_context *ctx, int64_t l, double *E)
{
    int64_t failed = 0;
    SRI_CALL(sri_cholesky(ctx, l, E, &failed));
    SRI_CHECK(ctx, !failed, SPECREG_E_NUMERIC, "unpenalised term %lld depends on those before it",
              (long long)failed);
    sri_lower_invert(l, E, l);
    for (int64_t i = 0; i < l; i++)
        for (int64_t j = 0; j < i; j++) {
            E[j * l + i] = E[i * l + j];
            E[i * l + j] = 0;
        }
    return SPECREG_OK;
}

/* E and the sum of b e'. */
static specreg_status orthonormal_terms(specreg_context *ctx, const double *M,
                                        sri_sums_spectrum *sp)
{
    const int64_t r = sp->at.r, l = sp->at.l, order = sri_sums_order(&sp->at);
    double *E = sp->E;
    for (int64_t i = 0; i < l; i++)
        memcpy(E + i * l, M + (r + i) * order + r, (size_t)l * sizeof *E);
    SRI_CALL(sri_terms_orthonormal(ctx, l, E));
    sri_gemm(false, false, r, l, l, 1, M + r, order, E, l, 0, sp->BE, l);
    return SPECREG_OK;
}

specreg_status sri_sums_spectrum_make(specreg_context *ctx, const sri_sums_layout *at,
                                      const double *M, sri_sums_spectrum *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t r = at->r, l = at->l, order = sri_sums_order(at);
    *out = (sri_sums_spectrum){.at = *at, .mass = M[order * order - 1]};
    SRI_SCRATCH(ctx, &out->memory, out->E, l, l);
    SRI_SCRATCH(ctx, &out->memory, out->BE, r, l);
    SRI_SCRATCH(ctx, &out->memory, out->V, r, r);
    SRI_SCRATCH(ctx, &out->memory, out->s, r, 1);
    for (int64_t i = 0; i < r; i++)
        memcpy(out->V + i * r, M + i * order, (size_t)r * sizeof *M);
    if (l) {
        SRI_TRY(orthonormal_terms(ctx, M, out));
        sri_gemm(false, true, r, r, l, -1, out->BE, l, out->BE, l, 1, out->V, r);
    }
    SRI_TRY(sri_eigen(ctx, r, out->V, out->s, true));
    for (int64_t j = 0; j < r; j++)
        out->s[j] = fmax(0, out->s[j]) / out->mass;
    out->noise = (double)r * DBL_EPSILON * out->s[r - 1];
done:
    if (st != SPECREG_OK)
        sri_sums_spectrum_free(out);
    return st;
}

void sri_sums_spectrum_free(sri_sums_spectrum *sp)
{
    sri_arena_free(&sp->memory);
    *sp = (sri_sums_spectrum){0};
}

specreg_status sri_sums_spectrum_params(specreg_context *ctx, const sri_sums_spectrum *sp,
                                        const sri_filter *filter, const sri_values *path,
                                        double *param)
{
    const sri_job job = {.path = {filter, path->v, path->count}};
    const sri_spectrum pairs = {.n = sp->at.r, .m = sp->at.r, .s = sp->s, .noise = sp->noise};
    return sri_spectrum_params(ctx, &job, &pairs, param);
}

void sri_sums_spectrum_filter(const sri_sums_spectrum *sp, const sri_filter *filter, int64_t j,
                              const sri_values *param, double *g, double *r)
{
    sri_path_eval(&(sri_path){filter, param->v, param->count}, sp->s[j], sp->noise, g, r);
}

/* Filtered coordinates along the eigenvectors, r x (count T), from those of the targets, Vh (r
 * x T). */
static specreg_status apply_filter(specreg_context *ctx, const sri_sums_spectrum *sp, double *param,
                                   const double *Vh, sri_sums_path *out, double *G)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = out->T, count = out->count;
    double *g = NULL, *residual;
    SRI_ALLOC(ctx, g, 2, count);
    residual = g + count;
    for (int64_t k = 0; k < count; k++)
        out->df[k] = (double)sp->at.l;
    for (int64_t j = 0; j < sp->at.r; j++) {
        sri_sums_spectrum_filter(sp, &out->filter, j, &(sri_values){param, count}, g, residual);
        out->rank += sp->s[j] > sp->noise;
        for (int64_t k = 0; k < count; k++) {
            out->df[k] += 1 - residual[k];
            for (int64_t t = 0; t < T; t++)
                G[(j * count + k) * T + t] = g[k] * Vh[j * T + t];
        }
    }
done:
    sri_free(g);
    return st;
}

/* beta = E (e'y - (sum of b e')'W) */
static specreg_status find_terms(specreg_context *ctx, const sri_sums_spectrum *sp,
                                 const double *EY, sri_sums_path *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t r = sp->at.r, l = sp->at.l, T = out->T, columns = out->count * T;
    double *left = NULL;
    SRI_ALLOC(ctx, left, l, columns);
    for (int64_t k = 0; k < l * columns; k++)
        left[k] = EY[k / columns * T + k % T];
    sri_gemm(true, false, l, columns, r, -1, sp->BE, l, out->W, columns, 1, left, columns);
    sri_gemm(false, false, l, columns, l, 1, sp->E, l, left, columns, 0, out->W + r * columns,
             columns);
done:
    sri_free(left);
    return st;
}

specreg_status sri_sums_spectrum_path(specreg_context *ctx, const sri_sums_spectrum *sp,
                                      const sri_values *path, const double *M, sri_sums_path *out)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t r = sp->at.r, l = sp->at.l, T = sp->at.T, order = sri_sums_order(&sp->at);
    const int64_t columns = out->count * T;
    double *param, *EY, *h, *Vh, *G;
    SRI_SCRATCH(ctx, &scratch, param, out->count, 1);
    SRI_SCRATCH(ctx, &scratch, EY, l, T);
    SRI_SCRATCH_EACH(ctx, &scratch, r, T, &h, &Vh);
    SRI_SCRATCH(ctx, &scratch, G, r, columns);
    SRI_TRY(sri_sums_spectrum_params(ctx, sp, &out->filter, path, param));
    sri_gemm(true, false, l, T, l, 1, sp->E, l, M + r * order + r + l, order, 0, EY, T);
    for (int64_t j = 0; j < r; j++)
        memcpy(h + j * T, M + j * order + r + l, (size_t)T * sizeof *h);
    sri_gemm(false, false, r, T, l, -1, sp->BE, l, EY, T, 1, h, T);
    sri_gemm(false, false, r, T, r, 1 / sp->mass, sp->V, r, h, T, 0, Vh, T);
    SRI_TRY(apply_filter(ctx, sp, param, Vh, out, G));
    sri_gemm(true, false, r, columns, r, 1, sp->V, r, G, columns, 0, out->W, columns);
    if (l)
        SRI_TRY(find_terms(ctx, sp, EY, out));
done:
    sri_arena_free(&scratch);
    return st;
}
