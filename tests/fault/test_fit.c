/* Everything the public header offers while allocations and writes fail one after the other, and
 * while the user says stop at every opportunity: a status, a text, no leak, no file, outputs NULL.
 *
 * A call that succeeds although an allocation failed must give what it gives otherwise. */
#include "kit/fault.h"
#include "kit/kit.h"
#include "page/page.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

/* ------------------------------------------------------------------------- problems */

/* 30 rows, a text column; the target is a number or a text. */
static const char *mixed_csv(const char *name, bool classes)
{
    char text[8192], *at = text;
    double *u = kit_normal(1, 30, 3);
    at += sprintf(at, "size,colour,weight,y\n");
    for (int i = 0; i < 30; i++) {
        const double y = u[3 * i] + (i % 3 == 0) + 0.3 * u[3 * i + 2];
        at += sprintf(at, "%.4f,%s,%.4f,", u[3 * i], i % 3 ? "red" : "blue", u[3 * i + 1]);
        at += classes ? sprintf(at, "%s\n", y > 0.3 ? "yes" : "no") : sprintf(at, "%.4f\n", y);
    }
    free(u);
    return kit_temp_file(name, text);
}

static specreg_table *mixed_table(specreg_context *ctx, bool classes)
{
    specreg_table *t;
    CHECK_OK(ctx,
             specreg_table_read(ctx, mixed_csv(classes ? "c.csv" : "r.csv", classes), NULL, &t));
    return t;
}

/* 30 rows of sparse columns 1, 4, 7, ... */
static specreg_table *sparse_table(specreg_context *ctx)
{
    char text[8192], *at = text;
    double *u = kit_normal(1, 30, 3);
    for (int i = 0; i < 30; i++)
        at += sprintf(at, "%.4f %d:%.4f %d:%.4f\n", u[3 * i] + 0.3 * u[3 * i + 2], 1 + 3 * (i % 3),
                      u[3 * i], 10 + 3 * (i % 2), u[3 * i + 1]);
    free(u);
    specreg_table *t;
    CHECK_OK(ctx, specreg_table_read(ctx, kit_temp_file("s.libsvm", text), NULL, &t));
    return t;
}

static const struct {
    const char *filter, *param, *select, *engine, *kernel;
} CASES[] = {
    {"tikhonov", "lambda={1,0.1}", "loo", "eig", "rbf:sigma={1,2}"},
    {"tikhonov", "lambda={1,0.1}", "loo", "cholesky", "0.5*rbf:sigma=1 + linear"},
    {"tikhonov", "lambda=0.1", "none", "krylov", "laplace:sigma=1"},
    {"tikhonov", "auto", "gcv", "auto", "matern:sigma=1"},
    {"landweber:step=norm", "t={2,8}", "kfold:k=3", "krylov", "rbf:sigma=1"},
    {"landweber", "t={2,8}", "kfold:k=3", "iterate", "rbf:sigma=1"},
    {"nu", "t={2,30}", "kfold:k=2", "iterate", "rbf:sigma=1"},
    {"nu", "t={2,8}", "holdout", "iterate", "poly:degree=2"},
    {"cg", "t={1,2}", "kfold:k=2", "krylov", "rbf:sigma=1"},
    {"tsvd", "components={1,2}", "loo", "eig", "rbf:sigma=1"},
    {"iterated", "lambda={1,0.1}", "holdout", "cholesky", "rbf:sigma=1"},
    {"tikhonov", "lambda={1,0.1}", "loo", "lowrank", "linear"},
    {"tsvd", "components={1,2}", "kfold:k=2", "lowrank", "linear"},
    {"tikhonov", "lambda={1,0.1}", "gcv", "band", "rbf:sigma={1,2}"},
    {"tikhonov", "lambda={1,0.1}", "loo", "band", "rbf:sigma={1,2}"},
    {"nu", "t={2,8}", "kfold:k=2", "band", "rbf:sigma=1"},
    {"iterated", "lambda={1,1e-25}", "kfold:k=3", "band", "linear"}, /* falls back */
    {"tikhonov", "lambda={1,0.1}", "loo", "primal", "linear"},
    {"tsvd", "components={1,2}", "kfold:k=2", "primal", "linear"},
};
enum { N_CASES = sizeof CASES / sizeof *CASES };

