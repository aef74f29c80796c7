/* Which format a file has, and reading and writing tables through it. */
#include "data/io/format.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/spec.h"
#include "core/text.h"
#include "data/text/documents.h"

/* In the order in which contents are asked; csv takes any text, so it comes after them.  Documents
 * are never guessed. */
static const sri_format *const formats[] = {&sri_format_npy, &sri_format_npz,    &sri_format_hdf5,
                                            &sri_format_idx, &sri_format_libsvm, &sri_format_vtk,
                                            &sri_format_csv, &sri_format_text};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static bool word_in(const char *list, const char *word, size_t length)
{
    while (*list) {
        const size_t n = strcspn(list, " ");
        if (n == length && strncasecmp(list, word, n) == 0)
            return true;
        list += n + (list[n] == ' ');
    }
    return false;
}

/* By the ending of the first `length` characters of a name, after .gz or .zst; NULL for none. */
static const sri_format *by_extension(const char *name, size_t length)
{
    for (int pass = 0; pass < 2; pass++) {
        size_t dot = length;
        while (dot > 0 && name[dot - 1] != '.' && name[dot - 1] != '/')
            dot--;
        if (dot == 0 || name[dot - 1] != '.')
            return NULL;
        if (word_in("gz zst", name + dot, length - dot)) {
            length = dot - 1;
            continue;
        }
        for (int i = 0; i < FORMATS; i++)
            if (word_in(formats[i]->extensions, name + dot, length - dot))
                return formats[i];
        return NULL;
    }
    return NULL;
}

/* "file.h5:/name": where the ':' is, when what precedes it is the name of a file of arrays. */
static const char *inner_name(const char *path, const char *forced)
{
    const char *colon = strrchr(path, ':');
    if (!colon || access(path, F_OK) == 0)
        return NULL;
    const sri_format *f = by_extension(path, (size_t)(colon - path));
    for (int i = 0; i < FORMATS; i++)
        if (formats[i]->many_arrays && (f == formats[i] || strcmp(forced, formats[i]->name) == 0))
            return colon;
    return NULL;
}

/* `documents`: whether features are to be made of text. */
static specreg_status choose(specreg_context *ctx, sri_stream *stream, const char *path,
                             const char *forced, bool documents, const sri_format **out)
{
    specreg_status st = SPECREG_OK;
    const char *name = sri_stream_name(stream), *head;
    size_t length;
    if (strcmp(forced, "auto") != 0) {
        const char *known[FORMATS];
        for (int i = 0; i < FORMATS; i++) {
            known[i] = formats[i]->name;
            *out = formats[i];
            if (strcmp(forced, formats[i]->name) == 0)
                return SPECREG_OK;
        }
        return sri_fail_unknown(ctx, "format", forced, known, FORMATS);
    }
    *out = by_extension(path, strlen(path));
    if (!*out && documents)
        *out = &sri_format_text;
    if (*out)
        return SPECREG_OK;
    SRI_TRY(sri_stream_peek(ctx, stream, &head, &length));
    SRI_REQUIRE(ctx, length > 0, SPECREG_E_FORMAT, "%s: is empty", name);
    for (int i = 0; i < FORMATS; i++)
        if (formats[i]->sniff(head, length)) {
            *out = formats[i];
            return SPECREG_OK;
        }
    SRI_REQUIRE(ctx, length < 16 || head[8] != '{' || head[9] != '"', SPECREG_E_FORMAT,
                "%s: looks like a model file, not like data", name);
    st = sri_fail(ctx, SPECREG_E_FORMAT,
                  "%s: is neither text nor NPY, NPZ, HDF5 or IDX: nothing that can be read", name);
done:
    return st;
}

/* A folder can only be documents. */
static specreg_status read_folder(specreg_context *ctx, const char *path, const char *forced,
                                  specreg_table **out)
{
    const double start = sri_clock();
    if (strcmp(forced, "auto") != 0 && strcmp(forced, "text") != 0)
        return sri_fail(ctx, SPECREG_E_IO, "%s: is a directory", path);
    const specreg_status st = sri_documents_folder(ctx, path, out);
    if (st == SPECREG_OK)
        (*out)->read_seconds = sri_clock() - start;
    return st;
}

specreg_status sri_read_limit(specreg_context *ctx, const specreg_options *options, int64_t *memory)
{
    const char *text = sri_option_value(options, SRI_OPT_MEMORY);
    *memory = sri_memory_available();
    return strcmp(text, "auto") == 0 ? SPECREG_OK : sri_size_parse(ctx, "memory", text, memory);
}

static specreg_status expansion_limit(specreg_context *ctx, const specreg_options *options,
                                      double *times)
{
    const char *text = sri_option_value(options, SRI_OPT_MAX_EXPANSION);
    SRI_CHECK(ctx, sri_parse_double(text, strlen(text), times) && *times >= 1, SPECREG_E_ARG,
              "max-expansion: '%s' is not a number of at least 1", text);
    return SPECREG_OK;
}

