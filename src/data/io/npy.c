/* NPY, versions 1 to 3: the header is a Python dict, then come the raw items. */
#include "data/io/npy.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#include "core/memory.h"

enum { LONGEST_HEADER = 1 << 20, PIECE = 1 << 18 };

typedef sri_npy_layout header;

/* ------------------------------------------------------------------- the header's dict */

static void skip_spaces(const char **p)
{
    while (**p == ' ' || **p == '\t' || **p == '\n' || **p == '\r')
        ++*p;
}

static bool take(const char **p, const char *text)
{
    skip_spaces(p);
    const size_t n = strlen(text);
    if (strncmp(*p, text, n) != 0)
        return false;
    *p += n;
    return true;
}

/* A quoted text without escapes; false when there is none or it is too long. */
static bool take_quoted(const char **p, char *out, size_t size)
{
    skip_spaces(p);
    const char quote = **p;
    if (quote != '\'' && quote != '"')
        return false;
    const char *end = strchr(*p + 1, quote);
    if (!end || (size_t)(end - *p) > size)
        return false;
    memcpy(out, *p + 1, (size_t)(end - *p) - 1);
    out[end - *p - 1] = '\0';
    *p = end + 1;
    return true;
}

static bool take_count(const char **p, int64_t *out)
{
    skip_spaces(p);
    if ((unsigned char)(**p - '0') >= 10)
        return false;
    for (*out = 0; (unsigned char)(**p - '0') < 10; ++*p)
        if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, **p - '0', out))
            return false;
    *p += **p == 'L'; /* written by Python 2 */
    return true;
}

/* "<f8": what this build can read.  Returns why not, or NULL. */
static const char *read_type(const char *text, header *h)
{
    h->order = *text && strchr("<>|=", *text) ? *text++ : '=';
    if (h->order == '=')
        h->order = '<'; /* of the machine that wrote the file, most likely */
    h->kind = *text ? *text++ : '?';
    if (!take_count(&text, &h->size) || *text)
        h->size = 0;
    if (h->kind == 'O')
        return "holds Python objects, which are not read";
    if (h->kind == 'c')
        return "holds complex numbers, which are not read";
    const bool known = (h->kind == 'b' && h->size == 1) ||
                       (h->kind == 'f' && (h->size == 4 || h->size == 8)) ||
                       ((h->kind == 'i' || h->kind == 'u') &&
                        (h->size == 1 || h->size == 2 || h->size == 4 || h->size == 8)) ||
                       (h->kind == 'U' && h->size > 0 && h->size <= 65536) ||
                       (h->kind == 'S' && h->size > 0 && h->size <= 65536);
    if (!known)
        return "has items of a type that is not read";
    if (h->kind == 'U')
        h->size *= 4; /* bytes of a letter */
    return NULL;
}

/* Parses the dict; returns what is wrong with it, or NULL. */
static const char *read_dict(const char *p, header *h)
{
    static const char bad[] = "has a malformed NPY header";
    char key[32], type[32];
    bool has_type = false, has_order = false, has_shape = false;
    if (!take(&p, "{"))
        return bad;
    while (!take(&p, "}")) {
        if (!take_quoted(&p, key, sizeof key) || !take(&p, ":"))
            return bad;
        if (strcmp(key, "descr") == 0) {
            if (take(&p, "["))
                return "holds records (a structured type), which are not read";
            if (!take_quoted(&p, type, sizeof type))
                return bad;
            const char *why = read_type(type, h);
            if (why)
                return why;
            has_type = true;
        } else if (strcmp(key, "fortran_order") == 0) {
            h->fortran = take(&p, "True");
            if (!h->fortran && !take(&p, "False"))
                return bad;
            has_order = true;
        } else if (strcmp(key, "shape") == 0) {
            if (!take(&p, "("))
                return bad;
            for (h->dims = 0; !take(&p, ")"); h->dims++) {
                int64_t count;
                if (!take_count(&p, &count))
                    return bad;
                if (h->dims < 2)
                    h->shape[h->dims] = count;
                if (!take(&p, ",") && (skip_spaces(&p), *p != ')'))
                    return bad;
            }
            has_shape = true;
        } else {
            return bad;
        }
        if (!take(&p, ",") && (skip_spaces(&p), *p != '}'))
            return bad;
    }
    return has_type && has_order && has_shape ? NULL : bad;
}

