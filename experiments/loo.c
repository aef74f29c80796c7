/* experiment loo: leave-one-out, its approximation GACV and both forms of the bound beside the test
 * error, along lambda (section 7.7 of Rifkin, Yeo and Poggio, "Regularized Least-Squares
 * Classification"), on sets of the IDA benchmark. */
#include <math.h>
#include <stdlib.h>

#include "experiment.h"
#include "ida_data.h"

static const char *const default_sets = "banana,heart,ringnorm,twonorm,waveform";
enum { LAMBDAS = 25 };
static const char *const lambdas = "lambda=log:1e-6:1:25";

enum { ERRORS, SQUARES, GACV, BOUND1, BOUND2, RULES };
static const struct {
    const char *key, *select, *criterion;
} rule[RULES] = {
    {"loo", "loo", "error_rate"},       {"loo_mse", "loo", "mse"},          {"gacv", "gcv", "auto"},
    {"bound1", "bound:form=1", "auto"}, {"bound2", "bound:form=2", "auto"},
};

typedef struct curves { /* of one split, along lambda from the largest on; errors in per cent */
    double lambda[LAMBDAS], test[LAMBDAS], by[RULES][LAMBDAS];
} curves;

/* Fills what one rule says; bounds are counts of rows. */
static int run_rule(cli *c, const specreg_table *train, const specreg_table *test, int r, curves *k)
{
    const exp_setting settings[] = {{"kernel", "rbf:sigma=median"},
                                    {"param", lambdas},
                                    {"select", rule[r].select},
                                    {"criterion", rule[r].criterion},
                                    {"features", "none"},
                                    {NULL, NULL}};
    json_t *record = NULL, *point;
    size_t i;
    const int rc = exp_path(c, train, test, settings, &record);
    const double n = (double)specreg_table_rows(train);
    json_array_foreach (json_object_get(record, "table"), i, point) {
        if (i == LAMBDAS)
            break;
        const double value = exp_number(point, "value");
        k->lambda[i] = exp_number(point, "lambda");
        k->test[i] = 100.0 * exp_number(point, "test_error_rate");
        k->by[r][i] = r == ERRORS ? 100.0 * value : r >= BOUND1 ? 100.0 * value / n : value;
    }
    json_decref(record);
    return rc;
}

static int least(const double *value)
{
    int at = 0;
    for (int i = 1; i < LAMBDAS; i++)
        if (value[i] < value[at])
            at = i;
    return at;
}

/* ----------------------------------------------------------------------- one set */

typedef struct outcome {
    const char *set;
    int64_t splits;
    bool original;
    double chosen[RULES]; /* mean test error at the lambda that each rule takes, and the least   */
    double best;
    double
        loo_apart; /* mean over lambda of the difference of the means of loo and test, in points */
    double gacv_apart; /* the largest over lambda of the log of the ratio of their means */
    double margin;     /* the least of bound - loo, in points                                  */
    double above[2];   /* mean of bound - loo at the lambda that loo takes, and over all lambda */
    int differ;        /* splits and lambdas where the two forms of the bound differ           */
    curves mean;
} outcome;

static void add(const curves *k, outcome *o)
{
    const double share = 1.0 / (double)o->splits;
    const int at = least(k->by[ERRORS]);
    for (int r = 0; r < RULES; r++)
        o->chosen[r] += share * k->test[least(k->by[r])];
    o->best += share * k->test[least(k->test)];
    o->above[0] += share * (k->by[BOUND2][at] - k->by[ERRORS][at]);
    for (int i = 0; i < LAMBDAS; i++) {
        const double above = k->by[BOUND2][i] - k->by[ERRORS][i];
        o->above[1] += share / LAMBDAS * above;
        o->margin = fmin(o->margin, above);
        o->differ += fabs(k->by[BOUND1][i] - k->by[BOUND2][i]) > 1e-9;
        o->mean.lambda[i] = k->lambda[i];
        o->mean.test[i] += share * k->test[i];
        for (int r = 0; r < RULES; r++)
            o->mean.by[r][i] += share * k->by[r][i];
    }
}

static int run_set(cli *c, const char *set, int64_t wanted, outcome *o)
{
    ida_data data;
    int rc = ida_open(c, set, wanted, &data);
    *o = (outcome){.set = set, .splits = data.count, .original = data.original, .margin = INFINITY};
    for (int64_t i = 0; !rc && i < data.count; i++) {
        specreg_table *train = NULL, *test = NULL;
        curves k;
        cli_progress_label("%s %d/%d", set, (int)i + 1, (int)data.count);
        rc = ida_divide(c, &data, i, &train, &test);
        for (int r = 0; !rc && r < RULES; r++)
            rc = run_rule(c, train, test, r, &k);
        if (!rc)
            add(&k, o);
        specreg_table_free(train);
        specreg_table_free(test);
    }
    cli_progress_no_label();
    for (int i = 0; i < LAMBDAS; i++) {
        o->loo_apart += fabs(o->mean.by[ERRORS][i] - o->mean.test[i]) / LAMBDAS;
        o->gacv_apart =
            fmax(o->gacv_apart, fabs(log(o->mean.by[GACV][i] / o->mean.by[SQUARES][i])));
    }
    ida_close(&data);
    return rc;
}

/* -------------------------------------------------------------------- the report */

