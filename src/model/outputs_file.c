/* The files of --outputs. */
#include "core/memory.h"
#include "data/roles.h"
#include "data/table.h"
#include "model/bare_file.h"
#include "model/dataset.h"

/* T rows of `columns` numbers. */
static specreg_status read_numbers(specreg_context *ctx, sri_outputs_grid *g, const char *what,
                                   int64_t columns, const specreg_table *table)
{
    if (table->rows != g->T || table->n_columns != columns)
        return sri_fail(ctx, SPECREG_E_SHAPE,
                        "%s has %lld rows and %lld columns, %lld %s take %lld x %lld", g->file,
                        (long long)table->rows, (long long)table->n_columns, (long long)g->T, what,
                        (long long)g->T, (long long)columns);
    g->p = columns;
    return sri_bare_numbers(ctx, g->file, table, &g->given);
}

/* A label for each output. */
static specreg_status read_labels(specreg_context *ctx, sri_outputs_grid *g, const char *what,
                                  const specreg_table *table)
{
    specreg_status st = SPECREG_OK;
    int64_t *all = NULL;
    SRI_REQUIRE(ctx, table->rows == g->T && table->n_columns == 1, SPECREG_E_SHAPE,
                "%s has %lld rows and %lld columns: it takes one label for each of %lld %s, a line "
                "each",
                g->file, (long long)table->rows, (long long)table->n_columns, (long long)g->T,
                what);
    SRI_ALLOC(ctx, all, g->T, 1);
    for (int64_t i = 0; i < g->T; i++)
        all[i] = i;
    SRI_TRY(sri_groups_read(ctx, &(sri_rows){table, all, g->T}, 0, &g->cluster, &g->clusters));
done:
    sri_free(all);
    return st;
}

static specreg_status load_one(specreg_context *ctx, sri_outputs_grid *g, const char *what,
                               int64_t T, int64_t p)
{
    specreg_status st = SPECREG_OK;
    specreg_table *table = NULL;
    g->T = T;
    if (sri_outputs_has_file(g->ops)) {
        SRI_TRY(sri_bare_read(ctx, g->file, &table));
        if (g->ops->file == SRI_OUTPUTS_LABELS)
            SRI_TRY(read_labels(ctx, g, what, table));
        else
            SRI_TRY(read_numbers(ctx, g, what, g->ops->file == SRI_OUTPUTS_SHIFTS ? p : T, table));
    }
    SRI_TRY(sri_outputs_make(ctx, g));
done:
    specreg_table_free(table);
    return st;
}

specreg_status sri_outputs_load(specreg_context *ctx, sri_kernel_grid *grid, const char *what,
                                int64_t T, int64_t p)
{
    for (int t = 0; t < grid->n_outputs; t++)
        SRI_CALL(load_one(ctx, &grid->outputs[t], what, T, p));
    return SPECREG_OK;
}
