/* LIBSVM text: `label index:value index:value ... # comment`, indices from 1 and ascending. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/io/format.h"
#include "data/io/libsvm_write.h"
#include "data/io/number.h"
#include "data/io/window.h"

enum { LABEL_SAMPLE = 1000, MOST_INDEX = INT32_MAX - 1 };

typedef struct reader {
    specreg_context *ctx;
    sri_window w;
    const char *file;
    specreg_table *t;
    sri_matrix *s;
    int64_t line;
    int64_t start_capacity, index_capacity, value_capacity, line_capacity;
    int64_t entries; /* of the rows that are done */
    int64_t most;    /* rows of this table */
    bool any;        /* rows were read */
    /* The label column.  Until LABEL_SAMPLE rows were seen labels are kept both ways; if all are
     * numbers then, the column is of numbers. */
    bool keep_texts, keep_numbers;
    int64_t code_capacity, number_capacity;
    bool qid;
    specreg_status st;
} reader;

typedef enum line_end { LINE_DONE, LINE_MORE, LINE_FAILED } line_end;

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static bool ends_token(char c)
{
    return is_space(c) || c == '\n' || c == '\r' || c == '\0';
}

static line_end fail(reader *r, const char *token, const char *what)
{
    size_t n = 0;
    while (n < 60 && !ends_token(token[n]))
        n++;
    r->st = sri_fail(r->ctx, SPECREG_E_FORMAT, "%s:%lld: '%.*s' %s", r->file, (long long)r->line,
                     (int)n, token, what);
    return LINE_FAILED;
}

/* --------------------------------------------------------------------------------- labels */

/* When the sample is over, or a label is not a number, one of the two forms goes. */
static void settle_labels(reader *r, bool numbers)
{
    sri_column *c = &r->t->column[0];
    r->keep_numbers = numbers;
    r->keep_texts = !numbers;
    if (numbers) {
        sri_free(c->code);
        c->code = NULL;
        sri_texts_free(&c->texts);
    }
}

static line_end put_label(reader *r, const char *text, size_t length)
{
    sri_column *c = &r->t->column[0];
    const int64_t row = r->t->rows;
    const bool missing = sri_is_missing(text, length);
    double value = NAN;
    const bool number = missing || sri_parse_double(text, length, &value);
    if (r->keep_numbers && r->keep_texts) {
        if (!number)
            settle_labels(r, false);
        else if (row == LABEL_SAMPLE)
            settle_labels(r, true);
    }
    if (r->keep_numbers) {
        if (!number)
            return fail(r, text, "is not a number, but the labels before it are");
        if (isinf(value))
            return fail(r, text, "is not finite");
        r->st =
            sri_grow(r->ctx, (void **)&r->t->numbers, &r->number_capacity, row + 1, sizeof(double));
        if (r->st != SPECREG_OK)
            return LINE_FAILED;
        r->t->numbers[row] = value;
    }
    if (r->keep_texts) {
        r->st = sri_grow(r->ctx, (void **)&c->code, &r->code_capacity, row + 1, sizeof *c->code);
        if (r->st != SPECREG_OK)
            return LINE_FAILED;
        c->code[row] = -1;
        if (!missing)
            r->st = sri_texts_code(r->ctx, &c->texts, text, length, &c->code[row]);
        if (r->st == SPECREG_E_FORMAT)
            sri_fail_at(r->ctx, r->st, "%s:%lld: label", r->file, (long long)r->line);
    }
    return r->st == SPECREG_OK ? LINE_DONE : LINE_FAILED;
}

/* --------------------------------------------------------------------------------- pairs */

static line_end put_pair(reader *r, int64_t *entries, int64_t index, double value)
{
    sri_matrix *s = r->s;
    r->st =
        sri_grow(r->ctx, (void **)&s->index, &r->index_capacity, *entries + 1, sizeof *s->index);
    if (r->st == SPECREG_OK)
        r->st = sri_grow(r->ctx, (void **)&s->value, &r->value_capacity, *entries + 1,
                         sizeof *s->value);
    if (r->st != SPECREG_OK)
        return LINE_FAILED;
    s->index[*entries] = (int32_t)(index - 1);
    s->value[(*entries)++] = value;
    return LINE_DONE;
}

