#include "sums/spectrum.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
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
done:
    if (st != SPECREG_OK)
        sri_sums_spectrum_free(out);
    return st;
}

specreg_status sri_sums_spectrum_decompose(specreg_context *ctx, sri_sums_spectrum *sp)
{
    const int64_t r = sp->at.r;
    SRI_CALL(sri_eigen(ctx, r, sp->V, sp->s, true));
    for (int64_t j = 0; j < r; j++)
        sp->s[j] = fmax(0, sp->s[j]) / sp->mass;
    sp->noise = (double)r * DBL_EPSILON * sp->s[r - 1];
    return SPECREG_OK;
}

void sri_sums_spectrum_free(sri_sums_spectrum *sp)
{
    sri_arena_free(&sp->memory);
    *sp = (sri_sums_spectrum){0};
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Components of coupled outputs are counted over all of them together: one threshold. */
static specreg_status joint_params(specreg_context *ctx, const sri_sums_question *q,
                                   const sri_job *job, sri_sums_filter *f)
{
    specreg_status st = SPECREG_OK;
    const sri_sums_spectrum *sp = f->sp;
    const int64_t r = sp->at.r, T = sp->at.T;
    double *s = NULL;
    SRI_ALLOC(ctx, s, r, T);
    for (int64_t k = 0; k < r * T; k++)
        s[k] = q->coupling->a[k % T] * sp->s[k / T];
    qsort(s, (size_t)(r * T), sizeof *s, ascending);
    const double noise = r ? (double)r * DBL_EPSILON * s[r * T - 1] : 0;
    const sri_spectrum all = {.n = INT64_MAX, .m = r * T, .s = s, .noise = noise};
    SRI_TRY(sri_spectrum_params(ctx, job, &all, f->param));
    f->stride = 0;
done:
    sri_free(s);
    return st;
}

specreg_status sri_sums_filter_make(specreg_context *ctx, const sri_sums_spectrum *sp,
                                    const sri_sums_question *q, const sri_filter *filter,
                                    const sri_scales *scales, sri_sums_filter *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t r = sp->at.r, count = q->path.count;
    const sri_job job = {.path = {filter, q->path.v, count}};
    double *s;
    *out = (sri_sums_filter){.sp = sp,
                             .filter = filter,
                             .scales = scales,
                             .count = count,
                             .stride = count};
    SRI_SCRATCH(ctx, &out->memory, out->param, scales->count, count);
    if (q->coupling && filter->path == SRI_PATH_COMPONENTS) {
        SRI_TRY(joint_params(ctx, q, &job, out));
        goto done;
    }
    SRI_SCRATCH(ctx, &out->memory, s, r, 1);
    for (int64_t k = 0; k < scales->count; k++) {
        const double a = scales->value[k];
        for (int64_t j = 0; j < r; j++)
            s[j] = a * sp->s[j];
        const sri_spectrum own = {.n = INT64_MAX, .m = r, .s = s, .noise = a * sp->noise};
        SRI_TRY(sri_spectrum_params(ctx, &job, &own, out->param + k * count));
    }
done:
    if (st != SPECREG_OK)
        sri_sums_filter_free(out);
    return st;
}

void sri_sums_filter_free(sri_sums_filter *filter)
{
    sri_arena_free(&filter->memory);
    *filter = (sri_sums_filter){0};
}

void sri_sums_filter_at(const sri_sums_filter *f, int64_t j, int64_t k, double *g, double *r)
{
    const double a = f->scales->value[k];
    const sri_path path = {f->filter, f->param + k * f->stride, f->count};
    sri_path_eval(&path, a * f->sp->s[j], a * f->sp->noise, g, r);
}

/* Filtered coordinates along the eigenvectors: with the kernel a k these are a g(a s) V h. */
static specreg_status apply_filter(specreg_context *ctx, const sri_sums_filter *f, const double *Vh,
                                   sri_sums_path *out, double *G)
{
    specreg_status st = SPECREG_OK;
    const sri_sums_spectrum *sp = f->sp;
    const sri_scales *scales = f->scales;
    const int64_t T = out->T, count = out->count;
    double *g = NULL, *residual;
    SRI_ALLOC(ctx, g, 2, scales->count * count);
    residual = g + scales->count * count;
    for (int64_t k = 0; k < count; k++)
        out->df[k] = (double)sp->at.l;
    for (int64_t j = 0; j < sp->at.r; j++) {
        for (int64_t d = 0; d < scales->count; d++) {
            sri_sums_filter_at(f, j, d, g + d * count, residual + d * count);
            for (int64_t k = 0; k < count; k++)
                out->df[k] +=
                    (double)scales->outputs[d] / (double)T * (1 - residual[d * count + k]);
        }
        for (int64_t k = 0; k < count; k++)
            for (int64_t t = 0; t < T; t++)
                G[(j * count + k) * T + t] =
                    sri_scale_of(scales, t) * g[scales->of[t] * count + k] * Vh[j * T + t];
    }
done:
    sri_free(g);
    return st;
}

/* EY = sum of e y' (l x T). */
static void terms_of_targets(const sri_sums_spectrum *sp, const double *M, double *EY)
{
    const int64_t r = sp->at.r, l = sp->at.l, T = sp->at.T, order = sri_sums_order(&sp->at);
    sri_gemm(true, false, l, T, l, 1, sp->E, l, M + r * order + r + l, order, 0, EY, T);
}

/* beta = E (e'y - (sum of b e')'W) */
specreg_status sri_sums_terms(specreg_context *ctx, const sri_sums_spectrum *sp, const double *M,
                              sri_sums_path *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t r = sp->at.r, l = sp->at.l, T = out->T, columns = out->count * T;
    sri_arena scratch = {0};
    double *EY, *left;
    if (!l)
        return st;
    SRI_SCRATCH(ctx, &scratch, EY, l, T);
    SRI_SCRATCH(ctx, &scratch, left, l, columns);
    terms_of_targets(sp, M, EY);
    for (int64_t k = 0; k < l * columns; k++)
        left[k] = EY[k / columns * T + k % T];
    sri_gemm(true, false, l, columns, r, -1, sp->BE, l, out->W, columns, 1, left, columns);
    sri_gemm(false, false, l, columns, l, 1, sp->E, l, left, columns, 0, out->W + r * columns,
             columns);
done:
    sri_arena_free(&scratch);
    return st;
}

/* Vh = V (sum of b~ y')/mass (r x T): the targets along the eigenvectors. */
static specreg_status along_eigenvectors(specreg_context *ctx, const sri_sums_spectrum *sp,
                                         const double *M, double *Vh)
{
    specreg_status st = SPECREG_OK;
    const int64_t r = sp->at.r, l = sp->at.l, T = sp->at.T, order = sri_sums_order(&sp->at);
    sri_arena scratch = {0};
    double *EY, *h;
    SRI_SCRATCH(ctx, &scratch, EY, l, T);
    SRI_SCRATCH(ctx, &scratch, h, r, T);
    terms_of_targets(sp, M, EY);
    for (int64_t j = 0; j < r; j++)
        memcpy(h + j * T, M + j * order + r + l, (size_t)T * sizeof *h);
    sri_gemm(false, false, r, T, l, -1, sp->BE, l, EY, T, 1, h, T);
    sri_gemm(false, false, r, T, r, 1 / sp->mass, sp->V, r, h, T, 0, Vh, T);
done:
    sri_arena_free(&scratch);
    return st;
}

specreg_status sri_sums_spectrum_path(specreg_context *ctx, const sri_sums_spectrum *sp,
                                      const sri_sums_question *q, const sri_scales *scales,
                                      const double *M, sri_sums_path *out)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t r = sp->at.r, columns = out->count * out->T;
    sri_sums_filter filter = {.count = 0};
    double *Vh, *G;
    out->engine = &sri_engine_primal;
    SRI_SCRATCH(ctx, &scratch, Vh, r, sp->at.T);
    SRI_SCRATCH(ctx, &scratch, G, r, columns);
    SRI_TRY(sri_sums_filter_make(ctx, sp, q, &out->filter, scales, &filter));
    SRI_TRY(along_eigenvectors(ctx, sp, M, Vh));
    SRI_TRY(apply_filter(ctx, &filter, Vh, out, G));
    for (int64_t j = 0; j < r; j++)
        out->rank += sp->s[j] > sp->noise;
    sri_gemm(true, false, r, columns, r, 1, sp->V, r, G, columns, 0, out->W, columns);
    SRI_TRY(sri_sums_terms(ctx, sp, M, out));
done:
    sri_sums_filter_free(&filter);
    sri_arena_free(&scratch);
    return st;
}
