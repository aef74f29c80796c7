/* Problems whose parameters are chosen, and slow answers to compare the choice with: refits on some
 * rows, judged on others. */
#ifndef SRI_TESTS_SELECTION_H
#define SRI_TESTS_SELECTION_H

#include "numeric/oracle.h"

/* A problem with its answers; classes is 0 for regression.  Kernel: rbf of width SIGMA, no
 * scaling. */
typedef struct problem {
    int64_t n, p, T, classes;
    double *X, *Y; /* Y: n x T targets, or coded classes */
    int32_t *class;
    double *K;
    specreg_table *table;
} problem;

static const double SIGMA = 1.5;
#define KERNEL "kernel", "rbf:sigma=1.5", "scale", "none"

static inline problem regression(specreg_context *ctx, int64_t n, int64_t T)
{
    problem d = {.n = n, .p = 2, .T = T};
    d.X = kit_normal(1, n, d.p);
    double *noise = kit_normal(2, n, T);
    d.Y = malloc((size_t)(n * T) * sizeof *d.Y);
    for (int64_t i = 0; i < n * T; i++)
        d.Y[i] =
            sin((double)(1 + i % T) * d.X[i / T * 2]) + 0.3 * d.X[i / T * 2 + 1] + 0.2 * noise[i];
    d.table = table_of(ctx, d.X, n, d.p, d.Y, T);
    d.K = gram(k_rbf, &SIGMA, d.X, n, d.X, n, d.p);
    free(noise);
    return d;
}

/* Rings that overlap: some rows are decoded wrongly whatever the parameter.  Two classes are one
 * column of -1 and 1, more are one column each. */
static inline problem classification(specreg_context *ctx, int64_t n, int64_t classes)
{
    problem d = {.n = n, .p = 2, .T = classes == 2 ? 1 : classes, .classes = classes};
    double *noise = kit_normal(3, n, 1), *label = malloc((size_t)n * sizeof *label);
    d.X = kit_normal(4, n, d.p);
    d.class = malloc((size_t)n * sizeof *d.class);
    d.Y = malloc((size_t)(n * d.T) * sizeof *d.Y);
    for (int64_t i = 0; i < n; i++) {
        const double r = inner(d.X + 2 * i, d.X + 2 * i, 2) + 0.4 * noise[i];
        d.class[i] = (int32_t)(r < 0.7 ? 0 : r < 2.2 || classes == 2 ? 1 : 2);
        label[i] = 10 + d.class[i];
        for (int64_t t = 0; t < d.T; t++)
            d.Y[i * d.T + t] = d.class[i] == t + (classes == 2) ? 1 : -1;
    }
    d.table = table_of(ctx, d.X, n, d.p, label, 1);
    d.K = gram(k_rbf, &SIGMA, d.X, n, d.X, n, d.p);
    free(label);
    free(noise);
    return d;
}

static inline void problem_free(problem *d)
{
    specreg_table_free(d->table);
    free(d->K);
    free(d->class);
    free(d->Y);
    free(d->X);
}

typedef struct answer {
    double value, error; /* of all rows together, and its standard error from the rows' spread */
    double mse;
    double margin; /* how far the nearest score is from changing a decoded label */
} answer;

/* The class of a row's outputs, and by how much it wins. */
static inline int64_t decoded(const problem *d, const double *f, double *margin)
{
    if (d->classes == 2) {
        *margin = fabs(f[0]);
        return f[0] > 0;
    }
    int64_t best = 0;
    for (int64_t c = 1; c < d->classes; c++)
        best = f[c] > f[best] ? c : best;
    *margin = INFINITY;
    for (int64_t c = 0; c < d->classes; c++)
        *margin = c == best ? *margin : fmin(*margin, f[best] - f[c]);
    return best;
}

