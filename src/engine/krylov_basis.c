#include "engine/krylov_basis.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/vec.h"

enum { FIRST = 128 };

/* How many of the first `rows` vectors are kept as they are. */
static int64_t in_head(const sri_basis *z, int64_t rows)
{
    return z->single && rows > SRI_BASIS_HEAD ? SRI_BASIS_HEAD : rows;
}

/* Space for `rows` vectors. */
static specreg_status reserve(specreg_context *ctx, sri_basis *z, int64_t rows)
{
    sri_lanczos *t = &z->t;
    if (rows <= t->capacity)
        return SPECREG_OK;
    const int64_t was = t->capacity, most = t->n + 1;
    /* most searches take no more than FIRST; pages that are not used take no memory */
    int64_t capacity = rows < FIRST ? FIRST : rows + rows / 2;
    capacity = capacity < most ? capacity : most;
    SRI_CALL(
        sri_regrow(ctx, (void **)&t->V, in_head(z, was), in_head(z, capacity), t->n, sizeof *t->V));
    if (in_head(z, capacity) < capacity)
        SRI_CALL(sri_regrow(ctx, (void **)&z->tail, was - in_head(z, was),
                            capacity - in_head(z, capacity), t->n, sizeof *z->tail));
    SRI_CALL(sri_regrow(ctx, (void **)&t->a, was, capacity, 1, sizeof *t->a));
    SRI_CALL(sri_regrow(ctx, (void **)&t->b, was, capacity, 1, sizeof *t->b));
    SRI_CALL(sri_regrow(ctx, (void **)&t->H, was, capacity, t->n_held, sizeof *t->H));
    t->capacity = capacity;
    return SPECREG_OK;
}

/* The next vector: w / length. */
static void keep_vector(sri_basis *z, double length, const double *w)
{
    const int64_t n = z->t.n, k = z->t.k;
    double *next = z->before;
    z->before = z->last;
    z->last = next;
    for (int64_t i = 0; i < n; i++)
        next[i] = w[i] / length;
    if (k < in_head(z, k + 1)) {
        memcpy(z->t.V + k * n, next, (size_t)n * sizeof *next);
        return;
    }
    float *v = z->tail + (k - SRI_BASIS_HEAD) * n;
    for (int64_t i = 0; i < n; i++)
        v[i] = (float)next[i];
}

specreg_status sri_basis_start(specreg_context *ctx, sri_basis *z, const sri_lanczos_source *source,
                               bool single)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = source->n;
    double *w = NULL;
    *z = (sri_basis){.single = single};
    SRI_ALLOC(ctx, w, n, 1);
    SRI_CALLOC(ctx, z->last, n, 1);
    SRI_CALLOC(ctx, z->before, n, 1);
    SRI_TRY(sri_lanczos_begin(ctx, &z->t, source, w));
    SRI_TRY(reserve(ctx, z, 1));
    if (!z->t.whole)
        keep_vector(z, z->t.norm, w);
done:
    sri_free(w);
    return st;
}

/* About |K/n| as far as it is known: the largest diagonal entry of T_k. */
static double largest(const sri_lanczos *t)
{
    double top = 0;
    for (int64_t j = 0; j < t->k; j++)
        top = fmax(top, fabs(t->a[j]));
    return top;
}

/* One step from w = K v_k, which is overwritten; there is space for it. */
static void extend(sri_basis *z, double *w)
{
    const sri_vec *vec = sri_vec_best();
    sri_lanczos *t = &z->t;
    const int64_t n = t->n, rows = t->k + 1, head = in_head(z, rows);
    sri_lanczos_hold(t, w);
    for (int64_t i = 0; i < n; i++)
        w[i] /= t->mass;
    const double a = t->a[t->k] = vec->inner(n, w, z->last), beta = t->k ? t->b[t->k - 1] : 0;
    vec->subtract(n, a, z->last, beta, z->before, w);
    /* What is left should be orthogonal already.  Once more is enough, unless much cancels. */
    double b = sqrt(vec->inner(n, w, w)), was = INFINITY;
    for (int pass = 0; pass < 3 && b < 0.5 * was; pass++) {
        was = b;
        vec->project(t->V, false, head, n, w);
        vec->project(z->tail, true, rows - head, n, w);
        sri_lanczos_clean(t, w);
        b = sqrt(vec->inner(n, w, w));
    }
    t->b[t->k++] = b;
    t->whole = t->k >= sri_lanczos_most(t) || b <= DBL_EPSILON * largest(t);
    if (!t->whole)
        keep_vector(z, b, w);
}

specreg_status sri_basis_step(specreg_context *ctx, const sri_job *job, sri_basis *z,
                              int64_t columns, double *X, double *KX)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = job->problem.op->n;
    int64_t active = 0, *column = NULL;
    SRI_ALLOC(ctx, column, columns, 1);
    for (int64_t c = 0; c < columns; c++)
        if (!z[c].t.whole) {
            SRI_TRY(reserve(ctx, &z[c], z[c].t.k + 2));
            column[active++] = c;
        }
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < active; k++)
            X[i * active + k] = z[column[k]].last[i];
    SRI_TRY(sri_job_apply(ctx, job, active, column, X, KX));
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t k = 0; k < active; k++) {
        double *w = X + k * n; /* X is not needed any more */
        for (int64_t i = 0; i < n; i++)
            w[i] = KX[i * active + k];
        extend(&z[column[k]], w);
    }
done:
    sri_free(column);
    return st;
}

void sri_basis_free(sri_basis *z)
{
    sri_free(z->before);
    sri_free(z->last);
    sri_free(z->tail);
    sri_lanczos_free(&z->t);
    *z = (sri_basis){0};
}