static void print_table(const outcome *o, int count)
{
    printf("test error %% at the lambda of        %-34s  %s\n", "",
           "loo - test  bound - loo         gacv / loo");
    printf("%-14s  %6s %6s %6s %6s %6s %6s  %10s  %8s %9s  %10s\n", "set", "loo", "mse", "gacv",
           "bound1", "bound2", "best", "mean", "at loo's", "mean", "largest");
    for (int i = 0; i < count; i++) {
        printf("%-14s ", o[i].set);
        for (int r = 0; r < RULES; r++)
            printf(" %6.2f", o[i].chosen[r]);
        printf(" %6.2f  %10.2f  %8.2f %9.2f  %10.3f\n", o[i].best, o[i].loo_apart, o[i].above[0],
               o[i].above[1], exp(o[i].gacv_apart));
    }
}

static exp_claims judge(const cli *c, const outcome *o, int count)
{
    exp_claims claims = exp_claims_new(c);
    double margin = INFINITY, apart = 0.0, gacv = 0.0, worse = 0.0;
    int differ = 0;
    for (int i = 0; i < count; i++) {
        margin = fmin(margin, o[i].margin);
        differ += o[i].differ;
        apart += o[i].loo_apart / count;
        gacv = fmax(gacv, o[i].gacv_apart);
        worse += (o[i].chosen[ERRORS] - o[i].best) / count;
    }
    exp_claim(&claims, margin > -1e-9, "the bound is never below the leave-one-out error",
              "bound - loo is %.2f points at least", margin);
    exp_claim(&claims, differ == 0, "both forms of the bound are the same",
              "they differ in %d cases", differ);
    exp_claim(&claims, gacv < log(1.1), "GACV is an approximation of leave-one-out",
              "its squared error is within %.1f %%", 100.0 * (exp(gacv) - 1.0));
    exp_claim(&claims, apart < 1.0, "leave-one-out estimates the error on other data",
              "means over splits %.2f points apart along lambda", apart);
    exp_claim(&claims, worse < 1.0, "and chooses lambda", "%.2f points above the best lambda",
              worse);
    return claims;
}

static cli_columns *columns_of(const outcome *o, int count)
{
    cli_columns *t = cli_columns_new(LAMBDAS);
    for (int i = 0; i < LAMBDAS; i++) {
        cli_columns_set(t, i, "lambda", o[0].mean.lambda[i]);
        for (int s = 0; s < count; s++) {
            char *name = cli_format("%s.test", o[s].set);
            cli_columns_set(t, i, name, o[s].mean.test[i]);
            free(name);
            for (int r = 0; r < RULES; r++) {
                name = cli_format("%s.%s", o[s].set, rule[r].key);
                cli_columns_set(t, i, name, o[s].mean.by[r][i]);
                free(name);
            }
        }
    }
    return t;
}

static json_t *body_of(const outcome *o, int count)
{
    json_t *sets = json_array();
    for (int i = 0; i < count; i++) {
        json_t *chosen = json_object(), *along = json_object();
        for (int r = 0; r < RULES; r++) {
            json_object_set_new(chosen, rule[r].key, json_real(o[i].chosen[r]));
            json_object_set_new(along, rule[r].key, exp_numbers(o[i].mean.by[r], LAMBDAS));
        }
        json_object_set_new(along, "test", exp_numbers(o[i].mean.test, LAMBDAS));
        json_object_set_new(along, "lambda", exp_numbers(o[i].mean.lambda, LAMBDAS));
        json_array_append_new(sets,
                              json_pack("{s:s, s:I, s:b, s:o, s:f, s:f, s:f, s:f, s:o}", "name",
                                        o[i].set, "splits", (json_int_t)o[i].splits, "original",
                                        (int)o[i].original, "test_error_chosen", chosen,
                                        "test_error_best", o[i].best, "loo_apart", o[i].loo_apart,
                                        "bound_above_loo", o[i].above[1], "gacv_ratio",
                                        exp(o[i].gacv_apart), "along_lambda", along));
    }
    return json_pack("{s:o}", "sets", sets);
}

static int run(cli *c)
{
    exp_request request = {.repeats = 1};
    exp_sets sets;
    int64_t splits = 0;
    int rc = exp_request_read(c, &request);
    if (!rc)
        rc = ida_read_splits(c, &splits);
    if (!rc)
        rc = ida_read_sets(c, default_sets, &sets);
    if (rc)
        return rc;
    outcome *o = cli_alloc((size_t)sets.count, sizeof *o);
    for (int i = 0; !rc && i < sets.count; i++)
        rc = run_set(c, ida_published_sets[sets.index[i]].name, splits, &o[i]);
    cli_progress_clear();
    if (!rc) {
        request.repeats = (int)splits;
        if (c->show)
            print_table(o, sets.count);
        cli_columns *columns = columns_of(o, sets.count);
        exp_claims claims = judge(c, o, sets.count);
        rc = exp_finish(c, "loo", &request, &claims, body_of(o, sets.count), columns);
        cli_columns_free(columns);
    }
    free(o);
    return rc;
}

const experiment exp_loo = {
    .name = "loo",
    .time = "20 s",
    .data = "ida",
    .paper = "Rifkin, Yeo and Poggio, section 7.7",
    .subject = "leave-one-out, GACV and the bound beside the test error",
    .about = "Leave-one-out, GACV and both forms of the bound beside the test error along "
             "lambda, on sets of ida.",
    .commands = "specreg path TRAIN --test TEST --features none --search grid --kernel "
                "rbf:sigma=median --param lambda=log:1e-6:1:25 --select loo\n"
                "specreg path TRAIN --test TEST --features none --search grid --kernel "
                "rbf:sigma=median --param lambda=log:1e-6:1:25 --select gcv\n"
                "specreg path TRAIN --test TEST --features none --search grid --kernel "
                "rbf:sigma=median --param lambda=log:1e-6:1:25 --select bound:form=1",
    .options = {EXP_DATA, EXP_SETS, EXP_SPLITS, CLI_OUTPUT, -1},
    .run = run,
};
