/* A vocabulary as lines of text:
 *
 *     # specreg vocabulary 1
 *     # text words=2000,min-docs=3,...
 *     # documents 1200
 *     # seen 31234
 *     # column 0 2 yes "text"
 *     # class "alt.atheism"                  one line for each class, or none
 *     word TAB documents TAB idf [TAB mutual information]
 *
 * Numbers are the shortest that read back the same; names are JSON texts. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/quote.h"
#include "data/io/stream.h"
#include "data/text/lines.h"
#include "data/text/vocabulary.h"

static const char magic[] = "# specreg vocabulary 1";

specreg_status sri_vocabulary_print(specreg_context *ctx, const specreg_vocabulary *v,
                                    sri_buffer *out)
{
    char number[32];
    SRI_CALL(sri_buffer_print(ctx, out, "%s\n# text ", magic));
    SRI_CALL(sri_text_how_print(ctx, &v->how, out));
    SRI_CALL(sri_buffer_print(ctx, out, "\n# documents %lld\n# seen %lld\n# column %lld %lld %s ",
                              (long long)v->documents, (long long)v->seen, (long long)v->position,
                              (long long)v->columns, v->has_names ? "yes" : "no"));
    SRI_CALL(sri_json_quote(ctx, v->column, out));
    for (int64_t c = 0; c < v->n_classes; c++) {
        SRI_CALL(sri_buffer_print(ctx, out, "\n# class "));
        SRI_CALL(sri_json_quote(ctx, v->label[c], out));
    }
    SRI_CALL(sri_buffer_add(ctx, out, "\n", 1));
    for (int64_t j = 0; j < v->words.count; j++) {
        SRI_CALL(sri_buffer_print(ctx, out, "%s\t%.0f\t%s", v->words.text[j], v->count[j],
                                  sri_format_double(v->idf[j], number)));
        if (v->mi)
            SRI_CALL(sri_buffer_print(ctx, out, "\t%s", sri_format_double(v->mi[j], number)));
        SRI_CALL(sri_buffer_add(ctx, out, "\n", 1));
    }
    return SPECREG_OK;
}

specreg_status specreg_vocabulary_save(specreg_context *ctx, const specreg_vocabulary *v,
                                       const char *path)
{
    SRI_ARGS(ctx, v, path);
    specreg_status st = SPECREG_OK;
    sri_buffer text = {0};
    SRI_TRY(sri_vocabulary_print(ctx, v, &text));
    SRI_TRY(specreg_text_write(ctx, text.data, path));
done:
    sri_buffer_free(&text);
    return st;
}

typedef struct parser {
    sri_lines in;
    specreg_vocabulary *v;
} parser;

static const char unlike[] = "is not as a vocabulary file has it here";

static specreg_status read_how(parser *p)
{
    specreg_status st = SPECREG_OK;
    size_t length = 0;
    char *spec = NULL;
    const char *text = sri_lines_head(&p->in, "# text", &length);
    if (!text)
        return sri_lines_broken(&p->in, "'# text' and how the words were chosen should stand here");
    spec = sri_strndup(p->in.ctx, text, length);
    if (!spec)
        return SPECREG_E_NOMEM;
    st = sri_text_how_parse(p->in.ctx, spec, &p->v->how);
    if (st == SPECREG_E_ARG)
        st = sri_fail_at(p->in.ctx, SPECREG_E_FORMAT, "%s:%lld", p->in.name, (long long)p->in.line);
    sri_free(spec);
    return st;
}

static specreg_status read_column(parser *p)
{
    size_t length = 0;
    double position, columns;
    const char *text = sri_lines_head(&p->in, "# column", &length);
    if (!text || !sri_take_whole(&text, &length, 0, &position) ||
        !sri_take_whole(&text, &length, 1, &columns) || position >= columns)
        return sri_lines_broken(&p->in, "'# column', its number and the number of columns should "
                                        "stand here");
    p->v->has_names = length > 4 && memcmp(text, "yes ", 4) == 0;
    if (!p->v->has_names && (length <= 3 || memcmp(text, "no ", 3) != 0))
        return sri_lines_broken(&p->in, "yes or no should stand before the column's name");
    p->v->position = (int64_t)position;
    p->v->columns = (int64_t)columns;
    const size_t skip = p->v->has_names ? 4 : 3;
    return sri_lines_name(&p->in, text + skip, length - skip, &p->v->column);
}

static specreg_status read_head(parser *p)
{
    if (!sri_lines_next(&p->in) || p->in.length != sizeof magic - 1 ||
        memcmp(p->in.text, magic, sizeof magic - 1) != 0)
        return sri_fail(p->in.ctx, SPECREG_E_FORMAT, "%s: is not a vocabulary file of version 1",
                        p->in.name);
    SRI_CALL(read_how(p));
    SRI_CALL(sri_lines_whole(&p->in, "# documents", 1, unlike, &p->v->documents));
    SRI_CALL(sri_lines_whole(&p->in, "# seen", 1, unlike, &p->v->seen));
    return read_column(p);
}

/* The number in text[0..n), finite and not negative. */
static bool plain_number(const char *text, size_t n, double *out)
{
    return sri_parse_double(text, n, out) && isfinite(*out) && *out >= 0;
}

