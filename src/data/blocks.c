#include "data/blocks.h"

#include "core/memory.h"
#include "data/blocks_kind.h"

struct sri_blocks {
    const sri_blocks_kind *kind;
    void *source;
    const specreg_table *table;
    int64_t at; /* the number of the next row */
};

specreg_status sri_blocks_new(specreg_context *ctx, const sri_blocks_kind *kind, void *source,
                              const specreg_table *table, sri_blocks **out)
{
    sri_blocks *b = *out = sri_calloc(ctx, 1, 1, sizeof *b);
    if (!b) {
        kind->free(source);
        return SPECREG_E_NOMEM;
    }
    *b = (sri_blocks){kind, source, table, 0};
    return SPECREG_OK;
}

specreg_status sri_blocks_next(specreg_context *ctx, sri_blocks *b, int64_t rows, int64_t *first,
                               specreg_table **out)
{
    SRI_CALL(b->kind->next(ctx, b->source, rows, out));
    *first = b->at;
    b->at += *out ? (*out)->rows : 0;
    return SPECREG_OK;
}

specreg_status sri_blocks_rewind(specreg_context *ctx, sri_blocks *b)
{
    b->at = 0;
    return b->kind->rewind(ctx, b->source);
}

int64_t sri_blocks_rows(const sri_blocks *b)
{
    return b->kind->rows(b->source);
}

const specreg_table *sri_blocks_table(const sri_blocks *b)
{
    return b->table;
}

specreg_status sri_blocks_sample(specreg_context *ctx, sri_blocks *b, int64_t count, uint64_t seed,
                                 int64_t *rows, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    sri_least least = {0};
    int64_t *row = NULL;
    const int64_t n = sri_blocks_rows(b);
    *out = NULL;
    SRI_TRY(sri_least_begin(ctx, count < n ? count : n, seed, &least));
    for (int64_t i = 0; i < n; i++)
        sri_least_offer(&least, i);
    SRI_ALLOC(ctx, row, least.count, 1);
    sri_least_rows(&least, row);
    SRI_TRY(b->kind->pick(ctx, b->source, row, least.count, out));
    if (rows)
        *rows = n;
    SRI_TRY(sri_blocks_rewind(ctx, b));
done:
    if (st != SPECREG_OK) {
        specreg_table_free(*out);
        *out = NULL;
    }
    sri_least_free(&least);
    sri_free(row);
    return st;
}

void sri_blocks_free(sri_blocks *b)
{
    if (!b)
        return;
    b->kind->free(b->source);
    sri_free(b);
}
