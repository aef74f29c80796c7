/* IDX, the files of MNIST: two zero bytes, a type, the number of dimensions, their sizes as 32 bits
 * big-endian, then the items.  The first dimension counts rows; the others are its columns, one
 * after the other.  A file with one dimension is the column label. */
#include <string.h>

#include "data/io/npy.h"

enum { MOST_DIMENSIONS = 8 };

/* What a type's code means; kind 0: nothing. */
static sri_npy_layout type_of(unsigned char code)
{
    static const char kind[] = {'u', 'i', 0, 'i', 'i', 'f', 'f'}, size[] = {1, 1, 0, 2, 4, 4, 8};
    if (code < 8 || code > 14)
        return (sri_npy_layout){0};
    return (sri_npy_layout){.order = '>', .kind = kind[code - 8], .size = size[code - 8]};
}

static bool idx_sniff(const char *head, size_t length)
{
    return length >= 8 && head[0] == 0 && head[1] == 0 && type_of((unsigned char)head[2]).kind &&
           head[3] >= 1 && head[3] <= MOST_DIMENSIONS;
}

static specreg_status read_sizes(specreg_context *ctx, sri_stream *s, int dims, sri_npy_layout *out)
{
    const char *name = sri_stream_name(s);
    unsigned char b[4 * MOST_DIMENSIONS];
    size_t got;
    int64_t cols = 1, bytes;
    bool fits = true;
    SRI_CALL(sri_stream_fill(ctx, s, b, 4 * (size_t)dims, &got));
    SRI_CHECK(ctx, got == 4 * (size_t)dims, SPECREG_E_FORMAT,
              "%s: ends in the middle of its header", name);
    for (int k = 0; k < dims; k++) {
        const int64_t size =
            (int64_t)b[4 * k] << 24 | b[4 * k + 1] << 16 | b[4 * k + 2] << 8 | b[4 * k + 3];
        SRI_CHECK(ctx, size > 0, SPECREG_E_FORMAT, "%s: has no %s", name, k ? "columns" : "rows");
        if (k == 0)
            out->shape[0] = size;
        else
            fits = fits && !__builtin_mul_overflow(cols, size, &cols);
    }
    out->shape[1] = cols;
    SRI_CHECK(ctx,
              fits && !__builtin_mul_overflow(out->shape[0], cols, &out->count) &&
                  !__builtin_mul_overflow(out->count, out->size, &bytes) && bytes < INT64_MAX / 8,
              SPECREG_E_FORMAT, "%s: has an impossible shape: its items would not fit any memory",
              name);
    SRI_CHECK(ctx, sri_stream_length(s) < 0 || sri_stream_length(s) - out->offset >= bytes,
              SPECREG_E_FORMAT, "%s: is too short: its header promises %lld bytes, it has %lld",
              name, (long long)(out->offset + bytes), (long long)sri_stream_length(s));
    return SPECREG_OK;
}

static specreg_status read_header(specreg_context *ctx, sri_stream *s, sri_npy_layout *out)
{
    const char *name = sri_stream_name(s);
    unsigned char b[4];
    size_t got;
    SRI_CALL(sri_stream_fill(ctx, s, b, sizeof b, &got));
    SRI_CHECK(ctx, got > 0, SPECREG_E_FORMAT, "%s: is empty", name);
    SRI_CHECK(ctx, got == 4 && b[0] == 0 && b[1] == 0, SPECREG_E_FORMAT, "%s: is not an IDX file",
              name);
    *out = type_of(b[2]);
    SRI_CHECK(ctx, out->kind, SPECREG_E_FORMAT, "%s: has items of a type that is not known (%d)",
              name, b[2]);
    SRI_CHECK(ctx, b[3] >= 1 && b[3] <= MOST_DIMENSIONS, SPECREG_E_FORMAT,
              "%s: has %d dimensions, expected 1 to %d", name, b[3], MOST_DIMENSIONS);
    out->dims = b[3] == 1 ? 1 : 2;
    out->offset = 4 + 4 * b[3];
    return read_sizes(ctx, s, b[3], out);
}

static specreg_status idx_open(specreg_context *ctx, sri_stream *stream,
                               const specreg_options *options, const specreg_table *like,
                               sri_row_source *out)
{
    sri_npy_layout layout;
    (void)options;
    (void)like;
    SRI_CALL(read_header(ctx, stream, &layout));
    layout.is_label = layout.dims == 1;
    return sri_npy_rows(ctx, stream, &layout, out);
}

static specreg_status idx_read(specreg_context *ctx, sri_stream *stream, const char *path,
                               const char *inner, const specreg_options *options,
                               specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    sri_row_source rows = {0};
    (void)path;
    (void)inner;
    *out = NULL;
    SRI_TRY(idx_open(ctx, stream, options, NULL, &rows));
    SRI_TRY(rows.kind->next(ctx, rows.state, INT64_MAX, out));
done:
    sri_row_source_close(&rows);
    return st;
}

const sri_format sri_format_idx = {
    .name = "idx",
    .extensions = "idx idx1-ubyte idx2-ubyte idx3-ubyte",
    .sniff = idx_sniff,
    .read = idx_read,
    .open = idx_open,
};
