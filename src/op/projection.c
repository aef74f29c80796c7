#include "op/projection.h"

#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/factor.h"
#include "backend/vec.h"
#include "core/arena.h"

/* A column of unit norm depends on the others where they leave less than this of it. */
static const double DEPENDENT = 1e-10;

/* The columns of W^(1/2) P, scaled to unit norm, as rows of A (l x n); `length` (l) gets the
 * original norms. */
static void unit_columns(const double *P, int64_t n, int64_t l, const double *weight, double *A,
                         double *length)
{
    for (int64_t j = 0; j < l; j++) {
        double *a = A + j * n, most = 0;
        for (int64_t i = 0; i < n; i++) {
            a[i] = P[i * l + j] * (weight ? sqrt(weight[i]) : 1);
            most = fmax(most, fabs(a[i]));
        }
        double sum = 0;
        for (int64_t i = 0; most > 0 && i < n; i++)
            sum += a[i] / most * (a[i] / most);
        length[j] = most * sqrt(sum);
        for (int64_t i = 0; length[j] > 0 && i < n; i++)
            a[i] /= length[j];
    }
}

static int64_t first_dependent(int64_t l, const double *R, const double *length)
{
    for (int64_t j = 0; j < l; j++)
        if (!(length[j] > 0) || !(fabs(R[j * l + j]) > DEPENDENT))
            return j;
    return -1;
}

specreg_status sri_features_dependent(specreg_context *ctx, const double *P, int64_t n, int64_t l,
                                      const double *weight, int64_t *first)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    double *A, *R, *length;
    *first = n < l ? n : -1;
    if (n < l)
        return st;
    SRI_SCRATCH(ctx, &scratch, A, l, n);
    SRI_SCRATCH(ctx, &scratch, R, l, l);
    SRI_SCRATCH(ctx, &scratch, length, l, 1);
    unit_columns(P, n, l, weight, A, length);
    SRI_TRY(sri_orthonormal(ctx, l, n, A, R));
    *first = first_dependent(l, R, length);
done:
    sri_arena_free(&scratch);
    return st;
}

/* back = (R diag(length))^-1, R upper. */
static void invert_upper(int64_t l, const double *R, const double *length, double *back)
{
    memset(back, 0, (size_t)(l * l) * sizeof *back);
    for (int64_t c = 0; c < l; c++)
        for (int64_t i = c; i >= 0; i--) {
            double v = i == c;
            for (int64_t j = i + 1; j <= c; j++)
                v -= R[i * l + j] * back[j * l + c];
            back[i * l + c] = v / R[i * l + i];
        }
    for (int64_t i = 0; i < l; i++)
        for (int64_t j = 0; j < l; j++)
            back[i * l + j] /= length[i];
}

/* The l rows of U (a column here) that QR with pivots takes: each is the one of which those before
 * leave most. */
static specreg_status find_pivots(specreg_context *ctx, const sri_projection *p, int64_t *pivot)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t n = p->n, l = p->l;
    double *rest, *q;
    SRI_SCRATCH(ctx, &scratch, rest, l, n);
    SRI_SCRATCH(ctx, &scratch, q, l, 1);
    memcpy(rest, p->U, (size_t)(l * n) * sizeof *rest);
    for (int64_t k = 0; k < l; k++) {
        double most = -1;
        for (int64_t i = 0; i < n; i++) {
            double square = 0;
            for (int64_t j = 0; j < l; j++)
                square += rest[j * n + i] * rest[j * n + i];
            if (square > most) {
                most = square;
                pivot[k] = i;
            }
        }
        for (int64_t j = 0; j < l; j++)
            q[j] = rest[j * n + pivot[k]] / sqrt(most);
        for (int64_t i = 0; i < n; i++) {
            double along = 0;
            for (int64_t j = 0; j < l; j++)
                along += q[j] * rest[j * n + i];
            for (int64_t j = 0; j < l; j++)
                rest[j * n + i] -= along * q[j];
        }
    }
done:
    sri_arena_free(&scratch);
    return st;
}

