/* experiment multitask: four related functions, sampled at points of their own or at the same ones
 * (Figure 3 of Baldassarre, Rosasco, Barla and Verri). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "related.h"

enum { TASKS = RELATED_TASKS, TEST = 250 }; /* TEST: test points of a task, 1000 in all */
enum { OWN_POINTS, SAME_POINTS, CASES, ALONE = CASES };
static const char *const case_name[CASES] = {"multi-task", "vector-valued"};
static const char *const case_key[CASES] = {"tasks", "vector"};
/* Rows x, y of one task. */
static int table_of_one(cli *c, const related_sample *s, int task, specreg_table **out)
{
    static const char *const names[] = {"x"}, *const y[] = {"y"};
    return exp_table(c, s->n, (exp_columns){s->x + task * s->n, 1, names},
                     (exp_columns){s->y + task * s->n, 1, y}, out);
}

/* ------------------------------------------------------------------------- fits */

/* `which` is a case, or ALONE for one task by itself. */
static int learn(cli *c, int which, specreg_table *const *tables, double *f, json_t **record)
{
    const bool by_column = which == OWN_POINTS;
    const exp_setting settings[] = {
        {"kernel", "rbf:sigma=0.1"},
        {"filter", "nu"},
        {"param", "t=1:200"},
        {"scale", "none"},
        {"problem", "regression"},
        {which == ALONE ? NULL : "outputs", "common:omega=lin:0:1:11"},
        {by_column ? "task-column" : "target", by_column ? "task" : "y1,y2,y3,y4"},
        {NULL, NULL},
    };
    return exp_fit_predict(c, tables, settings, f, record);
}

typedef int make_table(cli *c, const related_sample *s, specreg_table **out);

static double sum_of_squares(const double *f, const double *y, int64_t count)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        sum += (f[i] - y[i]) * (f[i] - y[i]);
    return sum;
}

/* Predictions of vectors come point by point; samples are ordered task by task. */
static void order_by_task(double *f)
{
    double *points = exp_zeros(TASKS * TEST);
    memcpy(points, f, TASKS * TEST * sizeof *f);
    for (int64_t i = 0; i < TASKS * TEST; i++)
        f[i] = points[i % TEST * TASKS + i / TEST];
    free(points);
}

/* `s` has a sample for each role. */
static int fit_coupled(cli *c, int which, const related_sample *s, double *mse, double *omega)
{
    make_table *const make = which == OWN_POINTS ? related_tasks : related_vectors;
    specreg_table *tables[EXP_ROLES] = {NULL};
    double *f = exp_zeros(TASKS * TEST);
    json_t *record = NULL;
    int rc = CLI_OK;
    for (int role = 0; !rc && role < EXP_ROLES; role++)
        rc = make(c, &s[role], &tables[role]);
    if (!rc)
        rc = learn(c, which, tables, f, &record);
    if (which == SAME_POINTS)
        order_by_task(f);
    *mse = sum_of_squares(f, s[EXP_TEST].y, TASKS * TEST) / (TASKS * TEST);
    *omega = exp_number(record, "outputs.omega");
    json_decref(record);
    exp_free_tables(tables);
    free(f);
    return rc;
}

static int predict_alone(cli *c, const related_sample *s, int task, double *f)
{
    specreg_table *tables[EXP_ROLES] = {NULL};
    int rc = CLI_OK;
    for (int role = 0; !rc && role < EXP_ROLES; role++)
        rc = table_of_one(c, &s[role], task, &tables[role]);
    if (!rc)
        rc = learn(c, ALONE, tables, f, NULL);
    exp_free_tables(tables);
    return rc;
}

/* Each task by itself, with a number of iterations of its own. */
static int fit_alone(cli *c, const related_sample *s, double *mse)
{
    double *f = exp_zeros(TASKS * TEST);
    int rc = CLI_OK;
    for (int task = 0; !rc && task < TASKS; task++)
        rc = predict_alone(c, s, task, f + task * TEST);
    *mse = sum_of_squares(f, s[EXP_TEST].y, TASKS * TEST) / (TASKS * TEST);
    free(f);
    return rc;
}

