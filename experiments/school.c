/* experiment school: 139 schools as tasks (Table 1 of Baldassarre, Rosasco, Barla and Verri). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "school.h"

enum { NU, LANDWEBER, TIKHONOV, PUBLISHED, LEARNED = PUBLISHED, METHODS };
#define COMMON "common:omega=lin:0:1:11"
static const struct {
    const char *title, *name, *filter, *parameter, *outputs;
    double explained, deviation, seconds; /* Table 1 */
} method[METHODS] = {
    {"nu-method", "nu", "nu", "filter.t", COMMON, 31, 3, 106},
    {"Landweber", "landweber", "landweber", "filter.t", COMMON, 32, 4, 2015},
    {"Tikhonov", "tikhonov", "tikhonov", "filter.lambda", COMMON, 32, 3, 5900},
    /* not in the paper: the matrix of the schools is learned */
    {"learned", "learned", "tikhonov", "filter.lambda",
     "learn:omega={0.7,0.5,0.3},penalty={30,3},lambda=1e-3,norm=1", 0, 0, 0},
};

/* All t up to 200, then steps of 3 percent up to 3000.  The validation rows are predicted for every
 * t and every omega, and all 3000 would take too long. */
static char *landweber_path(void)
{
    char *list = cli_format("t={1");
    for (int t = 2; t <= 3000;) {
        char *longer = cli_format("%s,%d", list, t);
        free(list);
        list = longer;
        const int next = t < 200 ? t + 1 : t + (3 * t + 50) / 100;
        t = next > 3000 && t < 3000 ? 3000 : next;
    }
    char *closed = cli_format("%s}", list);
    free(list);
    return closed;
}

typedef struct outcome { /* for each repetition */
    double *explained, *omega, *parameter, *seconds;
} outcome;

static double explained_variance(const double *f, const double *y, int64_t n)
{
    double squares = 0.0;
    for (int64_t i = 0; i < n; i++)
        squares += (f[i] - y[i]) * (f[i] - y[i]);
    const double deviation = exp_stddev(y, n);
    return 100.0 * (1.0 - squares / ((double)(n - 1) * deviation * deviation));
}

typedef struct problem { /* a split as tables */
    const school_split *split;
    specreg_table *tables[EXP_ROLES];
    double sigma;
} problem;

static void note(const problem *p, int which, const double *f, const json_t *record, double seconds,
                 int r, outcome *o)
{
    o->explained[r] = explained_variance(f, p->split->y[EXP_TEST], p->split->n);
    o->omega[r] = exp_number(record, "outputs.omega");
    o->parameter[r] = exp_number(record, method[which].parameter);
    o->seconds[r] = seconds;
}

static int fit(cli *c, const problem *p, int which, const char *engine, int r, outcome *o)
{
    char *kernel = cli_format("rbf:sigma=%.17g", p->sigma), *path = landweber_path();
    static const char lambda[] = "lambda=log:1e-5:1e-2:30";
    const char *const param[METHODS] = {"t=1:150", path, lambda, lambda};
    const exp_setting settings[] = {{"kernel", kernel},
                                    {"filter", method[which].filter},
                                    {"param", param[which]},
                                    {"outputs", method[which].outputs},
                                    {"task-column", "task"},
                                    {"scale", "none"},
                                    {"problem", "regression"},
                                    {"engine", engine},
                                    {NULL, NULL}};
    double *f = exp_zeros(p->split->n);
    json_t *record = NULL;
    const double begun = exp_processor();
    const int rc = exp_fit_predict(c, p->tables, settings, f, &record);
    if (!rc)
        note(p, which, f, record, exp_processor() - begun, r, o);
    json_decref(record);
    free(f);
    free(path);
    free(kernel);
    return rc;
}

typedef struct results {
    outcome by[METHODS];
    outcome by_decomposition; /* Tikhonov as in the paper, a decomposition for each omega: once */
    double *sigma;
    int64_t per_role; /* students */
} results;

static outcome new_outcome(int repeats)
{
    return (outcome){exp_zeros(repeats), exp_zeros(repeats), exp_zeros(repeats),
                     exp_zeros(repeats)};
}

static void free_outcome(outcome *o)
{
    free(o->explained);
    free(o->omega);
    free(o->parameter);
    free(o->seconds);
}

static int make_tables(cli *c, problem *p)
{
    static const char *const y[] = {"y"};
    const school_split *s = p->split;
    int rc = CLI_OK;
    for (int role = 0; !rc && role < EXP_ROLES; role++)
        rc = exp_table(c, s->n, (exp_columns){s->x[role], SCHOOL_COLS, school_names},
                       (exp_columns){s->y[role], 1, y}, &p->tables[role]);
    return rc;
}

