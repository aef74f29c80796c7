/* experiment saturation: what a finite qualification costs (Figures 1 to 3 of Lo Gerfo, Rosasco,
 * Odone, De Vito and Verri, "Spectral Algorithms for Supervised Learning"): the approximation error
 * of the filters as lambda falls, and the least error of learned curves as n grows. */
#include <math.h>
#include <stdlib.h>

#include "experiment.h"

enum { TIKHONOV, ITERATED, TSVD, NU, METHODS };
static const struct {
    const char *key, *filter, *param;
    double qualification;
} method[METHODS] = {
    {"tikhonov", "tikhonov", "lambda=log:1e-7:1:71", 1.0},
    {"iterated", "iterated:order=4", "lambda=log:1e-7:1:71", 4.0},
    {"tsvd", "tsvd", "lambda=log:1e-7:1:71", INFINITY},
    {"nu", "nu:nu=2", "t=1:400", 2.0},
};

/* ------------------------------------------------- approximation error (Figures 1 and 2) */

enum { SMOOTHNESS = 3, LAMBDAS = 9 };
static const double smoothness[SMOOTHNESS] = {0.5, 1.0, 2.0}; /* r of the paper */

/* The parameter whose lambda is 10^(-3 - k/4): lambda itself, or t with 1/t^2 near it. */
static char *parameter(int m, int k, double *lambda)
{
    const double t = round(pow(10.0, 1.5 + 0.125 * k));
    *lambda = m == NU ? 1.0 / (t * t) : pow(10.0, -3.0 - 0.25 * k);
    return m == NU ? cli_format("t=%.0f", t) : cli_format("lambda=%.17g", *lambda);
}

/* The largest |1 - s g(s)| s^r over 0 < s <= 1. */
static int residual(cli *c, int m, const char *param, double r, double *largest)
{
    char *text = NULL;
    const int rc = cli_check(c, specreg_filter_curve(c->ctx, method[m].filter, param,
                                                     "log:1e-7:1:1401", r, &text));
    json_t *record = rc ? NULL : cli_load(text), *point;
    size_t i;
    *largest = 0.0;
    json_array_foreach (json_object_get(record, "curve"), i, point)
        *largest = fmax(*largest, fabs(exp_number(point, "residual")));
    json_decref(record);
    specreg_string_free(text);
    return rc;
}

typedef double approximation[METHODS][SMOOTHNESS]; /* exponents of lambda */

static int approximate(cli *c, approximation exponent)
{
    int rc = CLI_OK;
    for (int m = 0; !rc && m < METHODS; m++)
        for (int j = 0; !rc && j < SMOOTHNESS; j++) {
            double error[2] = {0}, lambda[2] = {0};
            for (int end = 0; !rc && end < 2; end++) {
                char *param = parameter(m, end * (LAMBDAS - 1), &lambda[end]);
                rc = residual(c, m, param, smoothness[j], &error[end]);
                free(param);
            }
            exponent[m][j] = log(error[1] / error[0]) / log(lambda[1] / lambda[0]);
        }
    return rc;
}

/* ------------------------------------------------------------- learned curves (Figure 3) */

enum { SECTION, PRINTED, SINE, TASKS, GRID = 1000 };
static const char *const task_key[TASKS] = {"section", "printed", "sine"};
static const char *const task_name[TASKS] = {"K(0.4, x)", "sin x", "sin 2 pi x"};
/* The paper gives neither the point x0 nor the noise: these are ours; the noise is a share of the
 * root mean square of the curve. */
static const double x0 = 0.4, noise = 0.3;

static double curve(int task, double x)
{
    if (task == SECTION)
        return fmin(x, x0) * (1.0 - fmax(x, x0));
    return sin(task == SINE ? 2.0 * 3.14159265358979323846 * x : x);
}

static double root_mean_square(int task)
{
    double sum = 0.0;
    for (int i = 0; i < GRID; i++)
        sum += pow(curve(task, (i + 0.5) / GRID), 2);
    return sqrt(sum / GRID);
}

typedef struct pairs {
    int64_t n;
    double *x, *y;
} pairs;

static int as_table(cli *c, const pairs *p, specreg_table **out)
{
    static const char *const x[] = {"x"}, *const y[] = {"y"};
    return exp_table(c, p->n, (exp_columns){p->x, 1, x}, (exp_columns){p->y, 1, y}, out);
}

/* Delta(n): the least over the path of the mean squared difference from the curve, as a share of
 * the curve's mean square. */
