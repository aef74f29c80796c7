/* LIBSVM text from a table: the target first, then what is not zero.  Features are numbered as
 * they stand in the table, ordinary columns before sparse ones, the target left out. */
#include "data/io/libsvm_write.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

enum { FLUSH = 1 << 16 };

static specreg_status check_columns(specreg_context *ctx, const specreg_table *t, int64_t target,
                                    const char *file)
{
    SRI_CHECK(ctx, target >= 0, SPECREG_E_ARG, "%s: the table has no column for the label", file);
    for (int64_t j = 0; j < t->n_columns; j++)
        SRI_CHECK(ctx, j == target || !t->column[j].is_text, SPECREG_E_ARG,
                  "%s: column '%s' is text, which LIBSVM files cannot hold", file,
                  t->column[j].name);
    return SPECREG_OK;
}

static specreg_status put_label(specreg_context *ctx, sri_buffer *b, const specreg_table *t,
                                int64_t row, int64_t target, const char *file)
{
    specreg_status st = SPECREG_OK;
    char number[32];
    const char *text = specreg_table_text(t, row, target);
    SRI_REQUIRE(ctx, !text || (*text && !strpbrk(text, " \t\r\n:#")), SPECREG_E_ARG,
                "%s: the label '%s' has a blank, ':' or '#', which LIBSVM files cannot hold", file,
                text);
    if (!text)
        text = sri_format_double(specreg_table_number(t, row, target), number);
    SRI_TRY(sri_buffer_add(ctx, b, text, strlen(text)));
done:
    return st;
}

static specreg_status put_pair(specreg_context *ctx, sri_buffer *b, int64_t index, double value)
{
    char number[32];
    return value == 0 ? SPECREG_OK
                      : sri_buffer_print(ctx, b, " %lld:%s", (long long)index,
                                         sri_format_double(value, number));
}

static specreg_status put_row(specreg_context *ctx, sri_buffer *b, const specreg_table *t,
                              int64_t row, int64_t target, const char *file)
{
    SRI_CALL(put_label(ctx, b, t, row, target, file));
    for (int64_t j = 0, index = 1; j < t->n_columns; j++) {
        if (j == target)
            continue;
        const double v = specreg_table_number(t, row, j);
        SRI_CHECK(ctx, !isnan(v), SPECREG_E_ARG,
                  "%s: row %lld: column '%s' is missing, which LIBSVM files cannot say", file,
                  (long long)row + 1, t->column[j].name);
        SRI_CALL(put_pair(ctx, b, index++, v));
    }
    const sri_matrix *s = t->sparse;
    for (int64_t k = s ? s->start[row] : 0; s && k < s->start[row + 1]; k++)
        SRI_CALL(put_pair(ctx, b, t->n_columns + s->index[k], s->value[k]));
    return sri_buffer_add(ctx, b, "\n", 1);
}

specreg_status sri_libsvm_write(specreg_context *ctx, const specreg_table *t, sri_output *output)
{
    specreg_status st = SPECREG_OK;
    sri_buffer b = {0};
    const char *file = sri_output_name(output);
    const int64_t target = sri_table_default_target(t);
    SRI_TRY(check_columns(ctx, t, target, file));
    for (int64_t i = 0; i < t->rows; i++) {
        SRI_TRY(put_row(ctx, &b, t, i, target, file));
        if (b.length >= FLUSH || i == t->rows - 1) {
            SRI_TRY(sri_output_write(ctx, output, b.data, (size_t)b.length));
            b.length = 0;
        }
    }
done:
    sri_buffer_free(&b);
    return st;
}
