/* HDF5: a dataset, or a group with datasets X (x, data) and y (target, label), read to a table and
 * written from one.  The program specreg-hdf5 does it (hdf5/README.md), because a malformed file
 * can crash or stop libhdf5; here are the records that go to it and come back. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "data/blocks_kind.h"
#include "data/io/array.h"
#include "data/io/hdf5_wire.h"
#include "data/io/process.h"

/* Bytes that are received at once. */
enum { PIECE_BYTES = 1 << 20 };

static bool hdf5_sniff(const char *head, size_t length)
{
    return length >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
}

/* Starts the helper; `rest` are its arguments after verb and memory, NULL at the end. */
static specreg_status start(specreg_context *ctx, const char *name, const char *verb,
                            const char *const *rest, sri_process *out)
{
    char path[PATH_MAX], memory[32];
    char *argv[8] = {path, (char *)(uintptr_t)verb, memory};
    *out = (sri_process){.socket = -1};
    if (!sri_find_program("specreg-hdf5", "SPECREG_HDF5", path, sizeof path))
        return sri_fail(ctx, SPECREG_E_UNAVAILABLE,
                        "%s: HDF5 is read and written by the program specreg-hdf5, which this "
                        "build lacks",
                        name);
    /* libhdf5 itself takes some 100 MiB of address space. */
    snprintf(memory, sizeof memory, "%lld",
             (long long)sri_memory_left(ctx) + ((long long)512 << 20));
    for (int i = 0; rest[i]; i++)
        argv[3 + i] = (char *)(uintptr_t)rest[i];
    return sri_process_start(ctx, argv, name, out);
}

/* -------------------------------------------------------------------- what comes back */

/* A record that has been received: its head and the name of the dataset. */
typedef struct record {
    wire_head head;
    char *name;
} record;

static specreg_status fail_answer(specreg_context *ctx, const sri_process *p)
{
    return sri_fail(ctx, SPECREG_E_FORMAT,
                    "%s: specreg-hdf5 gives an answer that is not understood", p->name);
}

/* The error that the helper reports is ours. */
static specreg_status take_error(specreg_context *ctx, sri_process *p, const wire_head *head)
{
    specreg_status st = SPECREG_OK;
    char text[2048];
    const bool known = head->status <= SPECREG_E_ARG && head->status >= SPECREG_E_UNAVAILABLE;
    if (!known || head->rows < 0 || head->rows >= (int64_t)sizeof text)
        return fail_answer(ctx, p);
    SRI_TRY(sri_process_receive(ctx, p, text, (size_t)head->rows));
    text[head->rows] = '\0';
    st = sri_fail(ctx, head->status, "%s", text);
done:
    return st;
}

static specreg_status receive_head(specreg_context *ctx, sri_process *p, record *r)
{
    int64_t count, bytes;
    char text[32];
    wire_head *head = &r->head;
    SRI_CALL(sri_process_receive(ctx, p, head, sizeof *head));
    if (head->role == WIRE_END || head->role == WIRE_PIECE)
        return SPECREG_OK;
    if (head->role == WIRE_ERROR)
        return take_error(ctx, p, head);
    if (head->name_length < 0 || head->name_length >= WIRE_LONGEST_TEXT || head->rows < 1 ||
        head->cols < 1 || (head->dims != 1 && head->dims != 2) ||
        (head->cols != 1 && (head->dims == 1 || head->kind != WIRE_NUMBERS)))
        return fail_answer(ctx, p);
    sri_free(r->name);
    SRI_NEW_ZERO(ctx, r->name, head->name_length + 1, 1);
    SRI_CALL(sri_process_receive(ctx, p, r->name, (size_t)head->name_length));
    SRI_CHECK(ctx,
              !__builtin_mul_overflow(head->rows, head->cols, &count) &&
                  !__builtin_mul_overflow(count, sizeof(double), &bytes),
              SPECREG_E_FORMAT, "%s: has an impossible shape: %lld x %lld", r->name,
              (long long)head->rows, (long long)head->cols);
    SRI_CHECK(ctx, bytes <= sri_memory_left(ctx), SPECREG_E_NOMEM,
              "%s: needs %s of memory, which is not free", r->name,
              sri_bytes_text((double)bytes, text));
    return SPECREG_OK;
}

