/* The encoder at work on a table: matching of columns, rows of X. */
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/text.h"
#include "data/encode.h"
#include "data/labels.h"

static specreg_status match_names(specreg_context *ctx, const sri_encoder *enc,
                                  const specreg_table *t, int64_t *column)
{
    specreg_status st = SPECREG_OK;
    sri_texts names = {0};
    int64_t *first = NULL; /* name code -> its first column */
    int32_t code;
    SRI_ALLOC(ctx, first, t->n_columns, 1);
    for (int64_t c = 0; c < t->n_columns; c++) {
        const int64_t known = names.count;
        SRI_TRY(sri_texts_code(ctx, &names, t->column[c].name, strlen(t->column[c].name), &code));
        if (names.count > known)
            first[code] = c;
    }
    for (int64_t j = 0; j < enc->n_features; j++) {
        const char *name = sri_feature_column(&enc->feature[j]);
        code = sri_texts_find(&names, name, strlen(name));
        SRI_REQUIRE(ctx, code >= 0, SPECREG_E_SHAPE,
                    "%s: column '%s' of the training data is missing", t->source, name);
        column[j] = first[code];
    }
done:
    sri_texts_free(&names);
    sri_free(first);
    return st;
}

static specreg_status fail_count(specreg_context *ctx, const sri_encoder *enc,
                                 const specreg_table *t, int64_t columns)
{
    return sri_fail(ctx, SPECREG_E_SHAPE, "%s has %lld column%s, the model needs %lld", t->source,
                    (long long)columns, columns == 1 ? "" : "s",
                    (long long)sri_encoder_inputs(enc));
}

/* Without names a table has the features alone, or all columns of the training table, or those but
 * the ones set aside. */
static specreg_status match_positions(specreg_context *ctx, const sri_encoder *enc,
                                      const specreg_table *t, int64_t *column)
{
    const bool alone = t->n_columns == sri_encoder_inputs(enc),
               whole = t->n_columns == enc->table_columns;
    if (!alone && !whole && t->n_columns != enc->table_columns - enc->aside.count)
        return fail_count(ctx, enc, t, t->n_columns);
    for (int64_t j = 0; j < enc->n_features; j++) {
        const int64_t position =
            enc->sparse ? enc->table_columns - enc->n_features + j : enc->feature[j].position;
        column[j] = alone   ? (enc->sparse ? j : enc->feature[j].input)
                    : whole ? position
                            : sri_aside_place(&enc->aside, position);
        if (column[j] < 0 || column[j] >= t->n_columns) /* the encoder comes from a file */
            return fail_count(ctx, enc, t, t->n_columns);
    }
    return SPECREG_OK;
}

/* Sparse columns are the features by their number, absent ones are 0. */
static specreg_status match_sparse(specreg_context *ctx, const sri_encoder *enc,
                                   const specreg_table *t)
{
    for (int64_t j = 0; j < enc->n_features && !enc->sparse; j++)
        if (enc->feature[j].is_text || enc->feature[j].part)
            return sri_fail(ctx, SPECREG_E_SHAPE,
                            "%s: column '%s' held text or gaps in training, sparse data hold "
                            "numbers only",
                            t->source, sri_feature_column(&enc->feature[j]));
    const int64_t more = t->sparse->p - enc->n_features;
    if (more > 0 && !enc->by_number)
        return fail_count(ctx, enc, t, t->sparse->p);
    if (more > 0)
        sri_log(ctx, "%s: %lld column%s beyond number %lld, the last in training, %s ignored",
                t->source, (long long)more, more == 1 ? "" : "s", (long long)enc->n_features,
                more == 1 ? "is" : "are");
    return SPECREG_OK;
}

specreg_status sri_encoder_match(specreg_context *ctx, const sri_encoder *enc,
                                 const specreg_table *t, int64_t **out)
{
    specreg_status st = SPECREG_OK;
    int64_t *column = NULL;
    *out = NULL;
    if (t->sparse)
        return match_sparse(ctx, enc, t);
    SRI_ALLOC(ctx, column, enc->n_features, 1);
    if (enc->has_names && t->has_header)
        SRI_TRY(match_names(ctx, enc, t, column));
    else
        SRI_TRY(match_positions(ctx, enc, t, column));
    for (int64_t j = 0; j < enc->n_features; j++) {
        char number[32];
        const bool text = !enc->sparse && (enc->feature[j].is_text || enc->feature[j].part);
        SRI_REQUIRE(ctx, text || !t->column[column[j]].is_text, SPECREG_E_SHAPE,
                    "%s: column '%s' holds text, it held numbers in training", t->source,
                    sri_encoder_name(enc, j, number));
    }
    SRI_MOVE(*out, column);
done:
    sri_free(column);
    return st;
}

