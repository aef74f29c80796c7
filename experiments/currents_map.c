/* experiment currents: the map of the current and of its parts. */
#include <math.h>
#include <stdlib.h>

#include "currents.h"

enum { GRID = 40 };

typedef struct field_fit {
    const drifters *train;
    const double *coefficient; /* pairs */
    double sigma, gamma;
} field_fit;

/* The two parts of a Tikhonov fit at the point x: the kernel is the sum of (1 - gamma) times the
 * curl-free one and gamma times the divergence-free one. */
static void parts_at(const field_fit *fit, const double *x, double *curlfree, double *divfree)
{
    const drifters *d = fit->train;
    const double sigma = fit->sigma, gamma = fit->gamma;
    curlfree[0] = curlfree[1] = divfree[0] = divfree[1] = 0.0;
    for (int64_t i = 0; i < d->n; i++) {
        const double a = (x[0] - d->x[2 * i]) / sigma, b = (x[1] - d->x[2 * i + 1]) / sigma;
        const double e = exp(-0.5 * (a * a + b * b)) / (sigma * sigma);
        const double *k = fit->coefficient + 2 * i, along = a * k[0] + b * k[1];
        const double own = 1.0 - a * a - b * b;
        curlfree[0] += (1.0 - gamma) * e * (k[0] - a * along);
        curlfree[1] += (1.0 - gamma) * e * (k[1] - b * along);
        divfree[0] += gamma * e * (a * along + own * k[0]);
        divfree[1] += gamma * e * (b * along + own * k[1]);
    }
}

static drifters grid_over(const drifters *all)
{
    drifters grid = drifters_new(GRID * GRID);
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t i = 0; i < 2 * all->n; i++) {
        low[i % 2] = fmin(low[i % 2], all->x[i]);
        high[i % 2] = fmax(high[i % 2], all->x[i]);
    }
    for (int64_t i = 0; i < GRID * GRID; i++) {
        grid.x[2 * i] = low[0] + (high[0] - low[0]) * (double)(i % GRID) / (GRID - 1);
        grid.x[2 * i + 1] = low[1] + (high[1] - low[1]) * (double)(i / GRID) / (GRID - 1);
    }
    return grid;
}

static void enter(cli_columns *t, int64_t row, const char *const *names, const double *pair)
{
    cli_columns_set(t, row, names[0], pair[0]);
    cli_columns_set(t, row, names[1], pair[1]);
}

/* `worst` is the largest distance between the field and the sum of its parts. */
static cli_columns *columns_of(const field_fit *fit, const drifters *grid, double *worst)
{
    static const char *const names[][2] = {{"x", "y"},
                                           {"u", "v"},
                                           {"u:curlfree", "v:curlfree"},
                                           {"u:divfree", "v:divfree"}};
    cli_columns *t = cli_columns_new(grid->n);
    double curlfree[2], divfree[2];
    for (int64_t i = 0; i < grid->n; i++) {
        const double *x = grid->x + 2 * i, *v = grid->v + 2 * i;
        parts_at(fit, x, curlfree, divfree);
        enter(t, i, names[0], x);
        enter(t, i, names[1], v);
        enter(t, i, names[2], curlfree);
        enter(t, i, names[3], divfree);
        for (int k = 0; k < 2; k++)
            *worst = fmax(*worst, fabs(curlfree[k] + divfree[k] - v[k]));
    }
    return t;
}

/* The coefficients are c_i = (v_i - f(x_i)) / (n lambda); they replace the predictions f. */
static void make_coefficients(const drifters *all, double lambda, double *f)
{
    const double scale = (double)all->n * lambda;
    for (int64_t i = 0; i < 2 * all->n; i++)
        f[i] = (all->v[i] - f[i]) / scale;
}

int currents_map(cli *c, const drifters *all, cli_columns **out)
{
    double mean[2], worst = 0.0, *f = exp_zeros(2 * all->n);
    drifters grid = grid_over(all);
    specreg_model *model = NULL;
    json_t *record = NULL;
    drifters_mean(all, mean);
    drifters_fill(f, mean, all->n);
    int rc = drifters_fit(c, all, mean, CURRENTS_BOTH, &model, &record);
    if (!rc)
        rc = drifters_add_prediction(c, model, all, CURRENTS_BOTH, f);
    if (!rc)
        rc = drifters_add_prediction(c, model, &grid, CURRENTS_BOTH, grid.v);
    if (!rc) {
        make_coefficients(all, exp_number(record, "filter.lambda"), f);
        const field_fit fit = {all, f, exp_number(record, "kernel.sigma"),
                               exp_number(record, "kernel.gamma")};
        *out = columns_of(&fit, &grid, &worst);
        if (!(worst < 1e-6))
            rc = cli_fail(CLI_FAILED, "the parts of the field differ from it by %g", worst);
    }
    json_decref(record);
    specreg_model_free(model);
    drifters_free(&grid);
    free(f);
    return rc;
}
