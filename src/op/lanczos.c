#include "op/lanczos.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/eigen.h"

specreg_status sri_regrow(specreg_context *ctx, void **block, int64_t rows, int64_t capacity,
                          int64_t width, size_t size)
{
    void *larger = sri_alloc(ctx, capacity, width, size);
    if (!larger)
        return SPECREG_E_NOMEM;
    if (*block)
        memcpy(larger, *block, (size_t)(rows * width) * size);
    sri_free(*block);
    *block = larger;
    return SPECREG_OK;
}

/* Space for step k: V gets one row more than steps. */
static specreg_status reserve(specreg_context *ctx, sri_lanczos *z, int64_t rows)
{
    const int64_t was = z->capacity, most = z->n + 1;
    if (rows <= was)
        return SPECREG_OK;
    int64_t capacity = rows < SRI_LANCZOS_FIRST ? SRI_LANCZOS_FIRST : rows + rows / 2;
    capacity = capacity < most ? capacity : most;
    SRI_CALL(sri_regrow(ctx, (void **)&z->V, was, capacity, z->n, sizeof *z->V));
    SRI_CALL(sri_regrow(ctx, (void **)&z->a, was, capacity, 1, sizeof *z->a));
    SRI_CALL(sri_regrow(ctx, (void **)&z->b, was, capacity, 1, sizeof *z->b));
    SRI_CALL(sri_regrow(ctx, (void **)&z->H, was, capacity, z->n_held, sizeof *z->H));
    z->capacity = capacity;
    return SPECREG_OK;
}

/* Moves the held-out rows of w to `kept` and makes them 0. */
static void hold_out(const sri_lanczos *z, double *w, double *kept)
{
    if (z->projection)
        sri_fold_project(z->projection, w, 1, z->workspace);
    for (int64_t i = 0; i < z->n; i++)
        if (sri_fold_holds(z->fold, i)) {
            *kept++ = w[i];
            w[i] = 0;
        }
}

specreg_status sri_lanczos_begin(specreg_context *ctx, sri_lanczos *z,
                                 const sri_lanczos_source *source, double *w)
{
    *z = (sri_lanczos){.n = source->n, .mass = source->mass, .fold = source->fold};
    z->projection = z->fold.of_row ? source->projection : NULL;
    z->n_held = sri_fold_rows(z->fold, z->n);
    SRI_NEW(ctx, z->held_y, z->n_held, 1);
    SRI_NEW(ctx, z->workspace, z->projection ? z->projection->p->l : 0, 1);
    for (int64_t i = 0; i < z->n; i++)
        w[i] = source->y[i * source->stride];
    if (z->fold.of_row)
        hold_out(z, w, z->held_y);
    z->norm = sri_norm(z->n, w);
    z->whole = z->norm == 0;
    return SPECREG_OK;
}

void sri_lanczos_hold(sri_lanczos *z, double *w)
{
    if (z->fold.of_row)
        hold_out(z, w, z->H + z->k * z->n_held);
}

void sri_lanczos_clean(const sri_lanczos *z, double *w)
{
    if (!z->projection)
        return;
    sri_fold_project(z->projection, w, 1, z->workspace);
    for (int64_t i = 0; i < z->n; i++)
        w[i] = sri_fold_holds(z->fold, i) ? 0 : w[i];
}

specreg_status sri_lanczos_start(specreg_context *ctx, sri_lanczos *z,
                                 const sri_lanczos_source *source)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = source->n;
    double *w = NULL;
    *z = (sri_lanczos){0};
    SRI_ALLOC(ctx, w, n, 1);
    SRI_TRY(sri_lanczos_begin(ctx, z, source, w));
    SRI_TRY(reserve(ctx, z, 1));
    for (int64_t i = 0; i < n && !z->whole; i++)
        z->V[i] = w[i] / z->norm;
done:
    sri_free(w);
    return st;
}

const double *sri_lanczos_last(const sri_lanczos *z)
{
    return z->V + z->k * z->n;
}

/* About |K/n| as far as it is known: the largest diagonal entry of T_k. */
static double largest(const sri_lanczos *z)
{
    double top = 0;
    for (int64_t j = 0; j < z->k; j++)
        top = fmax(top, fabs(z->a[j]));
    return top;
}

specreg_status sri_lanczos_extend(specreg_context *ctx, sri_lanczos *z, double *w)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = z->n, rows = z->k + 1;
    double *h = NULL;
    SRI_TRY(reserve(ctx, z, rows + 1));
    SRI_ALLOC(ctx, h, rows, 1);
    sri_lanczos_hold(z, w);
    for (int64_t i = 0; i < n; i++)
        w[i] /= z->mass;
    const double *last = sri_lanczos_last(z), *before = last - n;
    const double a = z->a[z->k] = sri_dot(n, w, last), beta = z->k ? z->b[z->k - 1] : 0;
    for (int64_t i = 0; i < n; i++)
        w[i] -= a * last[i] + (z->k ? beta * before[i] : 0);
    /* What is left should be orthogonal already.  Once more is enough, unless much cancels. */
    double b = sri_norm(n, w), was = INFINITY;
    for (int pass = 0; pass < 3 && b < 0.5 * was; pass++) {
        was = b;
        sri_gemm(false, false, rows, 1, n, 1, z->V, n, w, 1, 0, h, 1);
        sri_gemm(true, false, n, 1, rows, -1, z->V, n, h, 1, 1, w, 1);
        sri_lanczos_clean(z, w);
        b = sri_norm(n, w);
    }
    z->b[z->k++] = b;
    z->whole = z->k >= sri_lanczos_most(z) || b <= DBL_EPSILON * largest(z);
    if (!z->whole)
        for (int64_t i = 0; i < n; i++)
            z->V[z->k * n + i] = w[i] / b;
