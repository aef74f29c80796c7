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

static specreg_status linear_outputs(specreg_context *ctx, const specreg_model *model,
                                     const sri_matrix *X, double *F)
{
    specreg_status st = SPECREG_OK;
    const sri_columns columns = {.used = model->expansion.slopes,
                                 .column = model->expansion.slope_column};
    SRI_TRY(sri_rows_times(ctx, X, &columns, model->T, model->expansion.slope, F));
    for (int64_t k = 0; k < X->n * model->T; k++)
        SRI_REQUIRE(ctx, isfinite(F[k]), SPECREG_E_NUMERIC,
                    "the prediction of row %lld is not finite: its numbers are too large for this "
                    "model",
                    (long long)(k / model->T) + 1);
done:
    return st;
}

/* A task that training did not have is one like the others where they have something in common. */
const char *sri_model_known_only(const specreg_model *model)
{
    const sri_coupling *c = model->encoding.tasks ? model->expansion.coupling[0] : NULL;
    return c && isnan(c->unseen) ? c->ops->name : NULL;
}

void sri_model_rows_free(sri_model_rows *rows)
{
    sri_free(rows->P);
    sri_free(rows->task);
    sri_matrix_free(&rows->X);
    *rows = (sri_model_rows){0};
}

specreg_status sri_model_outputs(specreg_context *ctx, const specreg_model *model,
                                 const sri_model_rows *rows, double *F)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(sri_model_kernel_outputs(ctx, model, rows, F));
    if (!model->unpenalised.terms.n_terms)
        goto done;
    SRI_REQUIRE(ctx, rows->P, SPECREG_E_UNAVAILABLE,
                "the model has features from a file: predict a table, with --features-file");
    sri_features_add(rows->P, rows->X.n, model->unpenalised.terms.l, model->unpenalised.beta,
                     model->T, F);
done:
    return st;
}

specreg_status sri_model_kernel_outputs(specreg_context *ctx, const specreg_model *model,
                                        const sri_model_rows *rows, double *F)
{
    specreg_status st = SPECREG_OK;
    const sri_matrix *X = &rows->X;
    const sri_expansion *e = &model->expansion;
    const int64_t p = model->encoding.encoder->p, m = X->n;
    sri_kernel kernel;
    sri_flat flat = {0};
    sri_rows_view points = {.n = m, .x = *X, .label = rows->task};
    if (model->expansion.slope)
        return linear_outputs(ctx, model, X, F);
    SRI_TRY(sri_kept_kernel_use(ctx, &model->kernel, &kernel));
    for (int t = 0; t < kernel.n_terms; t++) {
        kernel.term[t].coupling = model->expansion.coupling[t];
        SRI_REQUIRE(ctx,
                    model->expansion.coupling[t] || model->expansion.layout.kind == SRI_LAYOUT_ROWS,
                    SPECREG_E_FORMAT,
                    "the model's outputs are a sum of fewer terms than its kernel");
    }
    if (sri_kernel_is_field(&kernel)) {
        const sri_field field = sri_kernel_field(&kernel, p);
        st = sri_field_product(ctx, &(sri_field_matrix){&field, X->x, m, e->points->rows.x.x, e->n},
                               1, e->alpha, F);
    } else { /* points come row by row, output by output: as F has them */
        SRI_TRY(sri_layout_points(ctx, &e->layout, &points, &flat));
        st = sri_predict_rows(ctx, &kernel, &points, e->points, e->alpha, flat.n ? 1 : model->T, F);
    }
done:
    sri_flat_free(&flat);
    return st;
}

/* The rows of a table that can be used; `file` has the features of its rows, or is NULL. */
static specreg_status encoded_rows(specreg_context *ctx, const specreg_model *model,
                                   const specreg_table *data, const specreg_table *file,
                                   const sri_recipe *recipe, sri_model_rows *out)
{
    specreg_status st = SPECREG_OK;
    const sri_encoding *e = &model->encoding;
    int64_t *keep = NULL, n;
    SRI_TRY(
        sri_rows_usable(ctx, data, e->encoder, NULL, 0, false, recipe->data.missing, &keep, &n));
    SRI_TRY(sri_encoder_rows(ctx, e->encoder, data, keep, n, recipe->resources.memory, &out->X));
    if (e->tasks)
        SRI_TRY(
            sri_tasks_read(ctx, e->tasks, sri_model_known_only(model), data, keep, n, &out->task));
    if (model->unpenalised.terms.n_terms) {
        const sri_predefined_rows rows = {.encoder = e->encoder,
                                          .X = &out->X,
                                          .table = data,
                                          .rows = keep,
                                          .file = file,
                                          .documents = e->vocabulary != NULL};
        SRI_TRY(sri_predefined_fill(ctx, &model->unpenalised.terms, &rows, &out->P));
    }
done:
    sri_free(keep);
    return st;
}

void sri_model_decode(const specreg_model *model, const double *F, int64_t m, double *scores,
                      int32_t *winner)
{
    const int64_t classes = model->encoding.target->n_classes;
    for (int64_t i = 0; i < m; i++)
        winner[i] = sri_decode(model->encoding.coding, F + i * model->T, scores + i * classes);
}

/* Whether each output was learned on its own: leaving out a row is a matter of that row and one
 * output where nothing ties it to others. */