/* Memory grows with what arrives, not with what is promised. */
static specreg_status receive_numbers(specreg_context *ctx, sri_process *p, sri_array *out)
{
    const int64_t count = out->rows * out->cols, piece = PIECE_BYTES / (int64_t)sizeof(double);
    int64_t capacity = 0;
    for (int64_t done = 0; done < count; done += piece) {
        const int64_t now = count - done < piece ? count - done : piece;
        SRI_CALL(sri_grow(ctx, (void **)&out->numbers, &capacity, done + now, sizeof(double)));
        SRI_CALL(sri_process_receive(ctx, p, out->numbers + done, (size_t)now * sizeof(double)));
    }
    sri_trim((void **)&out->numbers, count, sizeof(double));
    return SPECREG_OK;
}

static specreg_status receive_texts(specreg_context *ctx, sri_process *p, const char *name,
                                    sri_array *out)
{
    specreg_status st = SPECREG_OK;
    int64_t capacity = 0;
    char *text = NULL;
    SRI_ALLOC(ctx, text, WIRE_LONGEST_TEXT, 1);
    for (int64_t i = 0; i < out->rows; i++) {
        int32_t length;
        SRI_TRY(sri_process_receive(ctx, p, &length, sizeof length));
        if (length < 0 || length >= WIRE_LONGEST_TEXT) {
            st = fail_answer(ctx, p);
            goto done;
        }
        SRI_TRY(sri_process_receive(ctx, p, text, (size_t)length));
        SRI_TRY(sri_grow(ctx, (void **)&out->code, &capacity, i + 1, sizeof *out->code));
        out->code[i] = -1;
        if (sri_is_missing(text, (size_t)length))
            continue;
        st = sri_texts_code(ctx, &out->texts, text, (size_t)length, &out->code[i]);
        if (st == SPECREG_E_FORMAT)
            sri_fail_at(ctx, st, "%s: row %lld", name, (long long)(out->first_row + i + 1));
        if (st != SPECREG_OK)
            goto done;
    }
done:
    sri_free(text);
    return st;
}

typedef struct tables {
    sri_array X, Y, columns;
    int64_t first_row; /* rows that came before */
} tables;

static void free_tables(tables *t)
{
    sri_array_free(&t->X);
    sri_array_free(&t->Y);
    sri_array_free(&t->columns);
}

/* To the end, or to that of a piece. */
static specreg_status receive_tables(specreg_context *ctx, sri_process *p, tables *out)
{
    specreg_status st = SPECREG_OK;
    record r = {0};
    for (;;) {
        SRI_TRY(receive_head(ctx, p, &r));
        const wire_head *head = &r.head;
        if (head->role == WIRE_END || head->role == WIRE_PIECE)
            break;
        sri_array *into = head->role == WIRE_X         ? &out->X
                          : head->role == WIRE_Y       ? &out->Y
                          : head->role == WIRE_COLUMNS ? &out->columns
                                                       : NULL;
        if (!into || into->rows > 0 || (head->kind != WIRE_NUMBERS && head->kind != WIRE_TEXTS)) {
            st = fail_answer(ctx, p);
            goto done;
        }
        *into = (sri_array){.rows = head->rows,
                            .cols = head->cols,
                            .dims = head->dims,
                            .first_row = out->first_row};
        SRI_TRY(head->kind == WIRE_NUMBERS ? receive_numbers(ctx, p, into)
                                           : receive_texts(ctx, p, r.name, into));
    }
    if (out->X.rows == 0 && (r.head.role == WIRE_PIECE || out->first_row == 0))
        st = fail_answer(ctx, p);
done:
    sri_free(r.name);
    return st;
}

/* The names are of use if there is one for each column and all differ. */
static specreg_status set_names(specreg_context *ctx, const sri_array *names, specreg_table *t)
{
    if (!names->code || names->rows != t->n_columns || names->texts.count != t->n_columns)
        return SPECREG_OK;
    for (int64_t j = 0; j < t->n_columns; j++) {
        const char *name = names->texts.text[j];
        const specreg_status st = sri_table_set_name(ctx, t, j, name, strlen(name));
        if (st != SPECREG_OK)
            return st;
    }
    t->has_header = true;
    return SPECREG_OK;
}

/* A plain file is opened by the helper; anything else (stdin, .gz) is sent as an image. */
static specreg_status send_image(specreg_context *ctx, sri_stream *stream, sri_process *p)
{
    specreg_status st = SPECREG_OK;
    char *data = NULL;
    size_t size;
    SRI_TRY(sri_stream_slurp(ctx, stream, &data, &size));
    SRI_REQUIRE(ctx, size > 0, SPECREG_E_FORMAT, "%s: is empty", sri_stream_name(stream));
    const wire_head head = {.role = WIRE_IMAGE,
                            .kind = WIRE_BYTES,
                            .dims = 1,
                            .rows = (int64_t)size,
                            .cols = 1};
    SRI_TRY(sri_process_send(ctx, p, &head, sizeof head));
    SRI_TRY(sri_process_send(ctx, p, data, size));
done:
    sri_free(data);
    return st;
}