/* How one feature is read from a table. */
typedef struct reader {
    const sri_feature *feature;
    const sri_column *column;
    sri_source source; /* parts of a column                                               */
    sri_labels labels; /* texts: the feature's categories                                 */
    int32_t *category; /* texts: the column's code -> the feature's category, -1: unknown */
    double fill;       /* numbers: what a gap becomes, scaled                             */
    int64_t unseen;    /* how many rows had something that training did not have          */
    int64_t first;     /* the first of these rows                                         */
} reader;

/* How all features are read from a table. */
typedef struct plan {
    const sri_encoder *enc;
    const specreg_table *t;
    reader *r;
    double *zero;      /* p: what a row of zeros becomes, for sparse tables */
    sri_arena scratch; /* all of it                                         */
} plan;

specreg_status sri_fail_number(specreg_context *ctx, const specreg_table *t, int64_t row,
                               const char *column, double x)
{
    char number[32];
    if (isinf(x))
        return sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, t, row, column, "value is infinite");
    return sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, t, row, column,
                            "%s is too far from the training data to be scaled",
                            sri_format_double(x, number));
}

static specreg_status read_number(specreg_context *ctx, const specreg_table *t, int64_t row,
                                  const reader *r, double x, double *out)
{
    *out = isnan(x) ? r->fill : sri_feature_scale(r->feature, x);
    return isfinite(*out) ? SPECREG_OK : sri_fail_number(ctx, t, row, r->feature->name, x);
}

static specreg_status plan_make(specreg_context *ctx, const int64_t *column, plan *p)
{
    const int64_t n = p->enc->n_features;
    SRI_ARENA_NEW_ZERO(ctx, &p->scratch, p->r, n, 1);
    for (int64_t j = 0; j < n; j++) {
        reader *r = &p->r[j];
        const sri_feature *f = r->feature = &p->enc->feature[j];
        const sri_column *c = r->column = column ? &p->t->column[column[j]] : NULL;
        r->fill = sri_feature_scale(f, f->fill);
        if (f->part)
            SRI_CALL(sri_source_make(ctx, &p->scratch, f, c, &r->source));
        if (!f->is_text)
            continue;
        SRI_CALL(sri_labels_make(ctx, &p->scratch, &f->category, &r->labels));
        SRI_ARENA_NEW(ctx, &p->scratch, r->category, c->texts.count, 1);
        for (int64_t k = 0; k < c->texts.count; k++)
            r->category[k] = sri_labels_find_text(&r->labels, c->texts.text[k]);
    }
    SRI_ARENA_NEW_ZERO(ctx, &p->scratch, p->zero, p->enc->p, 1);
    for (int64_t j = 0; j < n && p->t->sparse; j++)
        SRI_CALL(read_number(ctx, p->t, 0, &p->r[j], 0, &p->zero[j]));
    return SPECREG_OK;
}

/* Counts a category, or a date, that training could not know. */
static specreg_status note_unseen(specreg_context *ctx, const plan *p, int64_t row, reader *r)
{
    char number[32];
    if (r->unseen++ == 0)
        r->first = row;
    return p->enc->refuses_unseen
               ? sri_fail_at_cell(ctx, SPECREG_E_SHAPE, p->t, row, sri_feature_column(r->feature),
                                  r->feature->part ? "'%s' is not a date"
                                                   : "category '%s' was not seen in training",
                                  sri_cell_text(p->t, row, r->column, number))
               : SPECREG_OK;
}

/* The first bytes of a text that make whole characters. */
static void copy_whole(char *to, size_t size, const char *text)
{
    size_t n = 0, next;
    while (text[n] && (next = sri_utf8_length((const unsigned char *)text + n, strlen(text + n))) &&
           n + next < size)
        n += next;
    memcpy(to, text, n);
    to[n] = '\0';
}

/* Adds up what all columns had, with a line in the log for each. */
static void sum_unseen(specreg_context *ctx, const plan *p, sri_unseen *out)
{
    char place[1024], number[32], line[1400];
    for (int64_t j = 0; j < p->enc->n_features; j++) {
        const reader *r = &p->r[j];
        if (r->unseen == 0)
            continue;
        snprintf(line, sizeof line, "%s: column '%s': '%s'",
                 sri_table_place(p->t, r->first, place, sizeof place),
                 sri_feature_column(r->feature), sri_cell_text(p->t, r->first, r->column, number));
        if (out->cells == 0)
            copy_whole(out->first, sizeof out->first, line);
        out->cells += r->unseen;
        sri_log(ctx, "%s and %lld more are new", line, (long long)r->unseen - 1);
    }
}

