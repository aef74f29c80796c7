#include "sums/store.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/io/output.h"
#include "data/io/stream.h"

/* Both kinds of files: a mark, the byte order, numbers and pieces, and a digest of all before
 * it. */
static const char BASIS_MARK[] = "specregB", SUMS_MARK[] = "specregS";
enum { MARK = 8, VERSION = 1 };
static const int64_t BYTE_ORDER_MARK = 0x0102030405060708;
static const int64_t MOST_ORDER = 100000, MOST_PARTS = 10000, MOST_KERNELS = 10000;

typedef struct writer {
    specreg_context *ctx;
    sri_output *to;
    sri_digest digest;
    specreg_status st;
} writer;

static void put(writer *w, const void *data, int64_t size)
{
    if (w->st != SPECREG_OK)
        return;
    sri_digest_add(&w->digest, data, (size_t)size);
    w->st = sri_output_write(w->ctx, w->to, data, (size_t)size);
}

static void put_number(writer *w, int64_t number)
{
    put(w, &number, sizeof number);
}

static void put_piece(writer *w, const char *data, int64_t size)
{
    put_number(w, size);
    put(w, data, size);
}

static specreg_status begin_writing(specreg_context *ctx, const char *path, const char *mark,
                                    writer *w)
{
    *w = (writer){.ctx = ctx};
    SRI_CALL(sri_output_open(ctx, path, &w->to));
    put(w, mark, MARK);
    put_number(w, BYTE_ORDER_MARK);
    put_number(w, VERSION);
    return SPECREG_OK;
}

static specreg_status end_writing(writer *w)
{
    const sri_digest digest = w->digest;
    put(w, &digest, sizeof digest);
    if (w->st == SPECREG_OK)
        return sri_output_commit(w->ctx, w->to);
    sri_output_abandon(w->to);
    return w->st;
}

typedef struct reader {
    specreg_context *ctx;
    const char *path;
    sri_stream *from;
    int64_t left; /* bytes of the file */
    sri_digest digest;
} reader;

static specreg_status broken(const reader *r, const char *what)
{
    return sri_fail(r->ctx, SPECREG_E_FORMAT, "%s: %s", r->path, what);
}

static specreg_status get_raw(reader *r, void *data, int64_t size)
{
    char *to = data;
    if (size > r->left)
        return broken(r, "the file ends too early");
    r->left -= size;
    while (size > 0) {
        size_t got;
        SRI_CALL(sri_stream_read(r->ctx, r->from, to, (size_t)size, &got));
        if (!got)
            return broken(r, "the file ends too early");
        to += got;
        size -= (int64_t)got;
    }
    return SPECREG_OK;
}

static specreg_status get(reader *r, void *data, int64_t size)
{
    SRI_CALL(get_raw(r, data, size));
    sri_digest_add(&r->digest, data, (size_t)size);
    return SPECREG_OK;
}

static specreg_status get_number(reader *r, int64_t least, int64_t most, int64_t *out)
{
    SRI_CALL(get(r, out, sizeof *out));
    return *out >= least && *out <= most ? SPECREG_OK : broken(r, "an impossible size");
}

/* A piece with its size before it, and a 0 behind it in memory. */
static specreg_status get_piece(reader *r, char **out, int64_t *size)
{
    SRI_CALL(get_number(r, 0, INT64_MAX, size));
    if (*size > r->left)
        return broken(r, "the file ends too early");
    SRI_NEW(r->ctx, *out, *size + 1, 1);
    (*out)[*size] = 0;
    return get(r, *out, *size);
}

