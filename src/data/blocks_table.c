/* Blocks of a table in memory. */
#include "core/memory.h"
#include "data/blocks_kind.h"

typedef struct table_source {
    const specreg_table *table;
    specreg_table *owned; /* NULL: it is somebody else's */
    int64_t at;           /* the next row */
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

static void free_source(void *source)
{
    if (source)
        specreg_table_free(((table_source *)source)->owned);
    sri_free(source);
}

static const sri_blocks_kind memory = {
    .next = next_rows,
    .rewind = back_to_first,
    .rows = count_rows,
    .pick = pick,
    .free = free_source,
};

specreg_status sri_row_source_of_table(specreg_context *ctx, const specreg_table *table,
                                       specreg_table *owned, sri_row_source *out)
{
    table_source *s = NULL;
    SRI_NEW_ZERO(ctx, s, 1, 1);
    *s = (table_source){.table = table, .owned = owned};
    *out = (sri_row_source){&memory, s};
    return SPECREG_OK;
}

void sri_row_source_close(sri_row_source *s)
{
    if (s->kind)
        s->kind->free(s->state);
    *s = (sri_row_source){0};
}

specreg_status sri_blocks_of_table(specreg_context *ctx, const specreg_table *table,
                                   sri_blocks **out)
{
    sri_row_source source;
    *out = NULL;
    SRI_CALL(sri_row_source_of_table(ctx, table, NULL, &source));
    return sri_blocks_new(ctx, source, table, out);
}
