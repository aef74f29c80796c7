/* experiment unlabelled: what rows without targets add.  Curves on [0, 1] with the kernel matrix of
 * all rows (Caponnetto, "Optimal rates for regularization operators in learning theory"), and two
 * moons with a graph of neighbours (Belkin, Niyogi and Sindhwani, "Manifold regularization"). */
#include <math.h>
#include <stdlib.h>

#include "experiment.h"

enum { GRID = 400, VALIDATE = 400, MOON_ROWS = 300, MOON_TEST = 500 };
enum { STEP, SMOOTH, ROUGH, NOISY, CURVES };
static const char *const curve_key[CURVES] = {"step", "smooth", "rough", "noisy"};
static const double noise[CURVES] = {0.2, 0.2, 0.2, 2};
enum { SHARES = 3 };
static const int share[SHARES] = {0, 1, 4}; /* rows without targets for each with one */

enum { ALONE, GRAPH, WAYS };
static const char *const way_key[WAYS] = {"alone", "graph"};

/* The sum of 2^(-k/5) cos(2 pi 2^k x), halved.  The kernel's eigenvalues fall like j^-2 (s = 1/2),
 * so that the source condition holds for r < 1/10: 2r + s < 1, where the theory asks for rows
 * without targets.  A step is at the edge of this, r = 1/4. */
static double rough_curve(double x)
{
    double sum = 0;
    for (int k = 0; k < 9; k++)
        sum += pow(2, -0.2 * k) * cos(2 * 3.14159265358979323846 * pow(2, k) * x + k);
    return sum / 2;
}

static double curve(int which, double x)
{
    if (which >= ROUGH)
        return rough_curve(x);
    if (which == STEP)
        return x > 0.3 && x < 0.7 ? 1.0 : -0.5;
    return sin(3.14159265358979323846 * x);
}

/* --------------------------------------------------------------------- one fit */

typedef struct rows { /* of p inputs and a target */
    int64_t n;
    int p;
    double *x, *y;
} rows;

static rows rows_new(int64_t n, int p)
{
    return (rows){n, p, exp_zeros(n * p), exp_zeros(n)};
}

static void rows_free(rows *r)
{
    free(r->x);
    free(r->y);
}

static int as_table(cli *c, const rows *r, bool target, specreg_table **out)
{
    static const char *const x[] = {"x1", "x2"}, *const y[] = {"y"};
    return exp_table(c, r->n, (exp_columns){r->x, r->p, x},
                     (exp_columns){target ? r->y : NULL, target ? 1 : 0, y}, out);
}

typedef struct problem {
    rows train, validate, more, test; /* validate and more may have no rows */
    const exp_setting *settings;      /* but for the rows without targets   */
} problem;

/* Predictions of the test rows, after a fit with the rows of `more`. */
static int fit_predict(cli *c, const problem *p, double *f)
{
    enum { MOST = 8 };
    specreg_table *tables[EXP_ROLES] = {NULL}, *more = NULL;
    exp_setting settings[MOST + 1];
    char *folder = NULL, *file = NULL;
    int count = 0, rc = as_table(c, &p->train, true, &tables[EXP_TRAIN]);
    for (; p->settings[count].name; count++)
        settings[count] = p->settings[count];
    if (!rc && p->validate.n)
        rc = as_table(c, &p->validate, true, &tables[EXP_VALIDATE]);
    if (!rc)
        rc = as_table(c, &p->test, false, &tables[EXP_TEST]);
    if (!rc && p->more.n)
        rc = as_table(c, &p->more, false, &more);
    if (!rc && more)
        rc = exp_temporary_write(c, more, &folder, &file);
    if (file)
        settings[count++] = (exp_setting){"unlabelled", file};
    settings[count] = (exp_setting){NULL, NULL};
    if (!rc)
        rc = exp_fit_predict(c, tables, settings, f, NULL);
    exp_temporary_remove(folder, file);
    specreg_table_free(more);
    exp_free_tables(tables);
    return rc;
}

/* --------------------------------------------------------------------- curves */

static void draw_curve(exp_random *random, int which, rows *r)
{
    for (int64_t i = 0; i < r->n; i++) {
        r->x[i] = exp_uniform(random);
        r->y[i] = curve(which, r->x[i]) + noise[which] * exp_normal(random);
    }
}

