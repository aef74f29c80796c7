/* experiment timing: how long it takes to choose the parameter of three filters, by a validation
 * set and by leave-one-out (Figure 4 of Baldassarre, Rosasco, Barla and Verri). */
#include <math.h>
#include <stdlib.h>

#include "related.h"

enum { TIKHONOV, LANDWEBER, NU, FILTERS };
static const struct {
    const char *name, *filter, *param, *engine; /* the engine that works as the paper does */
} filter[FILTERS] = {
    {"Tikhonov", "tikhonov", "lambda=log:1e-6:1:25", "cholesky"},
    {"Landweber", "landweber", "t=1:1000", "iterate"},
    {"nu-method", "nu", "t=1:200", "iterate"},
};
/* Tasks with points of their own by a validation set; vectors by leave-one-out. */
enum { VALIDATION, LEAVE_ONE_OUT, WAYS };
static const char *const way[WAYS] = {"validation", "loo"};
/* As the paper computes it, and by the engine that we would take. */
enum { PAPER, OURS, ENGINES };
enum { MOST_REPEATS = 100 };

typedef double times[WAYS][ENGINES][FILTERS][MOST_REPEATS]; /* processor seconds */

static int choose(cli *c, int how, int engine, int which, const related_sample *s, double *seconds)
{
    char folds[32];
    snprintf(folds, sizeof folds, "kfold:k=%d", (int)s[EXP_TRAIN].n);
    /* Tikhonov has leave-one-out in closed form; of the others the paper runs the path n times */
    const char *const select = which == TIKHONOV || engine == OURS ? "loo" : folds;
    const exp_setting settings[] = {
        {"kernel", "rbf:sigma=0.1"},
        {"filter", filter[which].filter},
        {"param", filter[which].param},
        {"outputs", "common:omega=0.5"},
        {"scale", "none"},
        {"problem", "regression"},
        {"criterion", "mse"},
        {how == VALIDATION ? "task-column" : "target", how == VALIDATION ? "task" : "y1,y2,y3,y4"},
        {"engine", engine == OURS || (which == TIKHONOV && how == LEAVE_ONE_OUT)
                       ? "auto"
                       : filter[which].engine},
        {how == VALIDATION ? NULL : "select", select},
        {NULL, NULL},
    };
    specreg_table *train = NULL, *validate = NULL;
    specreg_model *model = NULL;
    int rc = how == VALIDATION ? related_tasks(c, &s[EXP_TRAIN], &train)
                               : related_vectors(c, &s[EXP_TRAIN], &train);
    if (!rc && how == VALIDATION)
        rc = related_tasks(c, &s[EXP_VALIDATE], &validate);
    const double begun = exp_processor();
    if (!rc)
        rc = exp_fit(c, train, validate, settings, &model, NULL);
    *seconds = exp_processor() - begun;
    specreg_model_free(model);
    specreg_table_free(validate);
    specreg_table_free(train);
    return rc;
}

static int run_size(cli *c, const exp_request *request, int64_t n, times t)
{
    int rc = CLI_OK;
    for (int r = 0; !rc && r < request->repeats; r++)
        for (int how = 0; !rc && how < WAYS; how++) {
            related_sample s[EXP_ROLES] = {{0}};
            cli_progress_label("n = %d, %s, %d/%d", (int)n, way[how], r + 1, request->repeats);
            for (int role = 0; role <= EXP_VALIDATE; role++)
                s[role] = related_draw(exp_random_for(request->seed, 77, how * 2 + role, n, r), n,
                                       how == LEAVE_ONE_OUT);
            for (int k = 0; !rc && k < ENGINES * FILTERS; k++)
                rc = choose(c, how, k / FILTERS, k % FILTERS, s,
                            &t[how][k / FILTERS][k % FILTERS][r]);
            for (int role = 0; role <= EXP_VALIDATE; role++)
                related_free(&s[role]);
        }
    cli_progress_no_label();
    cli_progress_clear();
    return rc;
}

/* --------------------------------------------------------------------------- results */

static void print_row(int64_t n, times t, int repeats)
{
    for (int how = 0; how < WAYS; how++) {
        printf("%-13s %5d", how == VALIDATION ? "tasks" : "vectors, loo", (int)n);
        for (int k = 0; k < ENGINES * FILTERS; k++)
            printf(" %10.4g", exp_median(t[how][k / FILTERS][k % FILTERS], repeats));
        putchar('\n');
    }
    fflush(stdout);
}