static specreg_options *case_options(specreg_context *ctx, int i)
{
    specreg_options *o;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    const char *const pairs[][2] = {{"filter", CASES[i].filter}, {"param", CASES[i].param},
                                    {"select", CASES[i].select}, {"engine", CASES[i].engine},
                                    {"kernel", CASES[i].kernel}, {"threads", "1"}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        CHECK_OK(ctx, specreg_options_set(ctx, o, pairs[k][0], pairs[k][1]));
    return o;
}

/* A record as text, without what differs from run to run. */
static char *stable(char *json)
{
    json_t *record = json_loads(json, 0, NULL);
    CHECK(record);
    json_object_del(record, "seconds");
    json_object_del(record, "peak_bytes");
    json_object_del(record, "budget_bytes");
    char *text = json_dumps(record, JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    json_decref(record);
    return text;
}

/* ------------------------------------------------------------- the k-th allocation */

/* What one of the calls below gives: a record, in words that can be compared. */
typedef struct outcome {
    specreg_model *model;
    specreg_table *table;
    char *json;
} outcome;

typedef struct scene { /* what there is before the call */
    const specreg_table *train;
    const specreg_options *options;
    const specreg_model *model;
    const specreg_options *ask; /* of predict */
    const char *path;
} scene;

typedef specreg_status act(specreg_context *ctx, const scene *s, outcome *out);

static specreg_status do_read(specreg_context *ctx, const scene *s, outcome *out)
{
    return specreg_table_read(ctx, s->path, NULL, &out->table);
}
static specreg_status do_fit(specreg_context *ctx, const scene *s, outcome *out)
{
    return specreg_fit(ctx, s->train, s->options, &out->model);
}
static specreg_status do_predict(specreg_context *ctx, const scene *s, outcome *out)
{
    return specreg_predict(ctx, s->model, s->train, s->ask, &out->table);
}
static specreg_status do_evaluate(specreg_context *ctx, const scene *s, outcome *out)
{
    return specreg_evaluate(ctx, s->model, s->train, NULL, &out->json);
}
static specreg_status do_importance(specreg_context *ctx, const scene *s, outcome *out)
{
    specreg_importances *found;
    out->json = NULL;
    specreg_status st = specreg_importance(ctx, s->model, s->train, s->ask, &found);
    if (st == SPECREG_OK)
        st = specreg_importance_record(ctx, s->model, found, &out->json);
    specreg_importances_free(found);
    return st;
}
static specreg_status do_partial(specreg_context *ctx, const scene *s, outcome *out)
{
    specreg_partials *found;
    out->json = NULL;
    specreg_status st = specreg_partial(ctx, s->model, s->train, s->ask, &found);
    if (st == SPECREG_OK)
        st = specreg_partial_record(ctx, s->model, found, &out->json);
    specreg_partials_free(found);
    return st;
}
/* What a report page has of one kind of model alone. */
static specreg_status do_kind(specreg_context *ctx, const scene *s, outcome *out)
{
    json_t *found[3] = {NULL}, *cannot = json_array();
    out->json = NULL;
    specreg_status st = sri_page_field(ctx, s->model, s->train, s->options, &found[0], &cannot);
    if (st == SPECREG_OK)
        st = sri_page_matrix(ctx, s->model, &found[1], &cannot);
    if (st == SPECREG_OK)
        st = sri_page_words(ctx, s->model, &found[2], &cannot);
    json_t *all = json_object();
    for (int k = 0; k < 3; k++)
        sri_json_put(&all,
                     k == 0   ? "field"
                     : k == 1 ? "matrix"
                              : "words",
                     found[k] ? found[k] : json_null());
    if (st == SPECREG_OK)
        st = sri_record_text(ctx, all, &out->json);
    json_decref(all);
    json_decref(cannot);
    return st;
}
static specreg_status do_path(specreg_context *ctx, const scene *s, outcome *out)
{
    return specreg_path(ctx, s->train, s->train, s->options, &out->json);
}
static specreg_status do_spectrum(specreg_context *ctx, const scene *s, outcome *out)
{
    return specreg_spectrum(ctx, s->train, s->options, &out->json);
}
static specreg_status do_plan(specreg_context *ctx, const scene *s, outcome *out)
{
    return specreg_plan(ctx, s->train, s->options, &out->json);
}
static specreg_status do_table_record(specreg_context *ctx, const scene *s, outcome *out)
{
    return specreg_table_record(ctx, s->train, s->options, &out->json);
}
static specreg_status do_model_record(specreg_context *ctx, const scene *s, outcome *out)
{
    return specreg_model_record(ctx, s->model, &out->json);
}
static specreg_status do_load(specreg_context *ctx, const scene *s, outcome *out)
{
    return specreg_model_load(ctx, s->path, &out->model);
}
static specreg_status do_fit_arrays(specreg_context *ctx, const scene *s, outcome *out)
{
    static const double x[16] = {1, 5, 2, 7, 3, 2, 4, 9, 5, 1, 6, 4, 7, 7, 8, 3};
    const specreg_view X = {x, 8, 1, 2}, Y = {x + 1, 8, 1, 2};
    return specreg_fit_arrays(ctx, &X, &Y, s->options, &out->model);
}

/* All that a model or a table holds, as one text. */
static char *describe(specreg_context *ctx, const outcome *o)
{
    char *json = NULL, *text;
    if (o->json)
        return stable(o->json);
    if (o->model) {
        CHECK_OK(ctx, specreg_model_record(ctx, o->model, &json));
        text = stable(json);
        specreg_string_free(json);
        return text;
    }
    const int64_t rows = specreg_table_rows(o->table), cols = specreg_table_cols(o->table);
    char *at = text = malloc((size_t)(rows * cols) * 40 + 1000);
    for (int64_t j = 0; j < cols; j++)
        at += sprintf(at, "%s,", specreg_table_name(o->table, j));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            at += specreg_table_is_text(o->table, j)
                      ? sprintf(at, "%s,", specreg_table_text(o->table, i, j))
                      : sprintf(at, "%.17g,", specreg_table_number(o->table, i, j));
    return text;
}

static void outcome_free(outcome *o)
{
    specreg_string_free(o->json);
    specreg_table_free(o->table);
    specreg_model_free(o->model);
}

/* The allocation to fail after the k-th: the next one, and from `dense` on every `stride`-th.
 * From the 100th on only every fifth of these, but in whole tests. */
static int64_t next_allocation(int64_t k, int64_t dense, int64_t stride)
{
    return k + (k < dense ? 1 : stride) * (kit_whole() || k < 100 ? 1 : 5);
}

/* Calls with the 0-th, 1-st, ... allocation failing until none fails any more.  From `dense` on
 * only every `stride`-th is tried: records have a few allocations for every row of a table, all
 * alike. */
static void every_allocation(specreg_context *ctx, const char *name, act *call, const scene *s,
                             int64_t dense, int64_t stride)
{
    outcome good = {0};
    CHECK_OK(ctx, call(ctx, s, &good));
    char *expected = describe(ctx, &good);
    outcome_free(&good);
    int64_t harmless = 0, k = 0;
    for (bool failed = true; failed; k = next_allocation(k, dense, stride)) {
        outcome out = {(void *)1, (void *)1, (void *)1};
        if (call != do_fit && call != do_load && call != do_fit_arrays)
            out.model = NULL;
        if (call != do_read && call != do_predict)
            out.table = NULL;
        if (out.model || out.table)
            out.json = NULL;
        kit_fail_allocation(k);
        const specreg_status st = call(ctx, s, &out);
        failed = kit_disarm();
        if (st == SPECREG_OK) {
            char *got = describe(ctx, &out);
            if (strcmp(got, expected) != 0)
                kit_fail(__FILE__, __LINE__,
                         "%s: allocation %d failed, the call says success, and gives\n%s\nnot\n%s",
                         name, (int)k, got, expected);
            free(got);
            harmless += failed;
        } else {
            CHECK(failed);
            CHECK_EQ(st, SPECREG_E_NOMEM);
            CHECK_HAS(specreg_last_error(ctx), "memory");
            CHECK(!out.model && !out.table && !out.json);
        }
        outcome_free(&out);
        if (kit_live_allocations() != 0)
            kit_fail(__FILE__, __LINE__, "%s: allocation %d failed, %d blocks were left", name,
                     (int)k, (int)kit_live_allocations());
    }
    /* It did allocate, and hardly anything for nothing: a text of the record is tried again as
     * plain ASCII, which makes two for each note. */
    CHECK(k > 10 && harmless <= 8);
    free(expected);
}

TEST(fault, reading_a_table_survives_every_failing_allocation)
{
    scene s = {.path = mixed_csv("c.csv", true)};
    every_allocation(ctx, "table_read", do_read, &s, INT64_MAX, 1);
}

/* Before the first kit_count_jansson(): an allocation of its own that fails while it reads a text
 * ends in an assert() of jansson's (2.14, lex_scan_string). */
TEST(fault, loading_a_model_survives_every_failing_allocation)
{
    scene s = {.train = mixed_table(ctx, true), .options = case_options(ctx, 0)};
    specreg_model *model;
    CHECK_OK(ctx, specreg_fit(ctx, s.train, s.options, &model));
    CHECK_OK(ctx, specreg_model_save(ctx, model, kit_temp("fault.srm")));
    s.path = kit_temp("fault.srm");
    every_allocation(ctx, "model_load", do_load, &s, 700, 7);
    specreg_model_free(model);
    CHECK_OK(ctx, specreg_options_set(ctx, (specreg_options *)s.options, "coding", "bch:15"));
    CHECK_OK(ctx, specreg_fit(ctx, s.train, s.options, &model));
    CHECK_OK(ctx, specreg_model_save(ctx, model, kit_temp("fault.srm")));
    every_allocation(ctx, "model_load with words", do_load, &s, 700, 7);
    specreg_model_free(model);
    specreg_options_free((specreg_options *)s.options);
    specreg_table_free((specreg_table *)s.train);
    s = (scene){.train = sparse_table(ctx), .options = case_options(ctx, N_CASES - 1)};
    CHECK_OK(ctx, specreg_fit(ctx, s.train, s.options, &model));
    CHECK_OK(ctx, specreg_model_save(ctx, model, kit_temp("sparse.srm")));
    s.path = kit_temp("sparse.srm");
    every_allocation(ctx, "model_load, sparse", do_load, &s, 700, 7);
    specreg_model_free(model);
    specreg_options_free((specreg_options *)s.options);
    specreg_table_free((specreg_table *)s.train);
}

/* ------------------------------------------------------------- outputs and tasks */

static const struct {
    const char *targets, *task, *kernel, *outputs, *file, *select;
} SHARED[] = {
    {"y", "colour", "rbf:sigma=1", "common:omega={0.2,0.5}", "", "loo"},
    {"weight,y", "", "rbf:sigma=1", "common:omega={0.2,0.5}", "", "loo"},
    {"weight,y", "", "rbf:sigma=1 + linear", "common:omega=1 + independent", "", "kfold:k=2"},
    {"weight,y", "", "rbf:sigma=1", "graph:file=%s", "1,1\n1,0\n", "kfold:k=2"},
    {"weight,y", "", "rbf:sigma=1", "clusters:file=%s,eps2=0.5", "a\na\n", "gcv"},
    {"weight,y", "", "rbf:sigma=1", "delays:file=%s", "0,0,0\n1,1,1\n", "holdout"},
};
enum { N_SHARED = sizeof SHARED / sizeof *SHARED };

static specreg_options *shared_options(specreg_context *ctx, int i)
{
    char outputs[300];
    specreg_options *o = case_options(ctx, 0);
    snprintf(outputs, sizeof outputs, SHARED[i].outputs,
             kit_temp_file("shared.csv", SHARED[i].file));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "target", SHARED[i].targets));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "task-column", SHARED[i].task));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", SHARED[i].kernel));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "outputs", outputs));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", SHARED[i].select));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "engine", "auto"));
    return o;
}

