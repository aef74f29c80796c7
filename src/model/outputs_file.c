/* The files of --outputs. */
#include "core/memory.h"
#include "data/roles.h"
#include "data/table.h"
#include "data/text/documents.h"
#include "model/dataset.h"

/* A CSV file without a header. */
static specreg_status read_bare(specreg_context *ctx, const char *path, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    specreg_options *options = NULL;
    *out = NULL;
    SRI_REQUIRE(ctx, !sri_is_folder(path), SPECREG_E_IO, "%s: is a directory", path);
    SRI_TRY(specreg_options_new(ctx, &options));
    SRI_TRY(specreg_options_set(ctx, options, "header", "no"));
    SRI_TRY(specreg_table_read(ctx, path, options, out));
done:
    specreg_options_free(options);
    return st;
}

/* T rows of `columns` numbers. */
static specreg_status read_numbers(specreg_context *ctx, sri_outputs_grid *g, const char *what,
                                   int64_t columns, const specreg_table *table)
{
    if (table->rows != g->T || table->n_columns != columns)
        return sri_fail(ctx, SPECREG_E_SHAPE,
                        "%s has %lld rows and %lld columns, %lld %s take %lld x %lld", g->file,
                        (long long)table->rows, (long long)table->n_columns, (long long)g->T, what,
                        (long long)g->T, (long long)columns);
    SRI_NEW(ctx, g->given, g->T, columns);
    g->p = columns;
    for (int64_t i = 0; i < g->T; i++)
        for (int64_t j = 0; j < columns; j++) {
            if (table->column[j].is_text || sri_table_gap(table, i, j))
                return sri_fail(ctx, SPECREG_E_FORMAT, "%s:%lld: column %lld is not a number",
                                g->file, (long long)i + 1, (long long)j + 1);
            g->given[i * columns + j] = specreg_table_number(table, i, j);
        }
    return SPECREG_OK;
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
    if (g->ops->file != SRI_OUTPUTS_NO_FILE && g->ops->file != SRI_OUTPUTS_MAP) {
        SRI_TRY(read_bare(ctx, g->file, &table));
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
