/* Problems whose rows have whole-number weights, and slow answers: a row of weight w is w rows. */
#ifndef TESTS_NUMERIC_WEIGHTED_H
#define TESTS_NUMERIC_WEIGHTED_H

#include "data/split.h"
#include "numeric/models.h"

/* Kernel: rbf of width WIDTH, no scaling.  The table has the columns x1, x2, w and the targets. */
typedef struct weighted {
    int64_t n, T, classes;
    double *X, *Y; /* n x 2; n x T: targets, or coded classes */
    int32_t *class;
    double *w; /* 1, 2 or 3 */
    specreg_table *table;
} weighted;

static const double WIDTH = 1.2;
#define WEIGHTED "kernel", "rbf:sigma=1.2", "scale", "none"

static const char *const TARGETS[] = {"y", "y1,y2", "y", "y"};
static const char *const KIND[] = {"one target", "two targets", "two classes", "three classes"};

/* The rows listed (NULL: all), each `times` its weight, with weights `scale` * w, or without the
 * column where scale is 0. */
static inline specreg_table *weighted_table(specreg_context *ctx, const weighted *d,
                                            const char *name, const int64_t *rows, int64_t count,
                                            bool repeated, double scale)
{
    FILE *f = fopen(kit_temp(name), "w");
    fprintf(f, "x1,x2%s,%s\n", scale != 0 ? ",w" : "", d->T > 1 && !d->classes ? "y1,y2" : "y");
    for (int64_t k = 0; k < count; k++) {
        const int64_t i = rows ? rows[k] : k;
        for (int copy = 0; copy < (repeated ? (int)d->w[i] : 1); copy++) {
            fprintf(f, "%.17g,%.17g", d->X[2 * i], d->X[2 * i + 1]);
            if (scale != 0)
                fprintf(f, ",%.17g", scale * (repeated ? 1 : d->w[i]));
            if (d->classes)
                fprintf(f, ",%c", 'a' + d->class[i]);
            for (int64_t t = 0; t < d->T && !d->classes; t++)
                fprintf(f, ",%.17g", d->Y[i * d->T + t]);
            fprintf(f, "\n");
        }
    }
    fclose(f);
    return read_table(ctx, kit_temp(name));
}

/* Kinds 0 to 3 as in KIND.  Classes overlap. */
static inline weighted weighted_problem(specreg_context *ctx, int kind, int64_t n)
{
    weighted d = {.n = n, .T = kind == 1 ? 2 : kind == 3 ? 3 : 1, .classes = kind > 1 ? kind : 0};
    double *e = kit_normal(21, n, 2);
    d.X = kit_normal(20, n, 2);
    d.Y = malloc((size_t)(n * d.T) * sizeof *d.Y);
    d.w = malloc((size_t)n * sizeof *d.w);
    d.class = calloc((size_t)n, sizeof *d.class);
    for (int64_t i = 0; i < n; i++) {
        const double *x = d.X + 2 * i, r = x[0] + 0.8 * x[1] * x[1] + 0.5 * e[2 * i];
        d.w[i] = (double)(1 + (i * 7 + i / 3) % 3);
        d.class[i] = (int32_t)(r < 0.3 ? 0 : r < 1.3 || kind == 2 ? 1 : 2);
        for (int64_t t = 0; t < d.T; t++)
            d.Y[i * d.T + t] = kind > 1
                                   ? (d.class[i] == t + (kind == 2) ? 1 : -1)
                                   : sin((double)(t + 1) * x[0]) + 0.4 * x[1] + 0.3 * e[2 * i + t];
    }
    free(e);
    d.table = weighted_table(ctx, &d, "weighted.csv", NULL, n, false, 1);
    return d;
}

static inline void weighted_free(weighted *d)
{
    specreg_table_free(d->table);
    free(d->class);
    free(d->w);
    free(d->Y);
    free(d->X);
}

static inline double weight_of(const weighted *d, const int64_t *rows, int64_t count)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += d->w[rows ? rows[k] : k];
    return sum;
}

/* Cut-off at s >= lambda, by Jacobi's eigenvalues of K/n. */
static inline void train_tsvd(int64_t n, int64_t T, const double *K, const double *Y, double lambda,
                              real *alpha)
{
    real *s = real_new(n), *Q = real_new(n * n);
    ref_jacobi(n, K, s, Q);
    memset(alpha, 0, (size_t)(n * T) * sizeof *alpha);
    for (int64_t j = 0; j < n && s[j] >= lambda; j++)
        for (int64_t t = 0; t < T; t++) {
            real along = 0;
            for (int64_t i = 0; i < n; i++)
                along += Q[i * n + j] * Y[i * T + t];
            for (int64_t i = 0; i < n; i++)
                alpha[i * T + t] += Q[i * n + j] * along / ((real)n * s[j]);
        }
    free(Q);
    free(s);
}

