/* Coordinates of a table by a model of specreg_kpca() or specreg_nystrom(). */

#include "core/memory.h"
#include "data/rows.h"
#include "model/model.h"

/* The columns to carry along: those that are named, or one with a usual name that is no feature. */
static specreg_status carried_columns(specreg_context *ctx, const specreg_model *m,
                                      const specreg_table *t, const char *option, int64_t **columns,
                                      int64_t *count)
{
    specreg_status st = SPECREG_OK;
    int64_t *feature = NULL;
    SRI_TRY(sri_target_named(ctx, t, option, columns, count));
    if (*option || *count == 0)
        goto done;
    SRI_TRY(sri_encoder_match(ctx, m->encoding.encoder, t, &feature));
    for (int64_t j = 0; feature && j < m->encoding.encoder->n_features; j++)
        if (feature[j] == (*columns)[0])
            *count = 0;
done:
    sri_free(feature);
    return st;
}

/* Before the coordinates of the same rows. */
static specreg_status carry(specreg_context *ctx, const specreg_model *m, const specreg_table *t,
                            const specreg_options *options, specreg_table *made)
{
    specreg_status st = SPECREG_OK;
    sri_missing missing = m->encoding.encoder->missing;
    specreg_table *all = NULL, *some = NULL;
    int64_t *columns = NULL, count;
    sri_rows used = {0};
    if (options && options->value[SRI_OPT_MISSING])
        SRI_TRY(sri_missing_parse(ctx, options->value[SRI_OPT_MISSING], &missing));
    SRI_TRY(
        carried_columns(ctx, m, t, sri_option_value(options, SRI_OPT_TARGET), &columns, &count));
    if (count == 0)
        goto done;
    SRI_TRY(sri_rows_usable(ctx, t, m->encoding.encoder, NULL, missing, &used));
    SRI_TRY(sri_rows_any(ctx, &used));
    SRI_TRY(sri_table_columns(ctx, t, columns, count, &all));
    SRI_TRY(specreg_table_select(ctx, all, used.row, used.count, &some));
    SRI_TRY(sri_table_put_first(ctx, made, some));
done:
    specreg_table_free(some);
    specreg_table_free(all);
    sri_free(used.row);
    sri_free(columns);
    return st;
}

specreg_status sri_kpca_table(specreg_context *ctx, const specreg_model *model,
                              const specreg_table *data, const specreg_options *options,
                              specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *made = NULL;
    *out = NULL;
    SRI_REQUIRE(ctx, model->kind != SRI_MODEL_PREDICTOR, SPECREG_E_SHAPE,
                "the model predicts, it has no coordinates: take specreg predict");
    SRI_TRY(specreg_predict(ctx, model, data, options, &made));
    SRI_TRY(carry(ctx, model, data, options, made));
    SRI_MOVE(*out, made);
done:
    specreg_table_free(made);
    return st;
}
