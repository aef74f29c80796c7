/* The protocol of the IDA benchmark (--select ida:FILE) against five fits done one by one, and
 * searches that are stopped and go on from a checkpoint. */
#include "numeric/weighted.h"

#include <unistd.h>

enum { ROWS = 60, SPLITS = 7, USED = 5, STOPS = 4 };

/* Row i trains in split s unless this is true. */
static bool held(int s, int64_t i)
{
    return (i * (s + 3) + s) % 11 < 4;
}

/* The first `count` splits as a file. */
static const char *split_file(const char *name, int count)
{
    FILE *f = fopen(kit_temp(name), "w");
    for (int s = 0; s < count; s++) {
        for (int64_t i = 0; i < ROWS; i++)
            if (!held(s, i))
                fprintf(f, "%d ", (int)i);
        fprintf(f, "\n");
    }
    fclose(f);
    return kit_temp(name);
}

/* The rows of split s that train, or those that do not. */
static specreg_table *part_of(specreg_context *ctx, const weighted *d, int s, bool test)
{
    int64_t rows[ROWS], count = 0;
    specreg_table *out;
    for (int64_t i = 0; i < ROWS; i++)
        if (held(s, i) == test)
            rows[count++] = i;
    CHECK_OK(ctx, specreg_table_select(ctx, d->table, rows, count, &out));
    return out;
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Scaling is learned from all rows there and from fewer here: none. */
#define SEARCH "kernel", "rbf:sigma={0.3,0.6,1.2,2.4,4.8}", "scale", "none", "seed", "4"

static specreg_options *search_options(specreg_context *ctx, int kind, const char *filter)
{
    return options_of(ctx, SEARCH, "target", TARGETS[kind], "weights", "w", "filter", filter,
                      "param", strcmp(filter, "nu") ? "lambda=log:1e-5:1:11" : "t={1,2,4,8,16,32}",
                      NULL);
}

static void check_medians(specreg_context *ctx, int kind, const char *filter, int splits)
{
    weighted d = weighted_problem(ctx, kind, ROWS);
    const char *param = strcmp(filter, "nu") ? "filter.lambda" : "filter.t";
    const int used = splits < USED ? splits : USED;
    char rule[300];
    double sigma[USED], value[USED], sum = 0;
    snprintf(rule, sizeof rule, "ida:%s", split_file("ida.txt", splits));
    specreg_options *o = search_options(ctx, kind, filter);
    specreg_options_set(ctx, o, "select", rule);
    json_t *r = weighted_record(ctx, &d, o);
    CHECK_EQ(json_array_size(at(r, "selection.table")), used);
    specreg_options_set(ctx, o, "select", "kfold:k=5");
    for (int s = 0; s < used; s++) {
        specreg_table *t = part_of(ctx, &d, s, false);
        specreg_model *m = fitted(ctx, t, o);
        json_t *one = record_of(ctx, m);
        const json_t *row = json_array_get(at(r, "selection.table"), (size_t)s);
        sigma[s] = number_at(one, "kernel.sigma");
        value[s] = number_at(one, param);
        sum += number_at(one, "selection.value") / used;
        CHECK(json_equal(at(row, "kernel"), at(one, "kernel")));
        CHECK_SAME(number_at(row, param + strlen("filter.")), value[s]);
        CHECK_NEAR(number_at(row, "value"), number_at(one, "selection.value"), 1e-12);
        json_decref(one);
        specreg_model_free(m);
        specreg_table_free(t);
    }
    qsort(sigma, (size_t)used, sizeof *sigma, rising);
    qsort(value, (size_t)used, sizeof *value, rising);
    CHECK_SAME(number_at(r, "kernel.sigma"), sigma[(used - 1) / 2]); /* of two the lower */
    CHECK_SAME(number_at(r, param), value[(used - 1) / 2]);
    CHECK_NEAR(number_at(r, "selection.value"), sum, 1e-12);
    CHECK_STR(text_at(r, "selection.method"), "ida");
    json_decref(r);
    specreg_options_free(o);
    weighted_free(&d);
}

TEST(ida, parameters_are_medians_of_five_separate_choices)
{
    for (int kind = 0; kind < 4; kind++) {
        check_medians(ctx, kind, "tikhonov", SPLITS);
        check_medians(ctx, kind, "nu", SPLITS);
    }
    for (int splits = 1; splits < USED; splits++)
        check_medians(ctx, 0, "tikhonov", splits);
}

/* Every split of the file is tested, with the medians. */
TEST(ida, cv_tests_on_all_splits_with_the_parameters_chosen_once)
{
    for (int kind = 1; kind < 3; kind++) {
        weighted d = weighted_problem(ctx, kind, ROWS);
        char rule[300], kernel[64], param[64], *text;
        snprintf(rule, sizeof rule, "ida:%s", split_file("ida.txt", SPLITS));
        specreg_options *o = search_options(ctx, kind, "tikhonov");
        specreg_options_set(ctx, o, "select", rule);
        specreg_options_set(ctx, o, "criterion", kind == 2 ? "auc" : "mae");
        json_t *fit = weighted_record(ctx, &d, o);
        CHECK_OK(ctx, specreg_cv(ctx, d.table, o, &text));
        json_t *cv = parsed(text);
        CHECK_EQ(json_array_size(at(cv, "folds")), SPLITS);
        CHECK(strncmp(text_at(cv, "outer"), "splits:", 7) == 0);
        CHECK_STR(text_at(cv, "outer") + 7, kit_temp("ida.txt"));
        specreg_options_set(ctx, o, "criterion", NULL);
        specreg_options_set(ctx, o, "select", "none");
        snprintf(kernel, sizeof kernel, "rbf:sigma=%.17g", number_at(fit, "kernel.sigma"));
        snprintf(param, sizeof param, "lambda=%.17g", number_at(fit, "filter.lambda"));
        specreg_options_set(ctx, o, "kernel", kernel);
        specreg_options_set(ctx, o, "param", param);
        for (int s = 0; s < SPLITS; s++) {
            const json_t *fold = json_array_get(at(cv, "folds"), (size_t)s);
            specreg_table *a = part_of(ctx, &d, s, false), *b = part_of(ctx, &d, s, true);
            specreg_model *m = fitted(ctx, a, o);
            CHECK_OK(ctx, specreg_evaluate(ctx, m, b, NULL, &text));
            json_t *e = parsed(text);
            CHECK(json_equal(at(fold, "kernel"), at(fit, "kernel")));
            CHECK_SAME(number_at(fold, "filter.lambda"), number_at(fit, "filter.lambda"));
            CHECK_SAME(number_at(fold, "mse"), number_at(e, "test.mse"));
            json_decref(e);
            specreg_model_free(m);
            specreg_table_free(b);
            specreg_table_free(a);
        }
        json_decref(cv);
        json_decref(fit);
        specreg_options_free(o);
        weighted_free(&d);
    }
}

TEST(ida, files_that_are_no_splits_of_the_rows_are_refused)
{
    static const struct {
        const char *text, *error;
        specreg_status status;
    } bad[] = {
        {"0 1 2 60\n", "bad.txt:1: '60' is not the number of a row, 0 to 59", SPECREG_E_FORMAT},
        {"0 1 2 3\n0 -1\n", "bad.txt:2: '-1' is not the number of a row", SPECREG_E_FORMAT},
        {"0 1 2 3 2\n", "bad.txt:1: row 2 is listed twice", SPECREG_E_FORMAT},
        {"0 1 x\n", "bad.txt:1: 'x' is not the number of a row", SPECREG_E_FORMAT},
        {"\n \n", "bad.txt: has no splits", SPECREG_E_FORMAT},
        {"", "bad.txt: has no splits", SPECREG_E_FORMAT},
        {"0 1\n", "select: split 1 of 1 holds out all rows of class", SPECREG_E_SHAPE},
    };
    weighted d = weighted_problem(ctx, 3, ROWS);
    char rule[300], *text;
    specreg_model *m;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(rule, sizeof rule, "ida:%s", kit_temp_file("bad.txt", bad[i].text));
        specreg_options *o = options_of(ctx, SEARCH, "weights", "w", "select", rule, NULL);
        CHECK_FAILS(ctx, specreg_fit(ctx, d.table, o, &m), bad[i].status, bad[i].error);
        CHECK(!m);
        const specreg_status st = specreg_cv(ctx, d.table, o, &text);
        CHECK_EQ(st, bad[i].status);
        CHECK(!text);
        specreg_options_free(o);
    }
    specreg_options *o = options_of(ctx, SEARCH, "select", "ida:no/such.txt", NULL);
    CHECK_FAILS(ctx, specreg_fit(ctx, d.table, o, &m), SPECREG_E_IO, "no/such.txt");
    CHECK_FAILS(ctx, specreg_path(ctx, d.table, NULL, o, &text), SPECREG_E_ARG,
                "select: ida is for fit and cv");
    CHECK_FAILS(ctx, specreg_plan(ctx, d.table, o, &text), SPECREG_E_ARG, "plan: ida");
    specreg_options_set(ctx, o, "select", "ida");
    CHECK_FAILS(ctx, specreg_fit(ctx, d.table, o, &m), SPECREG_E_ARG,
                "select: write ida:NAME with the name of the file");
    specreg_options_free(o);
    weighted_free(&d);
}

