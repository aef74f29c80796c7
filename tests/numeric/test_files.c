/* Predictions and errors of files in blocks are those of the whole table in memory. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "kit/kit.h"

enum { ROWS = 9000 };

/* Two inputs, a category, a target or a class; `gap` rows from 4096 on lack an input, row `bad`
 * has a text there. */
static const char *write_rows(const char *name, int rows, bool classes, int gaps, int bad)
{
    const char *path = kit_temp(name);
    double *x = kit_normal(7, rows, 3);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    fputs("a,b,c,y\n", f);
    for (int i = 0; i < rows; i++) {
        const double *r = x + 3 * i, y = sin(r[0]) + r[1] * 0.5 + 0.1 * r[2];
        if (i == bad)
            fputs("oops", f);
        else if (i < 4096 || i >= 4096 + gaps)
            fprintf(f, "%.17g", r[0]);
        fprintf(f, ",%.17g,%s,", r[1], r[2] > 0.5 ? "big" : r[2] > -2.5 ? "small" : "rare");
        if (classes)
            fprintf(f, "%s\n", y > 0 ? "yes" : "no");
        else
            fprintf(f, "%.17g\n", y);
    }
    CHECK(fclose(f) == 0);
    free(x);
    return path;
}

static specreg_options *options_of(specreg_context *ctx, const char *const *pair)
{
    specreg_options *o;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    for (; pair && *pair; pair += 2)
        CHECK_OK(ctx, specreg_options_set(ctx, o, pair[0], pair[1]));
    return o;
}

static specreg_model *model_of(specreg_context *ctx, bool classes)
{
    const char *const how[] = {"kernel", "rbf:sigma=1", "param", "lambda=1e-3",
                               "select", "kfold:k=3",   NULL};
    specreg_options *o = options_of(ctx, how);
    specreg_table *t;
    specreg_model *m;
    CHECK_OK(ctx, specreg_table_read(ctx, write_rows("train.csv", 150, classes, 0, -1), o, &t));
    CHECK_OK(ctx, specreg_fit(ctx, t, o, &m));
    specreg_table_free(t);
    specreg_options_free(o);
    return m;
}

/* The file that is written in blocks is the one that all rows at once give. */
static void check_predictions(specreg_context *ctx, const specreg_model *m, const char *path,
                              const char *const *how, const char *name)
{
    specreg_options *o = options_of(ctx, how);
    specreg_table *t, *p;
    int64_t rows;
    char whole[64], *a, *b;
    snprintf(whole, sizeof whole, "whole-%s", name);
    CHECK_OK(ctx, specreg_table_read(ctx, path, o, &t));
    CHECK_OK(ctx, specreg_predict(ctx, m, t, o, &p));
    CHECK_OK(ctx, specreg_table_write(ctx, p, kit_temp(whole)));
    CHECK_OK(ctx, specreg_predict_files(ctx, m, &path, 1, o, kit_temp(name), &rows));
    CHECK_EQ(rows, specreg_table_rows(p));
    a = kit_read_file(kit_temp(whole));
    b = kit_read_file(kit_temp(name));
    CHECK(strcmp(a, b) == 0);
    free(a);
    free(b);
    specreg_table_free(p);
    specreg_table_free(t);
    specreg_options_free(o);
}

TEST(files, predictions_in_blocks_are_those_of_the_whole_table)
{
    for (int classes = 0; classes < 2; classes++) {
        specreg_model *m = model_of(ctx, classes);
        char *path = strdup(write_rows("new.csv", ROWS, classes, 0, -1));
        char *gaps = strdup(write_rows("gaps.csv", ROWS, classes, 4096, -1));
        check_predictions(ctx, m, path, NULL, "p.csv");
        if (!classes)
            check_predictions(ctx, m, path, (const char *[]){"parts", "yes", NULL}, "q.csv");
        check_predictions(ctx, m, path,
                          classes ? (const char *[]){"proba", "yes", NULL}
                                  : (const char *[]){"interval", "0.9", NULL},
                          "r.tsv");
        check_predictions(ctx, m, path, (const char *[]){"id", "c", NULL}, "i.csv");
        check_predictions(ctx, m, gaps, (const char *[]){"missing", "drop", NULL}, "g.csv");
        check_predictions(ctx, m, write_rows("few.csv", 3, classes, 0, -1), NULL, "f.csv");
        free(path);
        free(gaps);
        specreg_model_free(m);
    }
}

