/* Blocks of a table in memory. */
#include "core/memory.h"
#include "data/blocks_kind.h"

typedef struct table_source {
    const specreg_table *table;
    int64_t at; /* the next row */
} table_source;

static specreg_status next_rows(specreg_context *ctx, void *source, int64_t rows,
                                specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    table_source *s = source;
    int64_t *row = NULL;
    const int64_t left = s->table->rows - s->at, count = left < rows ? left : rows;
    *out = NULL;
    if (count == 0)
        return SPECREG_OK;
    SRI_ALLOC(ctx, row, count, 1);
    for (int64_t i = 0; i < count; i++)
        row[i] = s->at + i;
    SRI_TRY(specreg_table_select(ctx, s->table, row, count, out));
    s->at += count;
done:
    sri_free(row);
    return st;
}

static specreg_status back_to_first(__attribute__((unused)) specreg_context *ctx, void *source)
{
    ((table_source *)source)->at = 0;
    return SPECREG_OK;
}

static int64_t count_rows(const void *source)
{
    return ((const table_source *)source)->table->rows;
}

static specreg_status pick(specreg_context *ctx, void *source, const int64_t *row, int64_t count,
                           specreg_table **out)
{
    return specreg_table_select(ctx, ((table_source *)source)->table, row, count, out);
}

static const sri_blocks_kind memory = {next_rows, back_to_first, count_rows, pick, sri_free};

specreg_status sri_blocks_of_table(specreg_context *ctx, const specreg_table *table,
                                   sri_blocks **out)
{
    table_source *s = NULL;
    *out = NULL;
    SRI_NEW_ZERO(ctx, s, 1, 1);
    s->table = table;
    return sri_blocks_new(ctx, &memory, s, table, out);
}