static exp_claims judge(const cli *c, times last, int repeats)
{
    exp_claims claims = exp_claims_new(c);
    double s[WAYS][FILTERS];
    for (int how = 0; how < WAYS; how++)
        for (int k = 0; k < FILTERS; k++)
            s[how][k] = exp_median(last[how][PAPER][k], repeats);
    exp_claim(&claims, s[0][NU] < s[0][TIKHONOV] && s[0][NU] < s[0][LANDWEBER],
              "with a validation set the nu-method outperforms the other methods",
              "%.3g s, Landweber %.3g s, Tikhonov %.3g s at the largest size, computed as there",
              s[0][NU], s[0][LANDWEBER], s[0][TIKHONOV]);
    exp_claim(&claims, s[1][TIKHONOV] < s[1][NU] && s[1][TIKHONOV] < s[1][LANDWEBER],
              "with leave-one-out in closed form Tikhonov is faster than the iterations",
              "%.3g s, nu-method %.3g s, Landweber %.3g s", s[1][TIKHONOV], s[1][NU],
              s[1][LANDWEBER]);
    return claims;
}

static void enter(cli_columns *t, int row, times seconds, int repeats, json_t *list, int64_t n)
{
    static const char *const engine[ENGINES] = {"paper", "auto"};
    cli_columns_set(t, row, "n", (double)n);
    for (int how = 0; how < WAYS; how++)
        for (int k = 0; k < ENGINES * FILTERS; k++) {
            const double *all = seconds[how][k / FILTERS][k % FILTERS];
            char *name =
                cli_format("%s.%s.%s", way[how], engine[k / FILTERS], filter[k % FILTERS].filter);
            cli_columns_set(t, row, name, exp_median(all, repeats));
            free(name);
            json_array_append_new(list,
                                  json_pack("{s:I, s:s, s:s, s:s, s:o}", "n", (json_int_t)n,
                                            "selection", way[how], "engine", engine[k / FILTERS],
                                            "filter", filter[k % FILTERS].filter,
                                            "processor_seconds", exp_numbers(all, repeats)));
        }
}

static int run(cli *c)
{
    exp_request request = {.repeats = 5, .n_sizes = 5, .size = {10, 20, 40, 80, 160}};
    int rc = exp_request_read(c, &request);
    if (rc)
        return rc;
    times *t = cli_alloc((size_t)request.n_sizes, sizeof *t);
    cli_columns *columns = cli_columns_new(request.n_sizes);
    json_t *list = json_array();
    if (c->show)
        printf("processor seconds, medians: as the paper computes          by the engine of our "
               "choice\n%-13s %5s %10s %10s %10s %10s %10s %10s\n",
               "", "n", "Tikhonov", "Landweber", "nu-method", "Tikhonov", "Landweber", "nu-method");
    for (int i = 0; !rc && i < request.n_sizes; i++) {
        rc = run_size(c, &request, request.size[i], t[i]);
        if (rc)
            break;
        enter(columns, i, t[i], request.repeats, list, request.size[i]);
        if (c->show)
            print_row(request.size[i], t[i], request.repeats);
    }
    if (!rc) {
        exp_claims claims = judge(c, t[request.n_sizes - 1], request.repeats);
        rc = exp_finish(c, "timing", &request, &claims, json_pack("{s:O}", "results", list),
                        columns);
    }
    json_decref(list);
    cli_columns_free(columns);
    free(t);
    return rc;
}

const experiment exp_timing = {
    .name = "timing",
    .time = "5 min",
    .paper = "Baldassarre, Rosasco, Barla and Verri, Figure 4",
    .subject = "how long three filters take to choose their parameter",
    .about =
        "The functions of multitask, omega = 0.5, n points of each: processor seconds of choosing "
        "among 25 lambdas (Tikhonov), 1,000 steps (Landweber) or 200 (nu-method), for tasks by a "
        "validation set of the same size and for vectors by leave-one-out; as the paper computes "
        "it (a factorization for each lambda; iterations; n runs of them for leave-one-out) and by "
        "the engine that is taken without being asked for.",
    .commands =
        "specreg fit TRAIN --task-column task --outputs common:omega=0.5 --features none --search "
        "grid --kernel rbf:sigma=0.1 --scale none --filter nu --param t=1:200 --select "
        "file:VALIDATION --engine iterate\n"
        "specreg fit TRAIN --target y1,y2,y3,y4 --outputs common:omega=0.5 --features none "
        "--search grid --kernel rbf:sigma=0.1 --scale none --filter tikhonov --param "
        "lambda=log:1e-6:1:25 --select loo",
    .options = {EXP_REPEATS, EXP_SIZES, CLI_OUTPUT, -1},
    .run = run,
};