/* One `index:value` at *p; *last is the index before it. */
static line_end read_pair(reader *r, const char **p, int64_t *last, int64_t *entries)
{
    const char *token = *p, *s = token;
    int64_t index = 0;
    double value;
    while ((unsigned char)(*s - '0') < 10 && index <= MOST_INDEX)
        index = index * 10 + (*s++ - '0');
    const char *behind = *s == ':' && s > token ? sri_scan_number(s + 1, &value) : NULL;
    const char *end = behind ? behind : s;
    while (!ends_token(*end))
        end++;
    if (end == r->w.end)
        return LINE_MORE;
    *p = end;
    if (strncmp(token, "qid:", 4) == 0) {
        if (!r->qid)
            sri_log(r->ctx, "%s:%lld: qid is ignored", r->file, (long long)r->line);
        r->qid = true;
        return LINE_DONE;
    }
    if (index > MOST_INDEX)
        return fail(r, token, "has an index above 2147483646");
    if (*s != ':' || s == token)
        return fail(r, token, "is not index:value");
    if (behind != end && !sri_parse_double(s + 1, (size_t)(end - s - 1), &value))
        return fail(r, token, "is not index:value");
    if (!isfinite(value))
        return fail(r, token, "is not finite");
    if (index == 0)
        return fail(r, token, "has index 0, but LIBSVM counts from 1");
    if (index == *last)
        return fail(r, token, "has the same index as the pair before it");
    if (index < *last)
        return fail(r, token, "comes after a larger index: indices must ascend");
    *last = index;
    return value == 0 ? LINE_DONE : put_pair(r, entries, index, value);
}

/* --------------------------------------------------------------------------------- lines */

/* Moves *p over blanks and a comment to a token or the end of the line. */
static line_end to_token(const reader *r, const char **p, int *newline)
{
    while (is_space(**p))
        ++*p;
    if (**p == '#')
        while (**p != '\n' && **p != '\r' && *p < r->w.end)
            ++*p;
    if (*p == r->w.end)
        return LINE_MORE;
    *newline = sri_newline(&r->w, *p);
    return *newline < 0 ? LINE_MORE : LINE_DONE;
}

static line_end end_row(reader *r, int64_t entries, int64_t last)
{
    specreg_table *t = r->t;
    r->st = sri_grow(r->ctx, (void **)&r->s->start, &r->start_capacity, t->rows + 2,
                     sizeof *r->s->start);
    if (r->st == SPECREG_OK)
        r->st =
            sri_grow(r->ctx, (void **)&t->line, &r->line_capacity, t->rows + 1, sizeof *t->line);
    if (r->st != SPECREG_OK)
        return LINE_FAILED;
    t->line[t->rows++] = r->line;
    r->s->start[t->rows] = r->entries = entries;
    if (last > r->s->p)
        r->s->p = last;
    return LINE_DONE;
}

/* The line at w.begin; nothing of the table counts until the line is whole. */
static line_end read_line(reader *r)
{
    const char *p = r->w.begin, *label;
    int newline;
    int64_t last = 0, entries = r->entries;
    line_end end = to_token(r, &p, &newline);
    if (end == LINE_DONE && newline == 0) {
        label = p;
        while (!ends_token(*p))
            p++;
        if (p == r->w.end)
            return LINE_MORE;
        if (memchr(label, ':', (size_t)(p - label)))
            return fail(r, label, "stands where the label should");
        end = put_label(r, label, (size_t)(p - label));
        while (end == LINE_DONE && (end = to_token(r, &p, &newline)) == LINE_DONE && newline == 0) {
            if (*p == '\0') {
                r->st = sri_fail(r->ctx, SPECREG_E_FORMAT,
                                 "%s:%lld: a NUL byte: this is not a text file", r->file,
                                 (long long)r->line);
                return LINE_FAILED;
            }
            end = read_pair(r, &p, &last, &entries);
        }
        if (end == LINE_DONE)
            end = end_row(r, entries, last);
    }
    if (end == LINE_DONE) {
        r->line++;
        r->w.begin = p + newline;
    }
    return end;
}

static specreg_status read_lines(reader *r)
{
    specreg_status st = SPECREG_OK;
    while (r->t->rows < r->most && (r->w.begin < r->w.end || !r->w.eof)) {
        const line_end end = r->w.begin < r->w.end ? read_line(r) : LINE_MORE;
        if (end == LINE_FAILED)
            return r->st;
        if (end == LINE_MORE) {
            SRI_REQUIRE(r->ctx, !r->w.eof, SPECREG_E_FORMAT, "%s:%lld: the line does not end",
                        r->file, (long long)r->line);
            SRI_TRY(sri_window_more(r->ctx, &r->w, r->line));
        }
    }
    r->any = r->any || r->t->rows > 0;
    SRI_REQUIRE(r->ctx, r->any, SPECREG_E_FORMAT, "%s: has no rows, only blank lines or comments",
                r->file);
done:
    return st;
}

/* -------------------------------------------------------------------------------- assembly */

static bool is_listed(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == length && strncmp(list, word, length) == 0)
            return true;
    return false;
}

static specreg_status start_table(reader *r)
{
    r->start_capacity = r->index_capacity = r->value_capacity = r->line_capacity = 0;
    r->code_capacity = r->number_capacity = r->entries = 0;
    SRI_CALL(sri_table_new(r->ctx, r->file, 1, &r->t));
    SRI_CALL(sri_table_set_name(r->ctx, r->t, 0, "y", 1));
    SRI_NEW_ZERO(r->ctx, r->t->sparse, 1, 1);
    r->s = r->t->sparse;
    SRI_CALL(sri_grow(r->ctx, (void **)&r->s->start, &r->start_capacity, 1, sizeof *r->s->start));
    r->s->start[0] = 0;
    /* So that the arrays are there even without an entry. */
    SRI_CALL(sri_grow(r->ctx, (void **)&r->s->index, &r->index_capacity, 1, sizeof(int32_t)));
    return sri_grow(r->ctx, (void **)&r->s->value, &r->value_capacity, 1, sizeof(double));
}

