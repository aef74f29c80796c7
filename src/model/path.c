/* The whole regularization path as a table: for every kernel and parameter the degrees of freedom,
 * the training error, what the selection rule says, and the error on test data. */
#include <stdlib.h>

#include "backend/cpu/blas.h"
#include "core/memory.h"
#include "kernel/linear_map.h"
#include "model/features.h"
#include "model/record.h"

typedef struct watcher {
    const sri_task *task;
    const sri_sample *test; /* NULL: none */
    json_t *table;
    sri_path_kind kind;
    /* Kernel values between test rows and centres, kept while the kernel stays the same. */
    double *K;
    int64_t candidate; /* the kernel's number; -1 at first */
    double *F;         /* test n x T */
    bool watched;      /* a point passed by */
} watcher;

/* The test rows' outputs; their kernel values are computed once per kernel when memory allows. */
static specreg_status test_outputs(specreg_context *ctx, watcher *w, int64_t candidate,
                                   const sri_kernel *kernel, const double *alpha,
                                   const double *beta)
{
    specreg_status st = SPECREG_OK;
    const sri_task *task = w->task;
    const int64_t m = w->test->n, n = task->n;
    const sri_coupling *coupling = sri_task_coupling(task, kernel);
    double scale;
    if (sri_kernel_is_linear(kernel, &scale) ||
        (double)m * (double)n * sizeof(double) > (double)task->memory / 4) {
        SRI_TRY(sri_predict_rows(ctx, kernel, &w->test->X, task->points, alpha, task->T, w->F));
        goto mix;
    }
    if (!w->K)
        SRI_ALLOC(ctx, w->K, m, n);
    if (w->candidate != candidate) {
        SRI_TRY(sri_kernel_rows_block(ctx, kernel, &w->test->X, 0, task->points, w->K, n));
        w->candidate = candidate;
    }
    sri_gemm(false, false, m, task->T, n, 1, w->K, n, alpha, task->T, 0, w->F, task->T);
mix:
    SRI_TRY(sri_coupling_mix(ctx, coupling, m, w->F));
    sri_features_add(w->test->P, m, task->features.l, beta, task->T, w->F);
done:
    return st;
}

static void set_losses(json_t **row, const sri_task *task, const char *mse, const char *rate,
                       const sri_losses *losses)
{
    sri_json_put(row, mse, sri_json_number(losses->squared.vx / losses->v));
    if (task->classes)
        sri_json_put(row, rate, sri_json_number(losses->wrong.vx / losses->v));
}

/* Called for every point of the path, trained on all rows. */
static specreg_status watch(specreg_context *ctx, void *payload, int64_t candidate,
                            const sri_kernel *kernel, const sri_path_point *point)
{
    specreg_status st = SPECREG_OK;
    watcher *w = payload;
    const sri_task *task = w->task;
    double *F = NULL;
    w->watched = true;
    sri_losses train = {0}, test = {0};
    json_t *row = json_pack("{s:o}", "kernel", sri_kernel_json(kernel));
    if (kernel->term[0].coupling)
        sri_json_put(&row, "outputs", sri_kernel_outputs_json(kernel, false));
    SRI_REQUIRE(ctx, row, SPECREG_E_NOMEM, "out of memory");
    SRI_ALLOC(ctx, F, task->n, task->T);
    for (int64_t k = 0; k < task->n * task->T; k++)
        F[k] = task->Y[k] - point->residual[k];
    const sri_truth truth = {.Y = task->Y, .classes = task->classes}; /* each row once, as in fit */
    SRI_TRY(sri_losses_add(ctx, task, F, task->T, &truth, NULL, task->n, &train));
    sri_record_param(&row, w->kind, point->param);
    sri_json_put(&row, "df", sri_json_number(point->df));
    set_losses(&row, task, "train_mse", "train_error_rate", &train);
    if (w->test) {
        SRI_TRY(test_outputs(ctx, w, candidate, kernel, point->alpha, point->beta));
        const sri_truth held = {.Y = w->test->Y, .classes = w->test->classes};
        SRI_TRY(sri_losses_add(ctx, task, w->F, task->T, &held, NULL, w->test->n, &test));
        set_losses(&row, task, "test_mse", "test_error_rate", &test);
    }
    sri_json_add(&w->table, json_incref(row));
done:
    json_decref(row);
    free(F);
    return st;
}