/* From the orthonormal Q to U = Q Q_pivots^-1, which is the identity in the pivots. */
static specreg_status interpolate(specreg_context *ctx, sri_projection *p)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t n = p->n, l = p->l;
    int64_t *pivot;
    double *A, *inverse, *U, *back;
    SRI_SCRATCH(ctx, &scratch, pivot, l, 1);
    SRI_SCRATCH(ctx, &scratch, A, l, l);
    SRI_SCRATCH_ZERO(ctx, &scratch, inverse, l, l);
    SRI_SCRATCH(ctx, &scratch, U, l, n);
    SRI_SCRATCH(ctx, &scratch, back, l, l);
    SRI_TRY(find_pivots(ctx, p, pivot));
    for (int64_t k = 0; k < l; k++) {
        for (int64_t j = 0; j < l; j++)
            A[k * l + j] = p->U[j * n + pivot[k]];
        inverse[k * l + k] = 1;
    }
    SRI_TRY(sri_solve(ctx, l, A, inverse)); /* rows: columns of Q_pivots^-1 */
    sri_gemm(false, false, l, n, l, 1, inverse, l, p->U, n, 0, U, n);
    sri_gemm(false, true, l, l, l, 1, p->back, l, inverse, l, 0, back, l);
    SRI_SCRATCH_ZERO(ctx, &p->memory, p->D, l, n);
    for (int64_t k = 0; k < l; k++)
        p->D[k * n + pivot[k]] = 1;
    memcpy(p->U, U, (size_t)(l * n) * sizeof *U);
    memcpy(p->back, back, (size_t)(l * l) * sizeof *back);
done:
    sri_arena_free(&scratch);
    return st;
}

static specreg_status fail_dependent(specreg_context *ctx, const sri_features *f, int64_t first)
{
    const char *advice = f->dropped ? "in the rows of a part; fewer features, or other parts"
                                    : "take it out, or add dependent=drop";
    if (first == 0)
        return sri_fail(ctx, SPECREG_E_NUMERIC, "features: '%s' is 0 in every row (%s)", f->name[0],
                        advice);
    return sri_fail(ctx, SPECREG_E_NUMERIC,
                    "features: '%s' depends on those before it, '%s'%s%s%s (%s)", f->name[first],
                    f->name[0], first > 1 ? " to '" : "", first > 1 ? f->name[first - 1] : "",
                    first > 1 ? "'" : "", advice);
}

specreg_status sri_projection_new(specreg_context *ctx, const sri_features *features, int64_t n,
                                  const double *weight, sri_projection **out)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t l = features->l;
    sri_projection *p = NULL;
    double *R, *length;
    *out = NULL;
    SRI_REQUIRE(ctx, l < n, SPECREG_E_SHAPE,
                "features: %lld of them for %lld rows leave nothing to learn from", (long long)l,
                (long long)n);
    SRI_CALLOC(ctx, p, 1, 1);
    *p = (sri_projection){.n = n, .l = l, .pivots = features->pivots};
    SRI_SCRATCH(ctx, &p->memory, p->U, l, n);
    SRI_SCRATCH(ctx, &p->memory, p->back, l, l);
    SRI_SCRATCH(ctx, &p->memory, p->explained, n, 1);
    SRI_SCRATCH(ctx, &scratch, R, l, l);
    SRI_SCRATCH(ctx, &scratch, length, l, 1);
    unit_columns(features->P, n, l, weight, p->U, length);
    SRI_TRY(sri_orthonormal(ctx, l, n, p->U, R));
    const int64_t first = first_dependent(l, R, length);
    if (first >= 0) {
        st = fail_dependent(ctx, features, first);
        goto done;
    }
    invert_upper(l, R, length, p->back);
    if (p->pivots)
        SRI_TRY(interpolate(ctx, p));
    else
        p->D = p->U;
    for (int64_t i = 0; i < n; i++) {
        p->explained[i] = 0;
        for (int64_t j = 0; j < l; j++)
            p->explained[i] += p->U[j * n + i] * p->D[j * n + i];
    }
    *out = p;
    p = NULL;
done:
    sri_arena_free(&scratch);
    sri_projection_free(p);
    return st;
}

void sri_projection_free(sri_projection *p)
{
    if (p)
        sri_arena_free(&p->memory);
    sri_free(p);
}

void sri_features_add(const double *P, int64_t m, int64_t l, const double *beta, int64_t t,
                      double *F)
{
    if (l)
        sri_gemm(false, false, m, t, l, 1, P, l, beta, t, 1, F, t);
}

/* X -= A'(B X), A and B l x n. */
static specreg_status take_away(specreg_context *ctx, const sri_projection *p, const double *A,
                                const double *B, int64_t t, double *X)
{
    specreg_status st = SPECREG_OK;
    double *b = NULL;
    SRI_ALLOC(ctx, b, p->l, t);
    sri_gemm(false, false, p->l, t, p->n, 1, B, p->n, X, t, 0, b, t);
    sri_gemm(true, false, p->n, t, p->l, -1, A, p->n, b, t, 1, X, t);
done:
    sri_free(b);
    return st;
}

specreg_status sri_project(specreg_context *ctx, const sri_projection *p, int64_t t, double *X)
{
    return take_away(ctx, p, p->U, p->D, t, X);
}

