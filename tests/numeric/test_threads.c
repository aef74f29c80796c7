/* One thread and two give the same model to rounding; the same number gives the same bits.  Below
 * 600 rows the search takes one thread whatever is asked, so there are more rows here. */
#include "numeric/oracle.h"

enum { N = 700, M = 1500, P = 4 };

/* lambda and t such that no engine is worse conditioned than `cond`; tsvd: the gap below the last
 * component kept is about 1/cond of the largest eigenvalue. */
static const struct {
    const char *filter, *param, *engine, *select;
    double cond;
} CASES[] = {
    {"tikhonov", "lambda=1e-3", "eig", "none", 1e3},
    {"tikhonov", "lambda=1e-3", "cholesky", "none", 1e3},
    {"tikhonov", "lambda=1e-3", "krylov", "none", 1e3},
    {"tikhonov", "lambda={1e-1,1e-2,1e-3}", "eig", "loo", 1e3},
    {"tikhonov", "lambda={1e-1,1e-2,1e-3}", "cholesky", "gcv", 1e3},
    {"tikhonov", "lambda={1e-1,1e-2,1e-3}", "krylov", "holdout", 1e3},
    {"iterated:order=3", "lambda=1e-2", "eig", "none", 1e3},
    {"iterated:order=3", "lambda=1e-2", "cholesky", "none", 1e3},
    {"showalter", "lambda=1e-2", "krylov", "none", 1e3},
    {"tsvd", "components=4", "eig", "none", 1e3},
    {"landweber", "t=100", "iterate", "none", 1e2},
    {"landweber", "t=100", "krylov", "none", 1e2},
    {"nu", "t={5,20}", "iterate", "kfold:k=3", 1e3},
    {"cg", "t=5", "krylov", "none", 1e4},
    {"cg:norm=residual", "t=5", "krylov", "none", 1e4},
    {"tikhonov", "lambda={1e-1,1e-2,1e-3}", "band", "gcv", 1e3},
    {"tikhonov", "lambda={1e-1,1e-2,1e-3}", "band", "loo", 1e3},
    {"iterated:order=3", "lambda={1e-1,1e-2}", "band", "kfold:k=3", 1e3},
    {"nu", "t=20", "band", "none", 1e3},
};

static double *answers(specreg_context *ctx, size_t i, const char *threads,
                       const specreg_table *train, const specreg_table *test, const char *file)
{
    specreg_options *o =
        options_of(ctx, "kernel", "rbf:sigma=2", "filter", CASES[i].filter, "param", CASES[i].param,
                   "engine", CASES[i].engine, "select", CASES[i].select, "threads", threads, NULL);
    specreg_model *m;
    specreg_table *out;
    CHECK_OK(ctx, specreg_fit(ctx, train, o, &m));
    CHECK_OK(ctx, specreg_predict(ctx, m, test, o, &out));
    json_t *record = record_of(ctx, m);
    CHECK_EQ(number_at(record, "threads"), atoi(threads));
    CHECK_STR(text_at(record, "engine"), CASES[i].engine);
    json_decref(record);
    CHECK_OK(ctx, specreg_model_save(ctx, m, file));
    double *v = numbers_of(out);
    specreg_table_free(out);
    specreg_model_free(m);
    specreg_options_free(o);
    return v;
}

TEST(threads, one_and_two_agree_to_rounding_and_two_and_two_to_the_bit)
{
    double *X = kit_normal(1, N + M, P), *y = smooth_target(X, N, P, 0.3, 2);
    specreg_table *train = table_of(ctx, X, N, P, y, 1);
    specreg_table *test = table_of(ctx, X + N * P, M, P, NULL, 0);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        double *one = answers(ctx, i, "1", train, test, kit_temp("one.srm"));
        double *two = answers(ctx, i, "2", train, test, kit_temp("two.srm"));
        double *again = answers(ctx, i, "2", train, test, kit_temp("again.srm"));
        CHECK_WORST(CASES[i].engine, kit_distance(one, two, M), kit_tolerance(N, CASES[i].cond));
        check_same_file(kit_temp("two.srm"), kit_temp("again.srm"));
        for (int64_t k = 0; k < M; k++)
            CHECK_SAME(again[k], two[k]);
        free(again);
        free(two);
        free(one);
    }
    specreg_table_free(test);
    specreg_table_free(train);
    free(y);
    free(X);
}

TEST(threads, a_call_leaves_the_number_of_threads_as_it_was)
{
    double *X = kit_normal(3, 20, 1), *y = smooth_target(X, 20, 1, 0.1, 4), before = 0;
    specreg_table *t = table_of(ctx, X, 20, 1, y, 1);
    static const char *const asked[] = {"0", "1", "0", "3", "0", "-1", "0"};
    for (int i = 0; i < 7; i++) {
        specreg_options *o = options_of(ctx, "threads", asked[i], NULL);
        specreg_model *m;
        if (specreg_fit(ctx, t, o, &m) == SPECREG_OK) {
            json_t *record = record_of(ctx, m);
            const double used = number_at(record, "threads");
            before = i == 0 ? used : before;
            CHECK_EQ(used, asked[i][0] == '0' ? before : atoi(asked[i]));
            json_decref(record);
        }
        specreg_model_free(m);
        specreg_options_free(o);
    }
    specreg_table_free(t);
    free(y);
    free(X);
}

TEST(threads, numbers_that_make_no_sense_are_refused)
{
    double x[4] = {1, 2, 3, 4}, y[4] = {1, 3, 2, 5};
    specreg_table *t = table_of(ctx, x, 4, 1, y, 1);
    specreg_model *m;
    static const char *const bad[] = {"-1", "1.5", "many", "100000"};
    for (int i = 0; i < 4; i++) {
        specreg_options *o = options_of(ctx, "threads", bad[i], NULL);
        CHECK_FAILS(ctx, specreg_fit(ctx, t, o, &m), SPECREG_E_ARG, "threads");
        CHECK(!m);
        specreg_options_free(o);
    }
    specreg_table_free(t);
}