static specreg_status begin_reading(specreg_context *ctx, const char *path, const char *mark,
                                    const char *kind, reader *r)
{
    char found[MARK];
    int64_t order, version;
    *r = (reader){.ctx = ctx, .path = path};
    SRI_CALL(sri_stream_open(ctx, path, &r->from));
    r->left = sri_stream_length(r->from);
    if (r->left < MARK)
        return sri_fail(ctx, SPECREG_E_FORMAT, "%s is not a %s file", path, kind);
    SRI_CALL(get(r, found, MARK));
    if (memcmp(found, mark, MARK) != 0)
        return sri_fail(ctx, SPECREG_E_FORMAT, "%s is not a %s file", path, kind);
    SRI_CALL(get_number(r, INT64_MIN, INT64_MAX, &order));
    if (order != BYTE_ORDER_MARK)
        return broken(r, "it comes from a computer with another order of bytes");
    SRI_CALL(get_number(r, INT64_MIN, INT64_MAX, &version));
    return version == VERSION ? SPECREG_OK : broken(r, "it is of a newer version of specreg");
}

static specreg_status end_reading(reader *r)
{
    sri_digest found;
    SRI_CALL(get_raw(r, &found, sizeof found));
    if (memcmp(&found, &r->digest, sizeof found) != 0)
        return broken(r, "the checksum is wrong: the file is damaged");
    return r->left ? broken(r, "there is more than there should be") : SPECREG_OK;
}

specreg_status sri_sums_basis_options_text(specreg_context *ctx, const specreg_options *options,
                                           char **out)
{
    sri_buffer text = {0};
    for (int i = 0; options && specreg_option_at(i); i++)
        if (options->value[i])
            SRI_CALL(sri_buffer_print(ctx, &text, "%s=%s\n", specreg_option_at(i)->name,
                                      options->value[i]));
    SRI_CALL(sri_buffer_print(ctx, &text, "%s", ""));
    *out = text.data;
    return SPECREG_OK;
}

static bool is_one_of(const char *name, const char *const *list)
{
    while (*list && strcmp(name, *list) != 0)
        list++;
    return *list;
}

/* Options that name files.  A basis may come from others, and must not say what else is read or
 * written. */
static bool names_a_file(const char *name, const char *value)
{
    static const char *const always[] = {"checkpoint", "features-file", NULL};
    static const char *const words[] = {"names", "numbers", NULL};
    static const char *const maybe[] = {"select", "features", "approx", "outputs", NULL};
    if (strcmp(name, "labels") == 0)
        return !is_one_of(value, words);
    if (is_one_of(name, maybe))
        return strstr(value, "file:") || strstr(value, "file=") || strstr(value, "splits:");
    return is_one_of(name, always);
}

specreg_status sri_sums_basis_options_set(specreg_context *ctx, const sri_sums_basis *basis,
                                          specreg_options *options)
{
    specreg_status st = SPECREG_OK;
    char *text = NULL, *next;
    SRI_STRDUP(ctx, text, basis->options);
    for (char *line = text; *line; line = next) {
        char *end = strchr(line, '\n'), *value = strchr(line, '=');
        SRI_REQUIRE(ctx, end && value && value < end, SPECREG_E_FORMAT,
                    "the options of the basis are damaged");
        *end = *value++ = 0;
        next = end + 1;
        SRI_REQUIRE(ctx, !names_a_file(line, value), SPECREG_E_ARG,
                    "%s: a basis cannot have options that name files", line);
        const int which = sri_option_index(line);
        if (which < 0 || !options->value[which])
            SRI_TRY(specreg_options_set(ctx, options, line, value));
    }
done:
    sri_free(text);
    return st;
}