/* The mean squared error of the curve, for every share; lambda by validation rows. */
static int run_curve(cli *c, exp_random random, int which, int64_t n, double *mse)
{
    static const exp_setting settings[] = {{"kernel", "sobolev"},
                                           {"features", "none"},
                                           {"scale", "none"},
                                           {"problem", "regression"},
                                           {"param", "lambda=log:1e-7:1:29"},
                                           {NULL, NULL}};
    problem p = {.train = rows_new(n, 1),
                 .validate = rows_new(VALIDATE, 1),
                 .more = rows_new(n * share[SHARES - 1], 1),
                 .test = rows_new(GRID, 1),
                 .settings = settings};
    double f[GRID];
    int rc = CLI_OK;
    draw_curve(&random, which, &p.train);
    draw_curve(&random, which, &p.validate);
    draw_curve(&random, which, &p.more);
    for (int i = 0; i < GRID; i++)
        p.test.x[i] = (i + 0.5) / GRID;
    for (int s = 0; !rc && s < SHARES; s++) {
        p.more.n = n * share[s];
        rc = fit_predict(c, &p, f);
        mse[s] = 0.0;
        for (int i = 0; i < GRID; i++)
            mse[s] += pow(f[i] - curve(which, p.test.x[i]), 2) / GRID;
    }
    rows_free(&p.train);
    rows_free(&p.validate);
    rows_free(&p.more);
    rows_free(&p.test);
    return rc;
}

/* --------------------------------------------------------------------- two moons */

/* Rows of the two moons in turn; the first two lie in their middles. */
static void draw_moons(exp_random *random, bool middles, rows *r)
{
    for (int64_t i = 0; i < r->n; i++) {
        const int side = (int)(i % 2);
        const double t = middles && i < 2 ? 0.5 * 3.14159265358979323846
                                          : 3.14159265358979323846 * exp_uniform(random);
        r->x[2 * i] = (side ? 1.0 - cos(t) : cos(t)) + 0.08 * exp_normal(random);
        r->x[2 * i + 1] = (side ? 0.4 - sin(t) : sin(t)) + 0.08 * exp_normal(random);
        r->y[i] = side ? 1.0 : -1.0;
    }
}

/* The error rate with n rows of known side, alone and with a graph of all rows. */
static int run_moons(cli *c, exp_random random, int64_t n, double *rate)
{
    static const exp_setting alone[] = {{"kernel", "rbf:sigma=0.3"},
                                        {"features", "none"},
                                        {"scale", "none"},
                                        {"problem", "regression"},
                                        {"param", "lambda=1e-4"},
                                        {"select", "none"},
                                        {NULL, NULL}};
    static const exp_setting graph[] = {{"kernel", "rbf:sigma=0.3"},
                                        {"features", "none"},
                                        {"scale", "none"},
                                        {"problem", "regression"},
                                        {"param", "lambda=1e-4"},
                                        {"select", "none"},
                                        {"laplacian", "strength=1e6,neighbours=8"},
                                        {NULL, NULL}};
    problem p = {.train = rows_new(n, 2),
                 .more = rows_new(MOON_ROWS, 2),
                 .test = rows_new(MOON_TEST, 2)};
    double f[MOON_TEST];
    int rc = CLI_OK;
    draw_moons(&random, true, &p.train);
    draw_moons(&random, false, &p.more);
    draw_moons(&random, false, &p.test);
    for (int w = 0; !rc && w < WAYS; w++) {
        p.settings = w == GRAPH ? graph : alone;
        p.more.n = w == GRAPH ? MOON_ROWS : 0;
        rc = fit_predict(c, &p, f);
        rate[w] = 0.0;
        for (int i = 0; i < MOON_TEST; i++)
            rate[w] += (f[i] > 0) != (p.test.y[i] > 0) ? 100.0 / MOON_TEST : 0.0;
    }
    rows_free(&p.train);
    rows_free(&p.more);
    rows_free(&p.test);
    return rc;
}

/* --------------------------------------------------------------------- all of them */

typedef struct results { /* for each size, then for each repetition */
    double *mse[CURVES][SHARES], *rate[WAYS];
} results;

static void results_free(results *out)
{
    for (int k = 0; k < CURVES; k++)
        for (int s = 0; s < SHARES; s++)
            free(out->mse[k][s]);
    for (int w = 0; w < WAYS; w++)
        free(out->rate[w]);
}

