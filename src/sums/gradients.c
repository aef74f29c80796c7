/* Filter cg from sums.  A Cholesky factor R'R = M is a table of few rows that has the same sums as
 * all rows.  With the mass of all rows its conjugate gradients are theirs, in coordinates.  They
 * come from a Krylov space of K = X X', as in the engine of that name; X is what the unpenalised
 * terms leave of the coordinates of the few rows.  Outputs that were coupled have the kernels a K
 * and make one vector together. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/factor.h"
#include "engine/engine.h"
#include "op/lanczos.h"
#include "sums/spectrum.h"

/* R (n x n) with R'R = M, n the numbers in z but the constant.  Rows and columns are brought to the
 * same size first, so that small coordinates keep their digits. */
static specreg_status factor(specreg_context *ctx, const double *M, int64_t n, double *R)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t order = n + 1;
    double *S, *size;
    int64_t *pivot, rank;
    SRI_SCRATCH(ctx, &scratch, S, n, n);
    SRI_SCRATCH(ctx, &scratch, size, n, 1);
    SRI_SCRATCH(ctx, &scratch, pivot, n, 1);
    for (int64_t i = 0; i < n; i++)
        size[i] = sqrt(fmax(0, M[i * (order + 1)]));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double by = size[i] * size[j];
            S[i * n + j] = by > 0 ? M[i * order + j] / by : 0;
        }
    SRI_TRY(sri_cholesky_pivoted(ctx, n, S, (double)n * DBL_EPSILON, pivot, &rank));
    memset(R, 0, (size_t)(n * n) * sizeof *R);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k <= i && k < rank; k++)
            R[k * n + pivot[i]] = S[i * n + k] * size[pivot[i]];
done:
    sri_arena_free(&scratch);
    return st;
}

/* Few rows without their unpenalised terms. */
typedef struct few_rows {
    sri_arena memory;
    int64_t n, r, T;
    double *X, *Y; /* n x r, n x T                                              */
    double *a;     /* T: factors of the outputs                                 */
    double *XZ;    /* r x T: workspace                                          */
} few_rows;

/* V (n x count) becomes V - F F'V, F (n x l) with orthonormal columns. */
static specreg_status take_out(specreg_context *ctx, int64_t n, int64_t l, const double *F,
                               int64_t count, double *V)
{
    specreg_status st = SPECREG_OK;
    double *FV = NULL;
    SRI_ALLOC(ctx, FV, l, count);
    sri_gemm(true, false, l, count, n, 1, F, l, V, count, 0, FV, count);
    sri_gemm(false, false, n, count, l, -1, F, l, FV, count, 1, V, count);
done:
    sri_free(FV);
    return st;
}

static specreg_status few_rows_make(specreg_context *ctx, const sri_sums_spectrum *sp,
                                    const sri_scales *scales, const double *M, few_rows *few)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t r = few->r = sp->at.r, l = sp->at.l, T = few->T = sp->at.T;
    const int64_t n = few->n = r + l + T;
    double *R, *F;
    SRI_SCRATCH(ctx, &scratch, R, n, n);
    SRI_SCRATCH(ctx, &scratch, F, n, l);
    SRI_SCRATCH(ctx, &few->memory, few->X, n, r);
    SRI_SCRATCH(ctx, &few->memory, few->Y, n, T);
    SRI_SCRATCH(ctx, &few->memory, few->a, T, 1);
    SRI_SCRATCH(ctx, &few->memory, few->XZ, r, T);
    SRI_TRY(factor(ctx, M, n, R));
    for (int64_t i = 0; i < n; i++) {
        memcpy(few->X + i * r, R + i * n, (size_t)r * sizeof *R);
        memcpy(few->Y + i * T, R + i * n + r + l, (size_t)T * sizeof *R);
    }
    for (int64_t t = 0; t < T; t++)
        few->a[t] = sri_scale_of(scales, t);
    if (!l)
        goto done;
    sri_gemm(false, false, n, l, l, 1, R + r, n, sp->E, l, 0, F, l);
    SRI_TRY(take_out(ctx, n, l, F, r, few->X));
    SRI_TRY(take_out(ctx, n, l, F, T, few->Y));
done:
    sri_arena_free(&scratch);
    return st;
}