static specreg_status read_header(specreg_context *ctx, sri_stream *s, header *h)
{
    specreg_status st = SPECREG_OK;
    const char *name = sri_stream_name(s);
    unsigned char b[12];
    char *text = NULL;
    size_t got;
    SRI_TRY(sri_stream_fill(ctx, s, b, 8, &got));
    SRI_REQUIRE(ctx, got > 0, SPECREG_E_FORMAT, "%s: is empty", name);
    SRI_REQUIRE(ctx, got == 8 && memcmp(b, "\x93NUMPY", 6) == 0, SPECREG_E_FORMAT,
                "%s: is not an NPY file", name);
    SRI_REQUIRE(ctx, b[6] >= 1 && b[6] <= 3, SPECREG_E_FORMAT,
                "%s: is an NPY file of version %d, which is not known", name, b[6]);
    const size_t width = b[6] == 1 ? 2 : 4;
    SRI_TRY(sri_stream_fill(ctx, s, b + 8, width, &got));
    SRI_REQUIRE(ctx, got == width, SPECREG_E_FORMAT, "%s: ends in the middle of its header", name);
    const size_t length =
        width == 2 ? (size_t)b[8] | (size_t)b[9] << 8
                   : (size_t)b[8] | (size_t)b[9] << 8 | (size_t)b[10] << 16 | (size_t)b[11] << 24;
    SRI_REQUIRE(ctx, length <= LONGEST_HEADER, SPECREG_E_FORMAT, "%s: has a malformed NPY header",
                name);
    SRI_CALLOC(ctx, text, (int64_t)length + 1, 1);
    SRI_TRY(sri_stream_fill(ctx, s, text, length, &got));
    SRI_REQUIRE(ctx, got == length, SPECREG_E_FORMAT, "%s: ends in the middle of its header", name);
    const char *why = read_dict(text, h);
    SRI_REQUIRE(ctx, !why, SPECREG_E_FORMAT, "%s: %s", name, why);
    h->offset = (int64_t)(8 + width + length);
done:
    sri_free(text);
    return st;
}

/* ------------------------------------------------------------------------------- items */

static uint64_t load(const unsigned char *p, int64_t size, bool big)
{
    uint64_t x = 0;
    for (int64_t i = 0; i < size; i++)
        x |= (uint64_t)p[i] << 8 * (big ? size - 1 - i : i);
    return x;
}

static double item(const unsigned char *p, const header *h)
{
    const uint64_t x = load(p, h->size, h->order == '>');
    if (h->kind == 'f' && h->size == 8) {
        double v;
        memcpy(&v, &x, sizeof v);
        return v;
    }
    if (h->kind == 'f') {
        const uint32_t x4 = (uint32_t)x;
        float v;
        memcpy(&v, &x4, sizeof v);
        return (double)v;
    }
    if (h->kind == 'i') {
        const int unused = 64 - 8 * (int)h->size;
        return (double)((int64_t)(x << unused) >> unused);
    }
    return h->kind == 'b' ? x != 0 : (double)x;
}

static void convert(const unsigned char *p, int64_t count, const header *h, double *out)
{
    const char native = htole16(1) == 1 ? '<' : '>';
    const bool is_native = h->kind == 'f' && h->order == native;
    if (is_native && h->size == 8) {
        memcpy(out, p, (size_t)count * sizeof *out);
    } else if (is_native) {
        const float *from = (const void *)p;
        for (int64_t i = 0; i < count; i++)
            out[i] = (double)from[i];
    } else if (h->kind == 'u' && h->size == 1) {
        for (int64_t i = 0; i < count; i++)
            out[i] = p[i];
    } else {
        for (int64_t i = 0; i < count; i++)
            out[i] = item(p + i * h->size, h);
    }
}

