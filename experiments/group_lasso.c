/* Group lasso by accelerated proximal steps (Beck and Teboulle's FISTA, started again where the
 * objective grows), then least squares on the features that it chose. */
#include "group_lasso.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1000 };
static const double tolerance = 1e-6; /* of the objective, from one step to the next */

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add(double *to, double factor, const double *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] += factor * from[i];
}

/* ----------------------------------------------------------------------- group lasso */

/* r = X w - y of a task; gives |r|^2. */
static double residual(const lasso_data *d, int t, const double *w, double *r)
{
    for (int64_t i = 0; i < d->n; i++)
        r[i] = dot(d->x[t] + i * d->p, w, d->p) - d->y[t][i];
    return dot(r, r, d->n);
}

/* The largest eigenvalue of X'X over the tasks, by power iteration, a little enlarged. */
static double largest_eigenvalue(const lasso_data *d)
{
    double *v = exp_zeros(d->p), *u = exp_zeros(d->p), largest = 0.0;
    for (int t = 0; t < LASSO_TASKS; t++) {
        double norm = 0.0;
        for (int64_t j = 0; j < d->p; j++)
            v[j] = 1.0 + 0.001 * (double)(j % 17);
        for (int k = 0; k < 100; k++) {
            norm = sqrt(dot(v, v, d->p));
            memset(u, 0, (size_t)d->p * sizeof *u);
            for (int64_t i = 0; i < d->n; i++)
                add(u, dot(d->x[t] + i * d->p, v, d->p) / norm, d->x[t] + i * d->p, d->p);
            memcpy(v, u, (size_t)d->p * sizeof *v);
        }
        largest = fmax(largest, sqrt(dot(v, v, d->p)));
    }
    free(u);
    free(v);
    return 1.05 * largest;
}

/* The objective at w. */
static double objective(const lasso_data *d, double *const *w, double tau, double *r)
{
    double value = 0.0;
    for (int t = 0; t < LASSO_TASKS; t++)
        value += residual(d, t, w[t], r) / (double)d->n;
    for (int64_t j = 0; j < d->p; j++)
        value += tau * hypot(w[0][j], w[1][j]);
    return value;
}

/* to = the proximal step from v of length `step`. */
static void proximal_step(const lasso_data *d, double *const *v, double tau, double step, double *r,
                          double *const *to)
{
    for (int t = 0; t < LASSO_TASKS; t++) {
        residual(d, t, v[t], r);
        memcpy(to[t], v[t], (size_t)d->p * sizeof **to);
        for (int64_t i = 0; i < d->n; i++)
            add(to[t], -2.0 * step * r[i] / (double)d->n, d->x[t] + i * d->p, d->p);
    }
    for (int64_t j = 0; j < d->p; j++) {
        const double norm = hypot(to[0][j], to[1][j]);
        const double left = norm > tau * step ? 1.0 - tau * step / norm : 0.0;
        to[0][j] *= left;
        to[1][j] *= left;
    }
}

/* From w on, which it replaces. */
static void shrink(const lasso_data *d, double tau, double step, double *const *w)
{
    const size_t bytes = (size_t)d->p * sizeof(double);
    double *v[LASSO_TASKS], *next[LASSO_TASKS], *r = exp_zeros(d->n), momentum = 1.0;
    for (int t = 0; t < LASSO_TASKS; t++) {
        v[t] = memcpy(exp_zeros(d->p), w[t], bytes);
        next[t] = exp_zeros(d->p);
    }
    double before = objective(d, w, tau, r);
    for (int k = 0; k < MOST_STEPS; k++) {
        proximal_step(d, v, tau, step, r, next);
        const double now = objective(d, next, tau, r);
        const double grown = 0.5 * (1.0 + sqrt(1.0 + 4.0 * momentum * momentum));
        const double beyond = now > before ? 0.0 : (momentum - 1.0) / grown;
        for (int t = 0; t < LASSO_TASKS; t++)
            for (int64_t j = 0; j < d->p; j++) {
                v[t][j] = next[t][j] + beyond * (next[t][j] - w[t][j]);
                w[t][j] = next[t][j];
            }
        momentum = now > before ? 1.0 : grown;
        const bool still = fabs(before - now) <= tolerance * before;
        before = now;
        if (still)
            break;
    }
    free(r);
    for (int t = 0; t < LASSO_TASKS; t++) {
        free(v[t]);
        free(next[t]);
    }
}