/* KZ = X X'Z, Z (n x count) for outputs from `first` on, whose factors go in. */
static void multiply(const few_rows *few, int64_t first, int64_t count, const double *Z, double *KZ)
{
    const int64_t n = few->n, r = few->r;
    sri_gemm(true, false, r, count, n, 1, few->X, r, Z, count, 0, few->XZ, count);
    for (int64_t k = 0; k < r * count; k++)
        few->XZ[k] *= few->a[first + k % count];
    sri_gemm(false, false, n, count, r, 1, few->X, r, few->XZ, count, 0, KZ, count);
}

/* Outputs whose coefficients are one vector, and its Krylov space. */
typedef struct space {
    int64_t first, outputs;
    sri_lanczos z;
    double *y, *alpha; /* n x outputs */
} space;

/* `steps` of them, or fewer where the space is whole. */
static specreg_status build(specreg_context *ctx, const sri_sums_question *q, const few_rows *few,
                            double mass, double steps, space *s)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = few->n, size = n * s->outputs;
    const double bytes = 8 * (fmin(steps, (double)size) + 1) * (double)size;
    double *w = NULL;
    SRI_CHECK(ctx, bytes <= (double)q->resources.memory, SPECREG_E_NOMEM,
              "%g steps of conjugate gradients do not fit in memory", steps);
    SRI_ALLOC(ctx, w, size, 1);
    for (int64_t i = 0; i < n; i++)
        memcpy(s->y + i * s->outputs, few->Y + i * few->T + s->first,
               (size_t)s->outputs * sizeof *w);
    SRI_TRY(
        sri_lanczos_start(ctx, &s->z,
                          &(sri_lanczos_source){.y = s->y, .n = size, .stride = 1, .mass = mass}));
    while (!s->z.whole && (double)s->z.k < steps) {
        multiply(few, s->first, s->outputs, sri_lanczos_last(&s->z), w);
        SRI_TRY(sri_lanczos_extend(ctx, &s->z, w));
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_free(w);
    return st;
}

/* Point k: W = a X'alpha of its outputs. */
static specreg_status put_point(specreg_context *ctx, const few_rows *few, const space *s,
                                double steps, int64_t k, sri_sums_path *path)
{
    specreg_status st = SPECREG_OK;
    const sri_lanczos *z = &s->z;
    const bool residual = sri_filter_nonlinear(&path->filter) == SRI_CG_RESIDUAL;
    const int64_t t = steps < (double)z->k ? (int64_t)steps : z->k, size = few->n * s->outputs;
    double *c = NULL;
    SRI_ALLOC(ctx, c, t, 1);
    memset(s->alpha, 0, (size_t)size * sizeof *s->alpha);
    if (t) {
        SRI_TRY(sri_lanczos_cg(ctx, z, t, residual, c));
        sri_gemm(true, false, size, 1, t, 1 / z->mass, z->V, size, c, 1, 0, s->alpha, 1);
    }
    sri_gemm(true, false, few->r, s->outputs, few->n, 1, few->X, few->r, s->alpha, s->outputs, 0,
             few->XZ, s->outputs);
    for (int64_t j = 0; j < few->r; j++)
        for (int64_t i = 0; i < s->outputs; i++)
            path->W[(j * path->count + k) * path->T + s->first + i] =
                few->a[s->first + i] * few->XZ[j * s->outputs + i];
done:
    sri_free(c);
    return st;
}

specreg_status sri_sums_gradients_path(specreg_context *ctx, const sri_sums_spectrum *sp,
                                       const sri_sums_question *q, const sri_scales *scales,
                                       const double *M, sri_sums_path *out)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    few_rows few = {.n = 0};
    space s = {.outputs = q->coupling ? out->T : 1};
    const int64_t count = out->count;
    out->engine = &sri_engine_krylov;
    SRI_TRY(few_rows_make(ctx, sp, scales, M, &few));
    SRI_SCRATCH_EACH(ctx, &scratch, few.n, s.outputs, &s.y, &s.alpha);
    for (; s.first < out->T; s.first += s.outputs) {
        SRI_TRY(build(ctx, q, &few, sp->mass, q->path.v[count - 1], &s));
        for (int64_t k = 0; k < count; k++)
            SRI_TRY(put_point(ctx, &few, &s, q->path.v[k], k, out));
        sri_lanczos_free(&s.z);
    }
    for (int64_t k = 0; k < count; k++)
        out->df[k] = NAN;
    SRI_TRY(sri_sums_terms(ctx, sp, M, out));
done:
    sri_lanczos_free(&s.z);
    sri_arena_free(&few.memory);
    sri_arena_free(&scratch);
    return st;
}
