/* experiment currents: velocities of drifters in the ocean by a kernel for fields, and component by
 * component, on points that were held out. */
#include <stdlib.h>

#include "currents.h"

enum { SETS = 4 };
static const char *const set_name[SETS + 1] = {"glad_full", "glad_sparse", "laser_full",
                                               "laser_sparse", NULL};

enum { FIELD, COMPONENTS, METHODS };

typedef struct outcome { /* of each split */
    double *mse[METHODS], *angle[METHODS];
    double *gamma, *sigma; /* of the field kernel */
} outcome;

static outcome new_outcome(int repeats)
{
    return (outcome){{exp_zeros(repeats), exp_zeros(repeats)},
                     {exp_zeros(repeats), exp_zeros(repeats)},
                     exp_zeros(repeats),
                     exp_zeros(repeats)};
}

static void free_outcome(outcome *o)
{
    for (int by = 0; by < METHODS; by++) {
        free(o->mse[by]);
        free(o->angle[by]);
    }
    free(o->gamma);
    free(o->sigma);
}

static void score(const drifters *test, const double *v, int by, int r, outcome *o)
{
    double squares = 0.0;
    for (int64_t i = 0; i < 2 * test->n; i++)
        squares += (v[i] - test->v[i]) * (v[i] - test->v[i]);
    o->mse[by][r] = squares / (double)(2 * test->n);
    o->angle[by][r] = exp_angle(v, test->v, test->n);
}

/* A kernel for fields. */
static int run_field(cli *c, const drifters *train, const drifters *test, int r, outcome *o)
{
    double mean[2], *v = exp_zeros(2 * test->n);
    specreg_model *model = NULL;
    json_t *record = NULL;
    drifters_mean(train, mean);
    drifters_fill(v, mean, test->n);
    int rc = drifters_fit(c, train, mean, CURRENTS_BOTH, &model, &record);
    if (!rc)
        rc = drifters_add_prediction(c, model, test, CURRENTS_BOTH, v);
    score(test, v, FIELD, r, o);
    o->gamma[r] = exp_number(record, "kernel.gamma");
    o->sigma[r] = exp_number(record, "kernel.sigma");
    json_decref(record);
    specreg_model_free(model);
    free(v);
    return rc;
}

/* Each component by itself. */
static int run_components(cli *c, const drifters *train, const drifters *test, int r, outcome *o)
{
    double mean[2], *v = exp_zeros(2 * test->n);
    int rc = CLI_OK;
    drifters_mean(train, mean);
    drifters_fill(v, mean, test->n);
    for (int component = 0; !rc && component < 2; component++) {
        specreg_model *model = NULL;
        rc = drifters_fit(c, train, mean, component, &model, NULL);
        if (!rc)
            rc = drifters_add_prediction(c, model, test, component, v);
        specreg_model_free(model);
    }
    score(test, v, COMPONENTS, r, o);
    free(v);
    return rc;
}

/* A fifth of the points, rounded up, is held out. */
static int run_splits(cli *c, const exp_request *request, int set, const drifters *all, outcome *o)
{
    const int64_t n_test = (all->n + 4) / 5;
    int64_t *order = cli_alloc((size_t)all->n, sizeof *order);
    int rc = CLI_OK;
    for (int r = 0; !rc && r < request->repeats; r++) {
        cli_progress_label("%s %d/%d", set_name[set], r + 1, request->repeats);
        exp_random random = exp_random_for(request->seed, 30, set, 0, r);
        for (int64_t i = 0; i < all->n; i++)
            order[i] = i;
        exp_shuffle(&random, order, all->n);
        drifters test = drifters_select(all, order, n_test);
        drifters train = drifters_select(all, order + n_test, all->n - n_test);
        rc = run_field(c, &train, &test, r, o);
        if (!rc)
            rc = run_components(c, &train, &test, r, o);
        cli_progress_no_label();
        drifters_free(&test);
        drifters_free(&train);
    }
    cli_progress_clear();
    free(order);
    return rc;
}

static void print_row(int set, int64_t n, const outcome *o, int repeats)
{
    printf("%-12s  %5d", set_name[set], (int)n);
    for (int by = 0; by < METHODS; by++)
        printf("  %9.3g +- %7.2g", exp_mean(o->mse[by], repeats), exp_stddev(o->mse[by], repeats));
    printf("  %6.3f", exp_mean(o->mse[FIELD], repeats) / exp_mean(o->mse[COMPONENTS], repeats));
    for (int by = 0; by < METHODS; by++)
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
        won += o->mse[FIELD][r] < o->mse[COMPONENTS][r];
    const double ratio = exp_mean(o->mse[FIELD], repeats) / exp_mean(o->mse[COMPONENTS], repeats);
    exp_claim(claims, ratio < 1.0, paper,
              "the squared error is %.3f of theirs; less in %d of %d splits", ratio, won, repeats);
    free(paper);
}