static specreg_status hdf5_read(specreg_context *ctx, sri_stream *stream, const char *path,
                                const char *inner, const specreg_options *options,
                                specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const char *name = sri_stream_name(stream), *file = sri_stream_path(stream);
    const char *const arguments[] = {name, file ? file : "-", inner ? inner : "", NULL};
    sri_process p;
    tables t = {0};
    (void)path;
    (void)options;
    *out = NULL;
    SRI_TRY(start(ctx, name, "read", arguments, &p));
    if (!file)
        SRI_TRY(send_image(ctx, stream, &p));
    sri_process_sent(&p);
    SRI_TRY(receive_tables(ctx, &p, &t));
    SRI_TRY(sri_table_from_pair(ctx, name, &t.X, t.Y.rows > 0 ? &t.Y : NULL, out));
    SRI_TRY(set_names(ctx, &t.columns, *out));
done:
    sri_process_end(&p);
    free_tables(&t);
    if (st != SPECREG_OK) {
        specreg_table_free(*out);
        *out = NULL;
    }
    return st;
}

/* -------------------------------------------------------------------- some rows at a time */

typedef struct rows_reader {
    sri_process process;
    tables some;          /* the names of columns stay */
    sri_row_source piece; /* rows that were received; no kind: none */
} rows_reader;

static void free_reader(void *state)
{
    rows_reader *r = state;
    if (!r)
        return;
    sri_process_end(&r->process);
    sri_row_source_close(&r->piece);
    free_tables(&r->some);
    sri_free(r);
}

/* The next piece; none after the last one. */
static specreg_status receive_piece(specreg_context *ctx, rows_reader *r)
{
    specreg_status st = SPECREG_OK;
    tables *some = &r->some;
    specreg_table *t = NULL;
    SRI_TRY(sri_poll(ctx));
    SRI_TRY(receive_tables(ctx, &r->process, some));
    if (some->X.rows == 0)
        goto done;
    some->first_row += some->X.rows;
    SRI_TRY(sri_table_from_pair(ctx, r->process.name, &some->X, some->Y.rows > 0 ? &some->Y : NULL,
                                &t));
    SRI_TRY(set_names(ctx, &some->columns, t));
    SRI_TRY(sri_row_source_of_table(ctx, t, t, &r->piece));
    t = NULL;
done:
    specreg_table_free(t);
    sri_array_free(&some->X);
    sri_array_free(&some->Y);
    some->X = some->Y = (sri_array){0};
    return st;
}

static specreg_status next_rows(specreg_context *ctx, void *state, int64_t rows,
                                specreg_table **out)
{
    rows_reader *r = state;
    for (*out = NULL; !*out;) {
        if (!r->piece.kind)
            SRI_CALL(receive_piece(ctx, r));
        if (!r->piece.kind)
            return SPECREG_OK;
        SRI_CALL(r->piece.kind->next(ctx, r->piece.state, rows, out));
        if (!*out)
            sri_row_source_close(&r->piece);
    }
    return SPECREG_OK;
}

static const sri_blocks_kind pieces = {.next = next_rows, .free = free_reader};

/* Only a plain file is read in pieces. */
static specreg_status hdf5_open(specreg_context *ctx, sri_stream *stream, const char *inner,
                                sri_row_source *out)
{
    const char *name = sri_stream_name(stream), *file = sri_stream_path(stream);
    const char *const arguments[] = {name, file, inner ? inner : "", NULL};
    rows_reader *r = NULL;
    if (!file)
        return SPECREG_OK;
    SRI_NEW_ZERO(ctx, r, 1, 1);
    const specreg_status st = start(ctx, name, "pieces", arguments, &r->process);
    if (st == SPECREG_OK) {
        sri_process_sent(&r->process);
        *out = (sri_row_source){&pieces, r};
    } else {
        free_reader(r);
    }
    return st;
}

/* -------------------------------------------------------------------- what is sent */

static specreg_status send_head(specreg_context *ctx, sri_process *p, char role, char kind,
                                const int64_t shape[2])
{
    const wire_head head = {.role = role,
                            .kind = kind,
                            .dims = shape[1] < 0 ? 1 : 2,
                            .rows = shape[0],
                            .cols = shape[1] < 0 ? 1 : shape[1]};
    return sri_process_send(ctx, p, &head, sizeof head);
}