/* The rows with `value` from the rule: row i of the search is row i of the table. */
static json_t *add_values(const json_t *table, const sri_prepared *p,
                          const sri_search_result *result)
{
    json_t *out = json_array();
    for (int64_t i = 0; i < result->rows; i++) {
        json_t *row = json_incref(json_array_get(table, (size_t)i));
        sri_json_put(&row, "value",
                     sri_record_value(&p->rule, &p->problem, result->row[i].score.value));
        sri_json_put(&row, "stderr", sri_json_number(result->row[i].score.stderr_));
        sri_json_add(&out, row);
    }
    return out;
}

/* Points trained on all rows pass by the watcher.  A search by trials trains none but the winner:
 * then they get a run of their own. */
static specreg_status run_path(specreg_context *ctx, sri_prepared *p, watcher *w,
                               sri_search_result *result)
{
    specreg_status st = SPECREG_OK;
    const sri_choices *search = &p->call->recipe->search;
    sri_search_result points = {0};
    const sri_rule none = {.ops = &sri_rule_none};
    SRI_REQUIRE(ctx, search->strategy != SRI_SEARCH_COARSE && search->strategy != SRI_SEARCH_RACE,
                SPECREG_E_ARG, "search: path shows every kernel: %s is for fit and cv",
                sri_strategies[search->strategy]);
    SRI_REQUIRE(ctx, !search->checkpoint, SPECREG_E_ARG,
                "checkpoint: path trains every point anew: it is for fit and cv");
    SRI_TRY(sri_prepare_search(ctx, p));
    sri_search_spec spec = p->spec;
    spec.watch = watch;
    spec.payload = w;
    SRI_TRY(sri_search(ctx, &p->problem, &spec, result));
    if (w->watched)
        goto done;
    spec.rule = &none;
    spec.smallest = result->smallest; /* the same points */
    SRI_TRY(sri_search(ctx, &p->problem, &spec, &points));
done:
    sri_search_result_free(&points);
    return st;
}

specreg_status specreg_path(specreg_context *ctx, const specreg_table *train,
                            const specreg_table *test, const specreg_options *options, char **json)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_prepared p = {0};
    sri_search_result result = {0};
    sri_sample held = {0};
    specreg_table *file = NULL;
    watcher w = {.table = json_array(), .candidate = -1};
    json_t *record = sri_record_new("path");
    *json = NULL;
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_TRY(sri_prepare(ctx, &call, train, &p));
    const sri_task *task = &p.problem;
    w.task = task;
    w.kind = call.recipe->search.filter.path;
    if (test) {
        SRI_TRY(sri_features_read(ctx, &p.data.features, call.recipe->data.features_file, &file));
        sri_reader reader = task->reader;
        reader.features_file = file;
        SRI_TRY(sri_sample_read(ctx, &reader, test, &held));
        SRI_TRY(sri_sample_points(ctx, &task->reader, &held));
        SRI_ALLOC(ctx, w.F, held.n, task->T);
        w.test = &held;
    }
    SRI_TRY(run_path(ctx, &p, &w, &result));
    sri_json_put(&record, "data", sri_dataset_json(&p.data));
    sri_features_describe(&p.data.features, &record);
    SRI_TRY(sri_corpus_record(ctx, &p.corpus, &record));
    SRI_TRY(sri_record_search(ctx, &record, &p, &result));
    json_object_del(json_object_get(record, "selection"), "table");
    sri_json_put(&record, "table", add_values(w.table, &p, &result));
    sri_json_put(&record, "seconds",
                 json_pack("{s:f, s:f, s:f, s:f, s:f}", "read", train->read_seconds, "gram",
                           result.seconds_gram, "solve", result.seconds_solve, "select",
                           result.seconds_select, "total",
                           sri_call_seconds(&call) + train->read_seconds));
    sri_json_put(&record, "peak_bytes", json_integer(sri_memory_peak()));
    sri_json_put(&record, "seed", json_integer((json_int_t)task->seed));
    sri_json_put(&record, "threads", json_integer(call.threads));
    st = sri_record_text(ctx, json_incref(record), json);
done:
    json_decref(record);
    json_decref(w.table);
    free(w.F);
    free(w.K);
    specreg_table_free(file);
    sri_sample_free(&held);
    sri_search_result_free(&result);
    sri_prepared_free(&p);
    sri_call_leave(&call);
    return st;
}
