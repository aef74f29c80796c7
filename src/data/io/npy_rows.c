/* NPY a few rows at a time: memory does not grow with the file. */
#include <string.h>

#include "core/memory.h"
#include "data/io/npy.h"

typedef struct reader {
    sri_stream *stream;
    sri_npy_layout h;
    int64_t cols;
    int64_t at;            /* the next row */
    unsigned char *buffer; /* items as they lie in the file */
    int64_t room;
} reader;

/* Bytes that come one after the other.  Room grows with what really arrives: a header may promise
 * anything. */
static specreg_status fill_buffer(specreg_context *ctx, reader *r, size_t size, size_t *got)
{
    enum { PIECE = 1 << 20 };
    size_t more = 0;
    *got = 0;
    do {
        const size_t wanted = size - *got < PIECE ? size - *got : PIECE;
        SRI_CALL(SRI_GROW(ctx, r->buffer, r->room, (int64_t)(*got + wanted)));
        SRI_CALL(sri_stream_fill(ctx, r->stream, r->buffer + *got, wanted, &more));
        *got += more;
    } while (more == PIECE && *got < size);
    return SPECREG_OK;
}

/* Bytes of items from item `first` on; they may be read at any place of a plain file, which was
 * seen to be as long as its header says. */
static specreg_status read_items(specreg_context *ctx, reader *r, int64_t first, int64_t count)
{
    const size_t size = (size_t)(count * r->h.size);
    size_t got;
    if (sri_stream_has_places(r->stream)) {
        SRI_CALL(SRI_GROW(ctx, r->buffer, r->room, (int64_t)size));
        SRI_CALL(sri_stream_read_at(ctx, r->stream, r->h.offset + first * r->h.size, r->buffer,
                                    size, &got));
    } else {
        SRI_CALL(fill_buffer(ctx, r, size, &got));
    }
    return got == size
               ? SPECREG_OK
               : sri_npy_too_short(ctx, r->stream, first + (int64_t)got / r->h.size, r->h.count);
}

/* Room for the array's rows, in numbers or codes, if there is none yet. */
static specreg_status make_room(specreg_context *ctx, const reader *r, sri_array *a)
{
    if (a->code || a->numbers)
        return SPECREG_OK;
    a->cols = r->cols;
    a->dims = r->h.dims;
    if (sri_npy_is_text(&r->h))
        SRI_NEW(ctx, a->code, a->rows, 1);
    else
        SRI_NEW(ctx, a->numbers, a->rows, r->cols);
    return SPECREG_OK;
}

/* Rows from `row` on, which become rows `to`, `to` + 1, ... of the array, which
 * gets its room after the first bytes were read. */
static specreg_status read_rows(specreg_context *ctx, reader *r, int64_t row, int64_t count,
                                sri_array *a, int64_t to)
{
    const int64_t p = r->cols;
    sri_array column = {0};
    if (!r->h.fortran || p == 1) {
        SRI_CALL(read_items(ctx, r, row * p, count * p));
        SRI_CALL(make_room(ctx, r, a));
        return sri_npy_convert(ctx, &r->h, r->buffer, count * p, a, to * p);
    }
    SRI_CALL(make_room(ctx, r, a));
    SRI_NEW(ctx, column.numbers, count, 1);
    specreg_status st = SPECREG_OK;
    for (int64_t j = 0; j < p && st == SPECREG_OK; j++) {
        st = read_items(ctx, r, j * r->h.shape[0] + row, count);
        if (st == SPECREG_OK)
            st = sri_npy_convert(ctx, &r->h, r->buffer, count, &column, 0);
        for (int64_t i = 0; i < count && st == SPECREG_OK; i++)
            a->numbers[(to + i) * p + j] = column.numbers[i];
    }
    sri_array_free(&column);
    return st;
}

/* A failure of texts does not know the file. */
static specreg_status finish(specreg_context *ctx, const reader *r, specreg_status st, sri_array *a,
                             specreg_table **out)
{
    const char *name = sri_stream_name(r->stream);
    if (st == SPECREG_E_FORMAT && sri_npy_is_text(&r->h))
        sri_fail_at(ctx, st, "%s", name);
    if (st == SPECREG_OK)
        st = sri_table_from_pair(ctx, name, a, NULL, out);
    if (st == SPECREG_OK && r->h.is_label)
        st = sri_table_set_name(ctx, *out, 0, "label", 5);
    if (st != SPECREG_OK) {
        specreg_table_free(*out);
        *out = NULL;
    }
    sri_array_free(a);
    return st;
}

static specreg_status next_rows(specreg_context *ctx, void *state, int64_t rows,
                                specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    reader *r = state;
    const int64_t left = r->h.shape[0] - r->at, count = left < rows ? left : rows;
    sri_array a = {.rows = count, .first_row = r->at};
    *out = NULL;
    if (count == 0)
        return SPECREG_OK;
    SRI_TRY(sri_poll(ctx));
    SRI_TRY(read_rows(ctx, r, r->at, count, &a, 0));
    r->at += count;
done:
    return finish(ctx, r, st, &a, out);
}

static int64_t count_rows(const void *state)
{
    return ((const reader *)state)->h.shape[0];
}

static specreg_status pick(specreg_context *ctx, void *state, const int64_t *row, int64_t count,
                           specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    reader *r = state;
    sri_array a = {.rows = count};
    *out = NULL;
    if (!sri_stream_has_places(r->stream))
        return SPECREG_OK;
    for (int64_t i = 0; i < count; i++) {
        a.first_row = row[i] - i; /* for messages */
        SRI_TRY(read_rows(ctx, r, row[i], 1, &a, i));
    }
    a.first_row = 0;
    SRI_ALLOC(ctx, a.origin, count, 1);
    memcpy(a.origin, row, (size_t)count * sizeof *row);
done:
    st = finish(ctx, r, st, &a, out);
    if (*out)
        (*out)->origins = r->h.shape[0];
    return st;
}

static void free_reader(void *state)
{
    if (state)
        sri_free(((reader *)state)->buffer);
    sri_free(state);
}

static const sri_blocks_kind npy = {.next = next_rows,
                                    .rows = count_rows,
                                    .pick = pick,
                                    .free = free_reader};

specreg_status sri_npy_rows(specreg_context *ctx, sri_stream *stream, const sri_npy_layout *layout,
                            sri_row_source *out)
{
    reader *r = NULL;
    const int64_t cols = layout->dims == 1 ? 1 : layout->shape[1];
    SRI_CHECK(ctx, !layout->fortran || cols == 1 || sri_stream_has_places(stream), SPECREG_E_FORMAT,
              "%s: holds its columns one after the other (Fortran order): a pipe or a compressed "
              "file cannot be read by rows then",
              sri_stream_name(stream));
    SRI_NEW_ZERO(ctx, r, 1, 1);
    *r = (reader){.stream = stream, .h = *layout, .cols = cols};
    *out = (sri_row_source){&npy, r};
    return SPECREG_OK;
}

specreg_status sri_npy_open(specreg_context *ctx, sri_stream *stream,
                            const specreg_options *options, const specreg_table *like,
                            sri_row_source *out)
{
    sri_npy_layout layout;
    (void)options;
    (void)like;
    SRI_CALL(sri_npy_begin(ctx, stream, &layout));
    return sri_npy_rows(ctx, stream, &layout, out);
}
