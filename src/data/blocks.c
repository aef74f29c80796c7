#include "data/blocks.h"

#include "core/memory.h"
#include "data/blocks_kind.h"

struct sri_blocks {
    sri_row_source source;
    const specreg_table *table;
    int64_t at; /* the number of the next row */
};

specreg_status sri_blocks_new(specreg_context *ctx, sri_row_source source,
                              const specreg_table *table, sri_blocks **out)
{
    sri_blocks *b = *out = sri_calloc(ctx, 1, 1, sizeof *b);
    if (!b) {
        sri_row_source_close(&source);
        return SPECREG_E_NOMEM;
    }
    *b = (sri_blocks){source, table, 0};
    return SPECREG_OK;
}

void sri_blocks_read_once(sri_blocks *b)
{
    if (b->source.kind->read_once)
        b->source.kind->read_once(b->source.state);
}

specreg_status sri_blocks_next(specreg_context *ctx, sri_blocks *b, int64_t rows, int64_t *first,
                               specreg_table **out)
{
    SRI_CALL(b->source.kind->next(ctx, b->source.state, rows, out));
    *first = b->at;
    b->at += *out ? (*out)->rows : 0;
    return SPECREG_OK;
}

specreg_status sri_blocks_rewind(specreg_context *ctx, sri_blocks *b)
{
    b->at = 0;
    return b->source.kind->rewind(ctx, b->source.state);
}

int64_t sri_blocks_rows(const sri_blocks *b)
{
    return b->source.kind->rows(b->source.state);
}

const specreg_table *sri_blocks_table(const sri_blocks *b)
{
    return b->table;
}

const char *sri_blocks_name(const sri_blocks *b)
{
    return b->source.kind->name ? b->source.kind->name(b->source.state) : NULL;
}

specreg_status sri_blocks_pick(specreg_context *ctx, sri_blocks *b, const int64_t *row,
                               int64_t count, specreg_table **out)
{
    return b->source.kind->pick(ctx, b->source.state, row, count, out);
}

void sri_blocks_free(sri_blocks *b)
{
    if (!b)
        return;
    sri_row_source_close(&b->source);
    sri_free(b);
}