static bool outputs_are_alone(const specreg_model *model)
{
    return model->expansion.layout.kind == SRI_LAYOUT_ROWS && !model->encoding.target->gaps &&
           sri_kept_kernel_independent(&model->kernel) && model->problem != SRI_FIELD;
}

/* What was asked for must be in the model: probabilities, intervals. */
static specreg_status check_asked(specreg_context *ctx, const specreg_model *model, bool proba,
                                  bool interval)
{
    if (interval && model->encoding.coding)
        return sri_fail(ctx, SPECREG_E_UNAVAILABLE,
                        "interval: the model is a classification, only numbers have intervals (see "
                        "--proba)");
    if (interval && !outputs_are_alone(model))
        return sri_fail(
            ctx, SPECREG_E_UNAVAILABLE,
            "interval: there are none for tasks, for outputs that share a matrix, for vector "
            "fields and for missing targets");
    if (proba && !model->encoding.coding)
        return sri_fail(ctx, SPECREG_E_UNAVAILABLE,
                        "proba: the model is a regression, only classes have probabilities");
    if (proba && !model->uncertainty.calibration.slopes)
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

/* The rows of a table, documents among them, as the model takes them. */
static specreg_status read_rows(specreg_context *ctx, const specreg_model *model,
                                const specreg_table *data, const sri_recipe *recipe,
                                sri_model_rows *out)
{
    specreg_status st = SPECREG_OK;
    const sri_predefined *terms = &model->unpenalised.terms;
    specreg_table *features = NULL, *file = NULL;
    sri_text_counts counts;
    if (model->encoding.vocabulary && !data->sparse)
        SRI_TRY(sri_text_features(ctx, model->encoding.vocabulary, data,
                                  sri_predefined_topics(terms), &features, &counts));
    SRI_TRY(sri_features_read(ctx, terms, recipe->data.features_file, &file));
    SRI_TRY(encoded_rows(ctx, model, features ? features : data, file, recipe, out));
    if (out->X.n < data->rows)
        sri_log(ctx, "%lld rows with missing values were dropped",
                (long long)(data->rows - out->X.n));
done:
    specreg_table_free(file);
    specreg_table_free(features);
    return st;
}

/* Outputs, and what the recipe adds to them. */
static specreg_status compute(specreg_context *ctx, const specreg_model *model,
                              const sri_model_rows *rows, const sri_recipe *recipe,
                              sri_predictions *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t m = rows->X.n;
    SRI_ALLOC(ctx, out->F, m, model->T);
    SRI_TRY(sri_stage(ctx, "predict", 1));
    SRI_TRY(sri_model_outputs(ctx, model, rows, out->F));
    if (recipe->add.interval > 0) {
        SRI_ALLOC(ctx, out->lower, m, model->T);
        SRI_ALLOC(ctx, out->upper, m, model->T);
        const sri_intervals wanted = {recipe->add.interval,
                                      recipe->resources.memory,
                                      &rows->X,
                                      out->F,
                                      out->lower,
                                      out->upper};
        SRI_TRY(sri_interval(ctx, model, &wanted));
    }
    if (recipe->add.parts)
        SRI_TRY(all_parts(ctx, model, rows, &out->part));
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
    sri_predictions predictions = {.model = model};
    *out = NULL;
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    const sri_additions *add = &call.recipe->add;
    SRI_TRY(check_asked(ctx, model, add->proba, add->interval > 0));
    if (add->parts)
        SRI_TRY(sri_model_check_parts(ctx, model));
    SRI_TRY(read_rows(ctx, model, data, call.recipe, &rows));
    SRI_TRY(compute(ctx, model, &rows, call.recipe, &predictions));
    predictions.m = rows.X.n;
    predictions.proba = add->proba;
    predictions.points = data->grid && rows.X.n == data->rows ? data : NULL;
    SRI_TRY(sri_predictions_table(ctx, &predictions, out));
done:
    sri_predictions_free(&predictions);
    sri_model_rows_free(&rows);
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
    sri_recipe whole = *recipe;
    if (whole.data.missing == SRI_MISSING_DROP)
        whole.data.missing = SRI_MISSING_ERROR;
    SRI_REQUIRE(ctx, !model->encoding.tasks, SPECREG_E_UNAVAILABLE,
                "the model is of many tasks: predict a table, whose rows name theirs");
    SRI_REQUIRE(ctx, X->cols == specreg_model_inputs(model), SPECREG_E_SHAPE,
                "X has %lld columns, the model needs %lld", (long long)X->cols,
                (long long)specreg_model_inputs(model));
    SRI_TRY(specreg_table_from_arrays(ctx, X, NULL, NULL, NULL, &table));
    SRI_TRY(encoded_rows(ctx, model, table, NULL, &whole, rows));
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
    if (model->encoding.coding) {
        SRI_ALLOC(ctx, winner, X->rows, 1);
        sri_model_decode(model, F, X->rows, scores, winner);
    } else {
        memcpy(scores, F, (size_t)(X->rows * model->T) * sizeof *F);
    }
done:
    sri_free(winner);
    sri_free(F);
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
    sri_calibration_apply(&model->uncertainty.calibration, scores, X->rows, k, proba);
done:
    sri_free(scores);
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
    const sri_intervals wanted = {level, call.recipe->resources.memory, &rows.X, F, lower, upper};
    SRI_TRY(sri_interval(ctx, model, &wanted));
done:
    sri_free(F);
    sri_model_rows_free(&rows);
    sri_call_leave(&call);
    return st;
}
