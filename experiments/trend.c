/* experiment trend: noisy points of |5 - x| by ridge regression and with a polynomial that is not
 * penalised, widths small, large and chosen (Figure 1 of Li, Lee and Leung, "Generalized
 * Regularized Least-Squares Learning with Predefined Features"). */
#include <math.h>
#include <stdlib.h>

#include "experiment.h"

/* The paper gives neither the number of points, nor the noise, nor the widths: these are ours. */
enum { POINTS = 50, GRID = 501 };
static const double end = 10.0, noise = 0.5;

enum { SMALL, LARGE, CHOSEN, WIDTHS };
static const char *const width_key[WIDTHS] = {"small", "large", "chosen"};
static const char *const kernel[WIDTHS] = {"rbf:sigma=0.1", "rbf:sigma=10", "rbf:sigma=auto"};

enum { RIDGE, MINIMISER, PRINTED, METHODS };
static const struct {
    const char *key, *name, *features;
} method[METHODS] = {
    {"ridge", "ridge regression", "none"},
    {"grls", "G-RLS", "poly:degree=2"},
    {"printed", "G-RLS as printed", "poly:degree=2,variant=paper"},
};

enum { PAIRS = 3 };
static const struct {
    const char *key;
    int a, b;
} pair[PAIRS] = {
    {"small_large", SMALL, LARGE},
    {"small_chosen", SMALL, CHOSEN},
    {"large_chosen", LARGE, CHOSEN},
};

static double target(double x)
{
    return fabs(5.0 - x);
}

static double grid_point(int i)
{
    return end * i / (GRID - 1);
}

/* -------------------------------------------------------------------- one data set */

typedef struct sample {
    double x[POINTS], y[POINTS];
} sample;

typedef double curves[METHODS][WIDTHS][GRID];

static void draw(exp_random random, sample *s)
{
    for (int i = 0; i < POINTS; i++)
        s->x[i] = end * exp_uniform(&random);
    for (int i = 0; i < POINTS; i++)
        s->y[i] = target(s->x[i]) + noise * exp_normal(&random);
}

static int fit_curve(cli *c, specreg_table *const *tables, int m, int w, double *f, double *sigma)
{
    const exp_setting settings[] = {{"kernel", kernel[w]},     {"features", method[m].features},
                                    {"select", "kfold:k=5"},   {"scale", "none"},
                                    {"problem", "regression"}, {NULL, NULL}};
    json_t *record = NULL;
    const int rc = exp_fit_predict(c, tables, settings, f, &record);
    *sigma = exp_number(record, "kernel.sigma");
    json_decref(record);
    return rc;
}

/* All curves on the grid, and the chosen width of each method. */
static int fit_curves(cli *c, const sample *s, curves f, double *chosen)
{
    static const char *const x[] = {"x"}, *const y[] = {"y"};
    specreg_table *tables[EXP_ROLES] = {NULL};
    double at[GRID], sigma = 0.0;
    for (int i = 0; i < GRID; i++)
        at[i] = grid_point(i);
    int rc = exp_table(c, POINTS, (exp_columns){s->x, 1, x}, (exp_columns){s->y, 1, y},
                       &tables[EXP_TRAIN]);
    if (!rc)
        rc = exp_table(c, GRID, (exp_columns){at, 1, x}, (exp_columns){0}, &tables[EXP_TEST]);
    for (int m = 0; !rc && m < METHODS; m++)
        for (int w = 0; !rc && w < WIDTHS; w++) {
            rc = fit_curve(c, tables, m, w, f[m][w], &sigma);
            if (w == CHOSEN)
                chosen[m] = sigma;
        }
    exp_free_tables(tables);
    return rc;
}

/* Root mean square difference. */
static double distance(const double *f, const double *g)
{
    double sum = 0.0;
    for (int i = 0; i < GRID; i++)
        sum += (f[i] - g[i]) * (f[i] - g[i]);
    return sqrt(sum / GRID);
}

/* -------------------------------------------------------------------- all of them */

typedef struct outcome { /* of a method, for each repetition */
    double *rmse[WIDTHS], *difference[PAIRS], *sigma;
} outcome;

static void outcome_new(outcome *o, int repeats)
{
    for (int w = 0; w < WIDTHS; w++)
        o->rmse[w] = exp_zeros(repeats);
    for (int p = 0; p < PAIRS; p++)
        o->difference[p] = exp_zeros(repeats);
    o->sigma = exp_zeros(repeats);
}

static void outcome_free(outcome *o)
{
    for (int w = 0; w < WIDTHS; w++)
        free(o->rmse[w]);
    for (int p = 0; p < PAIRS; p++)
        free(o->difference[p]);
    free(o->sigma);
}

/* The mean over pairs of widths and over repetitions. */
static double mean_difference(const outcome *o, int repeats)
{
    double sum = 0.0;
    for (int p = 0; p < PAIRS; p++)
        sum += exp_mean(o->difference[p], repeats);
    return sum / PAIRS;
}

static void compare(curves f, const double *truth, int r, outcome *o)
{
    for (int m = 0; m < METHODS; m++) {
        for (int w = 0; w < WIDTHS; w++)
            o[m].rmse[w][r] = distance(f[m][w], truth);
        for (int p = 0; p < PAIRS; p++)
            o[m].difference[p][r] = distance(f[m][pair[p].a], f[m][pair[p].b]);
    }
}

