/* Predictions of files, from and to disk: memory does not grow with their rows. */
#include "core/memory.h"
#include "data/writer.h"
#include "model/predict.h"
#include "model/row_parts.h"

/* All parts, one after the other. */
static specreg_status predict_parts(specreg_context *ctx, const specreg_model *model,
                                    const sri_recipe *recipe, sri_row_parts *rows, sri_writer *to)
{
    specreg_status st = SPECREG_OK;
    specreg_table *part = NULL, *made = NULL;
    sri_predict_tally tally = {.is_part = true};
    int64_t before;
    SRI_TRY(sri_row_parts_stage(ctx, rows, "predict"));
    for (;; specreg_table_free(part), part = NULL) {
        SRI_TRY(sri_row_parts_next(ctx, rows, &before, &part));
        if (!part)
            break;
        SRI_TRY(sri_predict_table(ctx, model, part, recipe, &tally, &made));
        if (made)
            SRI_TRY(sri_writer_add(ctx, to, &made));
    }
    SRI_REQUIRE(ctx, tally.dropped < tally.read, SPECREG_E_NUMERIC,
                "%s: every row has a missing value, nothing is left", sri_row_parts_name(rows));
    sri_predict_notes(ctx, model, recipe, sri_row_parts_name(rows), &tally);
done:
    specreg_table_free(made);
    specreg_table_free(part);
    return st;
}

specreg_status specreg_predict_files(specreg_context *ctx, const specreg_model *model,
                                     const char *const *paths, int64_t count,
                                     const specreg_options *options, const char *out, int64_t *rows)
{
    SRI_ARGS(ctx, model, paths, out);
    specreg_status st = SPECREG_OK;
    sri_call call = {0};
    sri_row_parts *parts = NULL;
    sri_writer *writer = NULL;
    SRI_TRY(sri_call_enter_predict(ctx, options, &call));
    SRI_TRY(sri_predict_check(ctx, model, call.recipe));
    SRI_TRY(sri_row_parts_open(ctx, model, paths, count, options, &parts));
    SRI_TRY(sri_writer_open(ctx, out, &writer));
    SRI_TRY(predict_parts(ctx, model, call.recipe, parts, writer));
    if (rows)
        *rows = sri_writer_rows(writer);
    st = sri_writer_commit(ctx, writer);
    writer = NULL;
done:
    sri_writer_abandon(writer);
    sri_row_parts_free(parts);
    sri_call_leave(&call);
    return st;
}
