#include "select/sample.h"

#include "core/memory.h"
#include "data/rows.h"
#include "data/text/vocabulary.h"

/* From a table of numbers, or of features. */
static specreg_status read_numbers(specreg_context *ctx, const sri_reader *reader,
                                   const specreg_table *table, sri_sample *out)
{
    specreg_status st = SPECREG_OK;
    const sri_target *target = reader->target;
    sri_encoder encoder = *reader->encoder;
    int64_t *column = NULL;
    sri_rows used = {0};
    bool found = true;
    *out = (sri_sample){0};
    if (target)
        SRI_TRY(sri_target_locate(ctx, target, table, &column, &found));
    SRI_REQUIRE(ctx, found, SPECREG_E_SHAPE, "%s: the target column '%s' is missing", table->source,
                target->name[0]);
    const sri_target_list targets = {column, target ? target->n_columns : 0,
                                     target && target->gaps};
    SRI_TRY(sri_rows_usable(ctx, table, reader->encoder, target ? &targets : NULL, reader->missing,
                            &used));
    out->n = used.count;
    if (!reader->may_be_empty)
        SRI_TRY(sri_rows_any(ctx, &used));
    SRI_REQUIRE(ctx, out->n > 0 || !target || reader->may_be_empty, SPECREG_E_SHAPE,
                "%s has no rows that can be used", table->source);
    encoder.refuses_unseen = reader->refuses_unseen;
    SRI_TRY(sri_encoder_rows(ctx, &encoder, &used, reader->memory, &out->rows.x, &out->unseen));
    out->rows.n = out->n;
    if (reader->tasks)
        SRI_TRY(sri_tasks_read(ctx, reader->tasks, reader->known_only, &used,
                               (int32_t **)&out->rows.label));
    if (reader->features) {
        const sri_predefined_rows rows = {.encoder = reader->encoder,
                                          .X = &out->rows.x,
                                          .table = table,
                                          .rows = used.row,
                                          .file = reader->features_file,
                                          .documents = reader->words != NULL};
        SRI_TRY(sri_predefined_fill(ctx, reader->features, &rows, &out->P));
    }
    if (!target)
        goto done;
    if (!reader->coding) {
        SRI_TRY(sri_target_numbers(ctx, target, &used, column, &out->Y));
        goto done;
    }
    SRI_TRY(sri_target_classes(ctx, target, &used, column, false, &out->classes));
    SRI_ALLOC(ctx, out->Y, out->n, reader->coding->width);
    sri_encode(reader->coding, out->classes, out->n, out->Y);
done:
    SRI_MOVE(out->row, used.row);
    sri_free(column);
    if (st != SPECREG_OK)
        sri_sample_free(out);
    return st;
}

specreg_status sri_sample_read(specreg_context *ctx, const sri_reader *reader,
                               const specreg_table *table, sri_sample *out)
{
    specreg_table *features = NULL;
    sri_text_counts counts = {0};
    *out = (sri_sample){0};
    specreg_status st =
        reader->words && !table->sparse && !reader->counted
            ? sri_text_features(ctx, reader->words, table,
                                reader->features && sri_predefined_topics(reader->features),
                                &features, &counts)
            : SPECREG_OK;
    if (st == SPECREG_OK)
        st = read_numbers(ctx, reader, features ? features : table, out);
    out->unknown = counts.empty + counts.unknown;
    specreg_table_free(features);
    return st;
}

static specreg_status fail_task(specreg_context *ctx, const specreg_table *t, int64_t row,
                                const sri_column *c, const char *outputs)
{
    char number[32];
    return sri_fail_at_cell(ctx, SPECREG_E_SHAPE, t, row, c->name,
                            "task '%s' was not seen in training, and with outputs %s nothing is "
                            "known of it (common has an answer)",
                            sri_cell_text(t, row, c, number), outputs);
}

specreg_status sri_tasks_read(specreg_context *ctx, const sri_target *tasks, const char *known_only,
                              const sri_rows *rows, int32_t **out)
{
    specreg_status st = SPECREG_OK;
    const specreg_table *table = rows->table;
    int64_t *column = NULL;
    bool found;
    *out = NULL;
    SRI_TRY(sri_target_locate(ctx, tasks, table, &column, &found));
    SRI_REQUIRE(ctx, found, SPECREG_E_SHAPE,
                "%s: the column '%s', which names the tasks, is missing%s", table->source,
                tasks->name[0],
                tasks->has_names && table->has_header
                    ? ""
                    : " (without names the table needs all columns of the training table)");
    for (int64_t i = 0; i < rows->count; i++)
        if (sri_table_gap(table, rows->row[i], *column))
            SRI_TRY(sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, table, rows->row[i], tasks->name[0],
                                     "the task is missing"));
    SRI_TRY(sri_target_classes(ctx, tasks, rows, column, true, out));
    for (int64_t i = 0; i < rows->count && known_only; i++)
        if ((*out)[i] < 0)
            SRI_TRY(fail_task(ctx, table, rows->row[i], &table->column[*column], known_only));
done:
    if (st != SPECREG_OK) {
        sri_free(*out);
        *out = NULL;
    }
    sri_free(column);
    return st;
}

/* The points of `flat` in place of the rows that they were made of. */
static void take_points(sri_flat *flat, sri_rows_view *rows)
{
    const sri_rows_view made = sri_flat_view(flat, &rows->x);
    if (flat->X)
        sri_matrix_free(&rows->x);
    *rows = made;
    flat->X = NULL;
    if (made.label)
        flat->label = NULL;
    if (made.vector)
        flat->row = NULL;
}

specreg_status sri_sample_points(specreg_context *ctx, const sri_reader *reader, sri_sample *sample)
{
    specreg_status st = SPECREG_OK;
    sri_flat flat = {0};
    double *P = NULL;
    if (reader->layout.kind != SRI_LAYOUT_OUTPUTS)
        return sri_layout_see(ctx, &reader->layout, &sample->rows);
    SRI_TRY(sri_layout_flatten(ctx, &reader->layout, &sample->rows, sample->Y, &flat));
    if (sample->P) {
        SRI_TRY(
            sri_features_flatten(ctx, sample->P, reader->features->l, reader->layout.T, &flat, &P));
        sri_free(sample->P);
        sample->P = P;
    }
    take_points(&flat, &sample->rows);
    sri_free(sample->Y);
    sample->Y = flat.Y;
    sample->n = flat.n;
    flat.Y = NULL;
done:
    sri_flat_free(&flat);
    return st;
}

void sri_sample_free(sri_sample *sample)
{
    sri_free(sample->row);
    sri_free(sample->P);
    sri_free(sample->weight);
    sri_free(sample->classes);
    sri_free(sample->Y);
    sri_view_free(&sample->rows);
    *sample = (sri_sample){0};
}
