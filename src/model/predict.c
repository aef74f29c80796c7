#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "data/rows.h"
#include "kernel/linear_map.h"
#include "model/predict.h"

static specreg_status linear_outputs(specreg_context *ctx, const specreg_model *model,
                                     const sri_sample *rows, double *F)
{
    const sri_matrix *X = &rows->rows.x;
    const sri_columns columns = {.used = model->expansion.slopes,
                                 .column = model->expansion.slope_column};
    SRI_CALL(sri_rows_times(ctx, X, &columns, model->T, model->expansion.slope, F));
    for (int64_t k = 0; k < X->n * model->T; k++)
        if (!isfinite(F[k]))
            return sri_fail(
                ctx, SPECREG_E_NUMERIC,
                "the prediction of row %lld is not finite: its numbers are too large for this "
                "model",
                (long long)(rows->before + k / model->T) + 1);
    return SPECREG_OK;
}

/* A task that training did not have is one like the others where they have something in common. */
static const char *known_only(const specreg_model *model)
{
    const sri_coupling *c = model->encoding.tasks ? model->expansion.coupling[0] : NULL;
    return c && isnan(c->unseen) ? c->ops->name : NULL;
}

specreg_status sri_model_outputs(specreg_context *ctx, const specreg_model *model,
                                 const sri_sample *rows, double *F)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(sri_model_kernel_outputs(ctx, model, rows, F));
    if (!model->unpenalised.terms.n_terms)
        goto done;
    SRI_REQUIRE(ctx, rows->P, SPECREG_E_UNAVAILABLE,
                "the model has features from a file: predict a table, with --features-file");
    sri_features_add(rows->P, rows->n, model->unpenalised.terms.l, model->unpenalised.beta,
                     model->T, F);
done:
    return st;
}

specreg_status sri_model_kernel_outputs(specreg_context *ctx, const specreg_model *model,
                                        const sri_sample *rows, double *F)
{
    specreg_status st = SPECREG_OK;
    const sri_matrix *X = &rows->rows.x;
    const sri_expansion *e = &model->expansion;
    sri_kernel kernel;
    sri_flat flat = {0};
    sri_rows_view points = rows->rows;
    if (e->slope)
        return linear_outputs(ctx, model, rows, F);
    SRI_TRY(sri_kept_kernel_use(ctx, &model->kernel, &kernel));
    for (int t = 0, i = -1; t < kernel.n_terms; t++) {
        i += !kernel.term[t].times;
        kernel.term[t].coupling = e->coupling[i];
        SRI_REQUIRE(ctx, e->coupling[i] || e->layout.kind == SRI_LAYOUT_ROWS, SPECREG_E_FORMAT,
                    "the model's outputs are a sum of fewer terms than its kernel");
    }
    SRI_TRY(sri_kernel_matrix_check(ctx, &kernel, model->T));
    if (sri_kernel_is_field(&kernel)) {
        const sri_field field = sri_kernel_field(&kernel, model->encoding.encoder->p);
        const sri_field_matrix K = {&field, X->x, X->n, e->points->rows.x.x, e->n};
        st = sri_field_product(ctx, &K, 1, e->alpha, F);
    } else { /* points come row by row, output by output: as F has them */
        SRI_TRY(sri_layout_points(ctx, &e->layout, &points, &flat));
        const sri_predictors f = {&kernel, e->points, e->alpha, flat.n ? 1 : model->T};
        st = sri_predict_rows(ctx, &f, &points, F);
    }
done:
    sri_flat_free(&flat);
    return st;
}

sri_missing sri_model_missing(const specreg_model *model, const sri_recipe *recipe)
{
    return recipe->data.missing_given ? recipe->data.missing : model->encoding.encoder->missing;
}

/* What reads a table as the training table was read. */
static sri_reader reader_of(const specreg_model *model, const sri_recipe *recipe)
{
    const sri_encoding *e = &model->encoding;
    const sri_predefined *terms = &model->unpenalised.terms;
    return (sri_reader){.encoder = e->encoder,
                        .target = e->target,
                        .coding = e->coding,
                        .words = e->vocabulary,
                        .features = terms->n_terms ? terms : NULL,
                        .missing = sri_model_missing(model, recipe),
                        .refuses_unseen = recipe->data.unseen_given ? recipe->data.refuses_unseen
                                                                    : e->encoder->refuses_unseen,
                        .memory = recipe->resources.memory,
                        .tasks = e->tasks,
                        .known_only = known_only(model)};
}