/* ---------------------------------------------------------------------- least squares */

/* K = X X' over the features of `on`. */
static void gram(const lasso_data *d, int t, const int64_t *on, int64_t count, double *K)
{
    for (int64_t i = 0; i < d->n; i++)
        for (int64_t k = 0; k <= i; k++) {
            const double *a = d->x[t] + i * d->p, *b = d->x[t] + k * d->p;
            double sum = 0.0;
            for (int64_t j = 0; j < count; j++)
                sum += a[on[j]] * b[on[j]];
            K[i * d->n + k] = K[k * d->n + i] = sum;
        }
}

/* (K + shift) a = y by Cholesky; L takes the factor. */
static void solve(const double *K, double shift, const double *y, int64_t n, double *L, double *a)
{
    for (int64_t i = 0; i < n; i++) {
        double *row = L + i * n;
        for (int64_t k = 0; k <= i; k++) {
            const double left = K[i * n + k] + (i == k ? shift : 0.0) - dot(row, L + k * n, k);
            row[k] = i == k ? sqrt(fmax(left, 1e-14)) : left / L[k * n + k];
        }
        a[i] = (y[i] - dot(row, a, i)) / row[i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        a[i] /= L[i * n + i];
        for (int64_t k = 0; k < i; k++)
            a[k] -= a[i] * L[i * n + k];
    }
}

/* w = X'a over the features of `on`. */
static void weights_of(const lasso_data *d, int t, const int64_t *on, int64_t count,
                       const double *a, double *w)
{
    memset(w, 0, (size_t)d->p * sizeof *w);
    for (int64_t i = 0; i < d->n; i++)
        for (int64_t j = 0; j < count; j++)
            w[on[j]] += a[i] * d->x[t][i * d->p + on[j]];
}

/* Tries every lambda on the features that have a weight in `chosen`; keeps what is best so far. */
static void try_lambdas(const lasso_data *train, const lasso_data *validate, double *const *chosen,
                        const double *penalty, int penalties, double *const *w,
                        lasso_choice *choice, double tau)
{
    const int64_t n = train->n;
    int64_t *on = cli_alloc((size_t)train->p, sizeof *on), count = 0;
    double *K[LASSO_TASKS], *L = exp_zeros(n * n), *a = exp_zeros(n), *r = exp_zeros(validate->n);
    double *trial[LASSO_TASKS];
    for (int64_t j = 0; j < train->p; j++)
        if (chosen[0][j] != 0.0 || chosen[1][j] != 0.0)
            on[count++] = j;
    for (int t = 0; t < LASSO_TASKS; t++) {
        K[t] = exp_zeros(n * n);
        trial[t] = exp_zeros(train->p);
        gram(train, t, on, count, K[t]);
    }
    for (int k = 0; k < penalties && count > 0; k++) {
        double error = 0.0;
        for (int t = 0; t < LASSO_TASKS; t++) {
            solve(K[t], (double)n * penalty[k], train->y[t], n, L, a);
            weights_of(train, t, on, count, a, trial[t]);
            error += residual(validate, t, trial[t], r);
        }
        if (error < choice->error) {
            *choice = (lasso_choice){tau, penalty[k], error, count};
            for (int t = 0; t < LASSO_TASKS; t++)
                memcpy(w[t], trial[t], (size_t)train->p * sizeof **trial);
        }
    }
    for (int t = 0; t < LASSO_TASKS; t++) {
        free(trial[t]);
        free(K[t]);
    }
    free(r);
    free(a);
    free(L);
    free(on);
}

int lasso_fit(const lasso_data *train, const lasso_data *validate, const double *penalty,
              int penalties, double *w[LASSO_TASKS], lasso_choice *choice)
{
    const double step = 0.5 * (double)train->n / largest_eigenvalue(train);
    double *chosen[LASSO_TASKS];
    for (int t = 0; t < LASSO_TASKS; t++)
        chosen[t] = exp_zeros(train->p);
    *choice = (lasso_choice){.error = INFINITY};
    for (int k = 0; k < penalties && !cli_stop_code(); k++) {
        shrink(train, penalty[k], step, chosen);
        try_lambdas(train, validate, chosen, penalty, penalties, w, choice, penalty[k]);
    }
    for (int t = 0; t < LASSO_TASKS; t++)
        free(chosen[t]);
    return cli_stop_code();
}