/* Whether a file of this name, in a folder, stays there. */
static bool is_plain_name(const char *name, int64_t size)
{
    return size > 0 && size <= 200 && (int64_t)strlen(name) == size && !strchr(name, '/') &&
           strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

specreg_status sri_sums_basis_make(specreg_context *ctx, const char *path,
                                   const specreg_options *options, sri_sums_basis *out)
{
    specreg_status st = SPECREG_OK;
    FILE *file = NULL;
    const char *slash = strrchr(path, '/');
    *out = (sri_sums_basis){0};
    SRI_TRY(sri_sums_basis_options_text(ctx, options, &out->options));
    SRI_STRDUP(ctx, out->name, slash ? slash + 1 : path);
    SRI_REQUIRE(ctx, is_plain_name(out->name, (int64_t)strlen(out->name)), SPECREG_E_ARG,
                "%s: a basis keeps the name of its file, which has no or too many letters", path);
    file = fopen(path, "rb");
    SRI_REQUIRE(ctx, file, SPECREG_E_IO, "%s: cannot be opened", path);
    SRI_REQUIRE(ctx, fseek(file, 0, SEEK_END) == 0 && (out->size = ftell(file)) >= 0, SPECREG_E_IO,
                "%s: only files can be the first rows of a basis", path);
    rewind(file);
    SRI_ALLOC(ctx, out->rows, out->size, 1);
    SRI_REQUIRE(ctx, fread(out->rows, 1, (size_t)out->size, file) == (size_t)out->size,
                SPECREG_E_IO, "%s: cannot be read", path);
done:
    if (file)
        fclose(file);
    if (st != SPECREG_OK)
        sri_sums_basis_free(out);
    return st;
}

static void put_basis(writer *w, const sri_sums_basis *basis)
{
    put_piece(w, basis->options, (int64_t)strlen(basis->options));
    put_piece(w, basis->name, (int64_t)strlen(basis->name));
    put_piece(w, basis->rows, basis->size);
}

static specreg_status get_basis(reader *r, sri_sums_basis *out)
{
    int64_t size;
    SRI_CALL(get_piece(r, &out->options, &size));
    SRI_CALL(get_piece(r, &out->name, &size));
    if (!is_plain_name(out->name, size))
        return broken(r, "an impossible name of the first rows");
    return get_piece(r, &out->rows, &out->size);
}

specreg_status sri_sums_basis_write(specreg_context *ctx, const sri_sums_basis *basis,
                                    const char *path)
{
    writer w;
    SRI_CALL(begin_writing(ctx, path, BASIS_MARK, &w));
    put_basis(&w, basis);
    return end_writing(&w);
}

specreg_status sri_sums_basis_read(specreg_context *ctx, const char *path, sri_sums_basis *out)
{
    reader r;
    *out = (sri_sums_basis){0};
    specreg_status st = begin_reading(ctx, path, BASIS_MARK, "basis", &r);
    if (st == SPECREG_OK)
        st = get_basis(&r, out);
    if (st == SPECREG_OK)
        st = end_reading(&r);
    sri_stream_close(r.from);
    if (st != SPECREG_OK)
        sri_sums_basis_free(out);
    return st;
}

void sri_sums_basis_free(sri_sums_basis *basis)
{
    sri_free(basis->rows);
    sri_free(basis->name);
    sri_free(basis->options);
    *basis = (sri_sums_basis){0};
}

static bool same_basis(const sri_sums_basis *a, const sri_sums_basis *b)
{
    return a->size == b->size && strcmp(a->options, b->options) == 0 &&
           strcmp(a->name, b->name) == 0 && memcmp(a->rows, b->rows, (size_t)a->size) == 0;
}

static int by_digest(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(sri_digest));
}

/* Numbers of all parts together. */
static int64_t numbers_of(const sri_sums *s)
{
    return s->parts * sri_sums_triangle(s->order);
}

static void put_sums(writer *w, const sri_sums *s)
{
    const int64_t bytes = numbers_of(s) * (int64_t)sizeof(int64_t);
    put_number(w, s->at.r);
    put_number(w, s->at.l);
    put_number(w, s->at.T);
    put_number(w, s->parts);
    for (int64_t j = 0; j < s->order; j++)
        put_number(w, s->exponent[j]);
    put(w, s->rows, s->parts * (int64_t)sizeof *s->rows);
    put(w, s->sum.high, bytes);
    put(w, s->sum.low, bytes);
}

