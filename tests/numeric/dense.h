/* Outputs and tasks done the slow way: a matrix of order (points) x (points), a point being one
 * output of one row, or one row of a task, with Gamma((x, s), (z, t)) = sum_i c_i k_i(x + d_s, z
 * + d_t) A_i[s][t] by its formula, and filters by their closed forms on its eigenvalues in long
 * double. */
#ifndef TESTS_NUMERIC_DENSE_H
#define TESTS_NUMERIC_DENSE_H

#include "numeric/models.h"

enum { ROWS = 13, NEW = 6, OUT = 3, TERMS = 2 };

typedef struct dense {
    /* The table. */
    double X[ROWS * 2], w[ROWS], Y[ROWS * OUT]; /* NaN: missing                      */
    int task[ROWS];                             /* -1: rows have outputs, not a task */
    double new_X[NEW * 2];
    int new_task[NEW];
    bool weighted;
    /* The kernel: rbf terms of these widths and weights, each with its matrix. */
    int terms;
    double sigma[TERMS], c[TERMS], A[TERMS][OUT * OUT], shift[OUT * 2];
    double kappa2;
    /* Points: all that has a target. */
    int n, row[ROWS * OUT], label[ROWS * OUT];
    double y[ROWS * OUT], v[ROWS * OUT]; /* v: the weight of the point's row */
    specreg_table *train, *later;
} dense;

static inline double gamma_of(const dense *d, const double *x, int s, const double *z, int t)
{
    double sum = 0, a[2], b[2];
    for (int j = 0; j < 2; j++) {
        a[j] = x[j] + d->shift[2 * s + j];
        b[j] = z[j] + d->shift[2 * t + j];
    }
    for (int i = 0; i < d->terms; i++)
        sum += d->c[i] * k_rbf(a, b, 2, &d->sigma[i]) * d->A[i][s * OUT + t];
    return sum;
}

/* A filter at one eigenvalue; `all` are all of them, descending, for a number of components. */
typedef struct filter_case {
    const char *filter, *param;
    enum { TIKHONOV, ITERATED, SHOWALTER, CUT, COMPONENTS, LANDWEBER, NU, CG, CR } kind;
    double value;
    double cond; /* of the answer, about */
} filter_case;

static inline real filter_at(const filter_case *f, real s, int64_t place, real tau)
{
    const real v = f->value;
    real a = 0, before = 0, u, w;
    s = s > 0 ? s : 1e-30L;
    switch (f->kind) {
    case TIKHONOV:
        return 1 / (s + v);
    case ITERATED:
        return -expm1l(-3 * log1pl(s / v)) / s;
    case SHOWALTER:
        return -expm1l(-s / v) / s;
    case CUT:
        return s >= v ? 1 / s : 0;
    case COMPONENTS:
        return place < (int64_t)v ? 1 / s : 0;
    default:
        for (int64_t i = 1; i <= (int64_t)v; i++) {
            ref_coefficients(f->kind == NU ? 1 : 0, i, &u, &w);
            const real old = a;
            a = old + u * (old - before) + tau * w * (1 - s * old);
            before = old;
        }
        return a;
    }
}

/* W^(1/2) Gamma W^(1/2) / mass over `count` of the points; the mass is `more` times the
 * sum over the rows of their weights. */
static inline double *dense_matrix(const dense *d, const int *point, int count, double more,
                                   double *mass)
{
    bool seen[ROWS] = {false};
    double *G = malloc((size_t)(count * count) * sizeof *G);
    *mass = 0;
    for (int i = 0; i < count; i++) {
        const int row = d->row[point[i]];
        *mass += seen[row] ? 0 : d->w[row] * more;
        seen[row] = true;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            const int p = point[i], q = point[j];
            G[i * count + j] =
                sqrt(d->v[p] * d->v[q]) / *mass *
                gamma_of(d, d->X + 2 * d->row[p], d->label[p], d->X + 2 * d->row[q], d->label[q]);
        }
    return G;
}

/* A number of components, 5 to 9, after which the spectrum has its largest gap: eigenvalues of A
 * that are equal make equal ones of Gamma, between which nobody can cut. */
static inline int dense_gap(const dense *d)
{
    int point[ROWS * OUT], best = 5;
    double mass;
    real *s = real_new(d->n), *Q = real_new((int64_t)d->n * d->n);
    for (int i = 0; i < d->n; i++)
        point[i] = i;
    double *G = dense_matrix(d, point, d->n, 1, &mass);
    ref_jacobi(d->n, G, s, Q);
    for (int k = 5; k < 10; k++)
        if (s[k - 1] / s[k] > s[best - 1] / s[best])
            best = k;
    free(G);
    free(Q);
    free(s);
    return best;
}

/* Trains on `count` of the points; alpha (count).  Rows weigh v each, whatever they have of
 * outputs: their sum takes the place of n, times `more` (1 but for leave-one-out).  *trace: that
 * of H; may be NULL. */