static int run_once(cli *c, const students *all, const exp_request *request, int r, results *out)
{
    school_split split;
    int rc = CLI_OK;
    school_divide(all, exp_random_for(request->seed, 20, 0, 0, r), &split);
    problem p = {.split = &split, .sigma = school_width(&split)};
    out->per_role = split.n;
    out->sigma[r] = p.sigma;
    if (!(p.sigma > 0))
        rc = cli_fail(CLI_FAILED, "a fifth of the students lie where the others do: no width");
    if (!rc)
        rc = make_tables(c, &p);
    for (int which = 0; !rc && which < METHODS; which++)
        rc = fit(c, &p, which, "auto", r, &out->by[which]);
    if (!rc && r == 0)
        rc = fit(c, &p, TIKHONOV, "eig", r, &out->by_decomposition);
    exp_free_tables(p.tables);
    school_split_free(&split);
    return rc;
}

/* ------------------------------------------------------------------------ reporting */

static void print_table(const results *out, int repeats)
{
    printf("%-10s  %20s  %8s  %5s  %9s  %8s  %7s\n", "", "explained variance %", "paper", "omega",
           "t, lambda", "processor s", "paper's");
    for (int i = 0; i < METHODS; i++) {
        const outcome *o = &out->by[i];
        char paper[32] = "-", seconds[32] = "-";
        if (i < PUBLISHED) {
            snprintf(paper, sizeof paper, "%.0f +- %.0f", method[i].explained, method[i].deviation);
            snprintf(seconds, sizeof seconds, "%.0f", method[i].seconds);
        }
        printf("%-10s  %12.1f +- %4.1f  %8s  %5.2f  %9.3g  %8.2f  %7s\n", method[i].title,
               exp_mean(o->explained, repeats), exp_stddev(o->explained, repeats), paper,
               exp_median(o->omega, repeats), exp_median(o->parameter, repeats),
               exp_mean(o->seconds, repeats), seconds);
    }
    printf("Tikhonov with a decomposition for each omega, first repetition: %.2f s, explained "
           "variance %.1f %%\n",
           out->by_decomposition.seconds[0], out->by_decomposition.explained[0]);
}

static exp_claims judge(const cli *c, const results *out, int repeats)
{
    double mean[METHODS], seconds[METHODS], least = INFINITY, most = -INFINITY;
    for (int i = 0; i < METHODS; i++) {
        mean[i] = exp_mean(out->by[i].explained, repeats);
        seconds[i] = exp_mean(out->by[i].seconds, repeats);
    }
    for (int i = 0; i < PUBLISHED; i++) {
        least = fmin(least, mean[i]);
        most = fmax(most, mean[i]);
    }
    const double slower = out->by_decomposition.seconds[0] / out->by[NU].seconds[0];
    exp_claims claims = exp_claims_new(c);
    exp_claim(&claims, most - least <= 1.0, "the three algorithms perform consistently",
              "%.1f to %.1f %%", least, most);
    exp_claim(&claims, least > 26.4, "they improve on 26.4 % of multi-task feature learning",
              "%.1f %% or more", least);
    exp_claim(&claims, slower >= 10.0,
              "the nu-method is at least ten times faster than Tikhonov by decompositions",
              "%.0f times", slower);
    exp_claim(&claims, seconds[LANDWEBER] >= 10.0 * seconds[NU],
              "and than Landweber with 3000 steps",
              "%.1f times, where neither walks its steps but takes them from a Krylov space",
              seconds[LANDWEBER] / seconds[NU]);
    exp_claim(&claims, mean[LEARNED] >= mean[TIKHONOV] - 0.1,
              "a learned matrix is as good as the common one with omega chosen (not the paper's)",
              "%.2f %% against %.2f %%", mean[LEARNED], mean[TIKHONOV]);
    return claims;
}

static json_t *body_of(const results *out, const students *all, int repeats)
{
    json_t *methods = json_array();
    for (int i = 0; i <= METHODS; i++) {
        const outcome *o = i < METHODS ? &out->by[i] : &out->by_decomposition;
        const int n = i < METHODS ? repeats : 1;
        json_array_append_new(methods,
                              json_pack("{s:s, s:o, s:o, s:o, s:o}", "method",
                                        i < METHODS ? method[i].name : "tikhonov, engine eig",
                                        "explained_variance", exp_numbers(o->explained, n), "omega",
                                        exp_numbers(o->omega, n), "parameter",
                                        exp_numbers(o->parameter, n), "seconds",
                                        exp_numbers(o->seconds, n)));
    }
    return json_pack("{s:I, s:I, s:I, s:o, s:o}", "students", (json_int_t)all->n, "schools",
                     (json_int_t)all->schools, "part", (json_int_t)out->per_role, "sigma",
                     exp_numbers(out->sigma, repeats), "methods", methods);
}

