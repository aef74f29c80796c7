/* Fits the rows of files: in blocks where fewer of them are centres, else as one table. */
#include "model/fit_blocks.h"

/* All rows as one table. */
static specreg_status read_all(specreg_context *ctx, sri_blocks *blocks, specreg_table **out)
{
    return sri_blocks_sample(ctx, blocks, INT64_MAX, 0, NULL, out);
}

/* Whether rows stay where they are: fewer centres are asked for, or there are so many rows that no
 * search with all of them as centres would end in time. */
static bool reads_blocks(const sri_call *call, const sri_blocks *blocks)
{
    enum { MANY = 300000 };
    const sri_approx_kind kind = call->recipe->search.approx.kind;
    return kind == SRI_APPROX_RECTANGLE ||
           (kind == SRI_APPROX_AUTO && sri_blocks_rows(blocks) > MANY);
}

specreg_status specreg_fit_files(specreg_context *ctx, const char *const *paths, int64_t count,
                                 const specreg_options *options, specreg_model **out)
{
    SRI_MAKES(ctx, out, paths);
    specreg_status st = SPECREG_OK;
    sri_blocks *blocks = NULL;
    specreg_table *table = NULL;
    sri_call call = {0};
    SRI_TRY(sri_call_enter(ctx, options, &call));
    SRI_TRY(sri_blocks_open(ctx, paths, count, options, &blocks));
    if (reads_blocks(&call, blocks)) {
        sri_recipe recipe = *call.recipe;
        recipe.search.approx.kind = SRI_APPROX_RECTANGLE;
        const sri_call fewer = sri_call_with(&call, &recipe);
        SRI_TRY(sri_fit_blocks(ctx, &fewer, blocks, out));
    } else {
        SRI_TRY(read_all(ctx, blocks, &table));
        SRI_TRY(sri_fit(ctx, &call, table, out));
    }
done:
    specreg_table_free(table);
    sri_blocks_free(blocks);
    sri_call_leave(&call);
    return st;
}
