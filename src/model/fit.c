/* The story: data -> kernel -> operator -> engine -> filter path -> selection -> model. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "model/features.h"
#include "model/linear_model.h"
#include "model/model.h"
#include "model/notes.h"
#include "model/record.h"
#include "model/task_errors.h"
#include "select/measure.h"

/* Errors on the training rows: fitted values are Y minus the residual.  Points for one output
 * are put back into their rows. */
static specreg_status training_errors(specreg_context *ctx, const sri_dataset *data,
                                      const sri_task *points, const sri_search_result *result,
                                      json_t **record)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = data->T, q = data->p + 1;
    sri_task task = *points;
    double *F = NULL;
    json_t *errors = NULL;
    task.T = T;
    SRI_CALLOC(ctx, F, data->n, T);
    for (int64_t k = 0; k < points->n * points->T; k++) {
        const int64_t at =
            data->flat.n ? data->flat.row[k] * T + (int64_t)data->flat.X[(k + 1) * q - 1] : k;
        F[at] = points->Y[k] - result->residual[k];
    }
    st = sri_record_errors(ctx, &task, F, data->Y, data->classes, data->n, &errors);
    if (st == SPECREG_OK && data->task)
        st = sri_task_errors(ctx, &task, F, data->Y, data->classes, data->task, data->n, &errors);
    if (st == SPECREG_OK && data->field)
        sri_json_put(&errors, "angular_error",
                     sri_json_number(sri_measure_angle(F, data->Y, data->n, T)));
    sri_json_put(record, "train", errors);
done:
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
    const int64_t p = data->p, T = data->T;
    SRI_CALLOC(ctx, *alpha, data->n, T);
    for (int64_t i = 0; i < data->flat.n; i++) {
        const int64_t t = (int64_t)data->flat.X[i * (p + 1) + p];
        (*alpha)[data->flat.row[i] * T + t] = result->alpha[i];
    }
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
    double **from = &data->X.x;
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
    if (m->layout.kind == SRI_LAYOUT_TASKS)
        from = &data->labelled;
    if (m->layout.kind == SRI_LAYOUT_OUTPUTS)
        from = &data->flat.X;
    m->n = m->layout.kind == SRI_LAYOUT_OUTPUTS ? data->flat.n : data->n;
    m->q = data->p + (m->layout.kind != SRI_LAYOUT_ROWS);
    if (data->points->own_z) { /* row numbers */
        m->q = data->points->q;
        from = &data->points->own_z;
    }
    if (data->X.start) { /* and what their columns are, which takes time to find */
        m->sparse = data->X;
        m->points = data->points;
        data->X = (sri_matrix){0};
        data->points = NULL;
    } else {
        m->centres = *from;
        *from = NULL;
    }
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
    if (!m->points)
        SRI_TRY(sri_model_points(ctx, m));
    if (m->layout.kind == SRI_LAYOUT_ROWS)
        SRI_TRY(sri_model_make_linear(ctx, &result->kernel, m));
    *out = m;
    return SPECREG_OK;
done:
    specreg_model_free(m);
    return st;
}

specreg_status sri_fit(specreg_context *ctx, const sri_call *call, const specreg_table *train,
                       specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    sri_prepared p = {0};
    sri_search_result result = {0};
    json_t *record = sri_record_new("fit"), *times = NULL;
    *out = NULL;
    SRI_TRY(sri_prepare(ctx, call, train, &p));
    SRI_TRY(sri_prepare_search(ctx, &p));
    SRI_TRY(sri_search(ctx, &p.problem, &p.spec, &result));
    sri_json_put(&record, "data", sri_dataset_json(&p.data));
    SRI_TRY(sri_corpus_record(ctx, &p.corpus, &record));
    SRI_TRY(sri_record_search(ctx, &record, &p, &result));
    SRI_TRY(sri_features_record(ctx, &p.data.features, result.beta, p.data.T, &record));
    SRI_TRY(training_errors(ctx, &p.data, &p.problem, &result, &record));
    sri_notes_fit(&record, &p, &result);
    sri_json_put(&record, "seed", json_integer((json_int_t)p.problem.seed));
    sri_json_put(&record, "threads", json_integer(call->threads));
    times = volatile_record(&p.data, &result, sri_call_seconds(call));
    SRI_TRY(make_model(ctx, &p.data, &p.problem, &result, record, times, out));
    (*out)->words = p.corpus.words;
    p.corpus.words = NULL;
done:
    json_decref(times);
    json_decref(record);
    sri_search_result_free(&result);
    sri_prepared_free(&p);
    return st;
}

specreg_status specreg_fit(specreg_context *ctx, const specreg_table *train,
                           const specreg_options *options, specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    *out = NULL;
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_TRY(sri_fit(ctx, &call, train, out));
done:
    sri_call_leave(&call);
    return st;
}

specreg_status specreg_fit_arrays(specreg_context *ctx, const specreg_view *X,
                                  const specreg_view *Y, const specreg_options *options,
                                  specreg_model **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *table = NULL;
    int64_t *target = NULL;
    sri_call call = {0};
    *out = NULL;
    SRI_REQUIRE(ctx, Y && Y->cols >= 1, SPECREG_E_ARG, "Y has no columns");
    SRI_TRY(specreg_table_from_arrays(ctx, X, NULL, Y, NULL, &table));
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_ALLOC(ctx, target, Y->cols, 1);
    for (int64_t t = 0; t < Y->cols; t++)
        target[t] = X->cols + t;
    sri_recipe recipe = *call.recipe;
    recipe.data.roles.target_at = target; /* whatever the options say */
    recipe.data.roles.n_targets = Y->cols;
    const sri_call by_number = sri_call_with(&call, &recipe);
    SRI_TRY(sri_fit(ctx, &by_number, table, out));
done:
    sri_call_leave(&call);
    free(target);
    specreg_table_free(table);
    return st;
}
