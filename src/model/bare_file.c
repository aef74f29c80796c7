#include "model/bare_file.h"

#include "core/memory.h"
#include "data/text/documents.h"

specreg_status sri_bare_read(specreg_context *ctx, const char *path, specreg_table **out)
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

specreg_status sri_bare_numbers(specreg_context *ctx, const char *path, const specreg_table *table,
                                double **out)
{
    const int64_t columns = table->n_columns;
    SRI_NEW(ctx, *out, table->rows, columns);
    for (int64_t i = 0; i < table->rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            if (table->column[j].is_text || sri_table_gap(table, i, j))
                return sri_fail(ctx, SPECREG_E_FORMAT, "%s:%lld: column %lld is not a number", path,
                                (long long)i + 1, (long long)j + 1);
            (*out)[i * columns + j] = specreg_table_number(table, i, j);
        }
    return SPECREG_OK;
}
