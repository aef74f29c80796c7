/* Groups, weights and given splits through the whole of fit, cv and predict: each claim against the
 * same done by hand with rows and columns that are simply not there. */
#include "numeric/models.h"

enum { GROUPS = 4, ROWS = 48 };

/* How a table is written: which of the columns x1, site, x2, w, y it has. */
typedef struct form {
    bool header, site, w, y;
    int every; /* without the rows with i % every == 1, where it is not 0 */
} form;

/* Row i is of group i % 4, but for the first ten, which are of group 0.  Rows with i % zeros == 1
 * have weight 0, where `zeros` is not 0; the others 1. */
static specreg_table *write_table(specreg_context *ctx, const char *name, form f, int zeros)
{
    double *u = kit_normal(77, ROWS, 3);
    FILE *file = fopen(kit_temp(name), "w");
    if (f.header)
        fprintf(file, "x1%s,x2%s%s\n", f.site ? ",site" : "", f.w ? ",w" : "", f.y ? ",y" : "");
    for (int i = 0; i < ROWS; i++) {
        if (f.every && i % f.every == 1)
            continue;
        fprintf(file, "%.17g", u[3 * i]);
        if (f.site)
            fprintf(file, ",%d", i < 10 ? 0 : i % GROUPS);
        fprintf(file, ",%.17g", u[3 * i + 1]);
        if (f.w)
            fprintf(file, ",%d", zeros && i % zeros == 1 ? 0 : 1);
        if (f.y)
            fprintf(file, ",%.17g", u[3 * i] - u[3 * i + 1] * u[3 * i + 1] + 0.1 * u[3 * i + 2]);
        fprintf(file, "\n");
    }
    fclose(file);
    free(u);
    return read_table(ctx, kit_temp(name));
}

static const form WHOLE = {.header = true, .site = true, .w = true, .y = true};
#define KERNEL "kernel", "rbf:sigma={1,2}", "param", "lambda=log:1e-4:1:5"

/* The same predictions from all forms of the same rows. */
static void check_predict(specreg_context *ctx, bool header)
{
    static const form forms[] = {
        {.site = true, .w = true, .y = true}, /* as in training           */
        {.y = true},                          /* without what is set aside */
        {0},                                  /* features alone            */
    };
    form whole = WHOLE;
    whole.header = header;
    specreg_table *t = write_table(ctx, "train.csv", whole, 0);
    specreg_options *o = options_of(ctx, KERNEL, "group", header ? "site" : "2", "weights",
                                    header ? "w" : "4", NULL);
    specreg_model *fresh = fitted(ctx, t, o), *m;
    CHECK_OK(ctx, specreg_model_save(ctx, fresh, kit_temp("rows.srm")));
    CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("rows.srm"), &m));
    specreg_table *expected = predicted(ctx, fresh, t);
    CHECK_EQ(specreg_model_inputs(m), 2);
    for (int i = 0; i < 3; i++) {
        form f = forms[i];
        char *text;
        f.header = header;
        specreg_table *data = write_table(ctx, "data.csv", f, 0), *got = predicted(ctx, m, data);
        check_same_table(got, expected);
        if (f.y) {
            CHECK_OK(ctx, specreg_evaluate(ctx, m, data, NULL, &text));
            json_t *e = parsed(text), *r = record_of(ctx, fresh);
            CHECK_NEAR(number_at(e, "test.mse"), number_at(r, "train.mse"),
                       kit_tolerance(ROWS, 1e4));
            json_decref(r);
            json_decref(e);
        }
        specreg_table_free(got);
        specreg_table_free(data);
    }
    specreg_table_free(expected);
    specreg_model_free(m);
    specreg_model_free(fresh);
    specreg_options_free(o);
    specreg_table_free(t);
}

TEST(rows, later_tables_may_have_the_columns_set_aside_or_not)
{
    check_predict(ctx, true);
    check_predict(ctx, false);
}