/* A UTF-32 text, padded with zeros, as UTF-8; returns its length, or -1 when it is none. */
static int64_t utf8_from_utf32(const unsigned char *p, const header *h, char *out)
{
    static const unsigned char lead[4] = {0, 0xc0, 0xe0, 0xf0};
    int64_t last = h->size / 4, n = 0;
    while (last > 0 && load(p + 4 * (last - 1), 4, h->order == '>') == 0)
        last--;
    for (int64_t i = 0; i < last; i++) {
        const uint64_t c = load(p + 4 * i, 4, h->order == '>');
        if (c > 0x10ffff)
            return -1;
        if (c < 0x80) {
            out[n++] = (char)c;
        } else {
            const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
            out[n++] = (char)(lead[more] | c >> 6 * more);
            for (int k = more - 1; k >= 0; k--)
                out[n++] = (char)(0x80 | (c >> 6 * k & 0x3f));
        }
    }
    return n;
}

static specreg_status put_text(specreg_context *ctx, const unsigned char *p, const header *h,
                               char *scratch, sri_array *a, int64_t row)
{
    const char *text = scratch;
    int64_t length;
    if (h->kind == 'U') {
        length = utf8_from_utf32(p, h, scratch);
    } else {
        text = (const char *)p;
        for (length = h->size; length > 0 && p[length - 1] == 0;)
            length--;
    }
    if (length < 0)
        return sri_fail(ctx, SPECREG_E_FORMAT, "is not Unicode text");
    a->code[row] = -1;
    if (sri_is_missing(text, (size_t)length))
        return SPECREG_OK;
    return sri_texts_code(ctx, &a->texts, text, (size_t)length, &a->code[row]);
}

/* -------------------------------------------------------------------------------- content */

static specreg_status check_shape(specreg_context *ctx, const sri_stream *s, header *h)
{
    const char *name = sri_stream_name(s);
    int64_t bytes, *count = &h->count;
    SRI_CHECK(ctx, h->dims == 1 || h->dims == 2, SPECREG_E_FORMAT,
              "%s: has %d dimensions, expected 1 or 2", name, h->dims);
    SRI_CHECK(ctx, h->shape[0] > 0, SPECREG_E_FORMAT, "%s: has no rows", name);
    SRI_CHECK(ctx, h->dims == 1 || h->shape[1] > 0, SPECREG_E_FORMAT, "%s: has no columns", name);
    SRI_CHECK(ctx, !sri_npy_is_text(h) || h->dims == 1, SPECREG_E_FORMAT,
              "%s: holds texts in two dimensions, which are not read", name);
    *count = h->shape[0];
    SRI_CHECK(ctx,
              (h->dims == 1 || !__builtin_mul_overflow(*count, h->shape[1], count)) &&
                  !__builtin_mul_overflow(*count, h->size, &bytes) && bytes < INT64_MAX / 8,
              SPECREG_E_FORMAT, "%s: has an impossible shape: %lld x %lld", name,
              (long long)h->shape[0], h->dims == 1 ? 1 : (long long)h->shape[1]);
    SRI_CHECK(ctx, sri_stream_length(s) < 0 || sri_stream_length(s) - h->offset >= bytes,
              SPECREG_E_FORMAT, "%s: is too short: its header promises %lld bytes, it has %lld",
              name, (long long)(h->offset + bytes), (long long)sri_stream_length(s));
    return SPECREG_OK;
}

specreg_status sri_npy_begin(specreg_context *ctx, sri_stream *s, sri_npy_layout *out)
{
    *out = (header){0};
    SRI_CALL(read_header(ctx, s, out));
    return check_shape(ctx, s, out);
}

