/* The CSV reader proper: rows of numbers go from the window straight into the table. */
#include <math.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/io/csv.h"
#include "data/io/csv_parts.h"
#include "data/io/number.h"

typedef struct reader {
    specreg_context *ctx;
    sri_window window, *w;
    const char *file;
    sri_csv_kind kind;
    char delimiter;
    sri_csv_style style;
    sri_csv_charset charset;
    const bool *is_text;
    specreg_table *columns; /* without rows: what every table looks like */
    specreg_table *t;       /* the rows that are being read */
    int64_t most;           /* rows of that table */
    bool any, is_known;     /* rows were read; somebody read the file before */
    int64_t numbers_capacity, codes_capacity, lines_capacity;
    int64_t line;   /* where the next row begins               */
    int64_t inside; /* line ends in the quotes of this row     */
    char *buffer;   /* for texts with doubled quotes           */
    int64_t buffer_capacity;
    specreg_status st; /* of the row that failed */
} reader;

typedef enum row_end { ROW_DONE, ROW_MORE, ROW_FAILED } row_end;

/* ----------------------------------------------------------------------------- the table */

static specreg_status grow_codes(reader *r)
{
    if (r->t->rows < r->codes_capacity)
        return SPECREG_OK;
    const int64_t wanted = r->codes_capacity ? r->codes_capacity * 2 : 1024;
    for (int64_t j = 0; j < r->t->n_columns; j++) {
        int64_t capacity = r->codes_capacity;
        if (!r->is_text[j])
            continue;
        const specreg_status st =
            sri_grow(r->ctx, (void **)&r->t->column[j].code, &capacity, wanted, sizeof(int32_t));
        if (st != SPECREG_OK)
            return st;
    }
    r->codes_capacity = wanted;
    return SPECREG_OK;
}

/* Room for one more row. */
static specreg_status make_room(reader *r)
{
    specreg_table *t = r->t;
    SRI_CALL(sri_grow(r->ctx, (void **)&t->numbers, &r->numbers_capacity,
                      (t->rows + 1) * t->n_numbers + 1, sizeof(double)));
    if (t->n_numbers < t->n_columns)
        SRI_CALL(grow_codes(r));
    return SPECREG_OK;
}

/* Lines are kept only from the moment on when they are not simply first_line + row. */
static specreg_status note_line(reader *r)
{
    specreg_table *t = r->t;
    if (t->rows == 0)
        t->first_line = r->line;
    if (!t->line && r->line == t->first_line + t->rows)
        return SPECREG_OK;
    const bool first = !t->line;
    const specreg_status st =
        sri_grow(r->ctx, (void **)&t->line, &r->lines_capacity, t->rows + 1, sizeof *t->line);
    if (st != SPECREG_OK)
        return st;
    for (int64_t i = 0; first && i < t->rows; i++)
        t->line[i] = t->first_line + i;
    t->line[t->rows] = r->line;
    return SPECREG_OK;
}

/* ------------------------------------------------------------------------------- failures */

static row_end fail_cell(reader *r, int64_t col, const char *text, size_t length, const char *what)
{
    const size_t most = 60;
    r->st = sri_fail(r->ctx, SPECREG_E_FORMAT, "%s:%lld: column '%s': '%.*s%s' %s", r->file,
                     (long long)(r->line + r->inside), r->t->column[col].name,
                     (int)(length < most ? length : most), text, length < most ? "" : "...", what);
    return ROW_FAILED;
}

/* The row at s does not have as many cells as it should: count them for the message. */
static row_end fail_ragged(reader *r, const char *s)
{
    sri_csv_cell cell;
    int64_t cells = 0;
    sri_csv_end end;
    do {
        end = sri_csv_scan(r->w, r->delimiter, &s, &cell);
        cells++;
    } while (end == SRI_CSV_CELL);
    if (end == SRI_CSV_MORE)
        return ROW_MORE;
    r->st = end == SRI_CSV_ROW
                ? sri_fail(r->ctx, SPECREG_E_FORMAT, "%s:%lld: has %lld value%s, expected %lld",
                           r->file, (long long)r->line, (long long)cells, cells == 1 ? "" : "s",
                           (long long)r->t->n_columns)
                : sri_csv_fail(r->ctx, r->file, r->line, end);
    return ROW_FAILED;
}

/* ---------------------------------------------------------------------------------- cells */

static row_end put_number(reader *r, int64_t col, const char *text, size_t length)
{
    double value = NAN;
    if (!sri_is_missing(text, length)) {
        if (!sri_csv_number(text, length, r->style, &value))
            return fail_cell(r, col, text, length, "is not a number");
        if (isinf(value))
            return fail_cell(r, col, text, length, "is not finite");
    }
    r->t->numbers[r->t->rows * r->t->n_numbers + r->t->column[col].number] = value;
    return ROW_DONE;
}