/* ------------------------------------------------------------------- the experiment */

typedef struct outcome { /* of a case and a size, for each repetition */
    double *coupled, *alone, *omega;
} outcome;

static int repeat(cli *c, const exp_request *request, int which, int64_t n, outcome *o)
{
    int rc = CLI_OK;
    for (int r = 0; !rc && r < request->repeats; r++) {
        related_sample s[EXP_ROLES];
        for (int role = 0; role < EXP_ROLES; role++)
            s[role] = related_draw(exp_random_for(request->seed, which, role, n, r),
                                   role == EXP_TEST ? TEST : n, which == SAME_POINTS);
        rc = fit_coupled(c, which, s, &o->coupled[r], &o->omega[r]);
        if (!rc)
            rc = fit_alone(c, s, &o->alone[r]);
        for (int role = 0; role < EXP_ROLES; role++)
            related_free(&s[role]);
    }
    return rc;
}

static void print_row(int which, int64_t n, const outcome *o, int repeats)
{
    const double ours = exp_mean(o->coupled, repeats), theirs = exp_mean(o->alone, repeats);
    printf("%-14s %5d  %8.5f +- %7.5f  %8.5f +- %7.5f  %6.3f  %6.2f\n", case_name[which], (int)n,
           ours, exp_stddev(o->coupled, repeats), theirs, exp_stddev(o->alone, repeats),
           ours / theirs, exp_median(o->omega, repeats));
    fflush(stdout);
}

typedef struct report {
    cli_columns *columns; /* a row for each size */
    json_t *results;
} report;

/* Fills the columns of a case in row `i`, and adds an entry to the record. */
static void note(report *out, const exp_request *request, int which, int i, const outcome *o)
{
    const int repeats = request->repeats;
    const struct {
        const char *name;
        double value;
    } column[] = {{"coupled", exp_mean(o->coupled, repeats)},
                  {"coupled.stddev", exp_stddev(o->coupled, repeats)},
                  {"independent", exp_mean(o->alone, repeats)},
                  {"independent.stddev", exp_stddev(o->alone, repeats)},
                  {"omega", exp_median(o->omega, repeats)}};
    cli_columns_set(out->columns, i, "n", (double)request->size[i]);
    for (size_t k = 0; k < sizeof column / sizeof *column; k++) {
        char *name = cli_format("%s.%s", case_key[which], column[k].name);
        cli_columns_set(out->columns, i, name, column[k].value);
        free(name);
    }
    json_array_append_new(out->results,
                          json_pack("{s:s, s:I, s:o, s:o, s:o}", "case", case_key[which], "n",
                                    (json_int_t)request->size[i], "coupled",
                                    exp_numbers(o->coupled, repeats), "independent",
                                    exp_numbers(o->alone, repeats), "omega",
                                    exp_numbers(o->omega, repeats)));
}

typedef struct tally { /* of a case, over sizes and repetitions */
    int sizes_won, runs_won, runs;
    double log_ratio; /* sum over the sizes of log(error of coupled / error of independent) */
    double *omega;
} tally;

static void count(tally *t, const outcome *o, int repeats)
{
    const double ratio = exp_mean(o->coupled, repeats) / exp_mean(o->alone, repeats);
    t->sizes_won += ratio < 1.0;
    t->log_ratio += log(ratio);
    for (int r = 0; r < repeats; r++) {
        t->runs_won += o->coupled[r] < o->alone[r];
        t->omega[t->runs++] = o->omega[r];
    }
}

