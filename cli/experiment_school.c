/* experiment school: 139 schools as tasks (Table 1 of Baldassarre, Rosasco, Barla and Verri). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"

enum { BITS = 19, X_COLS = BITS + 1 }; /* of a student; the last column is the school */
static const char *const bit[X_COLS] = {"x1",  "x2",  "x3",  "x6",  "x7",  "x8",  "x9",
                                        "x10", "x11", "x12", "x13", "x14", "x15", "x16",
                                        "x17", "x18", "x19", "x20", "x21", "task"};

/* ------------------------------------------------------------------------- the data */

typedef struct students {
    int64_t n, schools;
    double *x, *y;  /* rows of bits and school; scores                          */
    int64_t *first; /* rows are sorted by school: where each begins, and the end */
} students;

static void free_students(students *s)
{
    free(s->x);
    free(s->y);
    free(s->first);
}

static int64_t column_named(const specreg_table *table, const char *name)
{
    for (int64_t k = 0; k < specreg_table_cols(table); k++)
        if (strcmp(specreg_table_name(table, k), name) == 0)
            return k;
    return -1;
}

/* A school's rows lie together in the file, its number is a number. */
static int find_schools(const char *path, students *s)
{
    s->first = cli_alloc((size_t)s->n + 1, sizeof *s->first);
    for (int64_t i = 0; i < s->n; i++)
        if (i == 0 || s->x[i * X_COLS + BITS] != s->x[(i - 1) * X_COLS + BITS])
            s->first[s->schools++] = i;
    s->first[s->schools] = s->n;
    for (int64_t k = 0; k < s->schools; k++)
        if (s->first[k + 1] - s->first[k] < 3)
            return cli_fail(CLI_FAILED, "%s: row %lld: a school needs 3 students in a row", path,
                            (long long)s->first[k] + 1);
    return s->schools ? CLI_OK : cli_fail(CLI_FAILED, "%s: no students", path);
}

static int take_students(const specreg_table *table, const char *path, students *s)
{
    s->n = specreg_table_rows(table);
    s->x = cli_alloc((size_t)s->n * X_COLS, sizeof *s->x);
    s->y = cli_alloc((size_t)s->n, sizeof *s->y);
    for (int k = 0; k <= X_COLS; k++) {
        const char *name = k < X_COLS ? bit[k] : "y";
        const int64_t from = column_named(table, name);
        if (from < 0)
            return cli_fail(CLI_FAILED, "%s: there is no column '%s'", path, name);
        for (int64_t i = 0; i < s->n; i++) {
            const double v = specreg_table_number(table, i, from);
            if (!isfinite(v))
                return cli_fail(CLI_FAILED, "%s: row %lld: column '%s' is not a number", path,
                                (long long)i + 1, name);
            *(k < X_COLS ? &s->x[i * X_COLS + k] : &s->y[i]) = v;
        }
    }
    return find_schools(path, s);
}

static int read_students(cli *c, students *s)
{
    char *path = cli_format("%s/school/school.csv.gz", exp_data_folder(c));
    specreg_table *table = NULL;
    int rc = exp_check_file(path);
    if (!rc)
        rc = cli_check(c, specreg_table_read(c->ctx, path, NULL, &table));
    if (!rc)
        rc = take_students(table, path, s);
    specreg_table_free(table);
    free(path);
    return rc;
}

/* -------------------------------------------------------------------------- a split */

enum { TRAIN_ROLE, VALIDATE_ROLE, TEST_ROLE, ROLES };

typedef struct split {
    int64_t n; /* of each part */
    double *x[ROLES], *y[ROLES];
    double sigma;
} split;

static void free_split(split *s)
{
    for (int role = 0; role < ROLES; role++) {
        free(s->x[role]);
        free(s->y[role]);
    }
}

/* 60 percent of each school, in three equal parts: ceil(n / 5) each, 3124 in all. */
static void deal(const students *all, exp_random random, split *s)
{
    int64_t *order = cli_alloc((size_t)all->n, sizeof *order);
    *s = (split){0};
    for (int role = 0; role < ROLES; role++) {
        s->x[role] = cli_alloc((size_t)all->n * X_COLS, sizeof(double));
        s->y[role] = cli_alloc((size_t)all->n, sizeof(double));
    }
    for (int64_t k = 0; k < all->schools; k++) {
        const int64_t size = all->first[k + 1] - all->first[k], part = (size + 4) / 5;
        for (int64_t i = 0; i < size; i++)
            order[i] = all->first[k] + i;
        exp_shuffle(&random, order, size);
        for (int64_t i = 0; i < 3 * part; i++) {
            const int64_t role = i / part, to = s->n + i % part;
            memcpy(s->x[role] + to * X_COLS, all->x + order[i] * X_COLS, X_COLS * sizeof(double));
            s->y[role][to] = all->y[order[i]];
        }
        s->n += part;
    }
    free(order);
}