/* Lines of training rows: each leaves out one group. */
static const char *group_splits(char rule[300])
{
    char text[4096] = "";
    size_t used = 0;
    for (int g = 0; g < GROUPS; g++) {
        for (int i = 0; i < ROWS; i++)
            if ((i < 10 ? 0 : i % GROUPS) != g)
                used += (size_t)snprintf(text + used, sizeof text - used, "%d ", i);
        used += (size_t)snprintf(text + used, sizeof text - used, "\n");
    }
    snprintf(rule, 300, "splits:%s", kit_temp_file("groups.txt", text));
    return rule;
}

/* As many folds as groups: the folds are the groups, in some order. */
TEST(rows, folds_of_groups_leave_out_whole_groups)
{
    char rule[300];
    specreg_table *t = write_table(ctx, "train.csv", WHOLE, 0);
    specreg_options *a = options_of(ctx, KERNEL, "group", "site", "weights", "w", NULL);
    specreg_options *b = options_of(ctx, KERNEL, "group", "site", "weights", "w", "select",
                                    group_splits(rule), NULL);
    specreg_model *folds = fitted(ctx, t, a), *given = fitted(ctx, t, b);
    json_t *x = record_of(ctx, folds), *y = record_of(ctx, given);
    CHECK_STR(text_at(x, "selection.method"), "kfold"); /* auto, because of the groups */
    CHECK_EQ(number_at(x, "selection.k"), GROUPS);
    CHECK_EQ(number_at(x, "data.groups"), GROUPS);
    CHECK_STR(text_at(x, "data.group"), "site");
    CHECK_STR(text_at(x, "data.weights"), "w");
    for (size_t i = 0; i < 10; i++)
        CHECK_NEAR(number_at(json_array_get(at(x, "selection.table"), i), "value"),
                   number_at(json_array_get(at(y, "selection.table"), i), "value"),
                   kit_tolerance(ROWS, 1e4));
    json_decref(y);
    json_decref(x);
    specreg_model_free(given);
    specreg_model_free(folds);
    specreg_options_free(b);
    specreg_options_free(a);
    specreg_table_free(t);
}

/* The sizes of the tests are those of the groups, and the inner search has three groups left. */
TEST(rows, cv_keeps_groups_together_outside_and_inside)
{
    char *text;
    int64_t size[GROUPS] = {0};
    double sum = 0;
    specreg_table *t = write_table(ctx, "train.csv", WHOLE, 0);
    specreg_options *o =
        options_of(ctx, KERNEL, "group", "site", "outer", "kfold:k=4,repeats=2", NULL);
    CHECK_OK(ctx, specreg_cv(ctx, t, o, &text));
    json_t *r = parsed(text);
    CHECK_EQ(json_array_size(at(r, "folds")), 2 * GROUPS);
    CHECK_EQ(number_at(r, "data.groups"), GROUPS);
    for (int i = 0; i < ROWS; i++)
        size[i < 10 ? 0 : i % GROUPS]++;
    for (size_t f = 0; f < 2 * GROUPS; f++) { /* each group is tested once in each repeat */
        const double n = number_at(json_array_get(at(r, "folds"), f), "n_test");
        int g = 0;
        while (g < GROUPS && (double)size[g] != n)
            g++;
        CHECK(g < GROUPS);
        sum += n;
    }
    CHECK_EQ(sum, 2 * ROWS);
    json_decref(r);
    specreg_options_set(ctx, o, "select", "kfold:k=4");
    CHECK_FAILS(ctx, specreg_cv(ctx, t, o, &text), SPECREG_E_SHAPE,
                "kfold: k=4 folds are more than the 3 groups");
    specreg_options_set(ctx, o, "select", "loo");
    CHECK_FAILS(ctx, specreg_cv(ctx, t, o, &text), SPECREG_E_ARG,
                "select: leave-one-out cannot keep groups together: use kfold");
    specreg_options_free(o);
    specreg_table_free(t);
}