static void enter(cli_columns *t, int row, const char *filter, const char *name, double value)
{
    char *column = cli_format("%s.%s", filter, name);
    cli_columns_set(t, row, column, value);
    free(column);
}

static cli_columns *columns_of(const results *out, int repeats)
{
    cli_columns *t = cli_columns_new(repeats);
    for (int r = 0; r < repeats; r++) {
        cli_columns_set(t, r, "repetition", r + 1);
        cli_columns_set(t, r, "sigma", out->sigma[r]);
        for (int i = 0; i < METHODS; i++) {
            enter(t, r, method[i].name, "explained_variance", out->by[i].explained[r]);
            enter(t, r, method[i].name, "omega", out->by[i].omega[r]);
            enter(t, r, method[i].name, "parameter", out->by[i].parameter[r]);
            enter(t, r, method[i].name, "seconds", out->by[i].seconds[r]);
        }
    }
    return t;
}

/* ------------------------------------------------------------------- the experiment */

static results new_results(int repeats)
{
    results out = {.by_decomposition = new_outcome(1), .sigma = exp_zeros(repeats)};
    for (int i = 0; i < METHODS; i++)
        out.by[i] = new_outcome(repeats);
    return out;
}

static void free_results(results *out)
{
    for (int i = 0; i < METHODS; i++)
        free_outcome(&out->by[i]);
    free_outcome(&out->by_decomposition);
    free(out->sigma);
}

static int repeat(cli *c, const students *all, const exp_request *request, results *out)
{
    int rc = CLI_OK;
    for (int r = 0; !rc && r < request->repeats; r++) {
        cli_progress_label("repetition %d/%d", r + 1, request->repeats);
        rc = run_once(c, all, request, r, out);
        cli_progress_no_label();
    }
    cli_progress_clear();
    return rc;
}

static int run(cli *c)
{
    exp_request request = {.repeats = 10};
    students all = {0};
    int rc = exp_request_read(c, &request);
    if (!rc)
        rc = school_read(c, &all);
    if (!rc && c->value[EXP_QUICK])
        school_keep(&all, 25);
    const double begun = exp_now();
    results out = new_results(request.repeats);
    if (!rc)
        rc = repeat(c, &all, &request, &out);
    if (!rc && c->show)
        print_table(&out, request.repeats);
    if (!rc) {
        cli_columns *columns = columns_of(&out, request.repeats);
        exp_claims claims = judge(c, &out, request.repeats);
        if (c->show)
            printf("%.1f s in all\n", exp_now() - begun);
        rc = exp_finish(c, "school", &request, &claims, body_of(&out, &all, request.repeats),
                        columns);
        cli_columns_free(columns);
    }
    free_results(&out);
    school_free(&all);
    return rc;
}

const experiment exp_school = {
    .name = "school",
    .time = "2 min",
    .data = "school",
    .paper = "Baldassarre, Rosasco, Barla and Verri, Table 1",
    .subject = "exam scores in 139 schools by three filters",
    .about = "Exam scores in 139 schools by three filters: explained variance and time of the "
             "search beside theirs, and the time of a search that decomposes for every omega.",
    .commands = "specreg fit TRAIN --task-column task --features none --search grid --kernel "
                "rbf:sigma=1.3 --filter nu --param t=1:150 --outputs common:omega=lin:0:1:11 "
                "--scale none --select file:VALIDATION\n"
                "specreg fit TRAIN --task-column task --features none --search grid --kernel "
                "rbf:sigma=1.3 --filter tikhonov --param lambda=log:1e-5:1e-2:30 --outputs "
                "common:omega=lin:0:1:11 --scale none --select file:VALIDATION\n"
                "specreg fit TRAIN --task-column task --features none --search grid --kernel "
                "rbf:sigma=1.3 --filter landweber --param t=1:3000 --outputs "
                "common:omega=lin:0:1:11 --scale none --select file:VALIDATION",
    .options = {EXP_DATA, EXP_REPEATS, CLI_OUTPUT, -1},
    .run = run,
};