static specreg_status finish_table(reader *r)
{
    specreg_table *t = r->t;
    if (r->keep_numbers && r->keep_texts)
        settle_labels(r, true);
    t->column[0].is_text = r->keep_texts;
    t->n_numbers = r->keep_numbers;
    t->sparse->n = t->rows;
    bool regular = true;
    for (int64_t i = 0; i < t->rows && regular; i++)
        regular = t->line[i] == t->line[0] + i;
    if (regular) {
        t->first_line = t->line[0];
        sri_free(t->line);
        t->line = NULL;
    }
    return sri_table_name_sparse(r->ctx, t);
}

static void free_reader(void *state)
{
    reader *r = state;
    if (!r)
        return;
    specreg_table_free(r->t);
    sri_window_close(&r->w);
    sri_free(r);
}

/* The first table settles what labels are: it should have LABEL_SAMPLE rows. */
static specreg_status next_rows(specreg_context *ctx, void *state, int64_t rows,
                                specreg_table **out)
{
    reader *r = state;
    *out = NULL;
    r->ctx = ctx;
    r->most = rows;
    specreg_table_free(r->t);
    r->t = NULL;
    SRI_CALL(start_table(r));
    SRI_CALL(read_lines(r));
    if (r->t->rows == 0)
        return SPECREG_OK;
    SRI_CALL(finish_table(r));
    SRI_MOVE(*out, r->t);
    return SPECREG_OK;
}

static const sri_blocks_kind libsvm = {.next = next_rows, .free = free_reader};

static specreg_status libsvm_open(specreg_context *ctx, sri_stream *stream,
                                  const specreg_options *options, const specreg_table *like,
                                  sri_row_source *out)
{
    specreg_status st = SPECREG_OK;
    const char *categorical = sri_option_value(options, SRI_OPT_CATEGORICAL);
    reader *r = NULL;
    SRI_CALLOC(ctx, r, 1, 1);
    *r = (reader){.ctx = ctx, .file = sri_stream_name(stream), .line = 1};
    r->keep_texts = r->keep_numbers = true;
    if (like && like->n_columns == 1) {
        r->keep_texts = like->column[0].is_text;
        r->keep_numbers = !r->keep_texts;
    } else if (is_listed(categorical, "y") || is_listed(categorical, "1")) {
        r->keep_numbers = false;
    }
    SRI_TRY(sri_window_open(ctx, stream, &r->w));
    *out = (sri_row_source){&libsvm, r};
    r = NULL;
done:
    free_reader(r);
    return st;
}

static specreg_status libsvm_read(specreg_context *ctx, sri_stream *stream, const char *path,
                                  const char *inner, const specreg_options *options,
                                  specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    sri_row_source source = {0};
    (void)path;
    (void)inner;
    *out = NULL;
    SRI_TRY(libsvm_open(ctx, stream, options, NULL, &source));
    SRI_TRY(next_rows(ctx, source.state, INT64_MAX, out));
done:
    sri_row_source_close(&source);
    return st;
}

/* ---------------------------------------------------------------------------------- sniff */

/* Whether text[0..n) is digits, ':', and something. */
static bool is_pair(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && (unsigned char)(text[i] - '0') < 10)
        i++;
    double value;
    if (n > 4 && memcmp(text, "qid:", 4) == 0)
        return true;
    return i > 0 && i + 1 < n && text[i] == ':' &&
           sri_parse_double(text + i + 1, n - i - 1, &value);
}

/* Every line of the head that is there as a whole: a label, then pairs; at least one pair. */
static bool libsvm_sniff(const char *head, size_t length)
{
    int64_t pairs = 0, tokens = 0; /* tokens of this line */
    const char *p = head, *end = head + length;
    while (p < end) {
        if (*p == '\n' || *p == '\r') {
            tokens = 0;
            p++;
        } else if (is_space(*p)) {
            p++;
        } else if (*p == '#') {
            while (p < end && *p != '\n' && *p != '\r')
                p++;
        } else {
            const char *token = p;
            while (p < end && !ends_token(*p))
                p++;
            const size_t n = (size_t)(p - token);
            if (p == end && length >= 4096)
                break; /* cut off */
            if (p < end && *p == '\0')
                return false;
            if (tokens++ == 0 ? memchr(token, ':', n) != NULL : !is_pair(token, n))
                return false;
            pairs += tokens > 1;
        }
    }
    return pairs > 0;
}

const sri_format sri_format_libsvm = {
    .name = "libsvm",
    .extensions = "libsvm svm svmlight",
    .sniff = libsvm_sniff,
    .read = libsvm_read,
    .open = libsvm_open,
    .write = sri_libsvm_write,
};