void sri_unseen_add(sri_unseen *to, const sri_unseen *more)
{
    if (to->cells == 0)
        memcpy(to->first, more->first, sizeof to->first);
    to->cells += more->cells;
}

char *sri_unseen_text(const sri_unseen *unseen, char *buffer, size_t size)
{
    snprintf(buffer, size,
             "%lld %s not seen in training, the first at %s: zeros stand for categories, the mean "
             "for dates (--unseen error refuses them)",
             (long long)unseen->cells, unseen->cells == 1 ? "value was" : "values were",
             unseen->first);
    return buffer;
}

/* A text, or a number where training had text, as 0 and 1; `out` holds zeros. */
static specreg_status read_category(specreg_context *ctx, const plan *p, int64_t row, reader *r,
                                    double *out)
{
    const specreg_table *t = p->t;
    const sri_feature *f = r->feature;
    const sri_column *c = r->column;
    if (sri_table_gap(t, row, c - t->column)) {
        if (f->share)
            memcpy(out, f->share, (size_t)f->category.count * sizeof *out);
        return SPECREG_OK;
    }
    const int32_t category = c->is_text
                                 ? r->category[c->code[row]]
                                 : sri_labels_find_number(&r->labels, sri_cell_number(t, row, c));
    if (category < 0)
        return note_unseen(ctx, p, row, r);
    out[category] = 1;
    return SPECREG_OK;
}

/* A part of a column.  A text where training had dates only, or a number, is as good as missing. */
static specreg_status read_part(specreg_context *ctx, const plan *p, int64_t row, reader *r,
                                double *out)
{
    const double x = sri_source_number(p->t, row, &r->source);
    SRI_CALL(read_number(ctx, p->t, row, r, x, out));
    return r->feature->part == SRI_PART_YEAR && isnan(x) &&
                   !sri_table_gap(p->t, row, r->column - p->t->column)
               ? note_unseen(ctx, p, row, r)
               : SPECREG_OK;
}

static specreg_status read_row(specreg_context *ctx, const plan *p, int64_t row, double *out)
{
    specreg_status st = SPECREG_OK;
    for (int64_t j = 0; j < p->enc->n_features && st == SPECREG_OK; j++) {
        reader *r = &p->r[j];
        const sri_feature *f = r->feature;
        if (f->is_text || f->part) {
            st = (f->is_text ? read_category : read_part)(ctx, p, row, r, out + f->at);
            continue;
        }
        const double x = sri_cell_number(p->t, row, r->column);
        out[f->at] = sri_feature_scale(f, x);
        if (!isfinite(out[f->at])) /* a gap, or out of range */
            st = read_number(ctx, p->t, row, r, x, out + f->at);
    }
    return st;
}

static specreg_status read_sparse_row(specreg_context *ctx, const plan *p, int64_t row, double *out)
{
    specreg_status st = SPECREG_OK;
    const sri_matrix *s = p->t->sparse;
    memcpy(out, p->zero, (size_t)p->enc->p * sizeof *out);
    for (int64_t k = s->start[row]; k < s->start[row + 1] && st == SPECREG_OK; k++) {
        const int64_t j = s->index[k];
        if (j < p->enc->n_features)
            st = read_number(ctx, p->t, row, &p->r[j], s->value[k], out + j);
    }
    return st;
}

specreg_status sri_encoder_apply(specreg_context *ctx, const sri_encoder *enc, const sri_rows *rows,
                                 int64_t memory_budget, double **X, sri_unseen *unseen)
{
    specreg_status st = SPECREG_OK;
    const double bytes = (double)rows->count * (double)enc->p * sizeof(double);
    char need[32], have[32];
    plan p = {.enc = enc, .t = rows->table};
    int64_t *column = NULL;
    double *x = NULL;
    *X = NULL;
    SRI_REQUIRE(ctx, memory_budget <= 0 || bytes <= (double)memory_budget, SPECREG_E_NOMEM,
                "%s: %lld rows x %lld columns as dense numbers need %s, the memory budget is %s",
                p.t->source, (long long)rows->count, (long long)enc->p, sri_bytes_text(bytes, need),
                sri_bytes_text((double)memory_budget, have));
    SRI_TRY(sri_encoder_match(ctx, enc, p.t, &column));
    SRI_TRY(plan_make(ctx, column, &p));
    SRI_CALLOC(ctx, x, rows->count, enc->p);
    for (int64_t i = 0; i < rows->count; i++)
        SRI_TRY((p.t->sparse ? read_sparse_row : read_row)(ctx, &p, rows->row[i], x + i * enc->p));
    if (unseen)
        sum_unseen(ctx, &p, unseen);
    SRI_MOVE(*X, x);
done:
    sri_free(x);
    sri_arena_free(&p.scratch);
    sri_free(column);
    return st;
}
