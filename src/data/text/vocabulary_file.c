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
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/memory.h"
#include "data/io/output.h"
#include "data/io/stream.h"
#include "data/text/vocabulary.h"

static const char magic[] = "# specreg vocabulary 1";

/* ------------------------------------------------------------------------------- writing */

/* A name on a line of its own, whatever is in it. */
static specreg_status print_name(specreg_context *ctx, sri_buffer *out, const char *name)
{
    specreg_status st = SPECREG_OK;
    json_t *json = json_string(name);
    char *text = NULL;
    const size_t length = json ? json_dumpb(json, NULL, 0, JSON_ENCODE_ANY) : 0;
    SRI_REQUIRE(ctx, length > 0, SPECREG_E_NOMEM, "out of memory");
    SRI_ALLOC(ctx, text, (int64_t)length, 1);
    SRI_REQUIRE(ctx, json_dumpb(json, text, length, JSON_ENCODE_ANY) == length, SPECREG_E_NOMEM,
                "out of memory");
    SRI_TRY(sri_buffer_print(ctx, out, " %.*s\n", (int)length, text));
done:
    free(text);
    json_decref(json);
    return st;
}

specreg_status sri_vocabulary_print(specreg_context *ctx, const specreg_vocabulary *v,
                                    sri_buffer *out)
{
    specreg_status st = SPECREG_OK;
    char number[32];
    SRI_TRY(sri_buffer_print(ctx, out, "%s\n# text ", magic));
    SRI_TRY(sri_text_how_print(ctx, &v->how, out));
    SRI_TRY(sri_buffer_print(ctx, out, "\n# documents %lld\n# seen %lld\n# column %lld %lld %s",
                             (long long)v->documents, (long long)v->seen, (long long)v->position,
                             (long long)v->columns, v->has_names ? "yes" : "no"));
    SRI_TRY(print_name(ctx, out, v->column));
    for (int64_t c = 0; c < v->n_classes; c++) {
        SRI_TRY(sri_buffer_print(ctx, out, "# class"));
        SRI_TRY(print_name(ctx, out, v->label[c]));
    }
    for (int64_t j = 0; j < v->words.count; j++) {
        SRI_TRY(sri_buffer_print(ctx, out, "%s\t%.0f\t%s", v->words.text[j], v->count[j],
                                 sri_format_double(v->idf[j], number)));
        if (v->mi)
            SRI_TRY(sri_buffer_print(ctx, out, "\t%s", sri_format_double(v->mi[j], number)));
        SRI_TRY(sri_buffer_add(ctx, out, "\n", 1));
    }
done:
    return st;
}

specreg_status specreg_vocabulary_save(specreg_context *ctx, const specreg_vocabulary *v,
                                       const char *path)
{
    specreg_status st = SPECREG_OK;
    sri_buffer text = {0};
    SRI_TRY(sri_vocabulary_print(ctx, v, &text));
    SRI_TRY(specreg_text_write(ctx, text.data, path));
done:
    sri_buffer_free(&text);
    return st;
}

/* ------------------------------------------------------------------------------- reading */

typedef struct parser {
    specreg_context *ctx;
    const char *name;
    const char *at, *end;  /* what is left                  */
    const char *text;      /* the line at hand, its length, */
    size_t length;
    int64_t line;          /* its number                    */
    int64_t count_capacity, idf_capacity, mi_capacity, label_capacity;
    specreg_vocabulary *v;
} parser;

static bool next_line(parser *p)
{
    if (p->at == p->end)
        return false;
    const char *newline = memchr(p->at, '\n', (size_t)(p->end - p->at));
    p->text = p->at;
    p->length = (size_t)((newline ? newline : p->end) - p->at);
    p->at = newline ? newline + 1 : p->end;
    p->length -= p->length > 0 && p->text[p->length - 1] == '\r';
    p->line++;
    return true;
}

static specreg_status broken(const parser *p, const char *what)
{
    return sri_fail(p->ctx, SPECREG_E_FORMAT, "%s:%lld: %s", p->name, (long long)p->line, what);
}

