/* The file of --coding code:file=. */
#include "core/memory.h"
#include "model/bare_file.h"
#include "model/dataset.h"

specreg_status sri_coding_load(specreg_context *ctx, const sri_coding_spec *spec, int64_t n_classes,
                               sri_coding **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *table = NULL;
    double *word = NULL;
    *out = NULL;
    if (!spec->file)
        return sri_coding_new(ctx, spec, n_classes, out);
    SRI_TRY(sri_bare_read(ctx, spec->file, &table));
    SRI_REQUIRE(ctx, table->rows == n_classes, SPECREG_E_SHAPE,
                "%s has %lld rows, there are %lld classes: a codeword for each, in the order of "
                "their labels",
                spec->file, (long long)table->rows, (long long)n_classes);
    SRI_TRY(sri_bare_numbers(ctx, spec->file, table, &word));
    SRI_TRY(sri_codewords_check(ctx, spec->file, word, n_classes, table->n_columns));
    st = sri_coding_of_words(ctx, spec, n_classes, word, table->n_columns, out);
    word = NULL;
done:
    sri_free(word);
    specreg_table_free(table);
    return st;
}