specreg_status sri_npy_convert(specreg_context *ctx, const sri_npy_layout *h,
                               const unsigned char *bytes, int64_t count, sri_array *a,
                               int64_t done)
{
    specreg_status st = SPECREG_OK;
    char *scratch = NULL;
    if (!sri_npy_is_text(h)) {
        convert(bytes, count, h, a->numbers + done);
        return SPECREG_OK;
    }
    SRI_ALLOC(ctx, scratch, h->size + 1, 1);
    for (int64_t i = 0; i < count; i++) {
        st = put_text(ctx, bytes + i * h->size, h, scratch, a, done + i);
        if (st != SPECREG_OK) {
            sri_fail_at(ctx, st, "row %lld", (long long)(a->first_row + done + i + 1));
            goto done;
        }
    }
done:
    sri_free(scratch);
    return st;
}

specreg_status sri_npy_too_short(specreg_context *ctx, const sri_stream *s, int64_t got,
                                 int64_t count)
{
    return sri_fail(ctx, SPECREG_E_FORMAT, "%s: is too short: it ends after %lld of %lld values",
                    sri_stream_name(s), (long long)got, (long long)count);
}

/* Space for `more` items after the first `done`, growing with what really arrives: a header may
 * promise anything. */
static specreg_status grow_items(specreg_context *ctx, sri_array *a, bool texts, int64_t done,
                                 int64_t more, int64_t *capacity)
{
    return texts ? sri_grow(ctx, (void **)&a->code, capacity, done + more, sizeof *a->code)
                 : sri_grow(ctx, (void **)&a->numbers, capacity, done + more, sizeof *a->numbers);
}

static specreg_status read_items(specreg_context *ctx, sri_stream *s, const header *h, sri_array *a)
{
    specreg_status st = SPECREG_OK;
    const bool texts = sri_npy_is_text(h);
    int64_t done = 0, capacity = 0;
    const int64_t piece = PIECE / h->size > 0 ? PIECE / h->size : 1;
    unsigned char *buffer = NULL;
    SRI_ALLOC(ctx, buffer, piece, h->size);
    while (done < h->count) {
        const int64_t wanted = h->count - done < piece ? h->count - done : piece;
        size_t got;
        SRI_TRY(sri_poll(ctx));
        SRI_TRY(sri_stream_fill(ctx, s, buffer, (size_t)(wanted * h->size), &got));
        if (got < (size_t)(wanted * h->size)) {
            st = sri_npy_too_short(ctx, s, done + (int64_t)got / h->size, h->count);
            goto done;
        }
        SRI_TRY(grow_items(ctx, a, texts, done, wanted, &capacity));
        st = sri_npy_convert(ctx, h, buffer, wanted, a, done);
        if (st != SPECREG_OK) {
            sri_fail_at(ctx, st, "%s", sri_stream_name(s));
            goto done;
        }
        done += wanted;
    }
    sri_trim(texts ? (void **)&a->code : (void **)&a->numbers, h->count,
             texts ? sizeof *a->code : sizeof *a->numbers);
done:
    sri_free(buffer);
    return st;
}

/* Columns one after the other become rows one after the other. */
static specreg_status transpose(specreg_context *ctx, sri_array *a)
{
    double *out = sri_alloc(ctx, a->rows, a->cols, sizeof *out);
    if (!out)
        return SPECREG_E_NOMEM;
    enum { BLOCK = 32 };
    for (int64_t i0 = 0; i0 < a->rows; i0 += BLOCK)
        for (int64_t j0 = 0; j0 < a->cols; j0 += BLOCK)
            for (int64_t i = i0; i < a->rows && i < i0 + BLOCK; i++)
                for (int64_t j = j0; j < a->cols && j < j0 + BLOCK; j++)
                    out[i * a->cols + j] = a->numbers[j * a->rows + i];
    sri_free(a->numbers);
    a->numbers = out;
    return SPECREG_OK;
}

specreg_status sri_npy_read(specreg_context *ctx, sri_stream *stream, sri_array *out)
{
    specreg_status st = SPECREG_OK;
    header h;
    *out = (sri_array){0};
    SRI_TRY(sri_npy_begin(ctx, stream, &h));
    out->dims = h.dims;
    out->rows = h.shape[0];
    out->cols = h.dims == 1 ? 1 : h.shape[1];
    SRI_TRY(read_items(ctx, stream, &h, out));
    if (h.fortran && out->rows > 1 && out->cols > 1)
        SRI_TRY(transpose(ctx, out));
done:
    if (st != SPECREG_OK)
        sri_array_free(out);
    return st;
}