specreg_status sri_stored_write(specreg_context *ctx, sri_stored_sums *stored, const char *path)
{
    writer w;
    qsort(stored->block, (size_t)stored->blocks, sizeof *stored->block, by_digest);
    SRI_CALL(begin_writing(ctx, path, SUMS_MARK, &w));
    put_basis(&w, &stored->basis);
    put_number(&w, stored->kernels);
    put_number(&w, stored->blocks);
    put(&w, stored->block, stored->blocks * (int64_t)sizeof *stored->block);
    for (int64_t k = 0; k < stored->kernels; k++)
        put_sums(&w, &stored->sums[k]);
    return end_writing(&w);
}

static specreg_status get_exponents(reader *r, int64_t order, int *exponent)
{
    for (int64_t j = 0; j < order; j++) {
        int64_t e;
        SRI_CALL(get_number(r, -2000, 2000, &e));
        exponent[j] = (int)e;
    }
    return SPECREG_OK;
}

static specreg_status get_sums(reader *r, sri_sums *out)
{
    specreg_status st = SPECREG_OK;
    sri_sums_layout at;
    int64_t parts;
    int *exponent = NULL;
    SRI_TRY(get_number(r, 1, MOST_ORDER, &at.r));
    SRI_TRY(get_number(r, 0, MOST_ORDER, &at.l));
    SRI_TRY(get_number(r, 1, MOST_ORDER, &at.T));
    SRI_TRY(get_number(r, 1, MOST_PARTS, &parts));
    const int64_t order = sri_sums_order(&at);
    if (sri_sums_bytes(order, parts) > (double)r->left)
        SRI_TRY(broken(r, "the file ends too early"));
    SRI_ALLOC(r->ctx, exponent, order, 1);
    SRI_TRY(get_exponents(r, order, exponent));
    SRI_TRY(sri_sums_new(r->ctx, &at, parts, exponent, out));
    SRI_TRY(get(r, out->rows, parts * (int64_t)sizeof *out->rows));
    SRI_TRY(get(r, out->sum.high, numbers_of(out) * (int64_t)sizeof(int64_t)));
    SRI_TRY(get(r, out->sum.low, numbers_of(out) * (int64_t)sizeof(int64_t)));
done:
    sri_free(exponent);
    return st;
}

/* Numbers that only a file made by others has. */
static specreg_status check_sums(reader *r, sri_sums *s)
{
    for (int64_t f = 0; f < s->parts; f++)
        if (s->rows[f] < 0 || s->rows[f] > INT64_C(1) << 48)
            return broken(r, "an impossible number of rows");
    for (int64_t k = 0; k < numbers_of(s); k++)
        if (s->sum.low[k] < -(INT64_C(1) << 50) || s->sum.low[k] > INT64_C(1) << 50)
            return broken(r, "an impossible sum");
    return sri_sums_close(r->ctx, s);
}

static specreg_status get_stored(reader *r, sri_stored_sums *out)
{
    int64_t kernels;
    SRI_CALL(get_basis(r, &out->basis));
    SRI_CALL(get_number(r, 1, MOST_KERNELS, &kernels));
    SRI_CALL(get_number(r, 0, r->left / (int64_t)sizeof *out->block, &out->blocks));
    SRI_NEW(r->ctx, out->block, out->blocks, 1);
    SRI_CALL(get(r, out->block, out->blocks * (int64_t)sizeof *out->block));
    SRI_NEW_ZERO(r->ctx, out->sums, kernels, 1);
    out->kernels = kernels;
    for (int64_t k = 0; k < kernels; k++) {
        SRI_CALL(get_sums(r, &out->sums[k]));
        SRI_CALL(check_sums(r, &out->sums[k]));
    }
    return end_reading(r);
}

specreg_status sri_stored_read(specreg_context *ctx, const char *path, sri_stored_sums *out)
{
    reader r;
    *out = (sri_stored_sums){0};
    specreg_status st = begin_reading(ctx, path, SUMS_MARK, "sums", &r);
    if (st == SPECREG_OK)
        st = get_stored(&r, out);
    sri_stream_close(r.from);
    if (st != SPECREG_OK)
        sri_stored_free(out);
    return st;
}