specreg_status sri_content_open(specreg_context *ctx, const char *path, int copy,
                                const specreg_options *options, sri_content *out)
{
    const char *forced = sri_option_value(options, SRI_OPT_FORMAT);
    const char *inner = inner_name(path, forced);
    sri_stream *recoded = NULL;
    double expansion;
    *out = (sri_content){.inner = inner ? inner + 1 : NULL};
    SRI_CALL(expansion_limit(ctx, options, &expansion));
    SRI_GIVEN(out->file, sri_strndup(ctx, path, inner ? (size_t)(inner - path) : strlen(path)));
    SRI_CALL(copy < 0 ? sri_stream_open(ctx, out->file, &out->stream)
                      : sri_stream_open_copy(ctx, out->file, copy, &out->stream));
    sri_stream_allow_expansion(out->stream, expansion);
    SRI_CALL(sri_recode_open(ctx, out->stream, sri_option_value(options, SRI_OPT_ENCODING),
                             &out->recoder, &recoded));
    if (recoded) {
        out->raw = out->stream;
        out->stream = recoded;
    }
    return choose(ctx, out->stream, out->file, forced,
                  *sri_option_value(options, SRI_OPT_TEXT) != '\0', &out->format);
}

void sri_content_close(sri_content *c)
{
    sri_stream_close(c->stream);
    sri_recode_close(c->recoder);
    sri_stream_close(c->raw);
    sri_free(c->file);
    *c = (sri_content){0};
}

specreg_status sri_content_finish(specreg_context *ctx, const sri_content *c, const char *path,
                                  const specreg_options *options, specreg_table *t)
{
    char *source;
    SRI_CALL(sri_table_categorical(ctx, t, sri_option_value(options, SRI_OPT_CATEGORICAL)));
    SRI_NEW_TEXT(ctx, source, strcmp(path, "-") == 0 ? "stdin" : path);
    sri_free(t->source);
    t->source = source;
    t->format = c->format->name;
    return SPECREG_OK;
}

static specreg_status read_file(specreg_context *ctx, const char *path,
                                const specreg_options *options, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const double start = sri_clock();
    sri_content c = {0};
    specreg_table *t = NULL;
    SRI_TRY(sri_content_open(ctx, path, -1, options, &c));
    SRI_TRY(c.format->read(ctx, c.stream, c.file, c.inner, options, &t));
    SRI_TRY(sri_content_finish(ctx, &c, path, options, t));
    t->read_seconds = sri_clock() - start;
    SRI_MOVE(*out, t);
done:
    if (st == SPECREG_E_NOMEM && c.file)
        sri_fail_at(ctx, st, "%s", c.file);
    specreg_table_free(t);
    sri_content_close(&c);
    return st;
}

/* With the labels that the options name. */
static specreg_status read_labels(specreg_context *ctx, const char *path,
                                  const specreg_options *options, specreg_table *t)
{
    specreg_status st = SPECREG_OK;
    specreg_options *plain = NULL;
    specreg_table *labels = NULL;
    SRI_TRY(sri_options_for_labels(ctx, options, &plain));
    SRI_TRY(read_file(ctx, path, plain, &labels));
    SRI_TRY(sri_table_label(ctx, t, labels));
done:
    specreg_table_free(labels);
    specreg_options_free(plain);
    return st;
}

specreg_status specreg_table_read(specreg_context *ctx, const char *path,
                                  const specreg_options *options, specreg_table **out)
{
    SRI_MAKES(ctx, out, path);
    int64_t memory;
    specreg_status st = sri_read_limit(ctx, options, &memory);
    if (st != SPECREG_OK)
        return st;
    const sri_memory_scope outer = sri_memory_begin(ctx, memory);
    if (strcmp(path, "-") != 0 && sri_is_folder(path))
        st = read_folder(ctx, path, sri_option_value(options, SRI_OPT_FORMAT), out);
    else
        st = read_file(ctx, path, options, out);
    const char *labels = sri_labels_file(options);
    if (st == SPECREG_OK && *labels)
        st = read_labels(ctx, labels, options, *out);
    if (st != SPECREG_OK) {
        specreg_table_free(*out);
        *out = NULL;
    }
    sri_memory_end(ctx, outer);
    return st;
}

/* Names that promise what is not written here; other unknown endings get CSV. */
static const char foreign[] = "parquet feather arrow xlsx xls ods json mat pkl pickle arff dta sav";

static bool is_foreign(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && word_in(foreign, dot + 1, strlen(dot + 1));
}

specreg_status sri_format_to_write(specreg_context *ctx, const char *path, const sri_format **out)
{
    const sri_format *format = by_extension(path, strlen(path));
    SRI_CHECK(ctx, format || !is_foreign(path), SPECREG_E_ARG,
              "%s: this format cannot be written (known: csv tsv libsvm npy npz hdf5)", path);
    *out = format ? format : &sri_format_csv;
    return SPECREG_OK;
}

specreg_status specreg_table_write(specreg_context *ctx, const specreg_table *t, const char *path)
{
    SRI_ARGS(ctx, t, path);
    specreg_status st = SPECREG_OK;
    sri_output *output = NULL;
    const sri_format *format;
    SRI_TRY(sri_format_to_write(ctx, path, &format));
    SRI_TRY(sri_output_open(ctx, path, &output));
    SRI_TRY(sri_output_compress(ctx, output));
    SRI_TRY(format->write(ctx, t, output));
    st = sri_output_commit(ctx, output);
    output = NULL;
done:
    sri_output_abandon(output);
    return st;
}