/* --------------------------------------------------------------------------- the format */

static bool npy_sniff(const char *head, size_t length)
{
    return length >= 6 && memcmp(head, "\x93NUMPY", 6) == 0;
}

static specreg_status npy_read(specreg_context *ctx, sri_stream *stream, const char *path,
                               const char *inner, const specreg_options *options,
                               specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    sri_array X = {0};
    (void)path;
    (void)inner;
    (void)options;
    *out = NULL;
    SRI_TRY(sri_npy_read(ctx, stream, &X));
    SRI_TRY(sri_table_from_pair(ctx, sri_stream_name(stream), &X, NULL, out));
done:
    sri_array_free(&X);
    return st;
}

/* ------------------------------------------------------------------------------- writing */

specreg_status sri_npy_header(specreg_context *ctx, int64_t rows, int64_t cols, sri_buffer *out)
{
    enum { SIZE = 128 }; /* all of it, so that the data are aligned */
    const unsigned char length[2] = {(SIZE - 10) & 0xff, (SIZE - 10) >> 8};
    const char order = htole16(1) == 1 ? '<' : '>'; /* as this machine has them */
    SRI_CALL(sri_buffer_add(ctx, out, "\x93NUMPY\x01\x00", 8));
    SRI_CALL(sri_buffer_add(ctx, out, (const char *)length, 2));
    SRI_CALL(sri_buffer_print(ctx, out, "{'descr': '%cf8', 'fortran_order': False, 'shape': (%lld,",
                              order, (long long)rows));
    if (cols >= 0)
        SRI_CALL(sri_buffer_print(ctx, out, " %lld", (long long)cols));
    SRI_CALL(sri_buffer_add(ctx, out, "), }", 4));
    return sri_buffer_print(ctx, out, "%*s\n", (int)(SIZE - 1 - out->length), "");
}

/* The header of a first part, with a number of rows that npy_finish puts right. */
static specreg_status npy_append(specreg_context *ctx, const specreg_table *t, sri_output *output,
                                 bool first)
{
    specreg_status st = SPECREG_OK;
    sri_buffer b = {0};
    double *row = NULL;
    const int64_t cols = specreg_table_cols(t);
    for (int64_t j = 0; j < t->n_columns; j++)
        SRI_REQUIRE(ctx, !t->column[j].is_text, SPECREG_E_ARG,
                    "%s: column '%s' is text, which NPY files written here cannot hold",
                    sri_output_name(output), t->column[j].name);
    SRI_ALLOC(ctx, row, cols, 1);
    if (first) {
        SRI_TRY(sri_npy_header(ctx, t->rows, cols, &b));
        SRI_TRY(sri_output_write(ctx, output, b.data, (size_t)b.length));
    }
    for (int64_t i = 0; i < t->rows; i++) {
        sri_table_row(t, i, row);
        SRI_TRY(sri_output_write(ctx, output, row, (size_t)cols * sizeof *row));
    }
done:
    sri_free(row);
    sri_buffer_free(&b);
    return st;
}

static specreg_status npy_finish(specreg_context *ctx, int64_t rows, int64_t cols,
                                 sri_output *output)
{
    specreg_status st = SPECREG_OK;
    sri_buffer b = {0};
    SRI_TRY(sri_npy_header(ctx, rows, cols, &b));
    SRI_TRY(sri_output_rewrite(ctx, output, b.data, (size_t)b.length));
done:
    sri_buffer_free(&b);
    return st;
}

static specreg_status npy_write(specreg_context *ctx, const specreg_table *t, sri_output *output)
{
    return npy_append(ctx, t, output, true);
}

const sri_format sri_format_npy = {
    .name = "npy",
    .extensions = "npy",
    .sniff = npy_sniff,
    .read = npy_read,
    .open = sri_npy_open,
    .write = npy_write,
    .append = npy_append,
    .finish = npy_finish,
};
