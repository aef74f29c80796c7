#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/rows.h"
#include "data/text/vocabulary.h"
#include "kernel/linear_map.h"
#include "model/features.h"
#include "model/interval.h"
#include "model/model.h"
#include "model/parts.h"
#include "model/predict_table.h"
#include "select/sample.h"

void specreg_model_free(specreg_model *model)
{
    if (!model)
        return;
    json_decref(model->volatile_);
    json_decref(model->record);
    json_decref(model->kernel);
    sri_points_free(model->points);
    free(model->held);
    free(model->weight);
    free(model->beta);
    sri_predefined_free(&model->features);
    free(model->slope_column);
    free(model->slope);
    free(model->alpha);
    sri_matrix_free(&model->sparse);
    free(model->centres);
    for (int t = 0; t < SRI_KERNEL_TERMS; t++)
        if (t == 0 || model->coupling[t] != model->coupling[0])
            sri_coupling_free(model->coupling[t]);
    json_decref(model->outputs);
    sri_target_free(model->tasks);
    sri_coding_free(model->coding);
    sri_target_free(model->target);
    sri_encoder_free(model->encoder);
    specreg_vocabulary_free(model->words);
    free(model);
}

const specreg_vocabulary *specreg_model_vocabulary(const specreg_model *model)
{
    return model->words;
}

int64_t specreg_model_outputs(const specreg_model *model)
{
    return model->coding ? model->target->n_classes : model->T;
}

int64_t specreg_model_inputs(const specreg_model *model)
{
    return model->encoder->n_features;
}

const char *specreg_model_class(const specreg_model *model, int64_t index)
{
    return index >= 0 && index < model->target->n_classes ? model->target->label[index] : NULL;
}

specreg_status sri_model_coupling(specreg_context *ctx, specreg_model *model)
{
    specreg_status st = SPECREG_OK;
    const json_t *terms = json_object_get(model->outputs, "terms");
    const size_t count = json_array_size(terms);
    SRI_REQUIRE(ctx, count <= SRI_KERNEL_TERMS && (count > 0 || !terms), SPECREG_E_FORMAT,
                "the outputs are a sum of %zu terms", count);
    for (size_t t = 0; t < (terms ? count : 1); t++) { /* before room is made for the matrix */
        const json_t *term = terms ? json_array_get(terms, t) : model->outputs;
        SRI_REQUIRE(ctx, json_integer_value(json_object_get(term, "order")) == model->layout.T,
                    SPECREG_E_FORMAT, "the model's outputs do not fit its matrix");
    }
    if (!terms) {
        SRI_TRY(sri_coupling_from_json(ctx, model->outputs, &model->coupling[0]));
        for (int t = 1; t < SRI_KERNEL_TERMS; t++)
            model->coupling[t] = model->coupling[0];
    }
    for (size_t t = 0; t < count; t++)
        SRI_TRY(sri_coupling_from_json(ctx, json_array_get(terms, t), &model->coupling[t]));
    const sri_coupling *first = model->coupling[0];
    SRI_REQUIRE(ctx, !first->shift || first->p == model->encoder->p, SPECREG_E_FORMAT,
                "the model's shifts do not fit its features");
    model->layout.seen = first;
done:
    return st;
}

sri_matrix sri_model_centres(const specreg_model *model)
{
    if (model->sparse.start)
        return model->sparse;
    return (sri_matrix){.n = model->centres ? model->n : 0, .p = model->q, .x = model->centres};
}

static specreg_status linear_outputs(specreg_context *ctx, const specreg_model *model,
                                     const sri_matrix *X, double *F)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(sri_rows_times(ctx, X, model->slope_column, model->slopes, model->T, model->slope, F));
    for (int64_t k = 0; k < X->n * model->T; k++)
        SRI_REQUIRE(ctx, isfinite(F[k]), SPECREG_E_NUMERIC,
                    "the prediction of row %lld is not finite: its numbers are too large for this "
                    "model",
                    (long long)(k / model->T) + 1);
done:
    return st;
}

specreg_status sri_model_points(specreg_context *ctx, specreg_model *model)
{
    if (model->sparse.start)
        return sri_points_of(ctx, &model->sparse, false, &model->points);
    const specreg_status st =
        sri_points_centres(ctx, model->centres, model->n, model->q, &model->points);
    if (st == SPECREG_OK)
        model->points->labelled = model->layout.kind != SRI_LAYOUT_ROWS;
    return st;
}