/* Before the first kit_count_jansson(), as above. */
TEST(fault_outputs, loading_survives_every_failing_allocation)
{
    for (int i = 0; i < N_SHARED; i += 5) {
        scene s = {.train = mixed_table(ctx, false), .options = shared_options(ctx, i)};
        specreg_model *model;
        CHECK_OK(ctx, specreg_fit(ctx, s.train, s.options, &model));
        CHECK_OK(ctx, specreg_model_save(ctx, model, kit_temp("fault.srm")));
        s.path = kit_temp("fault.srm");
        every_allocation(ctx, "model_load", do_load, &s, 700, 7);
        specreg_model_free(model);
        specreg_options_free((specreg_options *)s.options);
        specreg_table_free((specreg_table *)s.train);
    }
}

/* ------------------------------------------------------------- features that are not penalised */

static const char *const FEATURES[] = {"constant", "poly:degree=1", "constant + columns:weight",
                                       "poly:degree=1,dependent=drop + constant"};
enum { N_FEATURES = sizeof FEATURES / sizeof *FEATURES };

/* Before the first kit_count_jansson(), as above. */
TEST(fault_features, loading_survives_every_failing_allocation)
{
    scene s = {.train = mixed_table(ctx, false), .options = case_options(ctx, 0)};
    specreg_model *model;
    CHECK_OK(ctx, specreg_options_set(ctx, (specreg_options *)s.options, "features", FEATURES[1]));
    CHECK_OK(ctx, specreg_fit(ctx, s.train, s.options, &model));
    CHECK_OK(ctx, specreg_model_save(ctx, model, kit_temp("fault.srm")));
    s.path = kit_temp("fault.srm");
    every_allocation(ctx, "model_load with features", do_load, &s, 700, 7);
    specreg_model_free(model);
    specreg_options_free((specreg_options *)s.options);
    specreg_table_free((specreg_table *)s.train);
}