/* There is no constant term: scores are above or below the training mean. */
static void centre(split *s)
{
    const double mean = exp_mean(s->y[TRAIN_ROLE], s->n);
    for (int role = 0; role < ROLES; role++)
        for (int64_t i = 0; i < s->n; i++)
            s->y[role][i] -= mean;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The mean distance to the k nearest others, k = 20 percent of them, over the training rows. */
static double neighbour_width(const double *x, int64_t n)
{
    const int64_t k = n / 5 > 0 ? n / 5 : 1;
    double *r2 = cli_alloc((size_t)n, sizeof *r2), sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            r2[j] = 0.0;
            for (int b = 0; b < BITS; b++) {
                const double d = x[i * X_COLS + b] - x[j * X_COLS + b];
                r2[j] += d * d;
            }
        }
        qsort(r2, (size_t)n, sizeof *r2, compare);
        for (int64_t j = 1; j <= k && j < n; j++) /* the first is the row itself */
            sum += sqrt(r2[j]);
    }
    free(r2);
    return sum / (double)(n * k);
}

/* ----------------------------------------------------------------------------- fits */

enum { NU, LANDWEBER, TIKHONOV, METHODS };
static const struct {
    const char *title, *filter, *parameter;
    double explained, deviation, seconds; /* Table 1 */
} method[METHODS] = {
    {"nu-method", "nu", "filter.t", 31, 3, 106},
    {"Landweber", "landweber", "filter.t", 32, 4, 2015},
    {"Tikhonov", "tikhonov", "filter.lambda", 32, 3, 5900},
};

/* All t up to 200, then steps of 3 percent up to 3000: every one of them would be predicted for the
 * validation rows and all omegas. */
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