void sri_stored_free(sri_stored_sums *stored)
{
    for (int64_t k = 0; stored->sums && k < stored->kernels; k++)
        sri_sums_free(&stored->sums[k]);
    sri_free(stored->sums);
    sri_free(stored->block);
    sri_sums_basis_free(&stored->basis);
    *stored = (sri_stored_sums){0};
}

/* Adds the blocks of the other, none of which may be there yet. */
static specreg_status add_blocks(specreg_context *ctx, sri_stored_sums *stored,
                                 const sri_stored_sums *other, const char *name)
{
    const int64_t had = stored->blocks;
    sri_digest *all;
    SRI_NEW(ctx, all, had + other->blocks, 1);
    memcpy(all, stored->block, (size_t)had * sizeof *all);
    memcpy(all + had, other->block, (size_t)other->blocks * sizeof *all);
    sri_free(stored->block);
    stored->block = all;
    stored->blocks = had + other->blocks;
    qsort(all, (size_t)stored->blocks, sizeof *all, by_digest);
    int64_t twice = 0;
    for (int64_t k = 1; k < stored->blocks; k++)
        twice += by_digest(&all[k], &all[k - 1]) == 0;
    return twice ? sri_fail(ctx, SPECREG_E_NUMERIC,
                            "%s: %lld of its %lld blocks of rows are in the sums already", name,
                            (long long)twice, (long long)other->blocks)
                 : SPECREG_OK;
}

/* Takes the blocks of the other away, all of which must be there. */
static specreg_status remove_blocks(specreg_context *ctx, sri_stored_sums *stored,
                                    const sri_stored_sums *other, const char *name)
{
    int64_t kept = 0, found = 0;
    for (int64_t k = 0; k < stored->blocks; k++) {
        const bool goes = bsearch(&stored->block[k], other->block, (size_t)other->blocks,
                                  sizeof *other->block, by_digest);
        found += goes;
        if (!goes)
            stored->block[kept++] = stored->block[k];
    }
    stored->blocks = kept;
    return found == other->blocks
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_NUMERIC,
                          "%s: %lld of its %lld blocks of rows are not in the sums", name,
                          (long long)(other->blocks - found), (long long)other->blocks);
}

static specreg_status join_sums(specreg_context *ctx, sri_sums *a, const sri_sums *b, int sign)
{
    if (a->order != b->order || a->parts != b->parts ||
        memcmp(a->exponent, b->exponent, (size_t)a->order * sizeof *a->exponent) != 0)
        return sri_fail(
            ctx, SPECREG_E_NUMERIC,
            "sums of the same basis have other sizes: they come from different kinds of "
            "computers");
    for (int64_t f = 0; f < a->parts; f++) {
        a->rows[f] += sign * b->rows[f];
        SRI_CHECK(ctx, a->rows[f] >= 0 && a->rows[f] <= INT64_C(1) << 48, SPECREG_E_NUMERIC,
                  "the sums have an impossible number of rows together");
    }
    return sri_exact_merge(a->sum, b->sum, numbers_of(a), sign)
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_NUMERIC, "the sums outgrew their scale");
}

specreg_status sri_stored_join(specreg_context *ctx, sri_stored_sums *stored,
                               const sri_stored_sums *other, int sign, const char *name)
{
    SRI_CHECK(ctx, same_basis(&stored->basis, &other->basis) && stored->kernels == other->kernels,
              SPECREG_E_ARG, "%s: the sums are of another basis", name);
    SRI_CALL((sign > 0 ? add_blocks : remove_blocks)(ctx, stored, other, name));
    for (int64_t k = 0; k < stored->kernels; k++)
        SRI_CALL(join_sums(ctx, &stored->sums[k], &other->sums[k], sign));
    return SPECREG_OK;
}