TEST(fault_features, every_call_survives_every_failing_allocation)
{
    kit_count_jansson();
    for (int i = 0; i < N_CASES; i++) {
        char name[96];
        scene s = {.train = mixed_table(ctx, i % 2), .options = case_options(ctx, i)};
        specreg_options *o = (specreg_options *)s.options;
        specreg_model *model;
        snprintf(name, sizeof name, "fit %s %s %s with %s", CASES[i].filter, CASES[i].select,
                 CASES[i].engine, FEATURES[i % N_FEATURES]);
        CHECK_OK(ctx, specreg_options_set(ctx, o, "features", FEATURES[i % N_FEATURES]));
        every_allocation(ctx, name, do_fit, &s, 700, 7);
        if (i < N_FEATURES) {
            CHECK_OK(ctx, specreg_fit(ctx, s.train, s.options, &model));
            s.model = model;
            every_allocation(ctx, "predict", do_predict, &s, INT64_MAX, 1);
            every_allocation(ctx, "evaluate", do_evaluate, &s, 700, 7);
            every_allocation(ctx, "spectrum", do_spectrum, &s, 700, 7);
            specreg_model_free(model);
        }
        specreg_options_free(o);
        specreg_table_free((specreg_table *)s.train);
    }
}

TEST(fault, sparse_data_survive_every_failing_allocation)
{
    static const int which[] = {0, 2, 6, N_CASES - 2, N_CASES - 1};
    kit_count_jansson();
    for (size_t i = 0; i < sizeof which / sizeof *which; i++) {
        specreg_model *model;
        scene s = {.train = sparse_table(ctx), .options = case_options(ctx, which[i])};
        specreg_options *o = (specreg_options *)s.options;
        CHECK_OK(ctx, specreg_options_set(ctx, o, "scale", i % 2 ? "standard" : "auto"));
        every_allocation(ctx, "sparse fit", do_fit, &s, 700, 7);
        CHECK_OK(ctx, specreg_fit(ctx, s.train, s.options, &model));
        s.model = model;
        every_allocation(ctx, "sparse predict", do_predict, &s, INT64_MAX, 1);
        every_allocation(ctx, "sparse evaluate", do_evaluate, &s, 700, 7);
        specreg_model_free(model);
        specreg_options_free(o);
        specreg_table_free((specreg_table *)s.train);
    }
}

