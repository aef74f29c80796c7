/* The story: data -> kernel -> operator -> engine -> filter path -> selection -> model. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "model/corpus.h"
#include "model/errors_record.h"
#include "model/features.h"
#include "model/linear_model.h"
#include "model/model.h"
#include "model/notes.h"
#include "model/record.h"

/* Errors on the training rows: fitted values are Y minus the residual.  Points for one output
 * are put back into their rows. */
static specreg_status training_errors(specreg_context *ctx, const sri_dataset *data,
                                      const sri_task *points, const sri_search_result *result,
                                      json_t **record)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = data->T;
    sri_errors errors = {0};
    double *F = NULL;
    sri_comparison p = {0};
    const sri_errors_request request = {.report = SRI_IN_TRAIN,
                                        .field = data->field,
                                        .target = points->reader.target,
                                        .tasks = points->reader.tasks,
                                        .task = data->task};
    SRI_CALLOC(ctx, F, data->n, T);
    for (int64_t k = 0; k < points->n * points->T; k++) {
        const int64_t at = data->flat.n ? data->flat.row[k] * T + data->flat.label[k] : k;
        F[at] = points->Y[k] - result->residual[k];
    }
    p = sri_compare(F, (sri_truth){data->Y, data->classes, NULL}, data->n, T, points->coding);
    SRI_TRY(sri_errors_make(ctx, &p, &request, &errors));
    sri_json_put(record, "train", sri_errors_json(&errors));
done:
    sri_errors_free(&errors);
    sri_comparison_free(&p);
    free(F);
    return st;
}

/* Probabilities are fitted to what the machine says of rows it has not seen: scores of Y minus the
 * held-out residual.  Rules that hold out only some of the rows, or none, give no probabilities. */
static specreg_status calibrate(specreg_context *ctx, const sri_task *task,
                                const sri_search_result *result, const double *weight,
                                sri_calibration *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = task->n, T = task->T, k = task->n_classes;
    double *F = NULL, *scores = NULL;
    if (!task->classes || !result->held)
        return st;
    SRI_ALLOC(ctx, F, T, 1);
    SRI_ALLOC(ctx, scores, n, k);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t t = 0; t < T; t++)
            F[t] = task->Y[i * T + t] - result->held[i * T + t];
        sri_coding_scores(task->coding, F, scores + i * k);
    }
    SRI_TRY(sri_calibration_fit(ctx, scores, task->classes, weight, n, k, out));
    strncpy(out->held_by, result->held_by, sizeof out->held_by - 1);
done:
    free(scores);
    free(F);
    return st;
}

/* What differs between two runs of the same call stays out of the model file. */
static json_t *volatile_record(const sri_dataset *data, const sri_search_result *result,
                               double total)
{
    return json_pack("{s:{s:f, s:f, s:f, s:f, s:f}, s:I}", "seconds", "read",
                     data->table->read_seconds, "gram", result->seconds_gram, "solve",
                     result->seconds_solve, "select", result->seconds_select, "total",
                     total + data->table->read_seconds, "peak_bytes",
                     (json_int_t)sri_memory_peak());
}

/* Coefficients of points for one output as those of rows: row i gets what its outputs have,
 * times A.
 */
static specreg_status gather_rows(specreg_context *ctx, const sri_dataset *data,
                                  const sri_search_result *result, double **alpha)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = data->T;
    SRI_CALLOC(ctx, *alpha, data->n, T);
    for (int64_t i = 0; i < data->flat.n; i++)
        (*alpha)[data->flat.row[i] * T + data->flat.label[i]] = result->alpha[i];
    SRI_TRY(sri_coupling_mix(ctx, sri_kernel_coupling(&result->kernel), data->n, *alpha));
done:
    return st;
}

/* Centres and coefficients.  Where one matrix serves all outputs it goes into the coefficients,
 * and the model is one of rows; else centres stay points for one output or of one task. */
static specreg_status take_centres(specreg_context *ctx, sri_dataset *data,
                                   sri_search_result *result, specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    const sri_coupling *coupling = sri_kernel_coupling(&result->kernel);
    m->layout = data->layout;
    m->layout.seen = NULL;
    const bool field = sri_kernel_is_field(&result->kernel);
    if (field ||
        (data->layout.kind == SRI_LAYOUT_OUTPUTS && coupling && !sri_coupling_sees(coupling))) {
        m->layout.kind = SRI_LAYOUT_ROWS;
        SRI_TRY(gather_rows(ctx, data, result, &m->alpha));
    } else {
        if (data->layout.kind == SRI_LAYOUT_ROWS)
            SRI_TRY(sri_coupling_mix(ctx, coupling, data->n, result->alpha));
        m->alpha = result->alpha;
        result->alpha = NULL;
    }
    SRI_TRY(sri_dataset_centres(ctx, data, m->layout.kind, &m->points));
    m->n = m->points->n;
    if (m->layout.kind == SRI_LAYOUT_ROWS)
        goto done;
    m->outputs = sri_kernel_outputs_json(&result->kernel, true);
    SRI_REQUIRE(ctx, m->outputs, SPECREG_E_NOMEM, "out of memory");
    SRI_TRY(sri_model_coupling(ctx, m));
    m->tasks = data->tasks;
    data->tasks = NULL;
done:
    return st;
}