specreg_status sri_model_read(specreg_context *ctx, const specreg_model *model,
                              const specreg_table *data, const sri_recipe *recipe, sri_rows_how how,
                              sri_sample *out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *file = NULL;
    sri_reader reader = reader_of(model, recipe);
    SRI_TRY(sri_features_read(ctx, &model->unpenalised.terms, recipe->data.features_file, &file));
    reader.features_file = file;
    reader.may_be_empty = how.is_part;
    if (!how.labelled)
        reader.target = NULL;
    SRI_TRY(sri_sample_read(ctx, &reader, data, out));
    SRI_TRY(sri_layout_see(ctx, &model->expansion.layout, &out->rows));
    out->before = how.before;
done:
    specreg_table_free(file);
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

specreg_status sri_check_asked(specreg_context *ctx, const specreg_model *model, bool proba,
                               bool interval)
{
    if (model->kind != SRI_MODEL_PREDICTOR && (proba || interval))
        return sri_fail(ctx, SPECREG_E_UNAVAILABLE,
                        "%s: the model gives coordinates along components, which have none",
                        proba ? "proba" : "interval");
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
                                const sri_sample *rows, double **out)
{
    const int64_t parts = specreg_model_parts(model), each = rows->n * model->T;
    SRI_NEW(ctx, *out, parts, each);
    for (int64_t k = 0; k < parts; k++)
        SRI_CALL(sri_model_part(ctx, model, k, rows, *out + k * each));
    return SPECREG_OK;
}

/* Outputs, and what the recipe adds to them. */
static specreg_status compute(specreg_context *ctx, const specreg_model *model,
                              const sri_sample *rows, const sri_recipe *recipe,
                              sri_predictions *out)
{
    const int64_t m = rows->n;
    SRI_NEW(ctx, out->F, m, model->T);
    SRI_CALL(sri_model_outputs(ctx, model, rows, out->F));
    if (recipe->add.interval > 0) {
        SRI_NEW(ctx, out->lower, m, model->T);
        SRI_NEW(ctx, out->upper, m, model->T);
        const sri_intervals wanted =
            {recipe->add.interval, recipe->resources.memory,  &rows->rows.x, out->F, out->lower,
             out->upper,           recipe->add.local_interval};
        SRI_CALL(sri_interval(ctx, model, &wanted));
    }
    if (recipe->add.parts)
        SRI_CALL(all_parts(ctx, model, rows, &out->part));
    return SPECREG_OK;
}

/* The column that identifies rows: as --id says, else as in training; -1: none. */
static specreg_status id_column(specreg_context *ctx, const specreg_model *model,
                                const specreg_table *data, const char *name, bool *lacks_id,
                                int64_t *out)
{
    int64_t *column = NULL;
    bool found = false;
    *out = -1;
    if (data->grid)
        return SPECREG_OK;
    if (*name)
        return (*out = sri_table_find(ctx, data, name)) >= 0 ? SPECREG_OK : SPECREG_E_ARG;
    if (!model->encoding.id)
        return SPECREG_OK;
    SRI_CALL(sri_target_locate(ctx, model->encoding.id, data, &column, &found));
    *lacks_id = !found;
    if (found)
        *out = *column;
    sri_free(column);
    return SPECREG_OK;
}

/* Puts the column that identifies rows before the predictions of those that were used. */
static specreg_status carry_id(specreg_context *ctx, const specreg_model *model,
                               const specreg_table *data, const sri_recipe *recipe, bool *lacks_id,
                               specreg_table *made)
{
    specreg_status st = SPECREG_OK;
    sri_rows used = {.table = data};
    specreg_table *all = NULL, *some = NULL;
    int64_t column;
    SRI_TRY(id_column(ctx, model, data, recipe->data.roles.id, lacks_id, &column));
    if (column < 0)
        goto done;
    SRI_TRY(sri_table_columns(ctx, data, &column, 1, &all));
    if (made->rows < data->rows) {
        SRI_TRY(sri_rows_usable(ctx, data, model->encoding.encoder, NULL,
                                sri_model_missing(model, recipe), &used));
        SRI_TRY(specreg_table_select(ctx, all, used.row, used.count, &some));
    }
    SRI_TRY(sri_table_put_first(ctx, made, some ? some : all));
done:
    sri_free(used.row);
    specreg_table_free(some);
    specreg_table_free(all);
    return st;
}

specreg_status sri_predict_check(specreg_context *ctx, const specreg_model *model,
                                 const sri_recipe *recipe)
{
    SRI_CALL(sri_check_asked(ctx, model, recipe->add.proba, recipe->add.interval > 0));
    return recipe->add.parts ? sri_model_check_parts(ctx, model) : SPECREG_OK;
}

specreg_status sri_predict_table(specreg_context *ctx, const specreg_model *model,
                                 const specreg_table *data, const sri_recipe *recipe,
                                 sri_predict_tally *tally, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const sri_rows_how how = {.is_part = tally->is_part, .before = tally->read};
    sri_sample rows = {0};
    sri_predictions predictions = {.model = model};
    specreg_table *table = NULL;
    *out = NULL;
    SRI_TRY(sri_model_read(ctx, model, data, recipe, how, &rows));
    tally->read += data->rows;
    tally->dropped += data->rows - rows.n;
    sri_unseen_add(&tally->unseen, &rows.unseen);
    if (rows.n == 0 && tally->is_part)
        goto done;
    SRI_TRY(compute(ctx, model, &rows, recipe, &predictions));
    predictions.m = rows.n;
    predictions.proba = recipe->add.proba;
    predictions.points = data->grid && rows.n == data->rows ? data : NULL;
    SRI_TRY(sri_predictions_table(ctx, &predictions, &table));
    SRI_TRY(carry_id(ctx, model, data, recipe, &tally->lacks_id, table));
    SRI_MOVE(*out, table);
done:
    specreg_table_free(table);
    sri_predictions_free(&predictions);
    sri_sample_free(&rows);
    return st;
}

void sri_predict_notes(specreg_context *ctx, const specreg_model *model, const sri_recipe *recipe,
                       const char *source, const sri_predict_tally *tally)
{
    char note[512];
    if (tally->dropped)
        sri_log(ctx, "%s%lld rows with missing values were dropped",
                recipe->data.missing_given ? "" : "note: ", (long long)tally->dropped);
    if (tally->unseen.cells)
        sri_log(ctx, "note: %s", sri_unseen_text(&tally->unseen, note, sizeof note));
    if (tally->lacks_id)
        sri_log(ctx, "note: %s: the column '%s', which identifies the rows, is missing", source,
                model->encoding.id->name[0]);
}

specreg_status specreg_predict(specreg_context *ctx, const specreg_model *model,
                               const specreg_table *data, const specreg_options *options,
                               specreg_table **out)
{
    SRI_MAKES(ctx, out, model, data);
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_predict_tally tally = {0};
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(sri_predict_check(ctx, model, call.recipe));
    SRI_TRY(sri_stage(ctx, "predict", 1));
    SRI_TRY(sri_predict_table(ctx, model, data, call.recipe, &tally, out));
    sri_predict_notes(ctx, model, call.recipe, data->source, &tally);
done:
    sri_call_leave(&call);
    return st;
}

/* What predicting arrays begins with: inputs, and room for `each` numbers for a row. */
static specreg_status check_room(specreg_context *ctx, const specreg_data *data, int64_t each,
                                 int64_t capacity)
{
    int64_t needed;
    SRI_CALL(sri_data_check(ctx, data));
    const int64_t rows = sri_data_rows(data);
    SRI_CHECK(ctx, !__builtin_mul_overflow(rows, each, &needed) && capacity >= needed,
              SPECREG_E_SHAPE,
              "there is room for %lld numbers, not for %lld rows of %lld (see "
              "specreg_model_outputs)",
              (long long)capacity, (long long)rows, (long long)each);
    return SPECREG_OK;
}

static specreg_data inputs_of(const specreg_view *X)
{
    return (specreg_data){sizeof(specreg_data), .X = X};
}

/* The inputs encoded, newly allocated; a row cannot be dropped.  Nothing would say that a number
 * stands where training had texts: it is an error, unless zeros are asked for. */
static specreg_status array_rows(specreg_context *ctx, const specreg_model *model,
                                 const specreg_data *data, const sri_recipe *recipe,
                                 sri_sample *rows)
{
    specreg_status st = SPECREG_OK;
    const specreg_data inputs = {sizeof inputs, data->X, data->X_float, .X_csr = data->X_csr,
                                 .X_strided = data->X_strided};
    specreg_table *table = NULL;
    sri_reader reader = reader_of(model, recipe);
    reader.target = NULL;
    reader.counted = true;
    if (reader.missing == SRI_MISSING_DROP)
        reader.missing = SRI_MISSING_ERROR;
    if (!recipe->data.unseen_given)
        reader.refuses_unseen = true;
    SRI_REQUIRE(ctx, !model->encoding.tasks, SPECREG_E_UNAVAILABLE,
                "the model is of many tasks: predict a table, whose rows name theirs");
    SRI_REQUIRE(ctx, sri_data_cols(data) == specreg_model_inputs(model), SPECREG_E_SHAPE,
                "X has %lld columns, the model needs %lld", (long long)sri_data_cols(data),
                (long long)specreg_model_inputs(model));
    SRI_TRY(specreg_table_over_data(ctx, &inputs, &table));
    SRI_TRY(sri_sample_read(ctx, &reader, table, rows));
done:
    specreg_table_free(table);
    return st;
}

/* The same, and its outputs. */
static specreg_status array_outputs(specreg_context *ctx, const specreg_model *model,
                                    const specreg_data *data, const sri_recipe *recipe,
                                    sri_sample *rows, double **F)
{
    SRI_CALL(array_rows(ctx, model, data, recipe, rows));
    SRI_NEW(ctx, *F, rows->n, model->T);
    return sri_model_outputs(ctx, model, rows, *F);
}

/* Scores, and of a classification the class with the largest for each row; either may be NULL. */
static specreg_status predict_data(specreg_context *ctx, const specreg_model *model,
                                   const specreg_data *data, const specreg_options *options,
                                   double *scores, int32_t *classes)
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_sample rows = {0};
    double *F = NULL, *own_scores = NULL;
    int32_t *own_classes = NULL;
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(array_outputs(ctx, model, data, call.recipe, &rows, &F));
    if (model->encoding.coding) {
        SRI_ALLOC(ctx, own_classes, rows.n, 1);
        SRI_ALLOC(ctx, own_scores, rows.n, specreg_model_outputs(model));
        sri_model_decode(model, F, rows.n, scores ? scores : own_scores,
                         classes ? classes : own_classes);
    } else {
        memcpy(scores, F, (size_t)(rows.n * model->T) * sizeof *F);
    }
done:
    sri_free(own_classes);
    sri_free(own_scores);
    sri_free(F);
    sri_sample_free(&rows);
    sri_call_leave(&call);
    return st;
}