/* The inputs or the targets of a table; a single target has one dimension. */
static specreg_status send_numbers(specreg_context *ctx, sri_process *p, char role,
                                   const specreg_table *t, const sri_array_parts *parts)
{
    specreg_status st = SPECREG_OK;
    const bool inputs = role == WIRE_X;
    const int64_t count = inputs ? parts->p : parts->T;
    double *numbers = NULL;
    SRI_TRY(send_head(ctx, p, role, WIRE_NUMBERS,
                      (int64_t[]){t->rows, inputs || count > 1 ? count : -1}));
    SRI_ALLOC(ctx, numbers, t->rows, count);
    SRI_TRY(sri_array_fill(ctx, t, inputs ? parts->x : parts->y, count, numbers));
    SRI_TRY(sri_process_send(ctx, p, numbers, (size_t)(t->rows * count) * sizeof *numbers));
done:
    sri_free(numbers);
    return st;
}

static specreg_status send_text(specreg_context *ctx, sri_process *p, const char *text)
{
    const int32_t length = text ? (int32_t)strlen(text) : 0;
    specreg_status st = sri_process_send(ctx, p, &length, sizeof length);
    if (st == SPECREG_OK && length > 0)
        st = sri_process_send(ctx, p, text, (size_t)length);
    return st;
}

static specreg_status send_labels(specreg_context *ctx, sri_process *p, const specreg_table *t,
                                  int64_t col)
{
    specreg_status st = send_head(ctx, p, WIRE_Y, WIRE_TEXTS, (int64_t[]){t->rows, -1});
    for (int64_t i = 0; i < t->rows && st == SPECREG_OK; i++)
        st = send_text(ctx, p, specreg_table_text(t, i, col));
    return st;
}

static specreg_status send_names(specreg_context *ctx, sri_process *p, const specreg_table *t,
                                 const sri_array_parts *parts)
{
    const int64_t count = parts->p + parts->T;
    specreg_status st = send_head(ctx, p, WIRE_COLUMNS, WIRE_TEXTS, (int64_t[]){count, -1});
    for (int64_t j = 0; j < count && st == SPECREG_OK; j++) {
        const char *name =
            specreg_table_name(t, j < parts->p ? parts->x[j] : parts->y[j - parts->p]);
        st = name ? send_text(ctx, p, name) : sri_fail(ctx, SPECREG_E_NOMEM, "out of memory");
    }
    return st;
}

static specreg_status receive_image(specreg_context *ctx, sri_process *p, sri_output *output)
{
    specreg_status st = SPECREG_OK;
    record r = {0};
    char *piece = NULL;
    SRI_ALLOC(ctx, piece, PIECE_BYTES, 1);
    SRI_TRY(receive_head(ctx, p, &r));
    if (r.head.role != WIRE_IMAGE) {
        st = fail_answer(ctx, p);
        goto done;
    }
    for (int64_t left = r.head.rows; left > 0; left -= PIECE_BYTES) {
        const size_t now = (size_t)(left < PIECE_BYTES ? left : PIECE_BYTES);
        SRI_TRY(sri_process_receive(ctx, p, piece, now));
        SRI_TRY(sri_output_write(ctx, output, piece, now));
    }
done:
    sri_free(r.name);
    sri_free(piece);
    return st;
}

static specreg_status hdf5_write(specreg_context *ctx, const specreg_table *t, sri_output *output)
{
    specreg_status st = SPECREG_OK;
    const char *name = sri_output_name(output);
    sri_array_parts parts = {0};
    sri_process p = {.socket = -1};
    SRI_TRY(sri_array_split(ctx, t, name, &parts));
    SRI_TRY(start(ctx, name, "write", (const char *const[]){NULL}, &p));
    SRI_TRY(send_numbers(ctx, &p, WIRE_X, t, &parts));
    if (parts.y_is_text)
        SRI_TRY(send_labels(ctx, &p, t, parts.y[0]));
    else if (parts.T > 0)
        SRI_TRY(send_numbers(ctx, &p, WIRE_Y, t, &parts));
    SRI_TRY(send_names(ctx, &p, t, &parts));
    SRI_TRY(send_head(ctx, &p, WIRE_END, WIRE_BYTES, (int64_t[]){0, -1}));
    sri_process_sent(&p);
    SRI_TRY(receive_image(ctx, &p, output));
done:
    sri_process_end(&p);
    sri_array_parts_free(&parts);
    return st;
}

const sri_format sri_format_hdf5 = {
    .name = "hdf5",
    .extensions = "h5 hdf5 hdf he5",
    .many_arrays = true,
    .sniff = hdf5_sniff,
    .read = hdf5_read,
    .open_array = hdf5_open,
    .write = hdf5_write,
};
