/* The fields of field1, field2 and sparse-tasks on a grid: samples of them, and fits. */
#include "field.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 70, POINTS = SIDE * SIDE }; /* the grid on [-2, 2] x [-2, 2] */

/* ----------------------------------------------------------------------- the fields */

/* The gradient of five Gaussians of height 1, and the same turned by pi/2. */
static void field1(double gamma, double spread, const double *x, double *v)
{
    const double variance = spread * spread;
    static const double centre[5][2] = {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    double g[2] = {0.0, 0.0};
    for (int k = 0; k < 5; k++) {
        const double a = x[0] - centre[k][0], b = x[1] - centre[k][1];
        const double e = exp(-0.5 * (a * a + b * b) / variance) / variance;
        g[0] -= a * e;
        g[1] -= b * e;
    }
    v[0] = (1.0 - gamma) * g[0] - gamma * g[1];
    v[1] = (1.0 - gamma) * g[1] + gamma * g[0];
}

/* Waves that fade away with a Gaussian of width 1.2. */
static void field2(const double *x, double *v)
{
    const double fade = exp(-0.5 * (x[0] * x[0] + x[1] * x[1]) / (1.2 * 1.2));
    v[0] = fade * 2.0 * sin(3.0 * x[0]) * sin(1.5 * x[1]);
    v[1] = fade * 2.0 * cos(1.5 * x[0]) * cos(3.0 * x[1]);
}

static void field_at(const field_case *which, const double *x, double *v)
{
    if (isnan(which->gamma))
        field2(x, v);
    else
        field1(which->gamma, which->spread, x, v);
}

/* ------------------------------------------------------------------------ samples */

static field_sample sample_of(const field_case *which, const int64_t *points, int64_t n,
                              exp_random *noise)
{
    field_sample s = {.n = n, .x = exp_zeros(2 * n), .v = exp_zeros(2 * n)};
    for (int64_t i = 0; i < n; i++) {
        double *x = s.x + 2 * i, *v = s.v + 2 * i;
        x[0] = -2.0 + 4.0 * (double)(points[i] % SIDE) / (SIDE - 1);
        x[1] = -2.0 + 4.0 * (double)(points[i] / SIDE) / (SIDE - 1);
        field_at(which, x, v);
        if (noise && which->noise > 0) {
            const double sd = isnan(which->gamma) ? which->noise * hypot(v[0], v[1]) : which->noise;
            v[0] += sd * exp_normal(noise);
            v[1] += sd * exp_normal(noise);
        }
    }
    return s;
}

static void free_sample(field_sample *s)
{
    free(s->x);
    free(s->v);
}

/* The points are the same for every gamma and noise level, so that these can be compared. */
void field_draw(uint64_t seed, const field_case *which, int64_t n, int repeat, field_sample *s)
{
    const int64_t n_validate = isnan(which->gamma) ? n : 0, used = n + n_validate;
    int64_t *order = cli_alloc(POINTS, sizeof *order);
    exp_random shuffle = exp_random_for(seed, 10, 0, n, repeat);
    exp_random noise = exp_random_for(seed, 10, 1, n, repeat);
    for (int64_t i = 0; i < POINTS; i++)
        order[i] = i;
    exp_shuffle(&shuffle, order, POINTS);
    s[EXP_TRAIN] = sample_of(which, order, n, &noise);
    s[EXP_VALIDATE] = sample_of(which, order + n, n_validate, &noise);
    s[EXP_TEST] = sample_of(which, order + used, POINTS - used, NULL);
    free(order);
}

void field_free(field_sample *s)
{
    for (int role = 0; role < EXP_ROLES; role++)
        free_sample(&s[role]);
}

static int table_of(cli *c, const field_sample *s, int component, specreg_table **out)
{
    static const char *const names[] = {"x1", "x2"}, *const both[] = {"v1", "v2"};
    static const char *const one[] = {"y"};
    const exp_columns x = {s->x, 2, names};
    if (component == FIELD_BOTH)
        return exp_table(c, s->n, x, (exp_columns){s->v, 2, both}, out);
    double *y = exp_zeros(s->n);
    for (int64_t i = 0; i < s->n; i++)
        y[i] = s->v[2 * i + component];
    const int rc = exp_table(c, s->n, x, (exp_columns){y, 1, one}, out);
    free(y);
    return rc;
}

/* --------------------------------------------------------------------------- fits */

int field_learn(cli *c, double width, const field_sample *s, int component, double *predictions,
                json_t **record)
{
    char kernel[96];
    snprintf(kernel, sizeof kernel,
             component == FIELD_BOTH ? "helmholtz:gamma=lin:0:1:11,sigma=%.17g" : "rbf:sigma=%.17g",
             width);
    const exp_setting settings[] = {{"filter", "nu"},
                                    {"param", "t=1:700"},
                                    {"select", "kfold:k=5"},
                                    {"scale", "none"},
                                    {"problem", "regression"},
                                    {"kernel", kernel},
                                    {component == FIELD_BOTH ? "target" : NULL, "v1,v2"},
                                    {NULL, NULL}};
    specreg_table *tables[EXP_ROLES] = {NULL};
    int rc = CLI_OK;
    for (int role = 0; !rc && role < EXP_ROLES; role++)
        if (s[role].n > 0)
            rc = table_of(c, &s[role], component, &tables[role]);
    if (!rc)
        rc = exp_fit_predict(c, tables, settings, predictions, record);
    exp_free_tables(tables);
    return rc;
}