/* NumPy's file knows its number of rows, which a CSV file does not. */
TEST(files, predictions_as_npy_have_the_right_number_of_rows)
{
    specreg_model *m = model_of(ctx, false);
    const char *path = write_rows("new.csv", ROWS, false, 0, -1);
    specreg_table *t, *p, *q;
    CHECK_OK(ctx, specreg_predict_files(ctx, m, &path, 1, NULL, kit_temp("p.npy"), NULL));
    CHECK_OK(ctx, specreg_table_read(ctx, kit_temp("p.npy"), NULL, &p));
    CHECK_OK(ctx, specreg_table_read(ctx, path, NULL, &t));
    CHECK_OK(ctx, specreg_predict(ctx, m, t, NULL, &q));
    CHECK_EQ(specreg_table_rows(p), ROWS);
    for (int64_t i = 0; i < ROWS; i++)
        CHECK_SAME(specreg_table_number(p, i, 0), specreg_table_number(q, i, 0));
    specreg_table_free(p);
    specreg_table_free(q);
    specreg_table_free(t);
    specreg_model_free(m);
}

/* The part of a record after "test". */
static const char *test_part(const char *json)
{
    const char *at = strstr(json, "\"test\"");
    CHECK(at != NULL);
    return at;
}

TEST(files, errors_in_blocks_are_those_of_the_whole_table)
{
    for (int classes = 0; classes < 2; classes++) {
        specreg_model *m = model_of(ctx, classes);
        specreg_options *o = options_of(ctx, (const char *[]){"missing", "drop", NULL});
        const char *path = write_rows("new.csv", ROWS, classes, 4096, -1);
        specreg_table *t;
        char *whole, *blocks;
        CHECK_OK(ctx, specreg_table_read(ctx, path, o, &t));
        CHECK_OK(ctx, specreg_evaluate(ctx, m, t, o, &whole));
        CHECK_OK(ctx, specreg_evaluate_files(ctx, m, &path, 1, o, &blocks));
        CHECK_STR(test_part(blocks), test_part(whole));
        specreg_string_free(whole);
        specreg_string_free(blocks);
        specreg_table_free(t);
        specreg_options_free(o);
        specreg_model_free(m);
    }
}

TEST(files, what_is_wrong_in_a_late_block_is_named_and_nothing_is_written)
{
    specreg_model *m = model_of(ctx, false);
    const char *text = write_rows("text.csv", ROWS, false, 0, 8000);
    const char *gap = write_rows("gap.csv", ROWS, false, 1, -1), *out = kit_temp("never.csv");
    const char *two[] = {gap, text};
    char *json;
    CHECK_FAILS(ctx, specreg_predict_files(ctx, m, &text, 1, NULL, out, NULL), SPECREG_E_FORMAT,
                "text.csv:8002: column 'a': 'oops' is not a number");
    CHECK_FAILS(ctx, specreg_predict_files(ctx, m, &gap, 1, NULL, out, NULL), SPECREG_E_NUMERIC,
                "gap.csv:4098: column 'a'");
    CHECK_FAILS(ctx, specreg_evaluate_files(ctx, m, two + 1, 1, NULL, &json), SPECREG_E_FORMAT,
                "text.csv:8002");
    CHECK_FAILS(ctx, specreg_predict_files(ctx, m, two, 0, NULL, out, NULL), SPECREG_E_ARG,
                "no files");
    CHECK(access(out, F_OK) != 0);
    specreg_model_free(m);
}
