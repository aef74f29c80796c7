#include "data/text/documents.h"

#include <string.h>

#include "core/memory.h"

enum { TEXT, LABEL };

specreg_status sri_documents_start(specreg_context *ctx, const char *source, bool labelled,
                                   sri_documents *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_documents){.labelled = labelled};
    SRI_TRY(sri_table_new(ctx, source, labelled ? 2 : 1, &out->t));
    specreg_table *t = out->t;
    t->format = "text";
    t->has_header = true;
    t->n_numbers = 0;
    for (int64_t j = 0; j < t->n_columns; j++)
        t->column[j].is_text = true;
    SRI_TRY(sri_table_set_name(ctx, t, TEXT, "text", 4));
    if (labelled)
        SRI_TRY(sri_table_set_name(ctx, t, LABEL, "label", 5));
done:
    if (st != SPECREG_OK)
        sri_documents_free(out);
    return st;
}

/* The bytes as UTF-8 in d->clean: what is no UTF-8 already is taken for Latin-1, byte by byte. */
static specreg_status clean(specreg_context *ctx, sri_documents *d, const char *text, size_t length,
                            size_t *out)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t n = 0;
    SRI_CALL(sri_grow(ctx, (void **)&d->clean, &d->clean_capacity, 2 * (int64_t)length + 1, 1));
    for (size_t i = 0; i < length;) {
        const size_t valid = sri_utf8_length(s + i, length - i);
        if (valid == 0) {
            d->clean[n++] = (char)(0xc0 | s[i] >> 6);
            d->clean[n++] = (char)(0x80 | (s[i] & 0x3f));
        }
        for (size_t k = 0; k < valid; k++)
            d->clean[n++] = (char)s[i + k];
        i += valid ? valid : 1;
    }
    *out = n;
    return SPECREG_OK;
}

static specreg_status add_text(specreg_context *ctx, sri_documents *d, int which, int64_t *capacity,
                               const char *text, size_t length)
{
    specreg_status st = SPECREG_OK;
    sri_column *c = &d->t->column[which];
    const int64_t row = d->t->rows;
    SRI_TRY(sri_grow(ctx, (void **)&c->code, capacity, row + 1, sizeof *c->code));
    c->code[row] = -1;
    if (which == LABEL && length == 0)
        goto done;
    SRI_TRY(clean(ctx, d, text, length, &length));
    SRI_TRY(sri_texts_code(ctx, &c->texts, d->clean, length, &c->code[row]));
done:
    return st;
}

specreg_status sri_documents_add(specreg_context *ctx, sri_documents *d, const char *place,
                                 const char *label, size_t label_length, const char *text,
                                 size_t length)
{
    SRI_CHECK(ctx, !memchr(text, '\0', length), SPECREG_E_FORMAT,
              "%s: a NUL byte: this is not a text file", place);
    SRI_CALL(add_text(ctx, d, TEXT, &d->text_capacity, text, length));
    if (d->labelled)
        SRI_CALL(add_text(ctx, d, LABEL, &d->label_capacity, label, label_length));
    d->t->rows++;
    return SPECREG_OK;
}

specreg_table *sri_documents_finish(sri_documents *d)
{
    specreg_table *t = d->t;
    d->t = NULL;
    sri_documents_free(d);
    return t;
}

void sri_documents_free(sri_documents *d)
{
    specreg_table_free(d->t);
    sri_free(d->clean);
    *d = (sri_documents){0};
}