/* ------------------------------------------------------------------ stopped and resumed */

typedef specreg_status call_fn(specreg_context *ctx, const specreg_table *t,
                               const specreg_options *o, char **json);

static specreg_status call_fit(specreg_context *ctx, const specreg_table *t,
                               const specreg_options *o, char **json)
{
    specreg_model *m;
    *json = NULL;
    specreg_status st = specreg_fit(ctx, t, o, &m);
    if (st == SPECREG_OK)
        st = specreg_model_record(ctx, m, json);
    specreg_model_free(m);
    return st;
}

typedef struct stop {
    int64_t after, calls;
} stop;

static int count_down(const specreg_progress *p, void *payload)
{
    (void)p;
    stop *s = payload;
    return ++s->calls > s->after;
}

/* What does not depend on the clock or on whether there is a checkpoint. */
static json_t *lasting(char *text)
{
    json_t *r = parsed(text);
    json_object_del(r, "seconds");
    json_object_del(r, "peak_bytes");
    return r;
}

static void remove_checkpoints(const char *path)
{
    char name[400];
    unlink(path);
    for (int i = 1; i <= SPLITS; i++) {
        snprintf(name, sizeof name, "%s.%d", path, i);
        unlink(name);
    }
}

/* Stopped at some of its chances, then run to the end: the same record each time.  (Few stops: a
 * checkpoint waits for the disk after every evaluation.) */
