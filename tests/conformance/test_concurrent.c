/* Calls on several threads at once, each with its own context, over the same tables and model: each
 * gets what it gets alone.  The thread sanitizer runs these claims as well. */
#include <pthread.h>

#include "numeric/oracle.h"

enum { CALLERS = 4, N = 640, M = 200, P = 3 };

static const char *const CASES[][4] = {
    {"tikhonov", "lambda={1e-1,1e-2}", "eig", "loo"},
    {"tikhonov", "lambda={1e-1,1e-2}", "cholesky", "gcv"},
    {"tikhonov", "lambda={1e-1,1e-2}", "band", "loo"},
    {"tikhonov", "lambda={1e-1,1e-2}", "krylov", "holdout"},
    {"nu", "t={5,20}", "iterate", "kfold:k=3"},
    {"tikhonov", "lambda=1e-2", "cholesky", "none"},
};
enum { COUNT = sizeof CASES / sizeof *CASES };

typedef struct caller {
    const specreg_table *train, *test;
    const specreg_model *model; /* NULL: fits one */
    const char *threads;
    int first, count; /* cases, each with its own engine */
    double *answers;  /* M for each case */
    specreg_status status;
    char message[256];
} caller;

static specreg_status options(specreg_context *ctx, int i, const char *threads, specreg_options **o)
{
    static const char *const names[] = {"filter", "param", "engine", "select"};
    specreg_status status = specreg_options_new(ctx, o);
    for (int k = 0; k < 4 && status == SPECREG_OK; k++)
        status = specreg_options_set(ctx, *o, names[k], CASES[i][k]);
    if (status == SPECREG_OK)
        status = specreg_options_set(ctx, *o, "kernel", "rbf:sigma=1.5");
    return status == SPECREG_OK ? specreg_options_set(ctx, *o, "threads", threads) : status;
}

static specreg_status answer(specreg_context *ctx, const caller *c, int i, double *to)
{
    specreg_options *o = NULL;
    specreg_model *own = NULL;
    specreg_table *out = NULL;
    specreg_status status = options(ctx, i, c->threads, &o);
    if (status == SPECREG_OK && !c->model)
        status = specreg_fit(ctx, c->train, o, &own);
    if (status == SPECREG_OK)
        status = specreg_predict(ctx, c->model ? c->model : own, c->test, o, &out);
    for (int64_t k = 0; k < M && out; k++)
        to[k] = specreg_table_number(out, k, 0);
    specreg_table_free(out);
    specreg_model_free(own);
    specreg_options_free(o);
    return status;
}

static void *call(void *payload)
{
    caller *c = payload;
    specreg_context *ctx;
    c->status = specreg_context_new(&ctx);
    for (int i = 0; i < c->count && c->status == SPECREG_OK; i++) {
        const int which = (c->first + i) % COUNT;
        c->status = answer(ctx, c, which, c->answers + (ptrdiff_t)which * M);
    }
    if (c->status != SPECREG_OK)
        snprintf(c->message, sizeof c->message, "%s", specreg_last_error(ctx));
    specreg_context_free(ctx);
    return NULL;
}

/* The callers begin with different cases, so that different engines run beside each other. */
static void call_at_once(caller *callers)
{
    pthread_t threads[CALLERS];
    for (int k = 0; k < CALLERS; k++)
        CHECK_EQ(pthread_create(&threads[k], NULL, call, &callers[k]), 0);
    for (int k = 0; k < CALLERS; k++)
        CHECK_EQ(pthread_join(threads[k], NULL), 0);
    for (int k = 0; k < CALLERS; k++)
        CHECK_STR(callers[k].message, "");
}

/* Largest difference between what the callers got at once, each asking for so many threads, and
 * what one of them gets alone. */
static double difference(const caller *like, const char *const threads[CALLERS])
{
    caller callers[CALLERS], alone = *like;
    alone.threads = threads[0];
    alone.answers = calloc((size_t)COUNT * M, sizeof *alone.answers);
    call(&alone);
    CHECK_STR(alone.message, "");
    for (int k = 0; k < CALLERS; k++) {
        callers[k] = *like;
        callers[k].first = k;
        callers[k].threads = threads[k];
        callers[k].answers = calloc((size_t)COUNT * M, sizeof *alone.answers);
    }
    call_at_once(callers);
    double worst = 0;
    for (int k = 0; k < CALLERS; k++) {
        worst =
            fmax(worst, kit_distance(callers[k].answers, alone.answers, (int64_t)like->count * M));
        free(callers[k].answers);
    }
    free(alone.answers);
    return worst;
}

typedef struct tables {
    double *X, *y;
    specreg_table *train, *test;
} tables;

static tables tables_new(specreg_context *ctx)
{
    tables t = {.X = kit_normal(5, N + M, P)};
    t.y = smooth_target(t.X, N, P, 0.3, 6);
    t.train = table_of(ctx, t.X, N, P, t.y, 1);
    t.test = table_of(ctx, t.X + (ptrdiff_t)N * P, M, P, NULL, 0);
    return t;
}

static void tables_free(tables *t)
{
    specreg_table_free(t->test);
    specreg_table_free(t->train);
    free(t->y);
    free(t->X);
}

static const char *const ONE[CALLERS] = {"1", "1", "1", "1"},
                         *const TWO[CALLERS] = {"2", "2", "2", "2"},
                         *const MIXED[CALLERS] = {"2", "3", "1", "0"};

TEST(concurrent, fits_of_all_engines_on_one_thread_each_get_the_bits_they_get_alone)
{
    tables t = tables_new(ctx);
    const caller like = {.train = t.train, .test = t.test, .count = COUNT};
    CHECK_SAME(difference(&like, ONE), 0);
    tables_free(&t);
}

/* OpenBLAS has one number of threads for all, so that sums may be split otherwise than alone. */
TEST(concurrent, fits_of_all_engines_agree_to_rounding_whatever_number_of_threads_each_asks_for)
{
    tables t = tables_new(ctx);
    const caller like = {.train = t.train, .test = t.test, .count = COUNT};
    CHECK_WORST("two threads each", difference(&like, TWO), kit_tolerance(N, 1e3));
    CHECK_WORST("different numbers of threads", difference(&like, MIXED), kit_tolerance(N, 1e3));
    tables_free(&t);
}

TEST(concurrent, predictions_of_one_model_get_the_bits_they_get_alone)
{
    tables t = tables_new(ctx);
    specreg_options *o;
    specreg_model *model;
    CHECK_OK(ctx, options(ctx, 0, "2", &o));
    CHECK_OK(ctx, specreg_fit(ctx, t.train, o, &model));
    const caller like = {.test = t.test, .model = model, .count = COUNT};
    CHECK_SAME(difference(&like, ONE), 0);
    specreg_model_free(model);
    specreg_options_free(o);
    tables_free(&t);
}
