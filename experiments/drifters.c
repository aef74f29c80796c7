/* Drifters in the ocean: reading them, choosing rows, and fits of the current. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "currents.h"

void drifters_free(drifters *d)
{
    free(d->x);
    free(d->v);
}

drifters drifters_new(int64_t n)
{
    return (drifters){.n = n, .x = exp_zeros(2 * n), .v = exp_zeros(2 * n)};
}

static double median_distance(const drifters *d)
{
    const int64_t pairs = d->n * (d->n - 1) / 2;
    double *r = exp_zeros(pairs);
    int64_t k = 0;
    for (int64_t i = 0; i < d->n; i++)
        for (int64_t j = 0; j < i; j++)
            r[k++] = hypot(d->x[2 * i] - d->x[2 * j], d->x[2 * i + 1] - d->x[2 * j + 1]);
    const double median = exp_median(r, pairs);
    free(r);
    return median;
}

static int take_drifters(const specreg_table *table, const char *path, drifters *d)
{
    if (specreg_table_cols(table) != 4 || specreg_table_rows(table) < 20)
        return cli_fail(CLI_FAILED, "%s: should have columns x,y,u,v and 20 rows or more", path);
    *d = drifters_new(specreg_table_rows(table));
    for (int64_t i = 0; i < d->n; i++)
        for (int k = 0; k < 4; k++) {
            const double value = specreg_table_number(table, i, k);
            if (!isfinite(value))
                return cli_fail(CLI_FAILED, "%s: row %lld: not a number", path, (long long)i + 1);
            (k < 2 ? d->x : d->v)[2 * i + k % 2] = value;
        }
    d->distance = median_distance(d);
    return CLI_OK;
}

int drifters_read(cli *c, const char *path, drifters *d)
{
    specreg_table *table = NULL;
    int rc = cli_check(c, specreg_table_read(c->ctx, path, NULL, &table));
    if (!rc)
        rc = take_drifters(table, path, d);
    specreg_table_free(table);
    return rc;
}

drifters drifters_select(const drifters *all, const int64_t *rows, int64_t n)
{
    drifters d = drifters_new(n);
    d.distance = all->distance;
    for (int64_t i = 0; i < n; i++) {
        memcpy(d.x + 2 * i, all->x + 2 * rows[i], 2 * sizeof(double));
        memcpy(d.v + 2 * i, all->v + 2 * rows[i], 2 * sizeof(double));
    }
    return d;
}

void drifters_mean(const drifters *d, double *mean)
{
    mean[0] = mean[1] = 0.0;
    for (int64_t i = 0; i < 2 * d->n; i++)
        mean[i % 2] += d->v[i] / (double)d->n;
}

/* No kernel here has a constant: the mean current is subtracted from the targets. */
static int table_of(cli *c, const drifters *d, const double *mean, int component,
                    specreg_table **out)
{
    static const char *const x[] = {"x", "y"}, *const both[] = {"u", "v"}, *const one[] = {"w"};
    const int T = component == CURRENTS_BOTH ? 2 : 1;
    double *y = exp_zeros(d->n * T);
    for (int64_t i = 0; i < d->n * T; i++) {
        const int64_t from = component == CURRENTS_BOTH ? i : 2 * i + component;
        y[i] = d->v[from] - mean[from % 2];
    }
    const int rc = exp_table(c, d->n, (exp_columns){d->x, 2, x},
                             (exp_columns){y, T, T == 2 ? both : one}, out);
    free(y);
    return rc;
}

/* Widths from 1/16 of the median distance to twice that; the same for both approaches. */
int drifters_fit(cli *c, const drifters *train, const double *mean, int component,
                 specreg_model **model, json_t **record)
{
    specreg_table *table = NULL;
    char *kernel =
        cli_format("%s:sigma=log:%.17g:%.17g:6%s", component == CURRENTS_BOTH ? "helmholtz" : "rbf",
                   train->distance / 16.0, train->distance * 2.0,
                   component == CURRENTS_BOTH ? ",gamma=lin:0:1:6" : "");
    const exp_setting settings[] = {{"kernel", kernel},
                                    {"filter", "tikhonov"},
                                    {"select", "kfold:k=5"},
                                    {"scale", "none"},
                                    {"problem", "regression"},
                                    {"target", component == CURRENTS_BOTH ? "u,v" : "w"},
                                    {NULL, NULL}};
    int rc = table_of(c, train, mean, component, &table);
    if (!rc)
        rc = exp_fit(c, table, NULL, settings, model, record);
    specreg_table_free(table);
    free(kernel);
    return rc;
}

int drifters_add_prediction(cli *c, const specreg_model *model, const drifters *at, int component,
                            double *v)
{
    static const char *const names[] = {"x", "y"};
    const int T = component == CURRENTS_BOTH ? 2 : 1;
    specreg_table *table = NULL;
    double *f = exp_zeros(at->n * T);
    int rc = exp_table(c, at->n, (exp_columns){at->x, 2, names}, (exp_columns){0}, &table);
    if (!rc)
        rc = exp_predict(c, model, table, f);
    for (int64_t i = 0; !rc && i < at->n * T; i++)
        v[component == CURRENTS_BOTH ? i : 2 * i + component] += f[i];
    specreg_table_free(table);
    free(f);
    return rc;
}

void drifters_fill(double *v, const double *mean, int64_t n)
{
    for (int64_t i = 0; i < 2 * n; i++)
        v[i] = mean[i % 2];
}