/* A task that training did not have is one like the others where they have something in common. */
const char *sri_model_known_only(const specreg_model *model)
{
    const sri_coupling *c = model->tasks ? model->coupling[0] : NULL;
    return c && isnan(c->unseen) ? c->ops->name : NULL;
}

void sri_model_rows_free(sri_model_rows *rows)
{
    free(rows->P);
    free(rows->task);
    sri_matrix_free(&rows->X);
    *rows = (sri_model_rows){0};
}

specreg_status sri_model_outputs(specreg_context *ctx, const specreg_model *model,
                                 const sri_model_rows *rows, double *F)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(sri_model_kernel_outputs(ctx, model, rows, F));
    if (!model->features.n_terms)
        goto done;
    SRI_REQUIRE(ctx, rows->P, SPECREG_E_UNAVAILABLE,
                "the model has features from a file: predict a table, with --features-file");
    sri_features_add(rows->P, rows->X.n, model->features.l, model->beta, model->T, F);
done:
    return st;
}

specreg_status sri_model_kernel_outputs(specreg_context *ctx, const specreg_model *model,
                                        const sri_model_rows *rows, double *F)
{
    specreg_status st = SPECREG_OK;
    const sri_matrix *X = &rows->X;
    const int32_t *task = rows->task;
    const int64_t p = model->encoder->p, m = X->n;
    sri_kernel kernel;
    sri_flat flat = {0};
    sri_matrix points = {.n = m, .p = p + 1};
    if (model->slope)
        return linear_outputs(ctx, model, X, F);
    SRI_TRY(sri_kernel_from_json(ctx, model->kernel, &kernel));
    for (int t = 0; t < kernel.n_terms; t++) {
        kernel.term[t].coupling = model->coupling[t];
        SRI_REQUIRE(ctx, model->coupling[t] || !model->outputs, SPECREG_E_FORMAT,
                    "the model's outputs are a sum of fewer terms than its kernel");
    }
    if (sri_kernel_is_field(&kernel)) {
        const sri_field field = sri_kernel_field(&kernel, p);
        st = sri_field_product(ctx, &field, X->x, m, model->centres, model->n, 1, model->alpha, F);
    } else if (model->layout.kind == SRI_LAYOUT_ROWS) {
        st = sri_predict_rows(ctx, &kernel, X, model->points, model->alpha, model->T, F);
    } else if (model->layout.kind == SRI_LAYOUT_TASKS) {
        SRI_TRY(sri_layout_label(ctx, X->x, m, p, task, &points.x));
        st = sri_predict_rows(ctx, &kernel, &points, model->points, model->alpha, model->T, F);
    } else { /* points come row by row, output by output: as F has them */
        SRI_TRY(sri_layout_flatten(ctx, &model->layout, X->x, m, p, NULL, &flat));
        const sri_matrix all = {.n = flat.n, .p = p + 1, .x = flat.X};
        st = sri_predict_rows(ctx, &kernel, &all, model->points, model->alpha, 1, F);
    }
done:
    free(points.x);
    sri_flat_free(&flat);
    return st;
}

/* The rows of a table that can be used; `file` has the features of its rows, or is NULL. */
static specreg_status encoded_rows(specreg_context *ctx, const specreg_model *model,
                                   const specreg_table *data, const specreg_table *file,
                                   sri_missing missing, int64_t memory, sri_model_rows *out)
{
    specreg_status st = SPECREG_OK;
    int64_t *keep = NULL, n;
    SRI_TRY(sri_rows_usable(ctx, data, model->encoder, NULL, 0, false, missing, &keep, &n));
    SRI_TRY(sri_encoder_rows(ctx, model->encoder, data, keep, n, memory, &out->X));
    if (model->tasks)
        SRI_TRY(sri_tasks_read(ctx, model->tasks, sri_model_known_only(model), data, keep, n,
                               &out->task));
    if (model->features.n_terms) {
        const sri_predefined_rows rows = {.encoder = model->encoder,
                                          .X = &out->X,
                                          .table = data,
                                          .rows = keep,
                                          .file = file,
                                          .documents = model->words != NULL};
        SRI_TRY(sri_predefined_fill(ctx, &model->features, &rows, &out->P));
    }
done:
    free(keep);
    return st;
}

void sri_model_decode(const specreg_model *model, const double *F, int64_t m, double *scores,
                      int32_t *winner)
{
    const int64_t classes = model->target->n_classes;
    for (int64_t i = 0; i < m; i++)
        winner[i] = sri_decode(model->coding, F + i * model->T, scores + i * classes);
}