static results results_new(const exp_request *request)
{
    results out;
    const int64_t count = (int64_t)request->n_sizes * request->repeats;
    for (int k = 0; k < CURVES; k++)
        for (int s = 0; s < SHARES; s++)
            out.mse[k][s] = exp_zeros(count);
    for (int w = 0; w < WAYS; w++)
        out.rate[w] = exp_zeros(count);
    return out;
}

static int run_size(cli *c, const exp_request *request, int i, int r, results *out)
{
    const int at = i * request->repeats + r;
    const int64_t n = request->size[i];
    double mse[SHARES], rate[WAYS];
    int rc = CLI_OK;
    for (int k = 0; !rc && k < CURVES; k++) {
        rc = run_curve(c, exp_random_for(request->seed, 50, k, n, r), k, n, mse);
        for (int s = 0; s < SHARES; s++)
            out->mse[k][s][at] = mse[s];
    }
    if (!rc)
        rc = run_moons(c, exp_random_for(request->seed, 51, 0, n, r), n, rate);
    for (int w = 0; !rc && w < WAYS; w++)
        out->rate[w][at] = rate[w];
    return rc;
}

/* The exponent of n in the mean error, from the first size to the last. */
static double slope(const exp_request *request, const double *mse)
{
    const int last = request->n_sizes - 1, repeats = request->repeats;
    return last ? log(exp_mean(mse + last * repeats, repeats) / exp_mean(mse, repeats)) /
                      log((double)request->size[last] / (double)request->size[0])
                : NAN;
}

static void print_tables(const exp_request *request, const results *out)
{
    const int repeats = request->repeats;
    printf("%-7s  %4s", "mse", "n");
    for (int s = 0; s < SHARES; s++)
        printf("  %4d n more", share[s]);
    printf("\n");
    for (int k = 0; k < CURVES; k++) {
        for (int i = 0; i < request->n_sizes; i++) {
            printf("%-7s  %4lld", curve_key[k], (long long)request->size[i]);
            for (int s = 0; s < SHARES; s++)
                printf("  %11.4f", exp_mean(out->mse[k][s] + i * repeats, repeats));
            printf("\n");
        }
        printf("%-7s  %4s", curve_key[k], "n^");
        for (int s = 0; s < SHARES; s++)
            printf("  %11.2f", slope(request, out->mse[k][s]));
        printf("\n");
    }
    printf("two moons, n labelled rows: error in per cent alone, and with a graph of %d more\n",
           (int)MOON_ROWS);
    for (int i = 0; i < request->n_sizes; i++)
        printf("%12lld  %6.1f  %6.1f\n", (long long)request->size[i],
               exp_mean(out->rate[ALONE] + i * repeats, repeats),
               exp_mean(out->rate[GRAPH] + i * repeats, repeats));
}

static exp_claims judge(const cli *c, const exp_request *request, const results *out)
{
    const int repeats = request->repeats, last = (request->n_sizes - 1) * repeats;
    const double *few = out->mse[STEP][0] + last, *many = out->mse[STEP][SHARES - 1] + last;
    exp_claims claims = exp_claims_new(c);
    exp_claim(&claims, exp_mean(many, repeats) < exp_mean(few, repeats),
              "for a rough curve rows without targets help (kernel matrix of all rows)",
              "mse %.4f with them, %.4f without", exp_mean(many, repeats), exp_mean(few, repeats));
    exp_claim(&claims,
              slope(request, out->mse[STEP][SHARES - 1]) < slope(request, out->mse[STEP][0]) - 0.05,
              "its error falls faster with n", "n^%.2f with them, n^%.2f without",
              slope(request, out->mse[STEP][SHARES - 1]), slope(request, out->mse[STEP][0]));
    const double *below = out->mse[ROUGH][0] + last, *with = out->mse[ROUGH][SHARES - 1] + last;
    exp_claim(&claims, exp_mean(with, repeats) < exp_mean(below, repeats),
              "they help for a curve with 2r + s < 1", "mse %.4f with them, %.4f without",
              exp_mean(with, repeats), exp_mean(below, repeats));
    below = out->mse[NOISY][0] + last;
    with = out->mse[NOISY][SHARES - 1] + last;
    exp_claim(&claims, exp_mean(with, repeats) < exp_mean(below, repeats),
              "they help for it under much noise", "mse %.4f with them, %.4f without",
              exp_mean(with, repeats), exp_mean(below, repeats));
    exp_claim(&claims,
              exp_mean(out->rate[GRAPH], repeats) < 0.5 * exp_mean(out->rate[ALONE], repeats),
              "neighbours carry few labels along two moons",
              "%.1f %% with a graph, %.1f %% without", exp_mean(out->rate[GRAPH], repeats),
              exp_mean(out->rate[ALONE], repeats));
    return claims;
}

