/* Coordinates of a table along the components that specreg_kpca() found. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "data/rows.h"
#include "model/model.h"
#include "model/record.h"

static specreg_status check_model(specreg_context *ctx, const specreg_model *m)
{
    const char *kind = json_string_value(json_object_get(m->record, "kind"));
    if (kind && strcmp(kind, "kpca") == 0)
        return SPECREG_OK;
    return sri_fail(ctx, SPECREG_E_SHAPE,
                    "the model predicts, it has no components: take specreg predict");
}

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
    SRI_TRY(sri_encoder_match(ctx, m->encoder, t, &feature));
    for (int64_t j = 0; feature && j < m->encoder->n_features; j++)
        if (feature[j] == (*columns)[0])
            *count = 0;
done:
    free(feature);
    return st;
}

/* Before the coordinates of the same rows. */
static specreg_status carry(specreg_context *ctx, const specreg_model *m, const specreg_table *t,
                            const specreg_options *options, specreg_table *made)
{
    specreg_status st = SPECREG_OK;
    sri_missing missing;
    specreg_table *all = NULL, *some = NULL;
    int64_t *columns = NULL, *keep = NULL, count, n;
    SRI_TRY(sri_missing_parse(ctx, sri_option_value(options, SRI_OPT_MISSING), &missing));
    SRI_TRY(
        carried_columns(ctx, m, t, sri_option_value(options, SRI_OPT_TARGET), &columns, &count));
    if (count == 0)
        goto done;
    SRI_TRY(sri_rows_usable(ctx, t, m->encoder, NULL, 0, false, missing, &keep, &n));
    SRI_TRY(sri_table_columns(ctx, t, columns, count, &all));
    SRI_TRY(specreg_table_select(ctx, all, keep, n, &some));
    SRI_TRY(sri_table_put_first(ctx, made, some));
done:
    specreg_table_free(some);
    specreg_table_free(all);
    free(keep);
    free(columns);
    return st;
}

static specreg_status apply_record(specreg_context *ctx, const specreg_model *m,
                                   const specreg_table *t, int64_t rows, double seconds,
                                   char **json)
{
    json_t *record = sri_record_new("features");
    sri_json_put(&record, "kind", json_string("kpca"));
    sri_json_put(&record, "data",
                 json_pack("{s:o, s:s, s:I, s:I}", "file", sri_json_string(t->source), "format",
                           t->format ? t->format : "arrays", "n", (json_int_t)rows, "dropped_rows",
                           (json_int_t)(t->rows - rows)));
    sri_json_put(&record, "kernel", json_incref(m->kernel));
    sri_json_put(&record, "components", json_integer((json_int_t)m->T));
    sri_json_put(&record, "seconds",
                 json_pack("{s:f, s:f}", "read", t->read_seconds, "total",
                           seconds + t->read_seconds));
    return sri_record_text(ctx, record, json);
}

specreg_status specreg_kpca_apply(specreg_context *ctx, const specreg_model *model,
                                  const specreg_table *data, const specreg_options *options,
                                  specreg_table **out, char **json)
{
    specreg_status st = SPECREG_OK;
    const double start = sri_clock();
    specreg_table *made = NULL;
    *out = NULL;
    if (json)
        *json = NULL;
    SRI_TRY(check_model(ctx, model));
    SRI_TRY(specreg_predict(ctx, model, data, options, &made));
    SRI_TRY(carry(ctx, model, data, options, made));
    if (json)
        SRI_TRY(apply_record(ctx, model, data, made->rows, sri_clock() - start, json));
    *out = made;
    made = NULL;
done:
    specreg_table_free(made);
    return st;
}