bool sri_model_is_field(const specreg_model *model)
{
    const json_t *data = json_object_get(model->record, "data");
    const char *problem = json_string_value(json_object_get(data, "problem"));
    return problem && strcmp(problem, "field") == 0;
}

/* Whether each output was learned on its own: leaving out a row is a matter of that row and one
 * output where nothing ties it to others. */
static bool outputs_are_alone(const specreg_model *model)
{
    const json_t *outputs = json_object_get(model->record, "outputs");
    const char *name = json_string_value(json_object_get(outputs, "name"));
    return model->layout.kind == SRI_LAYOUT_ROWS && !model->target->gaps &&
           (!name || strcmp(name, "independent") == 0) && !sri_model_is_field(model);
}

/* What was asked for must be in the model: probabilities, intervals. */
static specreg_status check_asked(specreg_context *ctx, const specreg_model *model, bool proba,
                                  bool interval)
{
    if (interval && model->coding)
        return sri_fail(ctx, SPECREG_E_UNAVAILABLE,
                        "interval: the model is a classification, only numbers have intervals (see "
                        "--proba)");
    if (interval && !outputs_are_alone(model))
        return sri_fail(
            ctx, SPECREG_E_UNAVAILABLE,
            "interval: there are none for tasks, for outputs that share a matrix, for vector "
            "fields and for missing targets");
    if (proba && !model->coding)
        return sri_fail(ctx, SPECREG_E_UNAVAILABLE,
                        "proba: the model is a regression, only classes have probabilities");
    if (proba && !model->calibration.slopes)
        return sri_fail(ctx, SPECREG_E_UNAVAILABLE,
                        "proba: the model has no probabilities: fit it again with --select loo or "
                        "kfold");
    return SPECREG_OK;
}

/* m x T for each part, one after the other. */
static specreg_status all_parts(specreg_context *ctx, const specreg_model *model,
                                const sri_model_rows *rows, double **out)
{
    specreg_status st = SPECREG_OK;
    const int64_t parts = specreg_model_parts(model), each = rows->X.n * model->T;
    SRI_ALLOC(ctx, *out, parts, each);
    for (int64_t k = 0; k < parts; k++)
        SRI_TRY(sri_model_part(ctx, model, k, rows, *out + k * each));
done:
    return st;
}

specreg_status specreg_predict(specreg_context *ctx, const specreg_model *model,
                               const specreg_table *data, const specreg_options *options,
                               specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_model_rows rows = {0};
    double *F = NULL, *lower = NULL, *upper = NULL, *part = NULL;
    specreg_table *features = NULL, *file = NULL;
    sri_text_counts counts;
    *out = NULL;
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(check_asked(ctx, model, call.recipe->add.proba, call.recipe->add.interval > 0));
    if (call.recipe->add.parts)
        SRI_TRY(sri_model_check_parts(ctx, model));
    if (model->words && !data->sparse)
        SRI_TRY(sri_text_features(ctx, model->words, data, sri_predefined_topics(&model->features),
                                  &features, &counts));
    SRI_TRY(sri_features_read(ctx, &model->features, call.recipe->data.features_file, &file));
    SRI_TRY(encoded_rows(ctx, model, features ? features : data, file, call.recipe->data.missing,
                         call.recipe->resources.memory, &rows));
    const int64_t m = rows.X.n;
    if (m < data->rows)
        sri_log(ctx, "%lld rows with missing values were dropped", (long long)(data->rows - m));
    SRI_ALLOC(ctx, F, m, model->T);
    SRI_TRY(sri_stage(ctx, "predict", 1));
    SRI_TRY(sri_model_outputs(ctx, model, &rows, F));
    if (call.recipe->add.interval > 0) {
        SRI_ALLOC(ctx, lower, m, model->T);
        SRI_ALLOC(ctx, upper, m, model->T);
        SRI_TRY(sri_interval(ctx, model, call.recipe->add.interval, call.recipe->resources.memory,
                             &rows.X, F, lower, upper));
    }
    if (call.recipe->add.parts)
        SRI_TRY(all_parts(ctx, model, &rows, &part));
    const sri_predictions predictions = {.model = model,
                                         .m = m,
                                         .F = F,
                                         .proba = call.recipe->add.proba,
                                         .lower = lower,
                                         .upper = upper,
                                         .part = part,
                                         .points = data->grid && m == data->rows ? data : NULL};
    SRI_TRY(sri_predictions_table(ctx, &predictions, out));
done:
    free(part);
    free(upper);
    free(lower);
    free(F);
    sri_model_rows_free(&rows);
    specreg_table_free(file);
    specreg_table_free(features);
    sri_call_leave(&call);
    return st;
}