static void check_resume(specreg_context *ctx, call_fn *call, const specreg_table *t,
                         specreg_options *o)
{
    char path[300], *text;
    stop s = {.after = INT64_MAX};
    snprintf(path, sizeof path, "%s", kit_temp("run.ck"));
    specreg_options_set(ctx, o, "checkpoint", NULL);
    CHECK_OK(ctx, call(ctx, t, o, &text));
    json_t *expected = lasting(text);
    specreg_options_set(ctx, o, "checkpoint", path);
    specreg_set_progress(ctx, count_down, &s);
    remove_checkpoints(path);
    CHECK_OK(ctx, call(ctx, t, o, &text));
    json_t *whole = lasting(text);
    CHECK(json_equal(whole, expected));
    json_decref(whole);
    const int64_t chances = s.calls;
    CHECK(chances > 20);
    for (int64_t k = 1; k < chances; k += 1 + chances / STOPS) {
        remove_checkpoints(path);
        s = (stop){.after = k};
        CHECK_FAILS(ctx, call(ctx, t, o, &text), SPECREG_E_CANCELLED, "cancelled");
        CHECK(!text);
        s = (stop){.after = INT64_MAX};
        CHECK_OK(ctx, call(ctx, t, o, &text));
        CHECK(k < chances / 2 || s.calls < chances); /* something was kept */
        json_t *r = lasting(text);
        CHECK(json_equal(r, expected));
        json_decref(r);
    }
    specreg_set_progress(ctx, NULL, NULL);
    remove_checkpoints(path);
    json_decref(expected);
}

