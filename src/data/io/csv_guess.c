/* What a CSV file is, from its first rows: the delimiter, whether there is a header, the names, and
 * which columns are numbers.  docs/FORMATS.md has the rules. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/io/csv.h"

enum {
    SAMPLE_ROWS = 1001,     /* a header and 1000 rows                                        */
    DELIMITER_ROWS = 100,   /* to find the delimiter                                         */
    SAMPLE_BYTES = 1 << 22, /* of very wide rows fewer are looked at,                        */
    FEWEST_ROWS = 20        /* but not fewer than these                                      */
};

/* The first rows as cells that point into the window. */
typedef struct sample {
    sri_csv_cell *cell;
    int64_t cells, capacity;
    int64_t rows;
    int64_t start[SAMPLE_ROWS + 1];      /* row -> its first cell */
    const char *behind[SAMPLE_ROWS + 1]; /* row -> where it ends in the window */
    int64_t line[SAMPLE_ROWS + 1];       /* row -> its line */
    sri_csv_end stopped; /* why there are no more rows: ROW at the end of the file */
    int64_t stop_line;
    int64_t first_line; /* where the window begins */
    sri_csv_style style;
} sample;

/* ------------------------------------------------------------------------------- sampling */

static sri_csv_end sample_row(specreg_context *ctx, const sri_window *w, char delimiter,
                              const char **s, int64_t *line, sample *out, specreg_status *st)
{
    sri_csv_end end;
    do {
        *st = sri_grow(ctx, (void **)&out->cell, &out->capacity, out->cells + 1, sizeof *out->cell);
        if (*st != SPECREG_OK)
            return SRI_CSV_MORE;
        end = sri_csv_scan(w, delimiter, s, &out->cell[out->cells]);
        if (end <= SRI_CSV_ROW)
            *line += out->cell[out->cells++].lines;
    } while (end == SRI_CSV_CELL);
    ++*line;
    return end;
}

/* Splits what is in the window into at most `most` whole rows. */
static specreg_status split(specreg_context *ctx, const sri_window *w, char delimiter, int64_t most,
                            sample *out)
{
    specreg_status st = SPECREG_OK;
    const char *s = w->begin;
    int64_t line = out->first_line;
    out->cells = out->rows = 0;
    out->stopped = SRI_CSV_CELL;
    while (out->rows < most) {
        sri_csv_end end = sri_csv_skip(w, delimiter, &s, &line);
        if (end != SRI_CSV_CELL) {
            out->stopped = end;
            break;
        }
        const int64_t first = out->cells, row_line = line;
        end = sample_row(ctx, w, delimiter, &s, &line, out, &st);
        if (st != SPECREG_OK)
            return st;
        if (end != SRI_CSV_ROW) {
            out->cells = first; /* an unfinished row does not count */
            out->stopped = end;
            out->stop_line = line - 1;
            break;
        }
        out->start[out->rows] = first;
        out->line[out->rows] = row_line;
        out->behind[out->rows++] = s;
    }
    out->start[out->rows] = out->cells;
    return st;
}

/* Splits, and lets the window grow until the sample is large enough. */
static specreg_status split_more(specreg_context *ctx, sri_window *w, char delimiter, int64_t most,
                                 sample *out)
{
    for (;;) {
        SRI_CALL(split(ctx, w, delimiter, most, out));
        if (out->stopped != SRI_CSV_MORE || w->eof ||
            (out->rows >= FEWEST_ROWS && w->end - w->begin >= SAMPLE_BYTES))
            break;
        SRI_CALL(sri_window_more(ctx, w, 1));
    }
    return SPECREG_OK;
}

static int64_t cells_of(const sample *s, int64_t row)
{
    return s->start[row + 1] - s->start[row];
}

static bool is_number(const sample *s, const sri_csv_cell *c)
{
    double value;
    return c->length > 0 && sri_csv_number(c->text, c->length, s->style, &value);
}

/* A cell of the sample, or NULL in a row that is too short. */
static const sri_csv_cell *cell_at(const sample *s, int64_t row, int64_t col)
{
    return col < cells_of(s, row) ? &s->cell[s->start[row] + col] : NULL;
}