specreg_status specreg_predict_data(specreg_context *ctx, const specreg_model *model,
                                    const specreg_data *data, const specreg_options *options,
                                    double *scores, int64_t capacity)
{
    SRI_ARGS(ctx, model, data, scores);
    SRI_CALL(check_room(ctx, data, specreg_model_outputs(model), capacity));
    return predict_data(ctx, model, data, options, scores, NULL);
}

specreg_status specreg_predict_classes(specreg_context *ctx, const specreg_model *model,
                                       const specreg_data *data, const specreg_options *options,
                                       int32_t *classes, int64_t capacity)
{
    SRI_ARGS(ctx, model, data, classes);
    SRI_CALL(check_room(ctx, data, 1, capacity));
    SRI_CHECK(ctx, model->encoding.coding, SPECREG_E_UNAVAILABLE,
              "the model is a regression, it has no classes");
    return predict_data(ctx, model, data, options, NULL, classes);
}

specreg_status specreg_predict_array(specreg_context *ctx, const specreg_model *model,
                                     const specreg_view *X, const specreg_options *options,
                                     double *scores, int64_t capacity)
{
    SRI_ARGS(ctx, model, X, scores);
    const specreg_data data = inputs_of(X);
    return specreg_predict_data(ctx, model, &data, options, scores, capacity);
}