static row_end put_text(reader *r, int64_t col, const char *text, size_t length)
{
    sri_column *c = &r->t->column[col];
    c->code[r->t->rows] = -1;
    if (sri_is_missing(text, length))
        return ROW_DONE;
    r->st = sri_csv_enter(r->ctx, &r->charset, &c->texts, text, length, &c->code[r->t->rows]);
    if (r->st == SPECREG_OK)
        return ROW_DONE;
    if (r->st == SPECREG_E_FORMAT)
        sri_fail_at(r->ctx, r->st, "%s:%lld: column '%s'", r->file,
                    (long long)(r->line + r->inside), c->name);
    return ROW_FAILED;
}

/* Any cell, the thorough way.  *end tells what follows it. */
static row_end read_cell(reader *r, int64_t col, const char **s, sri_csv_end *end)
{
    sri_csv_cell cell;
    const char *text;
    size_t length;
    *end = sri_csv_scan(r->w, r->delimiter, s, &cell);
    if (*end == SRI_CSV_MORE)
        return ROW_MORE;
    if (*end > SRI_CSV_MORE) {
        r->st = sri_csv_fail(r->ctx, r->file, r->line + r->inside, *end);
        return ROW_FAILED;
    }
    r->st = sri_csv_text(r->ctx, &cell, &r->buffer, &r->buffer_capacity, &text, &length);
    if (r->st != SPECREG_OK)
        return ROW_FAILED;
    const row_end done =
        r->is_text[col] ? put_text(r, col, text, length) : put_number(r, col, text, length);
    r->inside += cell.lines;
    return done;
}

/* ----------------------------------------------------------------------------------- rows */

/* Reads the row at *s and moves *s behind it.  The common cell, a plain number with its delimiter
 * directly behind, never leaves this loop. */
static row_end read_row(reader *r, const char **s)
{
    const char *p = *s;
    const char delimiter = r->delimiter;
    const bool *is_text = r->is_text, commas = r->style.decimal == ',';
    const int64_t cols = r->t->n_columns;
    double *out = r->t->numbers + r->t->rows * r->t->n_numbers;
    for (int64_t col = 0; col < cols;) {
        double value;
        while (*p == ' ')
            p++;
        const char *behind = is_text[col] || commas ? NULL : sri_scan_number(p, &value);
        if (behind && *behind == delimiter && delimiter != ' ') {
            *out++ = value;
            p = behind + 1;
            col++;
            continue;
        }
        if (behind && (*behind == '\n' || (*behind == '\r' && behind[1] == '\n'))) {
            *out = value;
            if (col < cols - 1)
                return fail_ragged(r, *s);
            *s = behind + 1 + (*behind == '\r');
            return ROW_DONE;
        }
        if (behind && *behind == ' ' && delimiter == ' ') {
            do
                behind++;
            while (*behind == ' ');
            if (*behind > ' ') {
                *out++ = value;
                p = behind;
                col++;
                continue;
            }
        }
        sri_csv_end end;
        const row_end done = read_cell(r, col, &p, &end);
        if (done != ROW_DONE)
            return done;
        out += !is_text[col];
        if (end == SRI_CSV_ROW) {
            if (col < cols - 1)
                return fail_ragged(r, *s);
            *s = p;
            return ROW_DONE;
        }
        col++;
    }
    return fail_ragged(r, *s); /* a delimiter came after the last column */
}

/* Reads the rows that the window holds; ROW_MORE at its end, ROW_DONE at the end of the file or
 * when the table has its rows. */
static row_end read_window(reader *r)
{
    while (r->t->rows < r->most) {
        const char *s = r->w->begin;
        if (*s <= '#') { /* a blank line or a comment, perhaps */
            const sri_csv_end end = sri_csv_skip(r->w, r->delimiter, &s, &r->line);
            r->w->begin = s;
            if (end != SRI_CSV_CELL)
                return end == SRI_CSV_ROW ? ROW_DONE : ROW_MORE;
        }
        r->inside = 0;
        r->st = make_room(r);
        if (r->st != SPECREG_OK)
            return ROW_FAILED;
        const row_end end = read_row(r, &s);
        if (end != ROW_DONE)
            return end;
        r->st = note_line(r);
        if (r->st != SPECREG_OK)
            return ROW_FAILED;
        r->t->rows++;
        r->line += 1 + r->inside;
        r->w->begin = s;
    }
    return ROW_DONE;
}

static specreg_status read_rows(reader *r)
{
    specreg_status st = SPECREG_OK;
    row_end end;
    while ((end = read_window(r)) == ROW_MORE) {
        SRI_REQUIRE(r->ctx, !r->w->eof, SPECREG_E_FORMAT, "%s:%lld: the row does not end", r->file,
                    (long long)r->line);
        SRI_TRY(sri_window_more(r->ctx, r->w, r->line));
    }
    if (end == ROW_FAILED)
        return r->st;
    r->any = r->any || r->t->rows > 0;
    SRI_REQUIRE(r->ctx, r->any, SPECREG_E_FORMAT, "%s: has a header but no rows", r->file);
done:
    return st;
}