/* ------------------------------------------------------------------------------ delimiter */

/* The share of rows that have as many cells as most rows have; 0 when that is one cell.  Blanks
 * part words too, so as a delimiter they must do it everywhere, or part numbers. */
static double agreement(const sample *s, char delimiter)
{
    int64_t best = 0, width = 0, numbers = 0;
    for (int64_t i = 0; i < s->rows; i++) {
        int64_t same = 0;
        for (int64_t k = 0; k < s->rows; k++)
            same += cells_of(s, k) == cells_of(s, i);
        if (same > best) {
            best = same;
            width = cells_of(s, i);
        }
    }
    if (width < 2)
        return 0;
    if (delimiter == ' ' && best < s->rows) {
        for (int64_t k = 0; k < s->cells; k++)
            numbers += is_number(s, &s->cell[k]);
        if (numbers * 2 < s->cells)
            return 0;
    }
    return (double)best / (double)s->rows;
}

static specreg_status find_delimiter(specreg_context *ctx, sri_window *w, sample *s, char *out)
{
    static const char candidate[] = {'\t', ';', '|', ',', ' '};
    double best = 0.49;
    *out = ',';
    for (size_t i = 0; i < sizeof candidate; i++) {
        SRI_CALL(split(ctx, w, candidate[i], DELIMITER_ROWS, s));
        while (s->rows == 0 && s->stopped == SRI_CSV_MORE && !w->eof) {
            SRI_CALL(sri_window_more(ctx, w, 1));
            SRI_CALL(split(ctx, w, candidate[i], DELIMITER_ROWS, s));
        }
        const double share = s->rows ? agreement(s, candidate[i]) : 0;
        if (share > best) {
            best = share;
            *out = candidate[i];
        }
    }
    return SPECREG_OK;
}

/* .tsv and .tab say what they are, compressed or not. */
static bool named_for_tabs(const char *name)
{
    static const char *const ending[] = {".tsv", ".tsv.gz", ".tsv.zst",
                                         ".tab", ".tab.gz", ".tab.zst"};
    const size_t n = strlen(name);
    for (int i = 0; i < 6; i++) {
        const size_t m = strlen(ending[i]);
        if (n >= m && sri_is_word(name + n - m, m, ending[i]))
            return true;
    }
    return false;
}

/* The delimiter that the option or the file's name gives; 0 for none. */
static specreg_status given_delimiter(specreg_context *ctx, const char *name,
                                      const specreg_options *options, char *out)
{
    static const char *const word[] = {"auto", "comma", "semicolon", "tab", "space", "|"};
    static const char meaning[] = "\0,;\t |";
    const char *value = sri_option_value(options, SRI_OPT_DELIMITER);
    for (int i = 0; i < 6; i++)
        if (strcmp(value, word[i]) == 0 || (i > 0 && value[0] == meaning[i] && value[1] == '\0')) {
            *out = meaning[i];
            if (i == 0 && named_for_tabs(name))
                *out = '\t';
            return SPECREG_OK;
        }
    return sri_fail_unknown(ctx, "delimiter", value, word, 6);
}

/* Excel's first line "sep=;", which names the delimiter and is no data. */
static specreg_status skip_sep_line(specreg_context *ctx, sri_window *w, char *delimiter,
                                    int64_t *line)
{
    while (w->end - w->begin < 10 && !w->eof)
        SRI_CALL(sri_window_more(ctx, w, 1));
    const bool quoted = *w->begin == '"';
    const char *s = w->begin + quoted; /* zero bytes stand behind the window */
    if (strncasecmp(s, "sep=", 4) != 0 || !s[4] || !strchr(",;\t |", s[4]) ||
        (quoted && s[5] != '"'))
        return SPECREG_OK;
    const char *end = s + 5 + quoted;
    const int newline = sri_newline(w, end);
    if (newline <= 0)
        return SPECREG_OK;
    *delimiter = *delimiter ? *delimiter : s[4];
    w->begin = end + newline;
    ++*line;
    return SPECREG_OK;
}