TEST(resume, cv_goes_on_in_the_outer_split_where_it_was)
{
    static const char *const rules[] = {"loo", "kfold:k=3", "holdout"};
    for (int kind = 1; kind < 3; kind++)
        for (int r = 0; r < 3; r++) {
            weighted d = weighted_problem(ctx, kind, ROWS);
            specreg_options *o =
                options_of(ctx, SEARCH, "target", TARGETS[kind], "weights", "w", "param",
                           "lambda={1e-1,1e-3}", "select", rules[r], "outer", "kfold:k=3", NULL);
            check_resume(ctx, specreg_cv, d.table, o);
            specreg_options_set(ctx, o, "checkpoint", kit_temp("three.ck"));
            char *text;
            CHECK_OK(ctx, specreg_cv(ctx, d.table, o, &text));
            specreg_string_free(text);
            for (int i = 1; i <= 4; i++) { /* one file for each outer split */
                char name[300];
                snprintf(name, sizeof name, "%s.%d", kit_temp("three.ck"), i);
                CHECK_EQ(access(name, F_OK), i <= 3 ? 0 : -1);
            }
            CHECK_EQ(access(kit_temp("three.ck"), F_OK), -1);
            /* which belong to these options */
            specreg_options_set(ctx, o, "seed", "5");
            CHECK_FAILS(ctx, specreg_cv(ctx, d.table, o, &text), SPECREG_E_FORMAT,
                        "three.ck.1: belongs to other data or options");
            CHECK(!text);
            remove_checkpoints(kit_temp("three.ck"));
            specreg_options_free(o);
            weighted_free(&d);
        }
}

TEST(resume, ida_goes_on_in_the_split_where_it_was)
{
    weighted d = weighted_problem(ctx, 2, ROWS);
    char rule[300];
    snprintf(rule, sizeof rule, "ida:%s", split_file("ida.txt", SPLITS));
    specreg_options *o = options_of(ctx, SEARCH, "weights", "w", "param", "lambda={1e-1,1e-3}",
                                    "select", rule, "criterion", "balanced_error", NULL);
    check_resume(ctx, call_fit, d.table, o);
    check_resume(ctx, specreg_cv, d.table, o);
    specreg_options_free(o);
    weighted_free(&d);
}

/* The rows that race, the grid and what lies beyond it are all in the checkpoint. */
TEST(resume, searches_of_fewer_and_of_more_kernels_go_on_too)
{
    weighted small = weighted_problem(ctx, 1, ROWS), large = weighted_problem(ctx, 0, 810);
    specreg_options *o =
        options_of(ctx, "kernel", "rbf:sigma={0.05,0.1,0.2}", "param", "lambda={0.5,0.2,0.1}",
                   "target", "y1,y2", "weights", "w", "extend", "yes", "select", "kfold:k=3", NULL);
    check_resume(ctx, call_fit, small.table, o);
    specreg_options_set(ctx, o, "kernel", "rbf:sigma=log:0.05:5:9");
    specreg_options_set(ctx, o, "search", "coarse");
    check_resume(ctx, call_fit, small.table, o);
    specreg_options_set(ctx, o, "search", "race");
    specreg_options_set(ctx, o, "target", "y");
    specreg_options_set(ctx, o, "select", "holdout");
    check_resume(ctx, call_fit, large.table, o);
    specreg_options_free(o);
    weighted_free(&large);
    weighted_free(&small);
}