static cli_columns *columns_of(const exp_request *request, const results *out)
{
    cli_columns *t = cli_columns_new(request->n_sizes * request->repeats);
    for (int at = 0; at < request->n_sizes * request->repeats; at++) {
        cli_columns_set(t, at, "n", (double)request->size[at / request->repeats]);
        cli_columns_set(t, at, "repetition", at % request->repeats + 1);
        for (int k = 0; k < CURVES; k++)
            for (int s = 0; s < SHARES; s++) {
                char *name = cli_format("%s.%d", curve_key[k], share[s]);
                cli_columns_set(t, at, name, out->mse[k][s][at]);
                free(name);
            }
        for (int w = 0; w < WAYS; w++) {
            char *name = cli_format("moons.%s", way_key[w]);
            cli_columns_set(t, at, name, out->rate[w][at]);
            free(name);
        }
    }
    return t;
}

static json_t *body_of(const exp_request *request, const results *out)
{
    const int64_t count = (int64_t)request->n_sizes * request->repeats;
    json_t *sizes = json_array(), *curves = json_array(), *moons = json_object();
    for (int i = 0; i < request->n_sizes; i++)
        json_array_append_new(sizes, json_integer((json_int_t)request->size[i]));
    for (int k = 0; k < CURVES; k++)
        for (int s = 0; s < SHARES; s++)
            json_array_append_new(curves,
                                  json_pack("{s:s, s:i, s:o}", "curve", curve_key[k], "share",
                                            share[s], "mse", exp_numbers(out->mse[k][s], count)));
    for (int w = 0; w < WAYS; w++)
        json_object_set_new(moons, way_key[w], exp_numbers(out->rate[w], count));
    return json_pack("{s:o, s:o, s:o}", "sizes", sizes, "curves", curves, "moons", moons);
}

static int run(cli *c)
{
    exp_request request = {.repeats = 10, .n_sizes = 6, .size = {6, 8, 16, 32, 64, 128}};
    int rc = exp_request_read(c, &request);
    if (rc)
        return rc;
    results out = results_new(&request);
    for (int i = 0; !rc && i < request.n_sizes; i++)
        for (int r = 0; !rc && r < request.repeats; r++)
            rc = run_size(c, &request, i, r, &out);
    cli_progress_clear();
    if (!rc && c->show)
        print_tables(&request, &out);
    if (!rc) {
        cli_columns *columns = columns_of(&request, &out);
        exp_claims claims = judge(c, &request, &out);
        rc = exp_finish(c, "unlabelled", &request, &claims, body_of(&request, &out), columns);
        cli_columns_free(columns);
    }
    results_free(&out);
    return rc;
}

const experiment exp_unlabelled = {
    .name = "unlabelled",
    .time = "10 s",
    .paper = "Caponnetto; Belkin, Niyogi and Sindhwani",
    .subject = "rows without targets: curves, two moons",
    .about = "Rows without targets beside n that have them: the kernel matrix of all rows for a "
             "step, a smooth curve and a rougher one (Caponnetto, Optimal rates for "
             "regularization operators in learning theory), and a graph of neighbours for two "
             "moons (Belkin, Niyogi and Sindhwani, Manifold regularization).",
    .commands =
        "specreg fit TRAIN --unlabelled MORE --features none --search grid --kernel sobolev "
        "--param lambda=log:1e-7:1:29 --scale none --select file:VALIDATION\n"
        "specreg fit TRAIN --unlabelled MORE --laplacian strength=1e6,neighbours=8 "
        "--features none --search grid --kernel rbf:sigma=0.3 --param lambda=1e-4 --scale "
        "none --select none",
    .options = {EXP_REPEATS, EXP_SIZES, CLI_OUTPUT, -1},
    .run = run,
};