/* --- the same for plain arrays --- */

/* X encoded, newly allocated; a row cannot be dropped. */
static specreg_status array_rows(specreg_context *ctx, const specreg_model *model,
                                 const specreg_view *X, const sri_recipe *recipe,
                                 sri_model_rows *rows)
{
    specreg_status st = SPECREG_OK;
    specreg_table *table = NULL;
    SRI_REQUIRE(ctx, !model->tasks, SPECREG_E_UNAVAILABLE,
                "the model is of many tasks: predict a table, whose rows name theirs");
    SRI_REQUIRE(ctx, X->cols == specreg_model_inputs(model), SPECREG_E_SHAPE,
                "X has %lld columns, the model needs %lld", (long long)X->cols,
                (long long)specreg_model_inputs(model));
    SRI_TRY(specreg_table_from_arrays(ctx, X, NULL, NULL, NULL, &table));
    SRI_TRY(encoded_rows(ctx, model, table, NULL,
                         recipe->data.missing == SRI_MISSING_DROP ? SRI_MISSING_ERROR
                                                                  : recipe->data.missing,
                         recipe->resources.memory, rows));
done:
    specreg_table_free(table);
    return st;
}

/* The same, and its outputs. */
static specreg_status array_outputs(specreg_context *ctx, const specreg_model *model,
                                    const specreg_view *X, const sri_recipe *recipe,
                                    sri_model_rows *rows, double **F)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(array_rows(ctx, model, X, recipe, rows));
    SRI_ALLOC(ctx, *F, X->rows, model->T);
    SRI_TRY(sri_model_outputs(ctx, model, rows, *F));
done:
    return st;
}

specreg_status specreg_predict_array(specreg_context *ctx, const specreg_model *model,
                                     const specreg_view *X, const specreg_options *options,
                                     double *scores)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_model_rows rows = {0};
    double *F = NULL;
    int32_t *winner = NULL;
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(array_outputs(ctx, model, X, call.recipe, &rows, &F));
    if (model->coding) {
        SRI_ALLOC(ctx, winner, X->rows, 1);
        sri_model_decode(model, F, X->rows, scores, winner);
    } else {
        memcpy(scores, F, (size_t)(X->rows * model->T) * sizeof *F);
    }
done:
    free(winner);
    free(F);
    sri_model_rows_free(&rows);
    sri_call_leave(&call);
    return st;
}

specreg_status specreg_predict_part_array(specreg_context *ctx, const specreg_model *model,
                                          const specreg_view *X, int64_t part,
                                          const specreg_options *options, double *values)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_model_rows rows = {0};
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(sri_model_check_parts(ctx, model));
    SRI_REQUIRE(ctx, specreg_model_part(model, part), SPECREG_E_ARG,
                "there is no part %lld, there are %lld", (long long)part,
                (long long)specreg_model_parts(model));
    SRI_TRY(array_rows(ctx, model, X, call.recipe, &rows));
    SRI_TRY(sri_model_part(ctx, model, part, &rows, values));
done:
    sri_model_rows_free(&rows);
    sri_call_leave(&call);
    return st;
}

specreg_status specreg_predict_proba_array(specreg_context *ctx, const specreg_model *model,
                                           const specreg_view *X, const specreg_options *options,
                                           double *proba)
{
    specreg_status st = SPECREG_OK;
    double *scores = NULL;
    const int64_t k = specreg_model_outputs(model);
    SRI_TRY(check_asked(ctx, model, true, false));
    SRI_ALLOC(ctx, scores, X->rows, k);
    SRI_TRY(specreg_predict_array(ctx, model, X, options, scores));
    sri_calibration_apply(&model->calibration, scores, X->rows, k, proba);
done:
    free(scores);
    return st;
}

specreg_status specreg_predict_interval_array(specreg_context *ctx, const specreg_model *model,
                                              const specreg_view *X, double level,
                                              const specreg_options *options, double *lower,
                                              double *upper)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_model_rows rows = {0};
    double *F = NULL;
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(sri_check_level(ctx, level));
    SRI_TRY(check_asked(ctx, model, false, true));
    SRI_TRY(array_outputs(ctx, model, X, call.recipe, &rows, &F));
    SRI_TRY(
        sri_interval(ctx, model, level, call.recipe->resources.memory, &rows.X, F, lower, upper));
done:
    free(F);
    sri_model_rows_free(&rows);
    sri_call_leave(&call);
    return st;
}