TEST(fault, fitting_survives_every_failing_allocation)
{
    kit_count_jansson();
    for (int classes = 0; classes < 2; classes++)
        for (int i = 0; i < N_CASES; i++) {
            char name[96];
            snprintf(name, sizeof name, "fit %s %s %s, %s", CASES[i].filter, CASES[i].select,
                     CASES[i].engine, classes ? "classes" : "numbers");
            scene s = {.train = mixed_table(ctx, classes), .options = case_options(ctx, i)};
            every_allocation(ctx, name, do_fit, &s, 700, 7);
            specreg_table_free((specreg_table *)s.train);
            specreg_options_free((specreg_options *)s.options);
        }
    scene g = {.train = mixed_table(ctx, true), .options = case_options(ctx, 4)};
    specreg_options *o = (specreg_options *)g.options;
    CHECK_OK(ctx, specreg_options_set(ctx, o, "group", "colour"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "class-weight", "balanced"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "kfold:k=2,repeats=2"));
    every_allocation(ctx, "fit with groups", do_fit, &g, 700, 7);
    specreg_table_free((specreg_table *)g.train);
    specreg_options_free(o);
    scene s = {.options = case_options(ctx, 0)};
    every_allocation(ctx, "fit_arrays", do_fit_arrays, &s, 700, 7);
    specreg_options_free((specreg_options *)s.options);
}

/* Three classes: rows of the mixed table with a third label. */
static specreg_table *three_classes(specreg_context *ctx)
{
    specreg_table *t;
    char text[2048], *at = text + sprintf(text, "a,b,y\n");
    double *u = kit_normal(2, 24, 2);
    for (int i = 0; i < 24; i++)
        at += sprintf(at, "%.4f,%.4f,c%d\n", u[2 * i] + i % 3, u[2 * i + 1], i % 3);
    free(u);
    CHECK_OK(ctx, specreg_table_read(ctx, kit_temp_file("three.csv", text), NULL, &t));
    return t;
}