/* Rows for the training points, then rows for the curves; cells without a value stay empty. */
static void note_figure(cli_columns *t, const sample *s, curves f, const double *truth)
{
    for (int i = 0; i < POINTS; i++) {
        cli_columns_set(t, i, "x", s->x[i]);
        cli_columns_set(t, i, "y", s->y[i]);
    }
    for (int i = 0; i < GRID; i++) {
        cli_columns_set(t, POINTS + i, "x", grid_point(i));
        cli_columns_set(t, POINTS + i, "truth", truth[i]);
    }
    for (int m = 0; m < METHODS; m++)
        for (int w = 0; w < WIDTHS; w++) {
            char *name = cli_format("%s.%s", method[m].key, width_key[w]);
            for (int i = 0; i < GRID; i++)
                cli_columns_set(t, POINTS + i, name, f[m][w][i]);
            free(name);
        }
}

static int repeat(cli *c, const exp_request *request, outcome *o, cli_columns *figure)
{
    curves *f = cli_alloc(1, sizeof *f);
    double truth[GRID];
    int rc = CLI_OK;
    for (int i = 0; i < GRID; i++)
        truth[i] = target(grid_point(i));
    for (int r = 0; !rc && r < request->repeats; r++) {
        sample s;
        double sigma[METHODS];
        draw(exp_random_for(request->seed, 40, 0, POINTS, r), &s);
        rc = fit_curves(c, &s, *f, sigma);
        if (rc)
            break;
        compare(*f, truth, r, o);
        for (int m = 0; m < METHODS; m++)
            o[m].sigma[r] = sigma[m];
        if (r == 0)
            note_figure(figure, &s, *f, truth);
    }
    free(f);
    return rc;
}

/* -------------------------------------------------------------------- the report */

static void print_table(const outcome *o, int repeats)
{
    printf("%-17s  %-46s  %s\n", "", "rmse of the curve, sigma small, large, chosen",
           "difference, small-large, small-chosen, large-chosen");
    for (int m = 0; m < METHODS; m++) {
        printf("%-17s", method[m].name);
        for (int w = 0; w < WIDTHS; w++)
            printf("  %5.3f +- %5.3f", exp_mean(o[m].rmse[w], repeats),
                   exp_stddev(o[m].rmse[w], repeats));
        for (int p = 0; p < PAIRS; p++)
            printf("  %5.3f +- %5.3f", exp_mean(o[m].difference[p], repeats),
                   exp_stddev(o[m].difference[p], repeats));
        printf("\n");
    }
}

static json_t *results(const outcome *o, int repeats)
{
    json_t *list = json_array();
    for (int m = 0; m < METHODS; m++) {
        json_t *rmse = json_object(), *difference = json_object();
        for (int w = 0; w < WIDTHS; w++)
            json_object_set_new(rmse, width_key[w], exp_numbers(o[m].rmse[w], repeats));
        for (int p = 0; p < PAIRS; p++)
            json_object_set_new(difference, pair[p].key, exp_numbers(o[m].difference[p], repeats));
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o, s:o, s:o}", "method", method[m].key,
                                        "features", method[m].features, "rmse", rmse, "difference",
                                        difference, "sigma", exp_numbers(o[m].sigma, repeats)));
    }
    return list;
}

/* A difference is evident if it exceeds the noise of the points. */
static exp_claims judge(const cli *c, const outcome *o, int repeats)
{
    exp_claims claims = exp_claims_new(c);
    const double ridge = mean_difference(&o[RIDGE], repeats);
    exp_claim(&claims, ridge > noise, "varying sigma, ridge regression gives different results",
              "they differ by %.2f, the noise is %.1f", ridge, noise);
    for (int m = MINIMISER; m < METHODS; m++) {
        const double ours = mean_difference(&o[m], repeats);
        char *stable = cli_format("%s: polynomial features stabilize the results", method[m].name);
        char *equal = cli_format("%s: the difference is not evident", method[m].name);
        exp_claim(&claims, ours < 0.5 * ridge, stable,
                  "the difference is %.2f of that of ridge regression", ours / ridge);
        exp_claim(&claims, ours < noise, equal, "%.2f, the noise is %.1f", ours, noise);
        free(stable);
        free(equal);
    }
    return claims;
}

static int run(cli *c)
{
    exp_request request = {.repeats = 10};
    int rc = exp_request_read(c, &request);
    if (rc)
        return rc;
    outcome o[METHODS];
    cli_columns *figure = cli_columns_new(POINTS + GRID);
    for (int m = 0; m < METHODS; m++)
        outcome_new(&o[m], request.repeats);
    rc = repeat(c, &request, o, figure);
    cli_progress_clear();
    if (!rc) {
        if (c->show)
            print_table(o, request.repeats);
        exp_claims claims = judge(c, o, request.repeats);
        json_t *body = json_pack("{s:o}", "results", results(o, request.repeats));
        rc = exp_finish(c, "trend", &request, &claims, body, figure);
    }
    for (int m = 0; m < METHODS; m++)
        outcome_free(&o[m]);
    cli_columns_free(figure);
    return rc;
}

const experiment exp_trend = {
    .name = "trend",
    .time = "1 s",
    .paper = "Li, Lee and Leung, Figure 1",
    .subject = "noisy points of |5 - x| with and without an unpenalised polynomial",
    .about = "Noisy points of |5 - x|, with and without a polynomial that is not penalised; how "
             "much the curve changes with the width of the kernel.",
    .commands = "specreg fit TRAIN --features none --search grid --kernel rbf:sigma=0.1 --select "
                "kfold:k=5 --scale none\n"
                "specreg fit TRAIN --features poly:degree=2 --search grid --kernel rbf:sigma=0.1 "
                "--select kfold:k=5 --scale none",
    .options = {EXP_REPEATS, CLI_OUTPUT, -1},
    .run = run,
};