/* What follows `word` and a blank on the line, or NULL. */
static const char *after(const parser *p, const char *word, size_t *length)
{
    const size_t n = strlen(word);
    if (p->length <= n || memcmp(p->text, word, n) != 0 || p->text[n] != ' ')
        return NULL;
    *length = p->length - n - 1;
    return p->text + n + 1;
}

/* A whole number from `least` on, below 2^53, at the front of *text, which moves behind it. */
static bool take_whole(const char **text, size_t *length, double least, double *out)
{
    size_t n = 0;
    while (n < *length && (*text)[n] != ' ' && (*text)[n] != '\t')
        n++;
    if (!sri_parse_double(*text, n, out) || !(*out >= least && *out < 9e15) || *out != floor(*out))
        return false;
    n += n < *length;
    *text += n;
    *length -= n;
    return true;
}

static specreg_status read_number(parser *p, const char *word, double least, int64_t *out)
{
    size_t length = 0;
    double number;
    const char *text = next_line(p) ? after(p, word, &length) : NULL;
    if (!text || !take_whole(&text, &length, least, &number) || length)
        return broken(p, "is not as a vocabulary file has it here");
    *out = (int64_t)number;
    return SPECREG_OK;
}

/* A JSON text to a C one. */
static specreg_status read_name(const parser *p, const char *text, size_t length, char **out)
{
    specreg_status st = SPECREG_OK;
    json_error_t error = {0};
    json_t *json = json_loadb(text, length, JSON_DECODE_ANY, &error);
    SRI_REQUIRE(p->ctx,
                json || (error.text[0] && json_error_code(&error) != json_error_out_of_memory),
                SPECREG_E_NOMEM, "out of memory");
    if (!json_is_string(json))
        SRI_TRY(broken(p, "a name in double quotes should end this line"));
    SRI_STRDUP(p->ctx, *out, json_string_value(json));
done:
    json_decref(json);
    return st;
}

static specreg_status read_how(parser *p)
{
    specreg_status st = SPECREG_OK;
    size_t length = 0;
    char *spec = NULL;
    const char *text = next_line(p) ? after(p, "# text", &length) : NULL;
    if (!text)
        return broken(p, "'# text' and how the words were chosen should stand here");
    spec = sri_strndup(p->ctx, text, length);
    if (!spec)
        return SPECREG_E_NOMEM;
    st = sri_text_how_parse(p->ctx, spec, &p->v->how);
    if (st == SPECREG_E_ARG)
        st = sri_fail_at(p->ctx, SPECREG_E_FORMAT, "%s:%lld", p->name, (long long)p->line);
    free(spec);
    return st;
}

static specreg_status read_column(parser *p)
{
    size_t length = 0;
    double position, columns;
    const char *text = next_line(p) ? after(p, "# column", &length) : NULL;
    if (!text || !take_whole(&text, &length, 0, &position) ||
        !take_whole(&text, &length, 1, &columns) || position >= columns)
        return broken(p, "'# column', its number and the number of columns should stand here");
    p->v->has_names = length > 4 && memcmp(text, "yes ", 4) == 0;
    if (!p->v->has_names && (length <= 3 || memcmp(text, "no ", 3) != 0))
        return broken(p, "yes or no should stand before the column's name");
    p->v->position = (int64_t)position;
    p->v->columns = (int64_t)columns;
    const size_t skip = p->v->has_names ? 4 : 3;
    return read_name(p, text + skip, length - skip, &p->v->column);
}

static specreg_status read_head(parser *p)
{
    specreg_status st = SPECREG_OK;
    if (!next_line(p) || p->length != sizeof magic - 1 ||
        memcmp(p->text, magic, sizeof magic - 1) != 0)
        return sri_fail(p->ctx, SPECREG_E_FORMAT, "%s: is not a vocabulary file of version 1",
                        p->name);
    SRI_TRY(read_how(p));
    SRI_TRY(read_number(p, "# documents", 1, &p->v->documents));
    SRI_TRY(read_number(p, "# seen", 1, &p->v->seen));
    SRI_TRY(read_column(p));
done:
    return st;
}

