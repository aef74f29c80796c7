/* Models by engine lowrank: the same as by the full decomposition, and what the record says of the
 * rank. */
#include "numeric/models.h"

enum { ROWS = 1000 };

static specreg_table *data(specreg_context *ctx, const char *name)
{
    double *X = kit_normal(51, ROWS, P), *y = smooth_target(X, ROWS, P, 0.3, 52);
    specreg_table *t = named_table(ctx, name, X, ROWS, P, y);
    free(y);
    free(X);
    return t;
}

static json_t *record_by(specreg_context *ctx, const specreg_table *t, const char *engine,
                         const char *const how[4], specreg_table **out)
{
    specreg_options *o =
        options_of(ctx, "kernel", how[0], "filter", how[1], "param", how[2], "select", how[3],
                   "engine", engine, "seed", "5", "search", "exhaustive", NULL);
    specreg_model *m = fitted(ctx, t, o);
    json_t *record = record_of(ctx, m);
    *out = predicted(ctx, m, t);
    specreg_model_free(m);
    specreg_options_free(o);
    return record;
}

/* Every kind of rule: of the fit itself, of folds, of trials, along the path. */
TEST(lowrank, models_equal_those_of_the_full_decomposition)
{
    static const char *const LAMBDA = "lambda={1,0.1,1e-2,1e-3}";
    const char *const how[][4] = {
        {"linear", "tikhonov", LAMBDA, "loo"},
        {"linear", "tikhonov", LAMBDA, "kfold:k=4"},
        {"poly:degree=2", "iterated:order=2", LAMBDA, "kfold:k=4"},
        {"poly:degree=2", "tsvd", "components={1,3,9}", "kfold:k=4"},
        {"rbf:sigma={10,20}", "tikhonov", LAMBDA, "gcv"},
        {"rbf:sigma={10,20}", "tsvd", "lambda={0.1,1e-4}", "kfold:k=4"},
        {"rbf:sigma=10", "landweber", "t={1,10,100}", "holdout"},
        {"rbf:sigma=10", "nu", "t={1,10,30}", "kfold:k=4,repeats=2"},
        {"rbf:sigma=10", "showalter", LAMBDA, "discrepancy"},
        {"linear", "tikhonov", "lambda=0.1", "none"},
    };
    specreg_table *t = data(ctx, "lowrank.csv");
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        specreg_table *by_eig, *by_rank;
        const char *other = strcmp(how[k][1], "nu") == 0 ? "iterate" : "eig";
        json_t *want = record_by(ctx, t, other, how[k], &by_eig);
        json_t *got = record_by(ctx, t, "lowrank", how[k], &by_rank);
        CHECK_STR(text_at(got, "engine"), "lowrank");
        CHECK(!json_object_get(want, "rank") && !json_object_get(want, "rank_error"));
        CHECK(number_at(got, "rank") >= 3 && number_at(got, "rank") < ROWS / 4);
        CHECK(number_at(got, "rank_error") >= 0 && number_at(got, "rank_error") < 1e-10);
        const json_t *a = at(want, "selection.table"), *b = at(got, "selection.table");
        CHECK_EQ(json_array_size(b), json_array_size(a));
        for (size_t i = 0; i < json_array_size(a) && strcmp(how[k][3], "none") != 0; i++)
            CHECK_NEAR(number_at(json_array_get(b, i), "value"),
                       number_at(json_array_get(a, i), "value"), 1e-9);
        for (int64_t i = 0; i < ROWS; i++)
            CHECK_NEAR(specreg_table_number(by_rank, i, 0), specreg_table_number(by_eig, i, 0),
                       1e-8);
        specreg_table_free(by_rank);
        specreg_table_free(by_eig);
        json_decref(got);
        json_decref(want);
    }
    specreg_table_free(t);
}

TEST(lowrank, is_planned_and_taken_by_itself)
{
    static const char *const how[4] = {"poly:degree=1", "tikhonov", "auto", "loo"};
    specreg_table *t = data(ctx, "taken.csv"), *out;
    json_t *record = record_by(ctx, t, "auto", how, &out);
    CHECK_STR(text_at(record, "engine"), "lowrank");
    CHECK_EQ(number_at(record, "rank"), P + 1);
    json_decref(record);
    specreg_options *o = options_of(ctx, "kernel", how[0], "select", how[3], NULL);
    char *text;
    CHECK_OK(ctx, specreg_plan(ctx, t, o, &text));
    record = parsed(text);
    CHECK_STR(text_at(record, "engine"), "lowrank");
    json_decref(record);
    specreg_options_free(o);
    specreg_table_free(out);
    specreg_table_free(t);
}

/* A checkpoint knows the rank of what it recalls, or the winner is trained again. */
TEST(lowrank, is_the_same_from_a_checkpoint)
{
    specreg_table *t = data(ctx, "again.csv");
    const char *path = kit_temp("lowrank.ck");
    double rank[2];
    for (int i = 0; i < 2; i++) {
        specreg_options *o = options_of(ctx, "kernel", "rbf:sigma={10,30}", "select", "loo",
                                        "engine", "lowrank", "checkpoint", path, NULL);
        specreg_model *m = fitted(ctx, t, o);
        json_t *record = record_of(ctx, m);
        rank[i] = number_at(record, "rank");
        json_decref(record);
        specreg_model_free(m);
        specreg_options_free(o);
    }
    CHECK_SAME(rank[1], rank[0]);
    remove(path);
    specreg_table_free(t);
}