static exp_claims judge(const cli *c, const tally *t, int sizes)
{
    const double omega = exp_median(t[OWN_POINTS].omega, t[OWN_POINTS].runs);
    double ratio[CASES];
    for (int which = 0; which < CASES; which++)
        ratio[which] = exp(t[which].log_ratio / sizes);
    exp_claims claims = exp_claims_new(c);
    exp_claim(&claims, t[OWN_POINTS].sizes_won == sizes && ratio[OWN_POINTS] < 0.9,
              "multi-task: coupling is significantly advantageous",
              "better at %d of %d sizes and in %d of %d runs; the error is %.2f of that of "
              "independent tasks (geometric mean over the sizes)",
              t[OWN_POINTS].sizes_won, sizes, t[OWN_POINTS].runs_won, t[OWN_POINTS].runs,
              ratio[OWN_POINTS]);
    exp_claim(&claims, fabs(omega - 0.6) <= 0.2,
              "multi-task: the median of the selected omega is 0.6", "%.2f", omega);
    exp_claim(&claims, fabs(ratio[SAME_POINTS] - 1.0) <= 0.1,
              "vector-valued: no gain by a kernel that is not diagonal",
              "the error is %.2f of that of independent components", ratio[SAME_POINTS]);
    return claims;
}

static int run_case(cli *c, const exp_request *request, int which, tally *t, report *out)
{
    outcome o = {exp_zeros(request->repeats), exp_zeros(request->repeats),
                 exp_zeros(request->repeats)};
    int rc = CLI_OK;
    for (int i = 0; !rc && i < request->n_sizes; i++) {
        cli_progress_label("%s, n = %d", case_name[which], (int)request->size[i]);
        rc = repeat(c, request, which, request->size[i], &o);
        cli_progress_no_label();
        cli_progress_clear();
        if (rc)
            break;
        count(t, &o, request->repeats);
        note(out, request, which, i, &o);
        if (c->show)
            print_row(which, request->size[i], &o, request->repeats);
    }
    free(o.coupled);
    free(o.alone);
    free(o.omega);
    return rc;
}

static int run(cli *c)
{
    exp_request request = {.repeats = 10, .n_sizes = 5, .size = {5, 10, 20, 40, 80}};
    int rc = exp_request_read(c, &request);
    if (rc)
        return rc;
    const int64_t runs = (int64_t)request.repeats * request.n_sizes;
    tally t[CASES] = {{.omega = exp_zeros(runs)}, {.omega = exp_zeros(runs)}};
    report out = {cli_columns_new(request.n_sizes), json_array()};
    if (c->show)
        printf("%-14s %5s  %19s  %19s  %6s  %6s\n", "", "n", "mse, common kernel",
               "mse, independent", "ratio", "omega");
    for (int which = 0; !rc && which < CASES; which++)
        rc = run_case(c, &request, which, &t[which], &out);
    if (!rc) {
        exp_claims claims = judge(c, t, request.n_sizes);
        json_t *body = json_pack("{s:O}", "results", out.results);
        rc = exp_finish(c, "multitask", &request, &claims, body, out.columns);
    }
    json_decref(out.results);
    cli_columns_free(out.columns);
    free(t[0].omega);
    free(t[1].omega);
    return rc;
}

const experiment exp_multitask = {
    .name = "multitask",
    .time = "6 s",
    .paper = "Baldassarre, Rosasco, Barla and Verri, Figure 3",
    .subject = "four related functions, learned together and one by one",
    .about = "Four related functions, learned together and one by one, from points of their own "
             "and from the same ones.",
    .commands = "specreg fit TRAIN --task-column task --features none --search grid --kernel "
                "rbf:sigma=0.1 --filter nu --param t=1:200 --outputs common:omega=lin:0:1:11 "
                "--scale none --select file:VALIDATION\n"
                "specreg fit TRAIN --target y1,y2,y3,y4 --features none --search grid --kernel "
                "rbf:sigma=0.1 --filter nu --param t=1:200 --outputs common:omega=lin:0:1:11 "
                "--scale none --select file:VALIDATION",
    .options = {EXP_REPEATS, EXP_SIZES, CLI_OUTPUT, -1},
    .run = run,
};