specreg_status specreg_predict_part_array(specreg_context *ctx, const specreg_model *model,
                                          const specreg_view *X, int64_t part,
                                          const specreg_options *options, double *values,
                                          int64_t capacity)
{
    SRI_ARGS(ctx, model, X, values);
    specreg_status st = SPECREG_OK;
    const specreg_data data = inputs_of(X);
    sri_call call = {0};
    sri_sample rows = {0};
    SRI_TRY(check_room(ctx, &data, specreg_model_outputs(model), capacity));
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(sri_model_check_parts(ctx, model));
    SRI_REQUIRE(ctx, specreg_model_part(model, part), SPECREG_E_ARG,
                "there is no part %lld, there are %lld", (long long)part,
                (long long)specreg_model_parts(model));
    SRI_TRY(array_rows(ctx, model, &data, call.recipe, &rows));
    SRI_TRY(sri_model_part(ctx, model, part, &rows, values));
done:
    sri_sample_free(&rows);
    sri_call_leave(&call);
    return st;
}

specreg_status specreg_predict_proba_data(specreg_context *ctx, const specreg_model *model,
                                          const specreg_data *data, const specreg_options *options,
                                          double *proba, int64_t capacity)
{
    SRI_ARGS(ctx, model, data, proba);
    specreg_status st = SPECREG_OK;
    double *scores = NULL;
    const int64_t k = specreg_model_outputs(model);
    SRI_TRY(sri_check_asked(ctx, model, true, false));
    SRI_TRY(check_room(ctx, data, k, capacity));
    SRI_ALLOC(ctx, scores, sri_data_rows(data), k);
    SRI_TRY(predict_data(ctx, model, data, options, scores, NULL));
    sri_calibration_apply(&model->uncertainty.calibration, scores, sri_data_rows(data), k, proba);
done:
    sri_free(scores);
    return st;
}

