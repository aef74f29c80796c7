#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/rows.h"
#include "model/config.h"
#include "model/model.h"

void specreg_model_free(specreg_model *model)
{
    if (!model)
        return;
    json_decref(model->volatile_);
    json_decref(model->record);
    json_decref(model->kernel);
    sri_points_free(model->points);
    free(model->alpha);
    free(model->centres);
    sri_target_free(model->target);
    sri_encoder_free(model->encoder);
    free(model);
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

specreg_status sri_model_outputs(specreg_context *ctx, const specreg_model *model, const double *X,
                                 int64_t m, double *F)
{
    specreg_status st = SPECREG_OK;
    sri_kernel kernel;
    SRI_TRY(sri_kernel_from_json(ctx, model->kernel, &kernel));
    SRI_TRY(sri_predict_rows(ctx, &kernel, X, m, model->encoder->p, model->points, model->alpha,
                             model->T, F));
done:
    return st;
}

/* The encoded rows of a table that can be used, newly allocated. */
static specreg_status encoded_rows(specreg_context *ctx, const specreg_model *model,
                                   const specreg_table *data, sri_missing missing, int64_t memory,
                                   double **X, int64_t *n)
{
    specreg_status st = SPECREG_OK;
    int64_t *keep = NULL;
    *X = NULL;
    SRI_TRY(sri_rows_usable(ctx, data, model->encoder, NULL, 0, missing, &keep, n));
    SRI_TRY(sri_encoder_apply(ctx, model->encoder, data, keep, *n, memory, X));
done:
    free(keep);
    return st;
}

void sri_model_decode(const specreg_model *model, const double *F, int64_t m, double *scores,
                      int32_t *winner)
{
    const int64_t classes = model->target->n_classes;
    for (int64_t i = 0; i < m; i++)
        winner[i] = sri_decode(model->coding, F + i * model->T, classes, scores + i * classes);
}

/* --- predictions as a table --- */

static specreg_status regression_table(specreg_context *ctx, const specreg_model *model,
                                       const double *F, int64_t m, specreg_table **out)
{
    const specreg_view view = {F, m, model->T, model->T};
    return specreg_table_from_arrays(ctx, &view, (const char *const *)model->target->name, NULL,
                                     NULL, out);
}

static specreg_status score_names(specreg_context *ctx, const specreg_model *model, char ***out)
{
    specreg_status st = SPECREG_OK;
    SRI_CALLOC(ctx, *out, model->target->n_classes, 1);
    for (int64_t c = 0; c < model->target->n_classes; c++) {
        sri_buffer name = {0};
        SRI_TRY(sri_buffer_print(ctx, &name, "score:%s", model->target->label[c]));
        (*out)[c] = name.data;
    }
done:
    return st;
}

/* `label`, then a score for each class. */
static specreg_status class_table(specreg_context *ctx, const specreg_model *model,
                                  const double *F, int64_t m, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const int64_t classes = model->target->n_classes;
    double *scores = NULL;
    int32_t *winner = NULL;
    char **names = NULL;
    specreg_table *table = NULL;
    SRI_ALLOC(ctx, scores, m, classes);
    SRI_ALLOC(ctx, winner, m, 1);
    SRI_TRY(score_names(ctx, model, &names));
    sri_model_decode(model, F, m, scores, winner);
    const specreg_view view = {scores, m, classes, classes};
    SRI_TRY(specreg_table_from_arrays(ctx, &view, (const char *const *)names, NULL, NULL, &table));
    SRI_TRY(sri_table_insert_text(ctx, table, 0, "label", winner,
                                  (const char *const *)model->target->label, classes));
    *out = table;
    table = NULL;
done:
    specreg_table_free(table);
    for (int64_t c = 0; names && c < classes; c++)
        free(names[c]);
    free(names);
    free(winner);
    free(scores);
    return st;
}

specreg_status specreg_predict(specreg_context *ctx, const specreg_model *model,
                               const specreg_table *data, const specreg_options *options,
                               specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    sri_config config = {0};
    double *X = NULL, *F = NULL;
    int64_t m;
    *out = NULL;
    SRI_TRY(sri_config_parse_predict(ctx, options, &config));
    SRI_TRY(encoded_rows(ctx, model, data, config.missing, config.memory, &X, &m));
    if (m < data->rows)
        sri_log(ctx, "%lld rows with missing values were dropped", (long long)(data->rows - m));
    SRI_ALLOC(ctx, F, m, model->T);
    SRI_TRY(sri_stage(ctx, "predict", 1));
    SRI_TRY(sri_model_outputs(ctx, model, X, m, F));
    if (model->coding)
        SRI_TRY(class_table(ctx, model, F, m, out));
    else
        SRI_TRY(regression_table(ctx, model, F, m, out));
done:
    free(F);
    free(X);
    sri_config_free(&config);
    return st;
}

specreg_status specreg_predict_array(specreg_context *ctx, const specreg_model *model,
                                     const specreg_view *X, const specreg_options *options,
                                     double *scores)
{
    specreg_status st = SPECREG_OK;
    specreg_table *table = NULL;
    sri_config config = {0};
    double *rows = NULL, *F = NULL;
    int64_t m;
    int32_t *winner = NULL;
    SRI_TRY(sri_config_parse_predict(ctx, options, &config));
    SRI_REQUIRE(ctx, X->cols == specreg_model_inputs(model), SPECREG_E_SHAPE,
                "X has %lld columns, the model needs %lld", (long long)X->cols,
                (long long)specreg_model_inputs(model));
    SRI_TRY(specreg_table_from_arrays(ctx, X, NULL, NULL, NULL, &table));
    SRI_TRY(encoded_rows(ctx, model, table,
                         config.missing == SRI_MISSING_DROP ? SRI_MISSING_ERROR : config.missing,
                         config.memory, &rows, &m));
    SRI_ALLOC(ctx, F, m, model->T);
    SRI_TRY(sri_model_outputs(ctx, model, rows, m, F));
    if (model->coding) {
        SRI_ALLOC(ctx, winner, m, 1);
        sri_model_decode(model, F, m, scores, winner);
    } else {
        memcpy(scores, F, (size_t)(m * model->T) * sizeof *F);
    }
done:
    free(winner);
    free(F);
    free(rows);
    specreg_table_free(table);
    sri_config_free(&config);
    return st;
}