static specreg_status read_word(parser *p)
{
    specreg_vocabulary *v = p->v;
    const int64_t j = v->words.count;
    const char *tab = memchr(p->in.text, '\t', p->in.length), *end = p->in.text + p->in.length;
    int32_t code;
    double count, idf, mi = 0;
    if (!tab || tab == p->in.text)
        return sri_lines_broken(&p->in, "a word, a tab and its numbers should stand here");
    const char *s = tab + 1;
    size_t left = (size_t)(end - s);
    if (!sri_take_whole(&s, &left, 0, &count))
        return sri_lines_broken(&p->in, "the number of documents is not a whole number");
    const char *third = memchr(s, '\t', left);
    if (!plain_number(s, third ? (size_t)(third - s) : left, &idf) ||
        (third && !plain_number(third + 1, (size_t)(end - third - 1), &mi)))
        return sri_lines_broken(&p->in, "a weight is not a number of 0 or more");
    if (!third != (v->how.choose != SRI_CHOOSE_MI))
        return sri_lines_broken(&p->in, third ? "one number too many"
                                              : "the mutual information is missing");
    const specreg_status st =
        sri_texts_code(p->in.ctx, &v->words, p->in.text, (size_t)(tab - p->in.text), &code);
    if (st == SPECREG_E_FORMAT)
        sri_fail_at(p->in.ctx, st, "%s:%lld", p->in.name, (long long)p->in.line);
    SRI_CALL(st);
    if (code != j)
        return sri_lines_broken(&p->in, "this word has been there before");
    v->count[j] = count;
    v->idf[j] = idf;
    if (third)
        v->mi[j] = mi;
    return SPECREG_OK;
}

/* Arrays for as many words and classes as there are lines. */
static specreg_status alloc_arrays(parser *p)
{
    int64_t lines = 1;
    for (const char *c = p->in.at; c < p->in.end; c++)
        lines += *c == '\n';
    SRI_NEW(p->in.ctx, p->v->count, lines, 1);
    SRI_NEW(p->in.ctx, p->v->idf, lines, 1);
    if (p->v->how.choose == SRI_CHOOSE_MI)
        SRI_NEW(p->in.ctx, p->v->mi, lines, 1);
    SRI_NEW(p->in.ctx, p->v->label, lines, 1);
    return SPECREG_OK;
}

specreg_status sri_vocabulary_parse(specreg_context *ctx, const char *name, const char *text,
                                    size_t size, specreg_vocabulary **out)
{
    specreg_status st = SPECREG_OK;
    parser p = {.in = {.ctx = ctx, .name = name, .at = text, .end = text + size}};
    size_t length;
    *out = NULL;
    SRI_CALLOC(ctx, p.v, 1, 1);
    SRI_TRY(read_head(&p));
    if (p.v->how.choose == SRI_CHOOSE_AUTO)
        SRI_TRY(sri_lines_broken(&p.in, "choose must be mi or frequency"));
    SRI_TRY(alloc_arrays(&p));
    while (sri_lines_next(&p.in)) {
        const char *class_name =
            p.v->words.count ? NULL : sri_lines_after(&p.in, "# class", &length);
        SRI_TRY(class_name ? sri_lines_name(&p.in, class_name, length, &p.v->label[p.v->n_classes])
                           : read_word(&p));
        p.v->n_classes += class_name != NULL;
    }
    SRI_REQUIRE(ctx, p.v->words.count > 0, SPECREG_E_FORMAT, "%s: has no words", name);
    SRI_MOVE(*out, p.v);
done:
    specreg_vocabulary_free(p.v);
    return st;
}

specreg_status specreg_vocabulary_load(specreg_context *ctx, const char *path,
                                       specreg_vocabulary **out)
{
    SRI_MAKES(ctx, out, path);
    static const int64_t MOST = INT64_C(1) << 28;
    specreg_status st = SPECREG_OK;
    sri_stream *stream = NULL;
    char *text = NULL;
    size_t size;
    SRI_TRY(sri_stream_open(ctx, path, &stream));
    SRI_TRY(sri_stream_text(ctx, stream, MOST, &text, &size));
    SRI_TRY(sri_vocabulary_parse(ctx, sri_stream_name(stream), text, size, out));
done:
    sri_free(text);
    sri_stream_close(stream);
    return st;
}