/* The model takes over what it needs from the data set and the search. */
static specreg_status make_model(specreg_context *ctx, sri_dataset *data, const sri_task *task,
                                 sri_search_result *result, json_t *record, json_t *times,
                                 specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    specreg_model *m = NULL;
    SRI_CALLOC(ctx, m, 1, 1);
    *m = (specreg_model){.encoder = data->encoder,
                         .target = data->target,
                         .coding = data->coding,
                         .T = data->T,
                         .kernel = sri_kernel_json(&result->kernel),
                         .record = json_incref(record),
                         .volatile_ = json_incref(times)};
    data->encoder = NULL;
    data->target = NULL;
    data->coding = NULL;
    SRI_REQUIRE(ctx, m->kernel && m->record && m->volatile_, SPECREG_E_NOMEM, "out of memory");
    SRI_TRY(calibrate(ctx, task, result, task->weight, &m->calibration));
    m->features = data->features;
    m->beta = result->beta;
    data->features = (sri_predefined){0};
    result->beta = NULL;
    const bool rows = data->layout.kind == SRI_LAYOUT_ROWS && !sri_kernel_coupling(&result->kernel);
    SRI_TRY(take_centres(ctx, data, result, m));
    if (!task->classes &&
        rows) { /* intervals are for numbers that have nothing to do with others */
        m->held = result->held;
        result->held = NULL;
    }
    if (rows) {
        m->weight = data->weight;
        data->weight = NULL;
    }
    if (m->layout.kind == SRI_LAYOUT_ROWS)
        SRI_TRY(sri_model_make_linear(ctx, &result->kernel, m));
    *out = m;
    return SPECREG_OK;
done:
    specreg_model_free(m);
    return st;
}

specreg_status specreg_fit(specreg_context *ctx, const specreg_table *train,
                           const specreg_options *options, specreg_model **out)
{
    return sri_fit(ctx, train, options, NULL, out);
}

specreg_status sri_fit(specreg_context *ctx, const specreg_table *train,
                       const specreg_options *options, const sri_target *tasks, specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    const double start = sri_clock();
    sri_config config = {0};
    sri_corpus corpus = {0};
    sri_dataset data = {0};
    sri_search_result result = {0};
    json_t *record = sri_record_new("fit"), *times = NULL;
    *out = NULL;
    SRI_TRY(sri_config_parse(ctx, options, &config));
    config.tasks = tasks;
    SRI_TRY(sri_corpus_train(ctx, train, &config, &corpus));
    SRI_TRY(sri_dataset_make(ctx, corpus.table, &config, &data));
    data.words = corpus.words;
    const sri_task task = sri_dataset_task(&data, &config);
    sri_search_spec spec = sri_config_search(&config);
    SRI_TRY(sri_search(ctx, &task, &spec, &result));
    sri_json_put(&record, "data", sri_dataset_json(&data));
    SRI_TRY(sri_corpus_record(ctx, &corpus, &record));
    SRI_TRY(sri_record_search(ctx, &record, &config, &task, &result));
    SRI_TRY(sri_features_record(ctx, &data.features, result.beta, data.T, &record));
    SRI_TRY(training_errors(ctx, &data, &task, &result, &record));
    sri_notes_fit(&record, &config, &task, &result);
    sri_json_put(&record, "seed", json_integer((json_int_t)config.seed));
    sri_json_put(&record, "threads", json_integer(config.threads_used));
    times = volatile_record(&data, &result, sri_clock() - start);
    SRI_TRY(make_model(ctx, &data, &task, &result, record, times, out));
    (*out)->words = corpus.words;
    corpus.words = NULL;
done:
    json_decref(times);
    json_decref(record);
    sri_search_result_free(&result);
    sri_dataset_free(&data);
    sri_corpus_free(&corpus);
    sri_config_free(&config);
    return st;
}

specreg_status specreg_fit_arrays(specreg_context *ctx, const specreg_view *X,
                                  const specreg_view *Y, const specreg_options *options,
                                  specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *table = NULL;
    specreg_options *own = NULL;
    sri_buffer targets = {0};
    *out = NULL;
    SRI_REQUIRE(ctx, Y && Y->cols >= 1, SPECREG_E_ARG, "Y has no columns");
    SRI_TRY(specreg_table_from_arrays(ctx, X, NULL, Y, NULL, &table));
    /* The targets are the table's last columns, whatever the options say. */
    for (int64_t t = 0; t < Y->cols; t++)
        SRI_TRY(
            sri_buffer_print(ctx, &targets, "%s%lld", t ? "," : "", (long long)(X->cols + t + 1)));
    SRI_TRY(sri_options_copy(ctx, options, &own));
    SRI_TRY(specreg_options_set(ctx, own, "target", targets.data));
    SRI_TRY(specreg_fit(ctx, table, own, out));
done:
    sri_buffer_free(&targets);
    specreg_options_free(own);
    specreg_table_free(table);
    return st;
}