/* Predictions F of the rows `row` (NULL: all) against their answers. */
static inline answer judge(const problem *d, const double *F, const int64_t *row, int64_t m)
{
    answer a = {.margin = INFINITY};
    double squares = 0, wrong = 0;
    for (int64_t i = 0; i < m; i++) {
        const int64_t r = row ? row[i] : i;
        double loss = 0, margin;
        for (int64_t t = 0; t < d->T; t++)
            loss += pow(F[i * d->T + t] - d->Y[r * d->T + t], 2) / (double)d->T;
        a.mse += loss / (double)m;
        squares += loss * loss / (double)m;
        if (d->classes) {
            wrong += decoded(d, F + i * d->T, &margin) != d->class[r];
            a.margin = fmin(a.margin, margin);
        }
    }
    a.value = d->classes ? wrong / (double)m : a.mse;
    a.error = d->classes ? sqrt(a.value * (1 - a.value) / (double)m)
                         : sqrt(fmax(0, squares - a.mse * a.mse) / (double)m);
    return a;
}

/* Trains on some rows and predicts others; the filter's matrix is K/n_train. */
static inline double *refit(const problem *d, train_fn *train, double param, const int64_t *row,
                            int64_t n, const int64_t *out, int64_t m)
{
    double *K = malloc((size_t)(n * n) * sizeof *K), *Y = malloc((size_t)(n * d->T) * sizeof *Y);
    double *Kout = malloc((size_t)(m * n) * sizeof *K);
    double *F = malloc((size_t)(m * d->T) * sizeof *F);
    real *alpha = real_new(n * d->T);
    for (int64_t i = 0; i < n; i++) {
        memcpy(Y + i * d->T, d->Y + row[i] * d->T, (size_t)d->T * sizeof *Y);
        for (int64_t j = 0; j < n; j++)
            K[i * n + j] = d->K[row[i] * d->n + row[j]];
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            Kout[i * n + j] = d->K[out[i] * d->n + row[j]];
    train(n, d->T, K, Y, param, alpha);
    expand(m, n, d->T, Kout, alpha, F);
    free(alpha);
    free(Kout);
    free(Y);
    free(K);
    return F;
}

/* n refits without row i, each with n lambda (n the full size) added to its matrix. */
static inline answer brute_loo(const problem *d, double lambda)
{
    int64_t rest[256];
    double *F = malloc((size_t)(d->n * d->T) * sizeof *F);
    for (int64_t i = 0; i < d->n; i++) {
        for (int64_t j = 0; j < d->n - 1; j++)
            rest[j] = j + (j >= i);
        /* train_tikhonov adds (n-1) lambda' */
        double *f = refit(d, train_tikhonov, lambda * (double)d->n / (double)(d->n - 1), rest,
                          d->n - 1, &i, 1);
        memcpy(F + i * d->T, f, (size_t)d->T * sizeof *F);
        free(f);
    }
    const answer a = judge(d, F, NULL, d->n);
    free(F);
    return a;
}

static inline json_t *fit_record(specreg_context *ctx, const problem *d, specreg_options *o)
{
    specreg_model *model;
    if (d->T > 1 && !d->classes)
        CHECK_OK(ctx, specreg_options_set(ctx, o, "target", "y1,y2"));
    CHECK_OK(ctx, specreg_fit(ctx, d->table, o, &model));
    json_t *record = record_of(ctx, model);
    specreg_model_free(model);
    return record;
}

/* A row of the table: its value and standard error.  An error rate is exact as long as no score is
 * within rounding of changing a label. */
static inline void check_row(const problem *d, const char *name, const json_t *row, const answer *a,
                             double tol)
{
    const double size = fmax(1, a->value);
    CHECK(a->margin > 10 * tol);
    CHECK_WORST(name, fabs(number_at(row, "value") - a->value) / size,
                d->classes ? 1e-15 : 4 * tol);
    /* an error is a root: of a difference of rounding size tol, sqrt(tol) at worst */
    CHECK_WORST("standard error", fabs(number_at(row, "stderr") - a->error),
                a->error > 1e-3 ? 8 * tol / a->error : sqrt(tol));
}

static const double LAMBDAS[] = {1, 0.1, 1e-2, 1e-3, 1e-5};
#define LAMBDA_PATH "param", "lambda={1,0.1,1e-2,1e-3,1e-5}"
enum { N_LAMBDAS = 5 };

static const char *const KINDS[] = {"two targets", "two classes", "three classes"};

static inline problem make(specreg_context *ctx, int kind, int64_t n)
{
    return kind == 0 ? regression(ctx, n, 2) : classification(ctx, n, kind + 1);
}

#endif