TEST(fault, codings_and_measures_of_classes_survive_every_failing_allocation)
{
    static const char *const coding[] =
        {"ova", "ab", "simplex", "bch:15,decode=loss", "random:columns=5", "ovo"};
    kit_count_jansson();
    for (int i = 0; i < 6; i++) {
        specreg_model *model;
        scene s = {.train = three_classes(ctx), .options = case_options(ctx, 0)};
        specreg_options *o = (specreg_options *)s.options;
        CHECK_OK(ctx, specreg_options_set(ctx, o, "coding", coding[i]));
        every_allocation(ctx, coding[i], do_fit, &s, 700, 7);
        CHECK_OK(ctx, specreg_fit(ctx, s.train, s.options, &model));
        s.model = model;
        every_allocation(ctx, "evaluate three classes", do_evaluate, &s, 700, 7);
        every_allocation(ctx, "model_record", do_model_record, &s, INT64_MAX, 1);
        specreg_model_free(model);
        specreg_options_free(o);
        specreg_table_free((specreg_table *)s.train);
    }
}

static specreg_options *ask_options(specreg_context *ctx, bool classes)
{
    specreg_options *o;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "proba", classes ? "yes" : "no"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "interval", classes ? NULL : "0.8"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "threads", "1"));
    return o;
}

TEST(fault, using_a_model_survives_every_failing_allocation)
{
    kit_count_jansson();
    for (int classes = 0; classes < 2; classes++)
        for (int i = 0; i < N_CASES; i += 4) {
            specreg_model *model;
            scene s = {.train = mixed_table(ctx, classes), .options = case_options(ctx, i)};
            CHECK_OK(ctx, specreg_fit(ctx, s.train, s.options, &model));
            CHECK_OK(ctx, specreg_model_save(ctx, model, kit_temp("fault.srm")));
            s.model = model;
            s.path = kit_temp("fault.srm");
            every_allocation(ctx, "predict", do_predict, &s, INT64_MAX, 1);
            specreg_options *ask = ask_options(ctx, classes);
            s.ask = ask;
            every_allocation(ctx, "predict --proba, --interval", do_predict, &s, INT64_MAX, 1);
            specreg_options_free(ask);
            every_allocation(ctx, "evaluate", do_evaluate, &s, 700, 7);
            every_allocation(ctx, "model_record", do_model_record, &s, INT64_MAX, 1);
            specreg_model_free(model);
            specreg_options_free((specreg_options *)s.options);
            specreg_table_free((specreg_table *)s.train);
        }
}

TEST(fault, path_spectrum_plan_and_info_survive_every_failing_allocation)
{
    kit_count_jansson();
    for (int classes = 0; classes < 2; classes++)
        for (int i = 0; i < N_CASES; i += 3) {
            scene s = {.train = mixed_table(ctx, classes), .options = case_options(ctx, i)};
            every_allocation(ctx, "path", do_path, &s, 700, 7);
            every_allocation(ctx, "spectrum", do_spectrum, &s, 700, 7);
            every_allocation(ctx, "plan", do_plan, &s, 700, 7);
            every_allocation(ctx, "table_record", do_table_record, &s, 700, 7);
            specreg_options_free((specreg_options *)s.options);
            specreg_table_free((specreg_table *)s.train);
        }
}

TEST(fault_outputs, every_call_survives_every_failing_allocation)
{
    kit_count_jansson();
    for (int i = 0; i < N_SHARED; i++) {
        scene s = {.train = mixed_table(ctx, false), .options = shared_options(ctx, i)};
        specreg_model *model;
        every_allocation(ctx, SHARED[i].outputs, do_fit, &s, 700, 7);
        every_allocation(ctx, "spectrum", do_spectrum, &s, 700, 7);
        every_allocation(ctx, "plan", do_plan, &s, 700, 7);
        CHECK_OK(ctx, specreg_fit(ctx, s.train, s.options, &model));
        s.model = model;
        every_allocation(ctx, "predict", do_predict, &s, INT64_MAX, 1);
        every_allocation(ctx, "evaluate", do_evaluate, &s, 700, 7);
        specreg_model_free(model);
        specreg_options_free((specreg_options *)s.options);
        specreg_table_free((specreg_table *)s.train);
    }
}

static double my_kernel(const double *x, const double *z, int64_t p, const double *params,
                        void *payload)
{
    (void)p, (void)params, (void)payload;
    return x[0] * z[0];
}

TEST(fault, registering_survives_every_failing_allocation)
{
    static const specreg_param_def params[] = {{"a", 1}, {"b", 2}};
    const specreg_kernel_def def = {.struct_size = sizeof def,
                                    .name = "mine",
                                    .eval = my_kernel,
                                    .params = params,
                                    .n_params = 2};
    bool failed = true;
    for (int64_t k = 0; failed; k++) {
        kit_fail_allocation(k);
        const specreg_status st = specreg_register_kernel(ctx, &def);
        failed = kit_disarm();
        CHECK_EQ(st, failed ? SPECREG_E_NOMEM : SPECREG_OK);
        if (failed)
            CHECK_EQ(kit_live_allocations(), 0);
    }
}