static int least_errors(cli *c, exp_random random, int task, int64_t n, double *least)
{
    pairs train = {n, exp_zeros(n), exp_zeros(n)}, grid = {GRID, exp_zeros(GRID), exp_zeros(GRID)};
    specreg_table *tables[EXP_ROLES] = {NULL};
    const double size = root_mean_square(task);
    for (int64_t i = 0; i < n; i++) {
        train.x[i] = exp_uniform(&random);
        train.y[i] = curve(task, train.x[i]) + noise * size * exp_normal(&random);
    }
    for (int i = 0; i < GRID; i++) {
        grid.x[i] = (i + 0.5) / GRID;
        grid.y[i] = curve(task, grid.x[i]);
    }
    int rc = as_table(c, &train, &tables[EXP_TRAIN]);
    if (!rc)
        rc = as_table(c, &grid, &tables[EXP_VALIDATE]);
    for (int m = 0; !rc && m < METHODS; m++) {
        const exp_setting settings[] = {{"kernel", "sobolev"},
                                        {"scale", "none"},
                                        {"problem", "regression"},
                                        {"filter", method[m].filter},
                                        {"param", method[m].param},
                                        {"features", "none"},
                                        {NULL, NULL}};
        specreg_model *model = NULL;
        json_t *record = NULL;
        rc = exp_fit(c, tables[EXP_TRAIN], tables[EXP_VALIDATE], settings, &model, &record);
        least[m] = exp_number(record, "selection.value") / (size * size);
        json_decref(record);
        specreg_model_free(model);
    }
    exp_free_tables(tables);
    free(train.x);
    free(train.y);
    free(grid.x);
    free(grid.y);
    return rc;
}

typedef struct results {
    approximation exponent;
    double *least[TASKS][METHODS]; /* for each size, then for each repetition */
} results;

static int run_all(cli *c, const exp_request *request, results *out)
{
    int rc = approximate(c, out->exponent);
    for (int i = 0; !rc && i < request->n_sizes; i++)
        for (int r = 0; !rc && r < request->repeats; r++)
            for (int k = 0; !rc && k < TASKS; k++) {
                const int64_t n = request->size[i];
                double least[METHODS];
                cli_progress_label("n = %d, %d/%d", (int)n, r + 1, request->repeats);
                rc = least_errors(c, exp_random_for(request->seed, 60, k, n, r), k, n, least);
                for (int m = 0; !rc && m < METHODS; m++)
                    out->least[k][m][i * request->repeats + r] = least[m];
            }
    return rc;
}

static double mean_at(const exp_request *request, const results *out, int k, int m, int i)
{
    return exp_mean(out->least[k][m] + i * request->repeats, request->repeats);
}

/* The exponent of n in the mean error, from the first size to the last. */
static double rate(const exp_request *request, const results *out, int k, int m)
{
    const int last = request->n_sizes - 1;
    return last ? log(mean_at(request, out, k, m, last) / mean_at(request, out, k, m, 0)) /
                      log((double)request->size[last] / (double)request->size[0])
                : NAN;
}

/* ------------------------------------------------------------------------ the report */

static void print_tables(const exp_request *request, const results *out)
{
    printf("exponent of lambda in the largest |1 - s g(s)| s^r over 0 < s <= 1\n%-12s", "r");
    for (int m = 0; m < METHODS; m++)
        printf("  %10s", method[m].key);
    for (int j = 0; j < SMOOTHNESS; j++) {
        printf("\n%-12.1f", smoothness[j]);
        for (int m = 0; m < METHODS; m++)
            printf("  %10.2f", out->exponent[m][j]);
    }
    printf("\n\nleast squared error over the path, in per cent of the curve's mean square\n");
    for (int k = 0; k < TASKS; k++) {
        for (int i = 0; i < request->n_sizes; i++) {
            printf("%-10s  n = %-5lld", task_name[k], (long long)request->size[i]);
            for (int m = 0; m < METHODS; m++)
                printf("  %10.4f", 100.0 * mean_at(request, out, k, m, i));
            printf("\n");
        }
        printf("%-10s  n^       ", task_name[k]);
        for (int m = 0; m < METHODS; m++)
            printf("  %10.2f", rate(request, out, k, m));
        printf("\n");
    }
}

/* The mean over repetitions of log(error of a / error of b) at the last size, and its standard
 * error. */
static double compare(const exp_request *request, const results *out, int k, int a, int b,
                      double *stderr_of)
{
    const int repeats = request->repeats, at = (request->n_sizes - 1) * repeats;
    double *ratio = exp_zeros(repeats);
    for (int r = 0; r < repeats; r++)
        ratio[r] = log(out->least[k][a][at + r] / out->least[k][b][at + r]);
    const double mean = exp_mean(ratio, repeats);
    *stderr_of = exp_stddev(ratio, repeats) / sqrt(repeats);
    free(ratio);
    return mean;
}

/* Claims of the paper on a curve where Tikhonov should fall behind. */
static void judge_smooth(exp_claims *claims, const exp_request *request, const results *out, int k)
{
    for (int m = ITERATED; m < METHODS; m++) {
        double stderr_of = 0.0;
        const double more = compare(request, out, k, TIKHONOV, m, &stderr_of);
        char *claim = cli_format("%s: %s has the lower error, tikhonov falls behind", task_name[k],
                                 method[m].key);
        exp_claim(claims,
                  more > 2.0 * stderr_of &&
                      rate(request, out, k, m) < rate(request, out, k, TIKHONOV),
                  claim, "tikhonov has %.2f times its error; n^%.2f against n^%.2f", exp(more),
                  rate(request, out, k, m), rate(request, out, k, TIKHONOV));
        free(claim);
    }
}