specreg_status specreg_predict_proba_array(specreg_context *ctx, const specreg_model *model,
                                           const specreg_view *X, const specreg_options *options,
                                           double *proba, int64_t capacity)
{
    SRI_ARGS(ctx, model, X, proba);
    const specreg_data data = inputs_of(X);
    return specreg_predict_proba_data(ctx, model, &data, options, proba, capacity);
}

/* Lower and upper ends; a level of 0 is that of the option. */
static specreg_status intervals(specreg_context *ctx, const specreg_model *model,
                                const specreg_data *data, const specreg_options *options,
                                double level, double *const ends[2])
{
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_sample rows = {0};
    double *F = NULL;
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    level = level ? level : call.recipe->add.interval;
    SRI_TRY(sri_check_level(ctx, level));
    SRI_TRY(sri_check_asked(ctx, model, false, true));
    SRI_TRY(array_outputs(ctx, model, data, call.recipe, &rows, &F));
    const sri_intervals wanted = {level,   call.recipe->resources.memory,  &rows.rows.x, F, ends[0],
                                  ends[1], call.recipe->add.local_interval};
    SRI_TRY(sri_interval(ctx, model, &wanted));
done:
    sri_free(F);
    sri_sample_free(&rows);
    sri_call_leave(&call);
    return st;
}

specreg_status specreg_predict_interval_data(specreg_context *ctx, const specreg_model *model,
                                             const specreg_data *data,
                                             const specreg_options *options, double *ends,
                                             int64_t capacity)
{
    SRI_ARGS(ctx, model, data, ends);
    SRI_CALL(check_room(ctx, data, 2 * model->T, capacity));
    double *const both[2] = {ends, ends + sri_data_rows(data) * model->T};
    return intervals(ctx, model, data, options, 0, both);
}

specreg_status specreg_predict_interval_array(specreg_context *ctx, const specreg_model *model,
                                              const specreg_view *X, double level,
                                              const specreg_options *options, double *lower,
                                              double *upper, int64_t capacity)
{
    SRI_ARGS(ctx, model, X, lower, upper);
    const specreg_data data = inputs_of(X);
    double *const both[2] = {lower, upper};
    SRI_CALL(check_room(ctx, &data, model->T, capacity));
    SRI_CALL(sri_check_level(ctx, level));
    return intervals(ctx, model, &data, options, level, both);
}
