#include "select/sample.h"

#include <stdlib.h>

#include "core/memory.h"
#include "data/rows.h"

specreg_status sri_sample_read(specreg_context *ctx, const sri_reader *reader,
                               const specreg_table *table, sri_sample *out)
{
    specreg_status st = SPECREG_OK;
    const sri_target *target = reader->target;
    int64_t *column = NULL, *keep = NULL;
    bool found;
    *out = (sri_sample){0};
    SRI_TRY(sri_target_locate(ctx, target, table, &column, &found));
    SRI_REQUIRE(ctx, found, SPECREG_E_SHAPE, "%s: the target column '%s' is missing",
                table->source, target->name[0]);
    SRI_TRY(sri_rows_usable(ctx, table, reader->encoder, column, target->n_columns,
                            reader->missing, &keep, &out->n));
    SRI_REQUIRE(ctx, out->n > 0, SPECREG_E_SHAPE, "%s has no rows that can be used",
                table->source);
    SRI_TRY(sri_encoder_rows(ctx, reader->encoder, table, keep, out->n, reader->memory, &out->X));
    if (!reader->coding) {
        SRI_TRY(sri_target_numbers(ctx, target, table, column, keep, out->n, &out->Y));
        goto done;
    }
    SRI_TRY(sri_target_classes(ctx, target, table, column, keep, out->n, false, &out->classes));
    SRI_ALLOC(ctx, out->Y, out->n, reader->coding->width(target->n_classes));
    reader->coding->encode(out->classes, out->n, target->n_classes, out->Y);
done:
    free(keep);
    free(column);
    if (st != SPECREG_OK)
        sri_sample_free(out);
    return st;
}

void sri_sample_free(sri_sample *sample)
{
    free(sample->weight);
    free(sample->classes);
    free(sample->Y);
    sri_matrix_free(&sample->X);
    *sample = (sri_sample){0};
}