static exp_claims judge(const cli *c, const exp_request *request, const results *out)
{
    exp_claims claims = exp_claims_new(c);
    double apart = 0.0, stderr_of = 0.0;
    for (int m = 0; m < METHODS; m++)
        for (int j = 0; j < SMOOTHNESS; j++)
            apart = fmax(apart,
                         fabs(out->exponent[m][j] - fmin(smoothness[j], method[m].qualification)));
    exp_claim(&claims, apart < 0.1, "the approximation error falls as lambda^min(r, qualification)",
              "exponents within %.2f of it", apart);
    const double more = compare(request, out, SECTION, TIKHONOV, TSVD, &stderr_of);
    exp_claim(&claims, fabs(more) < log(1.25),
              "K(x0, x): tikhonov and tsvd are essentially the same",
              "tikhonov has %.2f times the error of tsvd; n^%.2f against n^%.2f", exp(more),
              rate(request, out, SECTION, TIKHONOV), rate(request, out, SECTION, TSVD));
    judge_smooth(&claims, request, out, PRINTED);
    judge_smooth(&claims, request, out, SINE);
    return claims;
}

static cli_columns *columns_of(const exp_request *request, const results *out)
{
    const int rows = request->n_sizes * request->repeats;
    cli_columns *t = cli_columns_new(rows);
    for (int at = 0; at < rows; at++) {
        cli_columns_set(t, at, "n", (double)request->size[at / request->repeats]);
        cli_columns_set(t, at, "repetition", at % request->repeats + 1);
        for (int k = 0; k < TASKS; k++)
            for (int m = 0; m < METHODS; m++) {
                char *name = cli_format("%s.%s", task_key[k], method[m].key);
                cli_columns_set(t, at, name, out->least[k][m][at]);
                free(name);
            }
    }
    return t;
}

static json_t *body_of(const exp_request *request, const results *out)
{
    const int64_t count = (int64_t)request->n_sizes * request->repeats;
    json_t *sizes = json_array(), *exponents = json_object(), *curves = json_array();
    for (int i = 0; i < request->n_sizes; i++)
        json_array_append_new(sizes, json_integer((json_int_t)request->size[i]));
    for (int m = 0; m < METHODS; m++)
        json_object_set_new(exponents, method[m].key, exp_numbers(out->exponent[m], SMOOTHNESS));
    for (int k = 0; k < TASKS; k++)
        for (int m = 0; m < METHODS; m++)
            json_array_append_new(curves,
                                  json_pack("{s:s, s:s, s:s, s:o}", "curve", task_key[k], "method",
                                            method[m].key, "filter", method[m].filter,
                                            "least_error", exp_numbers(out->least[k][m], count)));
    return json_pack("{s:o, s:o, s:o, s:o}", "sizes", sizes, "smoothness",
                     exp_numbers(smoothness, SMOOTHNESS), "approximation_exponents", exponents,
                     "curves", curves);
}

static int run(cli *c)
{
    exp_request request = {.repeats = 70, .n_sizes = 6, .size = {16, 32, 64, 128, 256, 512}};
    int rc = exp_request_read(c, &request);
    if (rc)
        return rc;
    results out;
    for (int k = 0; k < TASKS; k++)
        for (int m = 0; m < METHODS; m++)
            out.least[k][m] = exp_zeros((int64_t)request.n_sizes * request.repeats);
    rc = run_all(c, &request, &out);
    cli_progress_clear();
    if (!rc) {
        if (c->show)
            print_tables(&request, &out);
        cli_columns *columns = columns_of(&request, &out);
        exp_claims claims = judge(c, &request, &out);
        rc = exp_finish(c, "saturation", &request, &claims, body_of(&request, &out), columns);
        cli_columns_free(columns);
    }
    for (int k = 0; k < TASKS; k++)
        for (int m = 0; m < METHODS; m++)
            free(out.least[k][m]);
    return rc;
}

const experiment exp_saturation = {
    .name = "saturation",
    .time = "2 min",
    .paper = "Lo Gerfo et al., Figures 1 to 3",
    .subject = "smooth and rough curves: what a finite qualification costs",
    .about = "How fast the approximation error of four filters falls with lambda, and the least "
             "error along their paths for a rough curve and two smooth ones as n grows.",
    .commands = "specreg filters --filter tikhonov --curve\n"
                "specreg path TRAIN --test CURVE --features none --search grid --kernel sobolev "
                "--filter tikhonov --scale none",
    .options = {EXP_REPEATS, EXP_SIZES, CLI_OUTPUT, -1},
    .run = run,
};
