/* Vector fields learned slowly: the whole matrix of order (points times components), every point as
 * often as it weighs, components that are missing left out.  No code of the library. */
#ifndef TESTS_NUMERIC_FIELD_H
#define TESTS_NUMERIC_FIELD_H

#include <float.h>

#include "numeric/models.h"

typedef struct field_data {
    int64_t n, T;
    double *X, *Y;        /* n x T both; NaN in Y: missing */
    double *w;            /* n: 1, 2 or 3; NULL: all 1     */
    specreg_table *table; /* x1, ..., [w,] y1, ...  */
} field_data;

typedef struct field_kernel {
    double sigma, curl, div;
} field_kernel;

static inline const char *field_targets(int64_t T)
{
    return T == 2 ? "y1,y2" : "y1,y2,y3";
}

/* A table of the data, each row once. */
static inline specreg_table *field_table(specreg_context *ctx, const field_data *d,
                                         const char *name)
{
    FILE *f = fopen(kit_temp(name), "w");
    for (int64_t t = 0; t < d->T; t++)
        fprintf(f, "%sx%d", t ? "," : "", (int)t + 1);
    for (int64_t t = 0; t < d->T; t++)
        fprintf(f, "%sy%d", t || !d->w ? "," : ",w,", (int)t + 1);
    fprintf(f, "\n");
    for (int64_t i = 0; i < d->n; i++) {
        for (int64_t t = 0; t < d->T; t++)
            fprintf(f, "%s%.17g", t ? "," : "", d->X[i * d->T + t]);
        if (d->w)
            fprintf(f, ",%g", d->w[i]);
        for (int64_t t = 0; t < d->T; t++)
            if (isnan(d->Y[i * d->T + t]))
                fprintf(f, ",");
            else
                fprintf(f, ",%.17g", d->Y[i * d->T + t]);
        fprintf(f, "\n");
    }
    fclose(f);
    return read_table(ctx, kit_temp(name));
}

/* A swirl and a source with noise; every seventh entry is missing where `gaps`. */
static inline field_data field_problem(specreg_context *ctx, int64_t n, int64_t T, bool gaps,
                                       bool weights)
{
    field_data d = {.n = n, .T = T, .X = kit_normal(81, n, T), .Y = kit_normal(82, n, T)};
    for (int64_t i = 0; i < n; i++) {
        const double *x = d.X + i * T, size = exp(-inner(x, x, T) / 3);
        for (int64_t t = 0; t < T; t++) {
            const double swirl = t == 0 ? -x[1] : t == 1 ? x[0] : 0;
            double *y = &d.Y[i * T + t];
            *y = size * (swirl + 0.5 * x[t]) + 0.1 * *y;
            if (gaps && (i * T + t) % 7 == 3)
                *y = NAN;
        }
    }
    if (weights) {
        d.w = malloc((size_t)n * sizeof *d.w);
        for (int64_t i = 0; i < n; i++)
            d.w[i] = (double)(1 + (i * 7 + i / 3) % 3);
    }
    d.table = field_table(ctx, &d, "field.csv");
    return d;
}

static inline void field_end(field_data *d)
{
    specreg_table_free(d->table);
    free(d->w);
    free(d->Y);
    free(d->X);
}

/* One entry of the matrix between two points, from the formulas of docs/FIELDS.md. */
static inline real field_entry(const field_kernel *k, int64_t T, const double *x, int64_t s,
                               const double *z, int64_t t)
{
    const real s2 = (real)k->sigma * k->sigma;
    real r2 = 0;
    for (int64_t j = 0; j < T; j++)
        r2 += ((real)x[j] - z[j]) * ((real)x[j] - z[j]);
    const real uu = ((real)x[s] - z[s]) * ((real)x[t] - z[t]) / s2, e = expl(-r2 / (2 * s2)) / s2;
    const real curlfree = (s == t) - uu;
    const real divfree = uu + (s == t ? (real)(T - 1) - r2 / s2 : 0);
    return e * (k->curl * curlfree + k->div * divfree);
}

/* Points for one component each. */
typedef struct entries {
    int64_t count;
    double *x; /* count x T */
    int64_t *t, *row;
    double *y;
} entries;

/* Of the rows that `use` marks (NULL: all): what they have, each as often as it weighs. */
static inline entries entries_of(const field_data *d, const bool *use, double *mass)
{
    const int64_t T = d->T;
    entries e = {.x = malloc((size_t)(3 * d->n * T * T) * sizeof *e.x),
                 .t = malloc((size_t)(3 * d->n * T) * sizeof *e.t),
                 .row = malloc((size_t)(3 * d->n * T) * sizeof *e.row),
                 .y = malloc((size_t)(3 * d->n * T) * sizeof *e.y)};
    *mass = 0;
    for (int64_t i = 0; i < d->n; i++)
        for (int copy = 0; (!use || use[i]) && copy < (d->w ? (int)d->w[i] : 1); copy++) {
            *mass += 1;
            for (int64_t t = 0; t < T; t++) {
                if (isnan(d->Y[i * T + t]))
                    continue;
                memcpy(e.x + e.count * T, d->X + i * T, (size_t)T * sizeof *e.x);
                e.t[e.count] = t;
                e.row[e.count] = i;
                e.y[e.count++] = d->Y[i * T + t];
            }
        }
    return e;
}