/* ------------------------------------------------------------------ saving a model */

static char *bytes_of(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    CHECK(f);
    char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

TEST(fault, saving_a_model_leaves_the_whole_file_or_none)
{
    specreg_table *t = mixed_table(ctx, true);
    specreg_options *o = case_options(ctx, 0);
    specreg_model *model;
    CHECK_OK(ctx, specreg_fit(ctx, t, o, &model));
    const char *path = kit_temp("saved.srm"), *whole = kit_temp("whole.srm");
    CHECK_OK(ctx, specreg_model_save(ctx, model, whole));
    size_t size, got;
    char *expected = bytes_of(whole, &size);
    const int before = kit_temp_count();
    kit_count_jansson();
    for (int writes = 0; writes < 2; writes++) {
        int64_t k = 0;
        for (bool failed = true; failed; k++) {
            if (writes)
                kit_fail_write(k);
            else
                kit_fail_allocation(k);
            const specreg_status st = specreg_model_save(ctx, model, path);
            failed = kit_disarm();
            if (st == SPECREG_OK) { /* a failing sync of the folder comes after all is done */
                char *bytes = bytes_of(path, &got);
                CHECK_EQ(got, size);
                CHECK(memcmp(bytes, expected, size) == 0);
                free(bytes);
                remove(path);
            } else {
                CHECK(failed);
                CHECK_EQ(st, writes ? SPECREG_E_IO : SPECREG_E_NOMEM);
                CHECK_HAS(specreg_last_error(ctx), writes ? "saved.srm" : "memory");
            }
            CHECK_EQ(kit_temp_count(), before);
            if (!writes)
                CHECK_EQ(kit_live_allocations(), 0);
        }
        CHECK(k > (writes ? 3 : 50));
    }
    /* a file that was there before survives a failed save */
    FILE *f = fopen(path, "w");
    fputs("old", f);
    fclose(f);
    kit_fail_write(1);
    CHECK_EQ(specreg_model_save(ctx, model, path), SPECREG_E_IO);
    kit_disarm();
    char *old = kit_read_file(path);
    CHECK_STR(old, "old");
    free(old);
    free(expected);
    specreg_model_free(model);
    specreg_options_free(o);
    specreg_table_free(t);
}

TEST(fault, loading_a_model_survives_every_failing_read)
{
    specreg_table *t = mixed_table(ctx, false);
    specreg_options *o = case_options(ctx, 0);
    specreg_model *model, *loaded;
    CHECK_OK(ctx, specreg_fit(ctx, t, o, &model));
    const char *path = kit_temp("read.srm");
    CHECK_OK(ctx, specreg_model_save(ctx, model, path));
    int64_t k = 0;
    for (bool failed = true; failed; k++) {
        kit_fail_read(k);
        const specreg_status st = specreg_model_load(ctx, path, &loaded);
        failed = kit_disarm();
        CHECK_EQ(st, failed ? SPECREG_E_IO : SPECREG_OK);
        CHECK(failed == !loaded);
        if (failed)
            CHECK_HAS(specreg_last_error(ctx), "read.srm");
        specreg_model_free(loaded);
    }
    CHECK(k > 1);
    specreg_model_free(model);
    specreg_options_free(o);
    specreg_table_free(t);
}

/* ------------------------------------------------------------------------ cancelling */

typedef struct stopper {
    int64_t calls, stop_at;
} stopper;

static int stop(const specreg_progress *progress, void *payload)
{
    stopper *s = payload;
    CHECK(progress->stage && progress->step <= progress->steps && progress->seconds >= 0);
    return ++s->calls == s->stop_at;
}

/* Stops at the 1st, 2nd, ... opportunity until the call comes to its end. */
static void every_callback(specreg_context *ctx, const char *name, act *call, const scene *s)
{
    int64_t k = 1;
    for (bool stopped = true; stopped; k++) {
        stopper at = {.stop_at = k};
        outcome out = {0};
        specreg_set_progress(ctx, stop, &at);
        kit_fail_allocation(INT64_MAX); /* none fails, all are counted */
        const specreg_status st = call(ctx, s, &out);
        kit_disarm();
        stopped = at.calls >= k;
        CHECK_EQ(st, stopped ? SPECREG_E_CANCELLED : SPECREG_OK);
        if (stopped) {
            CHECK_EQ(at.calls, k); /* nothing is asked after the answer was to stop */
            CHECK_HAS(specreg_last_error(ctx), "cancelled");
            CHECK(!out.model && !out.table && !out.json);
        }
        outcome_free(&out);
        CHECK_EQ(kit_live_allocations(), 0);
    }
    specreg_set_progress(ctx, NULL, NULL);
    if (k < 3)
        kit_fail(__FILE__, __LINE__, "%s never asked whether to go on", name);
}

TEST(fault, every_callback_can_cancel)
{
    kit_count_jansson();
    for (int classes = 0; classes < 2; classes++)
        for (int i = 0; i < N_CASES; i++) {
            char name[96];
            specreg_model *model;
            scene s = {.train = mixed_table(ctx, classes), .options = case_options(ctx, i)};
            snprintf(name, sizeof name, "fit %s %s %s", CASES[i].filter, CASES[i].select,
                     CASES[i].engine);
            every_callback(ctx, name, do_fit, &s);
            every_callback(ctx, "path", do_path, &s);
            every_callback(ctx, "spectrum", do_spectrum, &s);
            CHECK_OK(ctx, specreg_fit(ctx, s.train, s.options, &model));
            s.model = model;
            every_callback(ctx, "predict", do_predict, &s);
            every_callback(ctx, "evaluate", do_evaluate, &s);
            specreg_model_free(model);
            specreg_options_free((specreg_options *)s.options);
            specreg_table_free((specreg_table *)s.train);
        }
}

TEST(fault, importance_and_partial_dependence_survive_every_failing_allocation)
{
    kit_count_jansson();
    for (int classes = 0; classes < 2; classes++) {
        specreg_model *model;
        specreg_options *ask;
        scene s = {.train = mixed_table(ctx, classes), .options = case_options(ctx, 0)};
        CHECK_OK(ctx, specreg_options_new(ctx, &ask));
        CHECK_OK(ctx, specreg_options_set(ctx, ask, "repeats", "1"));
        CHECK_OK(ctx, specreg_options_set(ctx, ask, "points", "2"));
        CHECK_OK(ctx, specreg_options_set(ctx, ask, "threads", "1"));
        CHECK_OK(ctx, specreg_fit(ctx, s.train, s.options, &model));
        s.model = model;
        s.ask = ask;
        every_allocation(ctx, "importance", do_importance, &s, 700, 7);
        every_allocation(ctx, "partial", do_partial, &s, 700, 7);
        every_callback(ctx, "importance", do_importance, &s);
        every_callback(ctx, "partial", do_partial, &s);
        specreg_model_free(model);
        specreg_options_free(ask);
        specreg_options_free((specreg_options *)s.options);
        specreg_table_free((specreg_table *)s.train);
    }
}

TEST(fault, pictures_of_fields_outputs_and_documents_survive_every_failing_allocation)
{
    static const char *const texts[] =
        {"x,y,u,v\n0,0,1,2\n1,0,2,1\n0,1,1,1\n1,1,0,2\n0.5,0.2,1,0\n",
         "a,y,z\n1,2,0\n2,3,1\n3,3,1\n4,5,2\n5,4,1\n",
         "label,text\n1.5,sea\n-2,tree\n1,sea\n-1,tree\n1.2,sea sea\n-1,tree\n"};
    static const char *const set[][4][2] =
        {{{"target", "u,v"}, {"kernel", "helmholtz:sigma=1,gamma=0.5"}, {"param", "lambda=0.1"}},
         {{"target", "y,z"},
          {"kernel", "rbf:sigma=1"},
          {"param", "lambda=0.1"},
          {"outputs", "common:omega=0.5"}},
         {{"text", "min-docs=1"}, {"param", "lambda=0.1"}, {"problem", "regression"}}};
    kit_count_jansson();
    for (int i = 0; i < 3; i++) {
        specreg_table *t;
        specreg_options *o;
        specreg_model *model;
        CHECK_OK(ctx, specreg_options_new(ctx, &o));
        CHECK_OK(ctx, specreg_options_set(ctx, o, "threads", "1"));
        for (int k = 0; k < 4 && set[i][k][0]; k++)
            CHECK_OK(ctx, specreg_options_set(ctx, o, set[i][k][0], set[i][k][1]));
        CHECK_OK(ctx, specreg_table_read(ctx, kit_temp_file("kind.csv", texts[i]), o, &t));
        CHECK_OK(ctx, specreg_fit(ctx, t, o, &model));
        const scene s = {.train = t, .options = o, .model = model};
        every_allocation(ctx, "pictures", do_kind, &s, 700, 7);
        specreg_model_free(model);
        specreg_options_free(o);
        specreg_table_free(t);
    }
}