typedef struct outcome { /* per repetition */
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

/* The engine "" is the library's choice. */
static int fit(cli *c, specreg_table *const *table, const split *s, int which, const char *engine,
               int r, outcome *o)
{
    char *kernel = cli_format("rbf:sigma=%.17g", s->sigma), *path = landweber_path();
    const char *const param[METHODS] = {"t=1:150", path, "lambda=log:1e-5:1e-2:30"};
    const exp_setting settings[] = {{"kernel", kernel},
                                    {"filter", method[which].filter},
                                    {"param", param[which]},
                                    {"outputs", "common:omega=lin:0:1:11"},
                                    {"task-column", "task"},
                                    {"scale", "none"},
                                    {"problem", "regression"},
                                    {"engine", engine},
                                    {NULL, NULL}};
    double *f = cli_alloc((size_t)s->n, sizeof *f);
    json_t *record = NULL;
    const int rc = exp_fit_predict(c, table[TRAIN_ROLE], table[VALIDATE_ROLE], settings,
                                   table[TEST_ROLE], f, &record);
    if (!rc) {
        o->explained[r] = explained_variance(f, s->y[TEST_ROLE], s->n);
        o->omega[r] = exp_number(record, "outputs.omega");
        o->parameter[r] = exp_number(record, method[which].parameter);
        o->seconds[r] = exp_number(record, "seconds.total");
    }
    json_decref(record);
    free(f);
    free(path);
    free(kernel);
    return rc;
}

typedef struct results {
    outcome by[METHODS];
    outcome anew; /* Tikhonov with a decomposition for each omega, as the paper has it: once */
    double *sigma;
    int64_t part; /* students of a part */
} results;

static outcome new_outcome(int repeats)
{
    const size_t n = (size_t)repeats;
    return (outcome){cli_alloc(n, sizeof(double)), cli_alloc(n, sizeof(double)),
                     cli_alloc(n, sizeof(double)), cli_alloc(n, sizeof(double))};
}

static void free_outcome(outcome *o)
{
    free(o->explained);
    free(o->omega);
    free(o->parameter);
    free(o->seconds);
}

static int run_once(cli *c, const students *all, const exp_request *request, int r, results *out)
{
    static const char *const y[] = {"y"};
    split s;
    specreg_table *table[ROLES] = {NULL};
    int rc = CLI_OK;
    deal(all, exp_random_for(request->seed, 20, 0, 0, r), &s);
    centre(&s);
    out->part = s.n;
    out->sigma[r] = s.sigma = neighbour_width(s.x[TRAIN_ROLE], s.n);
    if (!(s.sigma > 0))
        rc = cli_fail(CLI_FAILED, "a fifth of the students lie where the others do: no width");
    for (int role = 0; !rc && role < ROLES; role++)
        rc = exp_table(c, s.n, s.x[role], X_COLS, bit, s.y[role], 1, y, &table[role]);
    for (int which = 0; !rc && which < METHODS; which++)
        rc = fit(c, table, &s, which, "auto", r, &out->by[which]);
    if (!rc && r == 0)
        rc = fit(c, table, &s, TIKHONOV, "eig", r, &out->anew);
    for (int role = 0; role < ROLES; role++)
        specreg_table_free(table[role]);
    free_split(&s);
    return rc;
}

/* ------------------------------------------------------------------------ reporting */

static void print_table(const results *out, int repeats)
{
    printf("%-10s  %20s  %8s  %5s  %9s  %8s  %7s\n", "", "explained variance %", "paper", "omega",
           "t, lambda", "seconds", "paper's");
    for (int i = 0; i < METHODS; i++) {
        const outcome *o = &out->by[i];
        printf("%-10s  %12.1f +- %4.1f  %3.0f +- %d  %5.2f  %9.3g  %8.2f  %7.0f\n", method[i].title,
               exp_mean(o->explained, repeats), exp_stddev(o->explained, repeats),
               method[i].explained, (int)method[i].deviation, exp_median(o->omega, repeats),
               exp_median(o->parameter, repeats), exp_mean(o->seconds, repeats), method[i].seconds);
    }
    printf("Tikhonov with a decomposition for each omega, first repetition: %.2f s, explained "
           "variance %.1f %%\n",
           out->anew.seconds[0], out->anew.explained[0]);
}

static exp_claims judge(const cli *c, const results *out, int repeats)
{
    double mean[METHODS], seconds[METHODS], least = INFINITY, most = -INFINITY;
    for (int i = 0; i < METHODS; i++) {
        mean[i] = exp_mean(out->by[i].explained, repeats);
        seconds[i] = exp_mean(out->by[i].seconds, repeats);
        least = fmin(least, mean[i]);
        most = fmax(most, mean[i]);
    }
    const double anew = out->anew.seconds[0] / out->by[NU].seconds[0];
    exp_claims claims = exp_claims_new(c);
    exp_claim(&claims, most - least <= 1.0, "the three algorithms perform consistently",
              "%.1f to %.1f %%", least, most);
    exp_claim(&claims, least > 26.4, "they improve on 26.4 % of multi-task feature learning",
              "%.1f %% or more", least);
    exp_claim(&claims, anew >= 10.0,
              "the nu-method is at least ten times faster than Tikhonov by decompositions",
              "%.0f times", anew);
    exp_claim(&claims, seconds[LANDWEBER] >= 10.0 * seconds[NU],
              "and than Landweber with 3000 steps",
              "%.1f times, where neither walks its steps but takes them from a Krylov space",
              seconds[LANDWEBER] / seconds[NU]);
    return claims;
}

static json_t *body_of(const results *out, const students *all, int repeats)
{
    json_t *methods = json_array();
    for (int i = 0; i <= METHODS; i++) {
        const outcome *o = i < METHODS ? &out->by[i] : &out->anew;
        const int n = i < METHODS ? repeats : 1;
        json_array_append_new(methods,
                              json_pack("{s:s, s:o, s:o, s:o, s:o}", "method",
                                        i < METHODS ? method[i].filter : "tikhonov, engine eig",
                                        "explained_variance", exp_numbers(o->explained, n), "omega",
                                        exp_numbers(o->omega, n), "parameter",
                                        exp_numbers(o->parameter, n), "seconds",
                                        exp_numbers(o->seconds, n)));
    }
    return json_pack("{s:I, s:I, s:I, s:o, s:o}", "students", (json_int_t)all->n, "schools",
                     (json_int_t)all->schools, "part", (json_int_t)out->part, "sigma",
                     exp_numbers(out->sigma, repeats), "methods", methods);
}

static cli_columns *columns_of(const results *out, int repeats)
{
    cli_columns *t = cli_columns_new(repeats);
    for (int r = 0; r < repeats; r++) {
        cli_columns_set(t, r, "repetition", r + 1);
        cli_columns_set(t, r, "sigma", out->sigma[r]);
        for (int i = 0; i < METHODS; i++) {
            const double value[] = {out->by[i].explained[r], out->by[i].omega[r],
                                    out->by[i].parameter[r], out->by[i].seconds[r]};
            static const char *const name[] = {"explained_variance", "omega", "parameter",
                                               "seconds"};
            for (int k = 0; k < 4; k++) {
                char *column = cli_format("%s.%s", method[i].filter, name[k]);
                cli_columns_set(t, r, column, value[k]);
                free(column);
            }
        }
    }
    return t;
}

int cli_experiment_school(cli *c)
{
    exp_request request = {.repeats = 10};
    students all = {0};
    results out = {0};
    int rc = exp_request_read(c, &request);
    if (!rc)
        rc = read_students(c, &all);
    const double begun = exp_now();
    for (int i = 0; i < METHODS; i++)
        out.by[i] = new_outcome(request.repeats);
    out.anew = new_outcome(1);
    out.sigma = cli_alloc((size_t)request.repeats, sizeof *out.sigma);
    for (int r = 0; !rc && r < request.repeats; r++) {
        char *task = cli_format("repetition %d/%d", r + 1, request.repeats);
        cli_progress_task(task);
        rc = run_once(c, &all, &request, r, &out);
        cli_progress_task(NULL);
        free(task);
    }
    cli_progress_clear();
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
    for (int i = 0; i < METHODS; i++)
        free_outcome(&out.by[i]);
    free_outcome(&out.anew);
    free(out.sigma);
    free_students(&all);
    return rc;
}