static specreg_status read_class(parser *p, const char *text, size_t length)
{
    specreg_status st = SPECREG_OK;
    specreg_vocabulary *v = p->v;
    SRI_TRY(sri_grow(p->ctx, (void **)&v->label, &p->label_capacity, v->n_classes + 1,
                     sizeof *v->label));
    SRI_TRY(read_name(p, text, length, &v->label[v->n_classes]));
    v->n_classes++;
done:
    return st;
}

/* The number in text[0..n), finite and not negative. */
static bool plain_number(const char *text, size_t n, double *out)
{
    return sri_parse_double(text, n, out) && isfinite(*out) && *out >= 0;
}

static specreg_status read_word(parser *p)
{
    specreg_status st = SPECREG_OK;
    specreg_vocabulary *v = p->v;
    const int64_t j = v->words.count;
    const char *tab = memchr(p->text, '\t', p->length), *end = p->text + p->length;
    int32_t code;
    double count, idf, mi = 0;
    if (!tab || tab == p->text)
        return broken(p, "a word, a tab and its numbers should stand here");
    const char *s = tab + 1;
    size_t left = (size_t)(end - s);
    if (!take_whole(&s, &left, 0, &count))
        return broken(p, "the number of documents is not a whole number");
    const char *third = memchr(s, '\t', left);
    if (!plain_number(s, third ? (size_t)(third - s) : left, &idf) ||
        (third && !plain_number(third + 1, (size_t)(end - third - 1), &mi)))
        return broken(p, "a weight is not a number of 0 or more");
    if (!third != (v->how.choose != SRI_CHOOSE_MI))
        return broken(p, third ? "one number too many" : "the mutual information is missing");
    st = sri_texts_code(p->ctx, &v->words, p->text, (size_t)(tab - p->text), &code);
    if (st == SPECREG_E_FORMAT)
        sri_fail_at(p->ctx, st, "%s:%lld", p->name, (long long)p->line);
    SRI_TRY(st);
    if (code != j)
        return broken(p, "this word has been there before");
    SRI_TRY(sri_grow(p->ctx, (void **)&v->count, &p->count_capacity, j + 1, sizeof *v->count));
    SRI_TRY(sri_grow(p->ctx, (void **)&v->idf, &p->idf_capacity, j + 1, sizeof *v->idf));
    v->count[j] = count;
    v->idf[j] = idf;
    if (third) {
        SRI_TRY(sri_grow(p->ctx, (void **)&v->mi, &p->mi_capacity, j + 1, sizeof *v->mi));
        v->mi[j] = mi;
    }
done:
    return st;
}

specreg_status sri_vocabulary_parse(specreg_context *ctx, const char *name, const char *text,
                                    size_t size, specreg_vocabulary **out)
{
    specreg_status st = SPECREG_OK;
    parser p = {.ctx = ctx, .name = name, .at = text, .end = text + size};
    size_t length;
    *out = NULL;
    SRI_CALLOC(ctx, p.v, 1, 1);
    SRI_TRY(read_head(&p));
    if (p.v->how.choose == SRI_CHOOSE_AUTO)
        SRI_TRY(broken(&p, "choose must be mi or frequency"));
    while (next_line(&p)) {
        const char *class_name = p.v->words.count ? NULL : after(&p, "# class", &length);
        SRI_TRY(class_name ? read_class(&p, class_name, length) : read_word(&p));
    }
    SRI_REQUIRE(ctx, p.v->words.count > 0, SPECREG_E_FORMAT, "%s: has no words", name);
    *out = p.v;
    p.v = NULL;
done:
    specreg_vocabulary_free(p.v);
    return st;
}

specreg_status specreg_vocabulary_load(specreg_context *ctx, const char *path,
                                       specreg_vocabulary **out)
{
    specreg_status st = SPECREG_OK;
    sri_stream *stream = NULL;
    char *text = NULL;
    size_t size;
    *out = NULL;
    SRI_TRY(sri_stream_open(ctx, path, &stream));
    SRI_TRY(sri_stream_slurp(ctx, stream, &text, &size));
    SRI_TRY(sri_vocabulary_parse(ctx, sri_stream_name(stream), text, size, out));
done:
    free(text);
    sri_stream_close(stream);
    return st;
}