static inline void entries_free(entries *e)
{
    free(e->y);
    free(e->row);
    free(e->t);
    free(e->x);
}

/* A filter, slowly; step 1 / kappa2. */
typedef struct machine {
    const char *filter, *param; /* the options */
    enum { BY_SOLVES, BY_SPECTRUM, BY_STEPS, BY_CG } how;
    double value; /* of the parameter; of a cut-off a share of the largest eigenvalue */
    double more;  /* order of iterated, nu (0: Landweber); 1: cut-off, of the spectral ones */
} machine;

static inline void by_spectrum(const machine *m, int64_t order, const double *K, const double *y,
                               double lambda, real *alpha)
{
    real *s = real_new(order), *Q = real_new(order * order);
    ref_jacobi(order, K, s, Q);
    memset(alpha, 0, (size_t)order * sizeof *alpha);
    for (int64_t j = 0; j < order; j++) {
        const real x = s[j] > 0 ? s[j] : 0;
        const real g = m->more == 1 ? (x >= lambda ? 1 / x : 0)
                       : x > 0      ? -expm1l(-x / lambda) / x
                                    : 1 / (real)lambda;
        real along = 0;
        for (int64_t i = 0; i < order; i++)
            along += Q[i * order + j] * y[i];
        for (int64_t i = 0; i < order; i++)
            alpha[i] += Q[i * order + j] * along * g / (real)order;
    }
    free(Q);
    free(s);
}

/* alpha = (1/order) g(K/order) y */
static inline void train_machine(const machine *m, int64_t order, const double *K, const double *y,
                                 double kappa2, double value, real *alpha)
{
    last_iterate last = {order, alpha};
    if (m->how == BY_SOLVES)
        ref_iterated(order, 1, K, y, value, (int)m->more, alpha);
    if (m->how == BY_SPECTRUM)
        by_spectrum(m, order, K, y, value, alpha);
    if (m->how == BY_STEPS)
        ref_iterate(order, 1, K, y, 1 / (real)kappa2, ref_nu(m->more), (int64_t)value, keep_last,
                    &last);
    if (m->how == BY_CG) {
        const int64_t steps = (int64_t)value;
        real *all = real_new(steps * order), *right = real_new(order);
        for (int64_t i = 0; i < order; i++)
            right[i] = y[i];
        ref_cg(order, K, right, steps, 0, 0, 0, all);
        memcpy(alpha, all + (steps - 1) * order, (size_t)order * sizeof *alpha);
        free(right);
        free(all);
    }
}

static inline double field_kappa2(const field_kernel *k, int64_t T)
{
    return (k->curl + (double)(T - 1) * k->div) / k->sigma / k->sigma;
}

/* The matrix over its mass, times its order: filters act on K/mass, reference.h divides by N. */
static inline double *field_matrix(const field_kernel *k, int64_t T, const entries *e, double mass)
{
    const int64_t order = e->count;
    double *K = malloc((size_t)(order * order) * sizeof *K);
    for (int64_t i = 0; i < order; i++)
        for (int64_t j = 0; j < order; j++)
            K[i * order + j] =
                (double)(field_entry(k, T, e->x + i * T, e->t[i], e->x + j * T, e->t[j]) *
                         (real)order / mass);
    return K;
}

/* All components of the field at m points Z, learned from the rows that `use` marks; free()
 * them. */
static inline double *field_learned(const field_data *d, const field_kernel *k, const machine *m,
                                    double value, const bool *use, const double *Z, int64_t rows)
{
    const int64_t T = d->T;
    double mass, *F = malloc((size_t)(rows * T) * sizeof *F);
    entries e = entries_of(d, use, &mass);
    const int64_t order = e.count;
    double *K = field_matrix(k, T, &e, mass);
    real *alpha = real_new(order);
    train_machine(m, order, K, e.y, field_kappa2(k, T), value, alpha);
    for (int64_t i = 0; i < rows * T; i++) {
        real sum = 0;
        for (int64_t j = 0; j < order; j++)
            sum += field_entry(k, T, Z + i / T * T, i % T, e.x + j * T, e.t[j]) * alpha[j];
        F[i] = (double)(sum * (real)order / mass);
    }
    free(alpha);
    free(K);
    entries_free(&e);
    return F;
}

#endif