/* Trains on the rows listed, each as often as it weighs, and predicts the m rows `out`: m x T. */
static inline double *weighted_refit(const weighted *d, train_fn *train, double param,
                                     const int64_t *rows, int64_t count, const int64_t *out,
                                     int64_t m)
{
    const int64_t n = (int64_t)weight_of(d, rows, count);
    double *X = malloc((size_t)(2 * n) * sizeof *X), *Z = malloc((size_t)(2 * m) * sizeof *Z);
    double *Y = malloc((size_t)(n * d->T) * sizeof *Y), *F = malloc((size_t)(m * d->T) * sizeof *F);
    real *alpha = real_new(n * d->T);
    for (int64_t k = 0, at = 0; k < count; k++)
        for (int copy = 0; copy < (int)d->w[rows[k]]; copy++, at++) {
            memcpy(X + 2 * at, d->X + 2 * rows[k], 2 * sizeof *X);
            memcpy(Y + at * d->T, d->Y + rows[k] * d->T, (size_t)d->T * sizeof *Y);
        }
    for (int64_t i = 0; i < m; i++)
        memcpy(Z + 2 * i, d->X + 2 * out[i], 2 * sizeof *Z);
    double *K = gram(k_rbf, &WIDTH, X, n, X, n, 2), *Kout = gram(k_rbf, &WIDTH, Z, m, X, n, 2);
    train(n, d->T, K, Y, param, alpha);
    expand(m, n, d->T, Kout, alpha, F);
    free(Kout);
    free(K);
    free(alpha);
    free(Y);
    free(Z);
    free(X);
    return F;
}

/* The class that outputs say; *margin falls to how far they are from saying another. */
static inline int64_t weighted_decoded(const weighted *d, const double *f, double *margin)
{
    if (d->classes == 2) {
        *margin = fmin(*margin, fabs(f[0]));
        return f[0] > 0;
    }
    int64_t best = 0;
    for (int64_t c = 1; c < d->classes; c++)
        best = f[c] > f[best] ? c : best;
    for (int64_t c = 0; c < d->classes; c++)
        *margin = c == best ? *margin : fmin(*margin, f[best] - f[c]);
    return best;
}

/* Predictions of all n rows by machines that were trained without them. */
static inline double *held_out_loo(const weighted *d, double lambda)
{
    int64_t rest[128];
    double *F = malloc((size_t)(d->n * d->T) * sizeof *F);
    for (int64_t i = 0; i < d->n; i++) {
        for (int64_t j = 0; j < d->n - 1; j++)
            rest[j] = j + (j >= i);
        const double all = weight_of(d, NULL, d->n);
        double *f = weighted_refit(d, train_tikhonov, lambda * all / (all - d->w[i]), rest,
                                   d->n - 1, &i, 1);
        memcpy(F + i * d->T, f, (size_t)d->T * sizeof *F);
        free(f);
    }
    return F;
}

static inline double *held_out_folds(const weighted *d, train_fn *train, double param,
                                     const sri_splits *s)
{
    double *F = malloc((size_t)(d->n * d->T) * sizeof *F);
    for (int64_t k = 0; k < s->count; k++) {
        const sri_split *part = &s->split[k];
        double *f = weighted_refit(d, train, param, part->train, part->n_train, part->validate,
                                   part->n_validate);
        for (int64_t i = 0; i < part->n_validate; i++)
            memcpy(F + part->validate[i] * d->T, f + i * d->T, (size_t)d->T * sizeof *F);
        free(f);
    }
    return F;
}

/* The folds that a fit of the problem draws. */
static inline sri_splits weighted_folds(specreg_context *ctx, const weighted *d, int64_t k,
                                        uint64_t seed)
{
    sri_splits s;
    const sri_strata strata = {.n = d->n,
                               .classes = d->classes ? d->class : NULL,
                               .n_classes = d->classes,
                               .seed = seed};
    CHECK_OK(ctx, sri_splits_kfold(ctx, &strata, k, 1, &s));
    return s;
}

static inline json_t *weighted_record(specreg_context *ctx, const weighted *d,
                                      const specreg_options *o)
{
    specreg_model *m = fitted(ctx, d->table, o);
    json_t *record = record_of(ctx, m);
    specreg_model_free(m);
    return record;
}

#endif