done:
    sri_free(h);
    return st;
}

specreg_status sri_lanczos_spectrum(specreg_context *ctx, const sri_lanczos *z, sri_arena *memory,
                                    double **s, double **Z)
{
    specreg_status st = SPECREG_OK;
    double *e = NULL;
    SRI_SCRATCH(ctx, memory, *s, z->k, 1);
    SRI_ALLOC(ctx, e, z->k, 1);
    SRI_SCRATCH(ctx, memory, *Z, z->k, z->k);
    memcpy(*s, z->a, (size_t)z->k * sizeof **s);
    memcpy(e, z->b, (size_t)z->k * sizeof *e);
    SRI_TRY(sri_tridiagonal(ctx, z->k, *s, e, *Z));
    const double n = (double)z->n, bottom = (*s)[0], top = (*s)[z->k - 1];
    SRI_REQUIRE(ctx, bottom >= -1e-8 * fabs(top) * sqrt(n), SPECREG_E_NUMERIC,
                "the kernel matrix is not positive semi-definite: it has eigenvalues from below %g "
                "to above %g",
                n * bottom, n * top);
    for (int64_t i = 0; i < z->k; i++) /* K is semi-definite, T_k too but for rounding */
        (*s)[i] = (*s)[i] > 0 ? (*s)[i] : 0;
done:
    sri_free(e);
    return st;
}

/* The steps of conjugate gradients that exist among the first t: T_t must stay positive definite,
 * all its pivots d_j = a_j - b_{j-1}^2 / d_{j-1} above rounding. */
static int64_t definite_steps(const sri_lanczos *z, int64_t t, double noise)
{
    double pivot = 1;
    for (int64_t j = 0; j < t; j++) {
        pivot = z->a[j] - (j > 0 ? z->b[j - 1] * z->b[j - 1] / pivot : 0);
        if (!(pivot > noise))
            return j;
    }
    return t;
}

/* QR of the (t+1) x t tridiagonal matrix by rotations, then back substitution.  Leaving out the
 * last row and rotation gives the square system of conjugate gradients.  In an invariant space of
 * a singular K the last direction may reduce nothing: it is left out. */
specreg_status sri_lanczos_cg(specreg_context *ctx, const sri_lanczos *z, int64_t t,
                              bool residual_norm, double *c)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    double *r0, *r1, *r2;                                            /* diagonals of R */
    const double noise = (double)z->n * DBL_EPSILON * largest(z);    /* a zero, rounded */
    const bool last_row = residual_norm && !(z->whole && t == z->k); /* there is a b_t */
    memset(c, 0, (size_t)t * sizeof *c);
    if (!residual_norm)
        t = definite_steps(z, t, noise);
    SRI_SCRATCH(ctx, &scratch, r0, t, 1);
    SRI_SCRATCH_ZERO(ctx, &scratch, r1, t + 1, 1);
    SRI_SCRATCH_ZERO(ctx, &scratch, r2, t + 2, 1);
    double right = z->norm, diagonal = z->a[0], above = 0;
    for (int64_t j = 0; j < t; j++) {
        /* Row j of the reduced matrix is (diagonal, above'); row j+1 is (b_j, a_{j+1}, b_{j+1}). */
        const bool rotate = j + 1 < t || last_row;
        const double b = rotate ? z->b[j] : 0;
        const double length = hypot(diagonal, b);
        const double cs = length > 0 ? diagonal / length : 1, sn = length > 0 ? b / length : 0;
        above = j == 0 ? (t > 1 ? z->b[0] : 0) : above;
        const double next_a = j + 1 < t ? z->a[j + 1] : 0;
        const double next_b = j + 2 < t ? z->b[j + 1] : 0;
        r0[j] = length;
        r1[j] = cs * above + sn * next_a;
        r2[j] = sn * next_b;
        diagonal = -sn * above + cs * next_a;
        above = cs * next_b;
        c[j] = cs * right;
        right = -sn * right;
    }
    for (int64_t j = t - 1; j >= 0; j--) {
        double v = c[j];
        if (j + 1 < t)
            v -= r1[j] * c[j + 1];
        if (j + 2 < t)
            v -= r2[j] * c[j + 2];
        c[j] = r0[j] > noise ? v / r0[j] : 0;
    }
done:
    sri_arena_free(&scratch);
    return st;
}

void sri_lanczos_free(sri_lanczos *z)
{
    sri_free(z->workspace);
    sri_free(z->held_y);
    sri_free(z->H);
    sri_free(z->b);
    sri_free(z->a);
    sri_free(z->V);
    *z = (sri_lanczos){0};
}