static json_t *entry_of(int set, int64_t n, const outcome *o, int repeats)
{
    return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "set", set_name[set], "n",
                     (json_int_t)n, "field_mse", exp_numbers(o->mse[FIELD], repeats),
                     "components_mse", exp_numbers(o->mse[COMPONENTS], repeats), "field_angle",
                     exp_numbers(o->angle[FIELD], repeats), "components_angle",
                     exp_numbers(o->angle[COMPONENTS], repeats), "gamma",
                     exp_numbers(o->gamma, repeats), "sigma", exp_numbers(o->sigma, repeats));
}

/* ------------------------------------------------------------------- the experiment */

typedef struct report {
    json_t *results;
    exp_claims claims;
    cli_columns *map;
} report;

static char *path_of(const cli *c, int set)
{
    return cli_format("%s/vectorfield/%s.csv", exp_data_folder(c), set_name[set]);
}

static int run_set(cli *c, const exp_request *request, int set, outcome *o, report *out)
{
    drifters all = {0};
    char *path = path_of(c, set);
    int rc = drifters_read(c, path, &all);
    if (!rc)
        rc = run_splits(c, request, set, &all, o);
    if (!rc && c->value[CLI_OUTPUT] && !out->map) /* of the first set */
        rc = currents_map(c, &all, &out->map);
    if (!rc && c->show)
        print_row(set, all.n, o, request->repeats);
    if (!rc)
        json_array_append_new(out->results, entry_of(set, all.n, o, request->repeats));
    drifters_free(&all);
    free(path);
    return rc;
}

static int check_files(const cli *c, const exp_sets *sets)
{
    int rc = exp_check_data_folder(c);
    for (int i = 0; !rc && i < sets->count; i++) {
        char *path = path_of(c, sets->index[i]);
        rc = exp_check_file(path, "of the data");
        free(path);
    }
    return rc;
}

static void print_heading(void)
{
    printf("%-12s  %5s  %20s  %20s  %6s  %14s  %14s  %5s  %7s\n", "set", "n", "mse, field",
           "mse, components", "ratio", "angle, field", "components", "gamma", "sigma");
}

static int run_sets(cli *c, const exp_request *request, const exp_sets *sets)
{
    outcome o[SETS];
    report out = {.results = json_array()};
    int rc = CLI_OK;
    for (int i = 0; i < sets->count; i++)
        o[i] = new_outcome(request->repeats);
    if (c->show)
        print_heading();
    for (int i = 0; !rc && i < sets->count; i++)
        rc = run_set(c, request, sets->index[i], &o[i], &out);
    if (!rc) {
        out.claims = exp_claims_new(c);
        for (int i = 0; i < sets->count; i++)
            judge(&out.claims, sets->index[i], &o[i], request->repeats);
        rc = exp_finish(c, "currents", request, &out.claims,
                        json_pack("{s:O}", "results", out.results), out.map);
    }
    json_decref(out.results);
    cli_columns_free(out.map);
    for (int i = 0; i < sets->count; i++)
        free_outcome(&o[i]);
    return rc;
}

static int run(cli *c)
{
    exp_request request = {.repeats = 10};
    exp_sets sets;
    int rc = exp_request_read(c, &request);
    if (!rc)
        rc = exp_sets_read(c, c->value[EXP_QUICK] ? "laser_sparse" : "all", set_name, &sets);
    if (!rc)
        rc = check_files(c, &sets);
    return rc ? rc : run_sets(c, &request, &sets);
}

const experiment exp_currents = {
    .name = "currents",
    .time = "4 min",
    .data = "vectorfield",
    .subject = "velocities of ocean drifters by a kernel for fields",
    .about = "Velocities of ocean drifters, a fifth of them held out.",
    .commands = "specreg fit TRAIN --target u,v --features none --search grid --kernel "
                "helmholtz:sigma=...,gamma=lin:0:1:6 --select kfold:k=5 --scale none\n"
                "specreg fit TRAIN --target u --features none --search grid --kernel rbf:sigma=... "
                "--select kfold:k=5 --scale none",
    .options = {EXP_DATA, EXP_SETS, EXP_REPEATS, CLI_OUTPUT, -1},
    .run = run,
};