TEST(rows, a_row_of_weight_zero_is_not_there)
{
    form less = WHOLE;
    less.every = 5;
    specreg_table *zeros = write_table(ctx, "zeros.csv", WHOLE, 5),
                  *without = write_table(ctx, "without.csv", less, 0);
    static const char *const select[] = {"kfold:k=3", "holdout", "loo"};
    for (int i = 0; i < 3; i++) {
        specreg_options *o = options_of(ctx, KERNEL, "weights", "w", "select", select[i], NULL);
        specreg_model *a = fitted(ctx, zeros, o), *b = fitted(ctx, without, o);
        specreg_table *x = predicted(ctx, a, zeros), *y = predicted(ctx, b, zeros);
        check_same_table(x, y);
        json_t *r = record_of(ctx, a);
        CHECK_EQ(number_at(r, "data.dropped_rows"), 10);
        json_decref(r);
        specreg_table_free(y);
        specreg_table_free(x);
        specreg_model_free(b);
        specreg_model_free(a);
        specreg_options_free(o);
    }
    specreg_table_free(without);
    specreg_table_free(zeros);
}

/* Rows of a table are counted with those that are dropped: the same split of what is left. */
TEST(rows, given_splits_leave_out_what_was_dropped)
{
    form less = WHOLE;
    less.every = 5;
    specreg_table *zeros = write_table(ctx, "zeros.csv", WHOLE, 5),
                  *without = write_table(ctx, "without.csv", less, 0);
    char all[1024] = "", left[1024] = "", rule[2][300], *text;
    size_t used[2] = {0};
    for (int i = 0, kept = 0; i < ROWS; i++) {
        if (i % 3 != 0)
            used[0] += (size_t)snprintf(all + used[0], sizeof all - used[0], "%d ", i);
        if (i % 3 != 0 && i % 5 != 1)
            used[1] += (size_t)snprintf(left + used[1], sizeof left - used[1], "%d ", kept);
        kept += i % 5 != 1;
    }
    snprintf(rule[0], sizeof rule[0], "splits:%s", kit_temp_file("all.txt", all));
    snprintf(rule[1], sizeof rule[1], "splits:%s", kit_temp_file("left.txt", left));
    json_t *r[2], *cv[2];
    for (int i = 0; i < 2; i++) {
        const specreg_table *t = i ? without : zeros;
        specreg_options *o = options_of(ctx, KERNEL, "weights", "w", "select", rule[i], NULL);
        specreg_model *m = fitted(ctx, t, o);
        r[i] = record_of(ctx, m);
        specreg_options_set(ctx, o, "select", NULL);
        specreg_options_set(ctx, o, "outer", rule[i]);
        CHECK_OK(ctx, specreg_cv(ctx, t, o, &text));
        cv[i] = parsed(text);
        specreg_model_free(m);
        specreg_options_free(o);
    }
    CHECK(json_equal(at(r[0], "selection.table"), at(r[1], "selection.table")));
    CHECK(json_equal(at(cv[0], "folds"), at(cv[1], "folds")));
    for (int i = 0; i < 2; i++) {
        json_decref(r[i]);
        json_decref(cv[i]);
    }
    specreg_table_free(without);
    specreg_table_free(zeros);
}

/* A split of rows that were all dropped has nothing left. */
TEST(rows, a_part_that_was_dropped_altogether_is_said)
{
    specreg_table *zeros = write_table(ctx, "zeros.csv", WHOLE, 5);
    char rule[300];
    specreg_model *m;
    snprintf(rule, sizeof rule, "splits:%s", kit_temp_file("gone.txt", "1 6 11\n"));
    specreg_options *o = options_of(ctx, "weights", "w", "select", rule, NULL);
    CHECK_FAILS(ctx, specreg_fit(ctx, zeros, o, &m), SPECREG_E_FORMAT,
                "gone.txt:1: no row is left to train");
    specreg_options_free(o);
    specreg_table_free(zeros);
}
