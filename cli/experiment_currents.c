/* experiment currents: velocities of drifters in the ocean by a kernel for fields, and component by
 * component, on points that were held out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"

enum { SETS = 4, GRID = 40 };
static const char *const set_name[SETS] = {"glad_full", "glad_sparse", "laser_full",
                                           "laser_sparse"};

/* ------------------------------------------------------------------------- the data */

typedef struct drifters {
    int64_t n;
    double *x, *v;   /* pairs                                          */
    double distance; /* the median between two of them: widths go by it */
} drifters;

static void free_drifters(drifters *d)
{
    free(d->x);
    free(d->v);
}

static drifters new_drifters(int64_t n)
{
    return (drifters){.n = n,
                      .x = cli_alloc((size_t)n, 2 * sizeof(double)),
                      .v = cli_alloc((size_t)n, 2 * sizeof(double))};
}

static double median_distance(const drifters *d)
{
    const int64_t pairs = d->n * (d->n - 1) / 2;
    double *r = cli_alloc((size_t)pairs, sizeof *r);
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
    *d = new_drifters(specreg_table_rows(table));
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

static char *path_of(const cli *c, int set)
{
    return cli_format("%s/vectorfield/%s.csv", exp_data_folder(c), set_name[set]);
}

static int read_drifters(cli *c, int set, drifters *d)
{
    char *path = path_of(c, set);
    specreg_table *table = NULL;
    int rc = cli_check(c, specreg_table_read(c->ctx, path, NULL, &table));
    if (!rc)
        rc = take_drifters(table, path, d);
    specreg_table_free(table);
    free(path);
    return rc;
}

/* The rows of a list. */
static drifters some(const drifters *all, const int64_t *rows, int64_t n)
{
    drifters d = new_drifters(n);
    d.distance = all->distance;
    for (int64_t i = 0; i < n; i++) {
        memcpy(d.x + 2 * i, all->x + 2 * rows[i], 2 * sizeof(double));
        memcpy(d.v + 2 * i, all->v + 2 * rows[i], 2 * sizeof(double));
    }
    return d;
}

/* No kernel here has a constant: the mean current of the training points is taken off. */
static void mean_current(const drifters *d, double *mean)
{
    mean[0] = mean[1] = 0.0;
    for (int64_t i = 0; i < 2 * d->n; i++)
        mean[i % 2] += d->v[i] / (double)d->n;
}

enum { BOTH = -1 };
static int table_of(cli *c, const drifters *d, const double *mean, int component,
                    specreg_table **out)
{
    static const char *const x[] = {"x", "y"}, *const both[] = {"u", "v"}, *const one[] = {"w"};
    const int T = component == BOTH ? 2 : 1;
    double *y = cli_alloc((size_t)(d->n * T), sizeof *y);
    for (int64_t i = 0; i < d->n * T; i++) {
        const int64_t from = component == BOTH ? i : 2 * i + component;
        y[i] = d->v[from] - mean[from % 2];
    }
    const int rc = exp_table(c, d->n, d->x, 2, x, y, T, T == 2 ? both : one, out);
    free(y);
    return rc;
}

/* ----------------------------------------------------------------------------- fits */

/* Widths from 1/16 of the median distance to twice that; the same for both approaches. */
static int fit(cli *c, const drifters *train, const double *mean, int component,
               specreg_model **model, json_t **record)
{
    specreg_table *table = NULL;
    char *kernel = cli_format("%s:sigma=log:%.17g:%.17g:6%s",
                              component == BOTH ? "helmholtz" : "rbf", train->distance / 16.0,
                              train->distance * 2.0, component == BOTH ? ",gamma=lin:0:1:6" : "");
    const exp_setting settings[] = {{"kernel", kernel},
                                    {"filter", "tikhonov"},
                                    {"select", "kfold:k=5"},
                                    {"scale", "none"},
                                    {"problem", "regression"},
                                    {"target", component == BOTH ? "u,v" : "w"},
                                    {NULL, NULL}};
    int rc = table_of(c, train, mean, component, &table);
    if (!rc)
        rc = exp_fit(c, table, NULL, settings, model, record);
    specreg_table_free(table);
    free(kernel);
    return rc;
}

/* Adds the prediction of a component, or of both, to `v`, pairs that begin with the mean. */
static int add_prediction(cli *c, const specreg_model *model, const drifters *at, int component,
                          double *v)
{
    static const char *const names[] = {"x", "y"};
    const int T = component == BOTH ? 2 : 1;
    specreg_table *table = NULL;
    double *f = cli_alloc((size_t)(at->n * T), sizeof *f);
    int rc = exp_table(c, at->n, at->x, 2, names, NULL, 0, NULL, &table);
    if (!rc)
        rc = exp_predict(c, model, table, f);
    for (int64_t i = 0; !rc && i < at->n * T; i++)
        v[component == BOTH ? i : 2 * i + component] += f[i];
    specreg_table_free(table);
    free(f);
    return rc;
}

static void fill(double *v, const double *mean, int64_t n)
{
    for (int64_t i = 0; i < 2 * n; i++)
        v[i] = mean[i % 2];
}

typedef struct outcome {       /* per split */
    double *mse[2], *angle[2]; /* by the field kernel, by components */
    double *gamma, *sigma;
} outcome;

static void score(const drifters *test, const double *v, int by, int r, outcome *o)
{
    double squares = 0.0;
    for (int64_t i = 0; i < 2 * test->n; i++)
        squares += (v[i] - test->v[i]) * (v[i] - test->v[i]);
    o->mse[by][r] = squares / (double)(2 * test->n);
    o->angle[by][r] = exp_angle(v, test->v, test->n);
}

static int run_split(cli *c, const drifters *train, const drifters *test, int r, outcome *o)
{
    double mean[2], *v = cli_alloc((size_t)test->n, 2 * sizeof *v);
    specreg_model *model = NULL;
    json_t *record = NULL;
    mean_current(train, mean);
    fill(v, mean, test->n);
    int rc = fit(c, train, mean, BOTH, &model, &record);
    if (!rc)
        rc = add_prediction(c, model, test, BOTH, v);
    specreg_model_free(model);
    score(test, v, 0, r, o);
    o->gamma[r] = exp_number(record, "kernel.gamma");
    o->sigma[r] = exp_number(record, "kernel.sigma");
    json_decref(record);
    fill(v, mean, test->n);
    for (int component = 0; !rc && component < 2; component++) {
        model = NULL;
        rc = fit(c, train, mean, component, &model, NULL);
        if (!rc)
            rc = add_prediction(c, model, test, component, v);
        specreg_model_free(model);
    }
    score(test, v, 1, r, o);
    free(v);
    return rc;
}

/* A fifth of the points, rounded up, is held out. */
static int run_splits(cli *c, const exp_request *request, int set, const drifters *all, outcome *o)
{
    const int64_t held = (all->n + 4) / 5;
    int64_t *order = cli_alloc((size_t)all->n, sizeof *order);
    int rc = CLI_OK;
    for (int r = 0; !rc && r < request->repeats; r++) {
        char *task = cli_format("%s %d/%d", set_name[set], r + 1, request->repeats);
        exp_random random = exp_random_for(request->seed, 30, set, 0, r);
        for (int64_t i = 0; i < all->n; i++)
            order[i] = i;
        exp_shuffle(&random, order, all->n);
        drifters test = some(all, order, held), train = some(all, order + held, all->n - held);
        cli_progress_task(task);
        rc = run_split(c, &train, &test, r, o);
        cli_progress_task(NULL);
        free_drifters(&test);
        free_drifters(&train);
        free(task);
    }
    cli_progress_clear();
    free(order);
    return rc;
}

/* --------------------------------------------------------------------- the picture */

/* The parts of a Tikhonov fit at a point.  Its coefficients are c_i = (v_i - f(x_i)) / (n lambda),
 * and the kernel is a sum, (1 - gamma) curl-free + gamma divergence-free. */
static void parts_at(const drifters *d, const double *coefficient, double sigma, double gamma,
                     const double *x, double *curlfree, double *divfree)
{
    curlfree[0] = curlfree[1] = divfree[0] = divfree[1] = 0.0;
    for (int64_t i = 0; i < d->n; i++) {
        const double a = (x[0] - d->x[2 * i]) / sigma, b = (x[1] - d->x[2 * i + 1]) / sigma;
        const double e = exp(-0.5 * (a * a + b * b)) / (sigma * sigma);
        const double *k = coefficient + 2 * i, along = a * k[0] + b * k[1];
        const double own = 1.0 - a * a - b * b;
        curlfree[0] += (1.0 - gamma) * e * (k[0] - a * along);
        curlfree[1] += (1.0 - gamma) * e * (k[1] - b * along);
        divfree[0] += gamma * e * (a * along + own * k[0]);
        divfree[1] += gamma * e * (b * along + own * k[1]);
    }
}

static drifters grid_over(const drifters *all)
{
    drifters grid = new_drifters(GRID * GRID);
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

static cli_columns *map_of(const drifters *all, const drifters *grid, const double *coefficient,
                           const json_t *record, double *worst)
{
    cli_columns *t = cli_columns_new(grid->n);
    const double sigma = exp_number(record, "kernel.sigma");
    const double gamma = exp_number(record, "kernel.gamma");
    double curlfree[2], divfree[2];
    for (int64_t i = 0; i < grid->n; i++) {
        const double *x = grid->x + 2 * i, *v = grid->v + 2 * i;
        parts_at(all, coefficient, sigma, gamma, x, curlfree, divfree);
        cli_columns_set(t, i, "x", x[0]);
        cli_columns_set(t, i, "y", x[1]);
        cli_columns_set(t, i, "u", v[0]);
        cli_columns_set(t, i, "v", v[1]);
        cli_columns_set(t, i, "u:curlfree", curlfree[0]);
        cli_columns_set(t, i, "v:curlfree", curlfree[1]);
        cli_columns_set(t, i, "u:divfree", divfree[0]);
        cli_columns_set(t, i, "v:divfree", divfree[1]);
        *worst = fmax(*worst, fabs(curlfree[0] + divfree[0] - v[0]));
        *worst = fmax(*worst, fabs(curlfree[1] + divfree[1] - v[1]));
    }
    return t;
}

/* The field that all points give, less their mean current, and its parts on a grid. */
static int draw(cli *c, const drifters *all, cli_columns **out)
{
    static const double none[2] = {0.0, 0.0};
    double mean[2], worst = 0.0, *f = cli_alloc((size_t)all->n, 2 * sizeof *f);
    drifters grid = grid_over(all);
    specreg_model *model = NULL;
    json_t *record = NULL;
    mean_current(all, mean);
    fill(f, mean, all->n);
    fill(grid.v, none, grid.n);
    int rc = fit(c, all, mean, BOTH, &model, &record);
    if (!rc)
        rc = add_prediction(c, model, all, BOTH, f);
    if (!rc)
        rc = add_prediction(c, model, &grid, BOTH, grid.v);
    if (!rc) {
        const double scale = (double)all->n * exp_number(record, "filter.lambda");
        for (int64_t i = 0; i < 2 * all->n; i++)
            f[i] = (all->v[i] - f[i]) / scale;
        *out = map_of(all, &grid, f, record, &worst);
        if (!(worst < 1e-6))
            rc = cli_fail(CLI_FAILED, "the parts of the field differ from it by %g", worst);
    }
    json_decref(record);
    specreg_model_free(model);
    free_drifters(&grid);
    free(f);
    return rc;
}

/* ------------------------------------------------------------------- the experiment */

static void print_row(int set, int64_t n, const outcome *o, int repeats)
{
    printf("%-12s  %5d", set_name[set], (int)n);
    for (int by = 0; by < 2; by++)
        printf("  %9.3g +- %7.2g", exp_mean(o->mse[by], repeats), exp_stddev(o->mse[by], repeats));
    printf("  %6.3f", exp_mean(o->mse[0], repeats) / exp_mean(o->mse[1], repeats));
    for (int by = 0; by < 2; by++)
        printf("  %6.2f +- %4.2f", exp_mean(o->angle[by], repeats),
               exp_stddev(o->angle[by], repeats));
    printf("  %5.2f  %7.3g\n", exp_median(o->gamma, repeats), exp_median(o->sigma, repeats));
    fflush(stdout);
}

static void judge(exp_claims *claims, int set, const outcome *o, int repeats)
{
    char *paper =
        cli_format("%s: a kernel for fields is better than independent components", set_name[set]);
    int won = 0;
    for (int r = 0; r < repeats; r++)
        won += o->mse[0][r] < o->mse[1][r];
    const double ratio = exp_mean(o->mse[0], repeats) / exp_mean(o->mse[1], repeats);
    exp_claim(claims, ratio < 1.0, paper,
              "the squared error is %.3f of theirs; less in %d of %d splits", ratio, won, repeats);
    free(paper);
}

static json_t *entry_of(int set, int64_t n, const outcome *o, int repeats)
{
    return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "set", set_name[set], "n",
                     (json_int_t)n, "field_mse", exp_numbers(o->mse[0], repeats), "components_mse",
                     exp_numbers(o->mse[1], repeats), "field_angle",
                     exp_numbers(o->angle[0], repeats), "components_angle",
                     exp_numbers(o->angle[1], repeats), "gamma", exp_numbers(o->gamma, repeats),
                     "sigma", exp_numbers(o->sigma, repeats));
}

static int parse_sets(const cli *c, int *set, int *count)
{
    const char *text = c->value[CLI_SETS];
    const bool all = !text || strcmp(text, "all") == 0;
    *count = all ? SETS : 0;
    for (int i = 0; i < *count; i++)
        set[i] = i;
    while (!all && *count < SETS) {
        const size_t length = strcspn(text, ",");
        int i = 0;
        while (i < SETS &&
               (strlen(set_name[i]) != length || strncmp(set_name[i], text, length) != 0))
            i++;
        if (i == SETS)
            return cli_usage(c, "unknown set '%.*s' (see 'specreg help experiment')", (int)length,
                             text);
        set[(*count)++] = i;
        text += length;
        if (!*text++)
            return CLI_OK;
    }
    return all ? CLI_OK : cli_usage(c, "--sets names more than %d sets", (int)SETS);
}

typedef struct report {
    json_t *results;
    exp_claims claims;
    cli_columns *map;
} report;

static int run_set(cli *c, const exp_request *request, int set, bool draw_it, outcome *o,
                   report *out)
{
    drifters all = {0};
    int rc = read_drifters(c, set, &all);
    if (!rc)
        rc = run_splits(c, request, set, &all, o);
    if (!rc && draw_it)
        rc = draw(c, &all, &out->map);
    if (!rc && c->show)
        print_row(set, all.n, o, request->repeats);
    if (!rc)
        json_array_append_new(out->results, entry_of(set, all.n, o, request->repeats));
    free_drifters(&all);
    return rc;
}

static int check_files(const cli *c, const int *set, int count)
{
    int rc = CLI_OK;
    for (int i = 0; !rc && i < count; i++) {
        char *path = path_of(c, set[i]);
        rc = exp_check_file(path);
        free(path);
    }
    return rc;
}

int cli_experiment_currents(cli *c)
{
    exp_request request = {.repeats = 10};
    int set[SETS], count = 0;
    int rc = exp_request_read(c, &request);
    if (!rc)
        rc = parse_sets(c, set, &count);
    if (!rc)
        rc = check_files(c, set, count);
    if (rc)
        return rc;
    outcome o[SETS];
    const size_t n = (size_t)request.repeats;
    for (int i = 0; i < SETS; i++)
        o[i] = (outcome){{cli_alloc(n, sizeof(double)), cli_alloc(n, sizeof(double))},
                         {cli_alloc(n, sizeof(double)), cli_alloc(n, sizeof(double))},
                         cli_alloc(n, sizeof(double)),
                         cli_alloc(n, sizeof(double))};
    report out = {.results = json_array()};
    if (c->show)
        printf("%-12s  %5s  %20s  %20s  %6s  %14s  %14s  %5s  %7s\n", "set", "n", "mse, field",
               "mse, components", "ratio", "angle, field", "components", "gamma", "sigma");
    for (int i = 0; !rc && i < count; i++)
        rc = run_set(c, &request, set[i], i == 0 && c->value[CLI_OUTPUT], &o[i], &out);
    if (!rc) {
        out.claims = exp_claims_new(c);
        for (int i = 0; i < count; i++)
            judge(&out.claims, set[i], &o[i], request.repeats);
        rc = exp_finish(c, "currents", &request, &out.claims,
                        json_pack("{s:O}", "results", out.results), out.map);
    }
    json_decref(out.results);
    cli_columns_free(out.map);
    for (int i = 0; i < SETS; i++) {
        free(o[i].mse[0]);
        free(o[i].mse[1]);
        free(o[i].angle[0]);
        free(o[i].angle[1]);
        free(o[i].gamma);
        free(o[i].sigma);
    }
    return rc;
}