specreg_status sri_project_back(specreg_context *ctx, const sri_projection *p, int64_t t, double *X)
{
    return take_away(ctx, p, p->D, p->U, t, X);
}

/* L = the Cholesky factor of U_T'U_T; `first`: the term that depends on those before it in the rows
 * T, -1: none does. */
static specreg_status factor_others(specreg_context *ctx, const sri_projection *p, sri_fold fold,
                                    double *L, int64_t *first)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = p->n, l = p->l;
    double *left = NULL; /* U in the rows that train, else 0 */
    int64_t failed_at;
    SRI_ALLOC(ctx, left, l, n);
    for (int64_t a = 0; a < l; a++)
        for (int64_t i = 0; i < n; i++)
            left[a * n + i] = sri_fold_holds(fold, i) ? 0 : p->U[a * n + i];
    sri_syrk(l, n, left, L);
    SRI_TRY(sri_cholesky(ctx, l, L, &failed_at));
    *first = failed_at - 1;
    for (int64_t a = 0; a < (failed_at ? *first : l); a++)
        if (!(L[a * l + a] > sqrt(DEPENDENT))) {
            *first = a;
            break;
        }
done:
    sri_free(left);
    return st;
}

specreg_status sri_fold_dependent(specreg_context *ctx, const sri_projection *p, sri_fold fold,
                                  int64_t *first)
{
    double *L;
    SRI_NEW(ctx, L, p->l, p->l);
    const specreg_status st = factor_others(ctx, p, fold, L, first);
    sri_free(L);
    return st;
}

specreg_status sri_fold_projection_make(specreg_context *ctx, const sri_projection *p,
                                        sri_fold fold, sri_fold_projection *out)
{
    specreg_status st = SPECREG_OK;
    int64_t first;
    *out = (sri_fold_projection){.p = p, .fold = fold};
    if (!p)
        return st;
    SRI_ALLOC(ctx, out->L, p->l, p->l);
    SRI_TRY(factor_others(ctx, p, fold, out->L, &first));
    SRI_REQUIRE(
        ctx, first < 0, SPECREG_E_NUMERIC,
        "features: without the rows of fold %d they depend on each other (fewer features or "
        "folds, or add dependent=drop)",
        (int)fold.number + 1);
done:
    if (st != SPECREG_OK)
        sri_fold_projection_free(out);
    return st;
}

void sri_fold_projection_free(sri_fold_projection *projection)
{
    sri_free(projection->L);
    *projection = (sri_fold_projection){0};
}

void sri_fold_solve(const sri_fold_projection *projection, double *x)
{
    const int64_t l = projection->p->l;
    const double *L = projection->L;
    for (int64_t a = 0; a < l; a++) {
        for (int64_t b = 0; b < a; b++)
            x[a] -= L[a * l + b] * x[b];
        x[a] /= L[a * l + a];
    }
    for (int64_t a = l - 1; a >= 0; a--) {
        for (int64_t b = a + 1; b < l; b++)
            x[a] -= L[b * l + a] * x[b];
        x[a] /= L[a * l + a];
    }
}

/* So many rows at a time: their numbers of w stay in a cache while all terms pass. */
enum { ROWS = 512 };

/* Without BLAS: threads project each a vector of its own. */
void sri_fold_project(const sri_fold_projection *projection, double *w, int64_t stride, double *b)
{
    const sri_projection *p = projection->p;
    const sri_vec *vec = sri_vec_best();
    const int64_t n = p->n, l = p->l;
    double x[ROWS];
    memset(b, 0, (size_t)l * sizeof *b);
    for (int64_t first = 0; first < n; first += ROWS) {
        const int64_t count = n - first < ROWS ? n - first : ROWS;
        for (int64_t i = 0; i < count; i++)
            x[i] = sri_fold_holds(projection->fold, first + i) ? 0 : w[(first + i) * stride];
        for (int64_t a = 0; a < l; a++)
            b[a] += vec->inner(count, p->U + a * n + first, x);
    }
    sri_fold_solve(projection, b);
    for (int64_t first = 0; first < n; first += ROWS) {
        const int64_t count = n - first < ROWS ? n - first : ROWS;
        for (int64_t i = 0; i < count; i++)
            x[i] = w[(first + i) * stride];
        for (int64_t a = 0; a < l; a += 2) {
            const double *u = p->U + a * n + first;
            const bool two = a + 1 < l;
            vec->subtract(count, b[a], u, two ? b[a + 1] : 0, two ? u + n : u, x);
        }
        for (int64_t i = 0; i < count; i++)
            w[(first + i) * stride] = x[i];
    }
}