static inline void dense_train(const dense *d, const int *point, int count, const filter_case *f,
                               double more, real *alpha, real *trace)
{
    double mass, *G = dense_matrix(d, point, count, more, &mass);
    real *b = real_new(count), *s = real_new(count), *Q = real_new((int64_t)count * count);
    if (trace)
        *trace = 0;
    for (int i = 0; i < count; i++)
        b[i] = sqrtl(d->v[point[i]]) * d->y[point[i]];
    memset(alpha, 0, (size_t)count * sizeof *alpha);
    if (f->kind == TIKHONOV && !trace) {
        memcpy(alpha, b, (size_t)count * sizeof *alpha);
        ref_solve(count, 1, G, f->value, alpha);
    } else if (f->kind == CG || f->kind == CR) {
        real *all = real_new((int64_t)f->value * count);
        ref_cg(count, G, b, (int64_t)f->value, f->kind == CR, 0, 1, all);
        memcpy(alpha, all + ((int64_t)f->value - 1) * count, (size_t)count * sizeof *alpha);
        free(all);
    } else {
        for (int k = 0; k < count * count; k++)
            G[k] *= count; /* ref_jacobi divides */
        ref_jacobi(count, G, s, Q);
        for (int k = 0; k < count; k++) {
            const real g = filter_at(f, s[k], k, 1 / (real)d->kappa2);
            real along = 0;
            for (int i = 0; i < count; i++)
                along += Q[i * count + k] * b[i];
            for (int i = 0; i < count; i++)
                alpha[i] += g * along * Q[i * count + k];
            if (trace)
                *trace += s[k] * g;
        }
    }
    for (int i = 0; i < count; i++)
        alpha[i] *= sqrtl(d->v[point[i]]) / mass;
    free(Q);
    free(s);
    free(b);
    free(G);
}

static inline double dense_at(const dense *d, const int *point, int count, const real *alpha,
                              const double *x, int label)
{
    real sum = 0;
    for (int i = 0; i < count; i++)
        sum +=
            (real)gamma_of(d, x, label, d->X + 2 * d->row[point[i]], d->label[point[i]]) * alpha[i];
    return (double)sum;
}

/* Trains on all points, and predicts the later rows: NEW x OUT, or NEW for tasks.  Residuals of the
 * points too, and the trace of H. */
static inline void dense_answers(const dense *d, const filter_case *f, double *F, double *residual,
                                 real *trace)
{
    int point[ROWS * OUT];
    real *alpha = real_new(d->n);
    for (int i = 0; i < d->n; i++)
        point[i] = i;
    dense_train(d, point, d->n, f, 1, alpha, trace);
    for (int i = 0; i < NEW; i++)
        for (int t = 0; t < (d->task[0] < 0 ? OUT : 1); t++)
            F[d->task[0] < 0 ? i * OUT + t : i] = dense_at(d, point, d->n, alpha, d->new_X + 2 * i,
                                                           d->task[0] < 0 ? t : d->new_task[i]);
    for (int i = 0; i < d->n; i++)
        residual[i] = d->y[i] - dense_at(d, point, d->n, alpha, d->X + 2 * d->row[i], d->label[i]);
    free(alpha);
}

/* The weighted mean of the squared errors of points of rows for which held[row] is true, trained
 * on the others; adds to *sum and *weights. */
static inline void dense_held_out(const dense *d, const filter_case *f, const bool *held,
                                  double more, double *sum, double *weights)
{
    int train[ROWS * OUT], count = 0;
    real *alpha = real_new(d->n);
    for (int i = 0; i < d->n; i++)
        if (!held[d->row[i]])
            train[count++] = i;
    dense_train(d, train, count, f, more, alpha, NULL);
    for (int i = 0; i < d->n; i++)
        if (held[d->row[i]]) {
            const double e =
                d->y[i] - dense_at(d, train, count, alpha, d->X + 2 * d->row[i], d->label[i]);
            *sum += d->v[i] * e * e;
            *weights += d->v[i];
        }
    free(alpha);
}

/* ------------------------------------------------------------------------ tables */

static inline void write_row(FILE *f, const dense *d, const double *x, double w, int task,
                             const double *y)
{
    fprintf(f, "%.17g,%.17g", x[0], x[1]);
    if (d->weighted)
        fprintf(f, ",%.17g", w);
    if (task >= 0)
        fprintf(f, ",t%d", task);
    for (int t = 0; t < (task < 0 ? OUT : 1); t++)
        if (!y || isnan(y[t]))
            fprintf(f, ",");
        else
            fprintf(f, ",%.17g", y[t]);
    fprintf(f, "\n");
}

/* Columns a, b, w where there are weights, task where there are tasks, and y1.. or y. */
static inline void dense_tables(specreg_context *ctx, dense *d)
{
    const bool outputs = d->task[0] < 0;
    FILE *f = fopen(kit_temp("train.csv"), "w"), *g = fopen(kit_temp("later.csv"), "w");
    for (int k = 0; k < 2; k++)
        fprintf(k ? g : f, "a,b%s%s\n", d->weighted ? ",w" : "", outputs ? ",y1,y2,y3" : ",task,y");
    for (int i = 0; i < ROWS; i++)
        write_row(f, d, d->X + 2 * i, d->w[i], d->task[i], d->Y + i * OUT);
    for (int i = 0; i < NEW; i++)
        write_row(g, d, d->new_X + 2 * i, 1, outputs ? -1 : d->new_task[i], NULL);
    fclose(g);
    fclose(f);
    d->train = read_table(ctx, kit_temp("train.csv"));
    d->later = read_table(ctx, kit_temp("later.csv"));
    d->n = 0;
    for (int i = 0; i < ROWS; i++)
        for (int t = 0; t < (outputs ? OUT : 1); t++)
            if (!isnan(d->Y[i * OUT + t])) {
                d->row[d->n] = i;
                d->label[d->n] = outputs ? t : d->task[i];
                d->v[d->n] = d->w[i];
                d->y[d->n++] = d->Y[i * OUT + t];
            }
}

static inline void dense_free(dense *d)
{
    specreg_table_free(d->later);
    specreg_table_free(d->train);
}

#endif
