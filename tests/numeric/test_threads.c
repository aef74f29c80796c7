/* One thread and two give the same model to rounding; the same number gives the same bits.  Below
 * 600 rows the search takes one thread whatever is asked, so there are more rows here. */
#include "numeric/oracle.h"

#include "core/openmp.h"

enum { N = 620, M = 800, P = 4 };

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
    CHECK_EQ(number_at(record, "threads"),
             strcmp(threads, "keep") == 0 ? omp_get_max_threads() : atoi(threads));
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

/* OpenBLAS on OpenMP sets both. */
static void set_counts(int openmp, int blas)
{
    kit_set_blas_threads(blas);
    omp_set_num_threads(openmp);
}

/* What a progress callback sees of the counts, and when it says stop. */
typedef struct watch {
    int calls, stop_at, openmp_least, openmp_most, blas_most;
} watch;

static int look(const specreg_progress *p, void *payload)
{
    (void)p;
    watch *w = payload;
    const int openmp = omp_get_max_threads(), blas = kit_blas_threads();
    w->openmp_least = openmp < w->openmp_least || !w->calls ? openmp : w->openmp_least;
    w->openmp_most = openmp > w->openmp_most ? openmp : w->openmp_most;
    w->blas_most = blas > w->blas_most ? blas : w->blas_most;
    return ++w->calls == w->stop_at;
}

/* Calls that succeed, are refused by their options or by the data, or are cancelled. */
static void call_all(specreg_context *ctx, const specreg_table *t, const char *threads)
{
    static const char *const refused[][2] = {{"kernel", "rbf:sigma=-1"},
                                             {"calibrate", "perhaps"},
                                             {"kernel", "curlfree:sigma=1"},
                                             {"select", "kfold:k=1000"}};
    specreg_options *o = options_of(ctx, "threads", threads, "param", "lambda={1e-1,1e-2}", NULL);
    specreg_model *m;
    specreg_table *out;
    char *json;
    CHECK_OK(ctx, specreg_fit(ctx, t, o, &m));
    CHECK_OK(ctx, specreg_predict(ctx, m, t, o, &out));
    specreg_table_free(out);
    CHECK_OK(ctx, specreg_plan(ctx, t, o, &json));
    specreg_string_free(json);
    CHECK_OK(ctx, specreg_cv(ctx, t, o, &json));
    specreg_string_free(json);
    specreg_model_free(m);
    for (int stop_at = 1; stop_at <= 4; stop_at++) {
        watch w = {.stop_at = stop_at};
        specreg_set_progress(ctx, look, &w);
        CHECK_FAILS(ctx, specreg_fit(ctx, t, o, &m), SPECREG_E_CANCELLED, "cancelled");
        specreg_set_progress(ctx, NULL, NULL);
    }
    specreg_options_free(o);
    for (int i = 0; i < 4; i++) {
        o = options_of(ctx, "threads", threads, refused[i][0], refused[i][1], NULL);
        CHECK(specreg_fit(ctx, t, o, &m) != SPECREG_OK);
        specreg_options_free(o);
    }
}

TEST(threads, openmp_and_blas_each_get_back_their_own_count)
{
    static const char *const asked[] = {"0", "1", "2", "3"};
    static const int counts[][2] = {{2, 3}, {3, 1}, {1, 2}};
    const int openmp = omp_get_max_threads(), blas = kit_blas_threads();
    double *X = kit_normal(5, 40, 2), *y = smooth_target(X, 40, 2, 0.1, 6);
    specreg_table *t = table_of(ctx, X, 40, 2, y, 1);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 4; i++) {
            set_counts(counts[c][0], counts[c][1]);
            call_all(ctx, t, asked[i]);
            CHECK_EQ(omp_get_max_threads(), counts[c][0]);
            CHECK_EQ(kit_blas_threads(), counts[c][1]);
        }
    set_counts(openmp, blas);
    specreg_table_free(t);
    free(y);
    free(X);
}

/* Of 40 rows a search takes one thread, of more as many as are asked for, and calls leave no trace
 * of that; with keep it takes as many as there are.  Portraits, always on one thread, are left out.
 * OpenBLAS on OpenMP follows OpenMP's count by itself, so the two are equal here. */
TEST(threads, keep_never_sets_a_count)
{
    const int openmp = omp_get_max_threads(), blas = kit_blas_threads();
    double *X = kit_normal(7, N, 2), *y = smooth_target(X, N, 2, 0.1, 8);
    static const char *const engines[] = {"eig", "cholesky", "band", "krylov"};
    for (int rows = 40; rows <= N; rows += N - 40)
        for (int e = 0; e < 4; e++)
            for (int keep = 0; keep < 2; keep++) {
                const int there = keep ? 2 : 1, taken = keep || rows >= 600 ? 2 : 1;
                set_counts(there, there);
                specreg_table *t = table_of(ctx, X, rows, 2, y, 1);
                specreg_options *o = options_of(ctx, "threads", keep ? "keep" : "2", "engine",
                                                engines[e], "param", "lambda={1e-1,1e-2}", "select",
                                                e == 3 ? "kfold" : "loo", "portrait", "no", NULL);
                specreg_model *m;
                watch w = {0};
                specreg_set_progress(ctx, look, &w);
                CHECK_OK(ctx, specreg_fit(ctx, t, o, &m));
                specreg_set_progress(ctx, NULL, NULL);
                json_t *record = record_of(ctx, m);
                CHECK_EQ(number_at(record, "threads"), 2);
                CHECK(w.calls > 0);
                CHECK_EQ(w.openmp_least, taken);
                CHECK_EQ(w.openmp_most, taken);
                CHECK(!keep || w.blas_most == 2);
                CHECK_EQ(omp_get_max_threads(), there);
                CHECK_EQ(kit_blas_threads(), there);
                json_decref(record);
                specreg_model_free(m);
                specreg_options_free(o);
                specreg_table_free(t);
            }
    set_counts(3, 3);
    specreg_table *t = table_of(ctx, X, 40, 2, y, 1);
    call_all(ctx, t, "keep");
    CHECK_EQ(omp_get_max_threads(), 3);
    CHECK_EQ(kit_blas_threads(), 3);
    specreg_model *m;
    specreg_options *o = options_of(ctx, "threads", "keep", "calibrate", "again", NULL);
    CHECK_FAILS(ctx, specreg_fit(ctx, t, o, &m), SPECREG_E_ARG, "threads=keep");
    specreg_options_free(o);
    specreg_table_free(t);
    set_counts(openmp, blas);
    free(y);
    free(X);
}

/* The same numbers as with the counts that are there. */
TEST(threads, keep_computes_the_same)
{
    double *X = kit_normal(9, N + M, P), *y = smooth_target(X, N, P, 0.3, 10);
    specreg_table *train = table_of(ctx, X, N, P, y, 1);
    specreg_table *test = table_of(ctx, X + N * P, M, P, NULL, 0);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char count[16];
        snprintf(count, sizeof count, "%d", omp_get_max_threads());
        double *set = answers(ctx, i, count, train, test, kit_temp("set.srm"));
        double *kept = answers(ctx, i, "keep", train, test, kit_temp("kept.srm"));
        CHECK_WORST("threads kept", kit_distance(set, kept, M), kit_tolerance(N, CASES[i].cond));
        free(kept);
        free(set);
    }
    specreg_table_free(test);
    specreg_table_free(train);
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