/* ------------------------------------------------------------------------------- assembly */

/* A table without rows whose columns are as the file's, or as an earlier reading found them. */
static specreg_status make_columns(reader *r, const char *categorical, const specreg_table *like)
{
    sri_csv_kind *kind = &r->kind;
    specreg_table *t;
    SRI_CALL(sri_table_new(r->ctx, r->file, kind->cols, &r->columns));
    t = r->columns;
    t->delimiter = kind->delimiter;
    t->decimal = kind->style.decimal;
    t->has_header = kind->has_header;
    t->first_is_unnamed = kind->first_is_unnamed;
    for (int64_t j = 0; j < kind->cols; j++) {
        SRI_MOVE(t->column[j].name, kind->name[j]);
        if (like && j < like->n_columns)
            kind->is_text[j] = like->column[j].is_text;
    }
    for (int64_t j = 0; j < kind->cols; j++)
        if (kind->is_text[j])
            SRI_CALL(sri_table_make_text(r->ctx, t, j));
    SRI_CALL(sri_table_categorical(r->ctx, t, categorical));
    for (int64_t j = 0; j < kind->cols; j++)
        kind->is_text[j] = t->column[j].is_text;
    return SPECREG_OK;
}

/* Another table like it, for the next rows. */
static specreg_status new_table(reader *r)
{
    SRI_CALL(sri_table_new_like(r->ctx, r->columns, r->columns->n_columns, &r->t));
    r->t->n_numbers = r->columns->n_numbers;
    for (int64_t j = 0; j < r->t->n_columns; j++) {
        const sri_column *c = &r->columns->column[j];
        SRI_NEW_TEXT(r->ctx, r->t->column[j].name, c->name);
        r->t->column[j].is_text = c->is_text;
        r->t->column[j].number = c->number;
    }
    r->numbers_capacity = r->codes_capacity = r->lines_capacity = 0;
    return SPECREG_OK;
}

static void free_reader(void *state)
{
    reader *r = state;
    if (!r)
        return;
    specreg_table_free(r->t);
    specreg_table_free(r->columns);
    sri_free(r->buffer);
    sri_csv_kind_free(&r->kind);
    sri_window_close(&r->window);
    sri_free(r);
}

static void end_of_file(reader *r)
{
    if (r->charset.latin && !r->is_known)
        sri_log(r->ctx, "note: %s: is not UTF-8, read as Latin-1 (Windows-1252; see --encoding)",
                r->file);
    r->is_known = true;
}

static specreg_status next_rows(specreg_context *ctx, void *state, int64_t rows,
                                specreg_table **out)
{
    reader *r = state;
    *out = NULL;
    r->ctx = ctx;
    r->most = rows;
    specreg_table_free(r->t);
    r->t = NULL;
    SRI_CALL(new_table(r));
    SRI_CALL(read_rows(r));
    if (r->t->rows < rows)
        end_of_file(r);
    if (r->t->rows > 0)
        SRI_MOVE(*out, r->t);
    return SPECREG_OK;
}

static const sri_blocks_kind csv = {.next = next_rows, .free = free_reader};

specreg_status sri_csv_open(specreg_context *ctx, sri_stream *stream,
                            const specreg_options *options, const specreg_table *like,
                            sri_row_source *out)
{
    specreg_status st = SPECREG_OK;
    reader *r = NULL;
    SRI_CALLOC(ctx, r, 1, 1);
    *r = (reader){.ctx = ctx, .file = sri_stream_name(stream), .is_known = like != NULL};
    r->w = &r->window;
    SRI_TRY(sri_window_open(ctx, stream, r->w));
    SRI_TRY(sri_csv_guess(ctx, r->w, options, &r->kind, &r->line));
    SRI_TRY(make_columns(r, sri_option_value(options, SRI_OPT_CATEGORICAL), like));
    r->delimiter = r->kind.delimiter;
    r->style = r->kind.style;
    r->charset = r->kind.charset;
    r->is_text = r->kind.is_text;
    *out = (sri_row_source){&csv, r};
    r = NULL;
done:
    free_reader(r);
    return st;
}

/* What growing by doubling took too much. */
static void trim(specreg_table *t)
{
    sri_trim((void **)&t->numbers, t->rows * t->n_numbers, sizeof(double));
    sri_trim((void **)&t->line, t->rows, sizeof *t->line);
    for (int64_t j = 0; j < t->n_columns; j++)
        sri_trim((void **)&t->column[j].code, t->rows, sizeof(int32_t));
}

specreg_status sri_csv_read(specreg_context *ctx, sri_stream *stream, const char *path,
                            const char *inner, const specreg_options *options, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    sri_row_source source = {0};
    (void)path;
    (void)inner;
    *out = NULL;
    SRI_TRY(sri_csv_open(ctx, stream, options, NULL, &source));
    SRI_TRY(next_rows(ctx, source.state, INT64_MAX, out));
    trim(*out);
done:
    sri_row_source_close(&source);
    return st;
}
