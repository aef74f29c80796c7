/* Fits the rows of files: in blocks where fewer of them are centres, else as one table. */
#include "model/fit_blocks.h"

/* How many rows there are, where only reading them tells. */
static specreg_status count_rows(specreg_context *ctx, sri_blocks *blocks, int64_t *out)
{
    specreg_table *block = NULL;
    int64_t first;
    *out = 0;
    do {
        SRI_CALL(sri_blocks_next(ctx, blocks, SRI_BLOCK_ROWS, &first, &block));
        *out += block ? block->rows : 0;
        specreg_table_free(block);
    } while (block);
    return sri_blocks_rewind(ctx, blocks);
}

/* All rows as one table. */
static specreg_status read_all(specreg_context *ctx, sri_blocks *blocks, specreg_table **out)
{
    int64_t rows = sri_blocks_rows(blocks);
    if (rows < 0)
        SRI_CALL(count_rows(ctx, blocks, &rows));
    return sri_blocks_sample(ctx, blocks, &(sri_sample_rows){.count = rows}, NULL, out);
}

/* Whether rows stay where they are: fewer centres are asked for, or there are many rows, and a look
 * at some of them tells that no search with all of them as centres would end in time. */
static specreg_status reads_blocks(specreg_context *ctx, const sri_call *call, sri_blocks *blocks,
                                   bool *out)
{
    enum { FEW = 300000 };
    const sri_approx_kind kind = call->recipe->search.approx.kind;
    const int64_t rows = sri_blocks_rows(blocks);
    *out = kind == SRI_APPROX_RECTANGLE;
    return kind != SRI_APPROX_AUTO || (rows >= 0 && rows <= FEW)
               ? SPECREG_OK
               : sri_fewer_of_blocks(ctx, call, blocks, FEW, out);
}

specreg_status specreg_fit_files(specreg_context *ctx, const char *const *paths, int64_t count,
                                 const specreg_options *options, specreg_model **out)
{
    SRI_MAKES(ctx, out, paths);
    specreg_status st = SPECREG_OK;
    sri_blocks *blocks = NULL;
    specreg_table *table = NULL;
    sri_call call = {0};
    bool in_blocks;
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_TRY(sri_blocks_open(ctx, paths, count, options, &blocks));
    SRI_TRY(reads_blocks(ctx, &call, blocks, &in_blocks));
    if (in_blocks) {
        sri_recipe recipe = *call.recipe;
        recipe.search.approx.chosen = recipe.search.approx.kind == SRI_APPROX_AUTO;
        recipe.search.approx.kind = SRI_APPROX_RECTANGLE;
        sri_call fewer = sri_call_with(&call, &recipe);
        fewer.announces = true;
        SRI_TRY(sri_fit_blocks(ctx, &fewer, blocks, out));
    } else {
        call.announces = true;
        SRI_TRY(read_all(ctx, blocks, &table));
        SRI_TRY(sri_fit(ctx, &call, table, out));
    }
done:
    specreg_table_free(table);
    sri_blocks_free(blocks);
    sri_call_leave(&call);
    return st;
}