/* --------------------------------------------------------------------- header and types */

/* Number columns: at least half of what is there from row `first` on are numbers. */
static bool column_is_numbers(const sample *s, int64_t first, int64_t col, int64_t *numbers)
{
    int64_t there = 0;
    *numbers = 0;
    for (int64_t i = first; i < s->rows; i++) {
        const sri_csv_cell *c = cell_at(s, i, col);
        if (!c || sri_is_missing(c->text, c->length))
            continue;
        there++;
        *numbers += is_number(s, c);
    }
    return *numbers * 2 >= there;
}

static bool same_text(const sri_csv_cell *a, const sri_csv_cell *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* Whether the first row of texts could be names: none empty, none twice, none met again below. */
static bool could_be_names(const sample *s)
{
    const int64_t cols = cells_of(s, 0);
    for (int64_t j = 0; j < cols; j++) {
        const sri_csv_cell *name = cell_at(s, 0, j);
        if (name->length == 0)
            return false;
        for (int64_t k = 0; k < j && cols < 1000; k++)
            if (same_text(name, cell_at(s, 0, k)))
                return false;
        for (int64_t i = 1; i < s->rows; i++) {
            const sri_csv_cell *c = cell_at(s, i, j);
            if (c && same_text(name, c))
                return false;
        }
    }
    return true;
}

/* A text above numbers makes a header; else a number in the first row makes data; else, among
 * texts only, names are those that are not values. */
static bool looks_like_header(const sample *s)
{
    bool any_number = false;
    for (int64_t j = 0; j < cells_of(s, 0); j++) {
        const sri_csv_cell *c = cell_at(s, 0, j);
        int64_t numbers;
        if (is_number(s, c))
            any_number = any_number || !sri_is_missing(c->text, c->length);
        else if (!sri_is_missing(c->text, c->length) && column_is_numbers(s, 1, j, &numbers) &&
                 numbers > 0)
            return true;
    }
    return !any_number && could_be_names(s);
}

static specreg_status find_header(specreg_context *ctx, const specreg_options *options,
                                  const sample *s, bool *out)
{
    static const char *const word[] = {"auto", "yes", "no"};
    const char *value = sri_option_value(options, SRI_OPT_HEADER);
    int i;
    const specreg_status st = sri_choose_known(ctx, "header", value, word, 3, &i);
    if (st == SPECREG_OK)
        *out = i == 0 ? looks_like_header(s) : i == 1;
    return st;
}

/* -------------------------------------------------------------------------------- names */

/* x<k>, with underscores until no name of the file is like it. */
static specreg_status invent_name(specreg_context *ctx, const sri_texts *given, int64_t col,
                                  char **out)
{
    specreg_status st = SPECREG_OK;
    sri_buffer b = {0};
    SRI_TRY(sri_buffer_print(ctx, &b, "x%lld", (long long)col + 1));
    while (sri_texts_find(given, b.data, (size_t)b.length) >= 0)
        SRI_TRY(sri_buffer_add(ctx, &b, "_", 1));
    *out = b.data;
    return SPECREG_OK;
done:
    sri_buffer_free(&b);
    return st;
}

static specreg_status header_names(specreg_context *ctx, const sample *s, const char *file,
                                   sri_csv_kind *kind)
{
    specreg_status st = SPECREG_OK;
    sri_texts seen = {0};
    char *buffer = NULL;
    int64_t capacity = 0;
    for (int64_t j = 0; j < kind->cols; j++) {
        const char *text;
        size_t length;
        int32_t code;
        SRI_TRY(sri_csv_text(ctx, cell_at(s, 0, j), &buffer, &capacity, &text, &length));
        if (length == 0)
            continue;
        const int64_t before = seen.count;
        st = sri_csv_enter(ctx, &kind->charset, &seen, text, length, &code);
        if (st != SPECREG_OK) {
            sri_fail_at(ctx, st, "%s:%lld: column %lld", file, (long long)s->line[0],
                        (long long)j + 1);
            goto done;
        }
        SRI_REQUIRE(ctx, seen.count > before, SPECREG_E_FORMAT,
                    "%s:%lld: two columns are named '%.*s'", file, (long long)s->line[0],
                    (int)(length < 80 ? length : 80), text);
        kind->name[j] = sri_strdup(ctx, seen.text[code]); /* normalised */
        SRI_REQUIRE(ctx, kind->name[j], SPECREG_E_NOMEM, "out of memory");
    }
    for (int64_t j = 0; j < kind->cols; j++)
        if (!kind->name[j]) {
            kind->first_is_unnamed = kind->first_is_unnamed || j == 0;
            SRI_TRY(invent_name(ctx, &seen, j, &kind->name[j]));
        }
done:
    sri_free(buffer);
    sri_texts_free(&seen);
    return st;
}

/* x1 .. x(p-1) and y; x1 alone. */
static specreg_status plain_names(specreg_context *ctx, sri_csv_kind *kind)
{
    for (int64_t j = 0; j < kind->cols; j++) {
        char name[32];
        if (j > 0 && j == kind->cols - 1)
            strcpy(name, "y");
        else
            snprintf(name, sizeof name, "x%lld", (long long)j + 1);
        kind->name[j] = sri_strdup(ctx, name);
        if (!kind->name[j])
            return SPECREG_E_NOMEM;
    }
    return SPECREG_OK;
}

/* --------------------------------------------------------------------------------- all */

/* Adds up what the values of a column tell; nothing where most of them are no numbers. */
static void weigh_column(const sample *s, int64_t first, int64_t col, int64_t *sum)
{
    int64_t own[SRI_CSV_EVIDENCES] = {0}, there = 0;
    for (int64_t i = first; i < s->rows; i++) {
        const sri_csv_cell *c = cell_at(s, i, col);
        if (!c || sri_is_missing(c->text, c->length))
            continue;
        there++;
        own[sri_csv_weigh(c->text, c->length)]++;
    }
    if (own[SRI_CSV_NO_NUMBER] * 2 <= there)
        for (int k = 0; k < SRI_CSV_EVIDENCES; k++)
            sum[k] += own[k];
}

/* The decimal mark that all values agree with.  Where they disagree, or may be read in two ways, it
 * is the point: columns of commas are then refused. */
static sri_csv_style agreed_style(const sample *s)
{
    int64_t sum[SRI_CSV_EVIDENCES] = {0};
    for (int64_t j = 0; j < cells_of(s, 0); j++)
        weigh_column(s, s->rows > 1, j, sum);
    const bool points = sum[SRI_CSV_POINT] || sum[SRI_CSV_POINT_GROUPED];
    const bool commas = sum[SRI_CSV_COMMA];
    if (commas && !points)
        return (sri_csv_style){',', true};
    return (sri_csv_style){'.', !commas && (points || sum[SRI_CSV_GROUPED])};
}

static specreg_status find_style(specreg_context *ctx, const specreg_options *options,
                                 const sample *s, sri_csv_style *out)
{
    static const char *const word[] = {"auto", "point", "comma"};
    int choice;
    SRI_CALL(sri_choose_known(ctx, "decimal mark", sri_option_value(options, SRI_OPT_DECIMAL), word,
                              3, &choice));
    *out = choice == 0 ? agreed_style(s) : (sri_csv_style){choice == 1 ? '.' : ',', true};
    return SPECREG_OK;
}

/* Numbers with commas that may mean two things would be taken for texts, and a model made of that:
 * better to stop.  Whoever means them as texts says so with --categorical. */
static specreg_status refuse_commas(specreg_context *ctx, const char *file,
                                    const specreg_options *options, const sample *s,
                                    const sri_csv_kind *kind)
{
    if (sri_option_value(options, SRI_OPT_CATEGORICAL)[0])
        return SPECREG_OK;
    for (int64_t j = 0; j < kind->cols; j++) {
        const sri_csv_cell *example = NULL;
        int64_t there = 0, commas = 0;
        for (int64_t i = kind->has_header; kind->is_text[j] && i < s->rows; i++) {
            const sri_csv_cell *c = cell_at(s, i, j);
            if (!c || sri_is_missing(c->text, c->length))
                continue;
            there++;
            if (sri_csv_weigh(c->text, c->length) >= SRI_CSV_COMMA) {
                commas++;
                example = c;
            }
        }
        if (example && commas * 2 >= there)
            return sri_fail(ctx, SPECREG_E_FORMAT,
                            "%s: column '%s': '%.*s' may have a decimal comma, or one between "
                            "thousands: --decimal comma or point says it (if it is a text, name "
                            "the column in --categorical)",
                            file, kind->name[j], (int)example->length, example->text);
    }
    return SPECREG_OK;
}

static specreg_status describe(specreg_context *ctx, const sri_window *w,
                               const specreg_options *options, sample *s, sri_csv_kind *kind)
{
    const char *file = sri_stream_name(w->stream);
    SRI_CALL(find_style(ctx, options, s, &kind->style));
    s->style = kind->style;
    SRI_CALL(find_header(ctx, options, s, &kind->has_header));
    kind->cols = cells_of(s, 0);
    SRI_NEW_ZERO(ctx, kind->name, kind->cols, 1);
    SRI_NEW_ZERO(ctx, kind->is_text, kind->cols, 1);
    SRI_CALL(kind->has_header ? header_names(ctx, s, file, kind) : plain_names(ctx, kind));
    for (int64_t j = 0; j < kind->cols; j++) {
        int64_t numbers;
        kind->is_text[j] = !column_is_numbers(s, kind->has_header, j, &numbers);
    }
    return refuse_commas(ctx, file, options, s, kind);
}

specreg_status sri_csv_guess(specreg_context *ctx, sri_window *w, const specreg_options *options,
                             sri_csv_kind *kind, int64_t *line)
{
    specreg_status st = SPECREG_OK;
    const char *file = sri_stream_name(w->stream);
    sample *s = NULL;
    *kind = (sri_csv_kind){0};
    SRI_CALLOC(ctx, s, 1, 1);
    s->first_line = 1;
    s->style.decimal = '.';
    kind->charset.guess = strcmp(sri_option_value(options, SRI_OPT_ENCODING), "auto") == 0;
    SRI_TRY(given_delimiter(ctx, file, options, &kind->delimiter));
    SRI_TRY(skip_sep_line(ctx, w, &kind->delimiter, &s->first_line));
    if (!kind->delimiter)
        SRI_TRY(find_delimiter(ctx, w, s, &kind->delimiter));
    SRI_TRY(split_more(ctx, w, kind->delimiter, SAMPLE_ROWS, s));
    if (s->rows == 0 && s->stopped > SRI_CSV_MORE) {
        st = sri_csv_fail(ctx, file, s->stop_line, s->stopped);
        goto done;
    }
    SRI_REQUIRE(ctx, s->rows > 0, SPECREG_E_FORMAT, "%s: has no rows, only blank lines or comments",
                file);
    SRI_TRY(describe(ctx, w, options, s, kind));
    SRI_REQUIRE(ctx, !kind->has_header || s->rows > 1 || s->stopped != SRI_CSV_ROW,
                SPECREG_E_FORMAT, "%s: has a header but no rows", file);
    *line = s->line[0];
    if (kind->has_header) {
        int64_t inside = 0; /* a name may have line ends in quotes */
        for (int64_t j = 0; j < kind->cols; j++)
            inside += s->cell[j].lines;
        *line += 1 + inside;
        w->begin = s->behind[0];
    } else {
        *line = s->first_line; /* reading starts at the top, with the comments */
    }
done:
    if (s)
        sri_free(s->cell);
    sri_free(s);
    if (st != SPECREG_OK)
        sri_csv_kind_free(kind);
    return st;
}

void sri_csv_kind_free(sri_csv_kind *kind)
{
    sri_free_list(kind->name, kind->cols);
    sri_free(kind->is_text);
    *kind = (sri_csv_kind){0};
}
