/* The encoder at work on a table: matching of columns, rows of X. */
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/text.h"
#include "data/encode.h"
#include "data/labels.h"

specreg_status sri_fail_at_cell(specreg_context *ctx, specreg_status code, const specreg_table *t,
                                int64_t row, const char *column, const char *text)
{
    char place[1024];
    return sri_fail(ctx, code, "%s: column '%s': %s", sri_table_place(t, row, place, sizeof place),
                    column, text);
}

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
        const char *name = enc->feature[j].name;
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
                    (long long)columns, columns == 1 ? "" : "s", (long long)enc->n_features);
}

/* Without names a table has the features alone, or all columns of the training table, or those but
 * the ones set aside. */
static specreg_status match_positions(specreg_context *ctx, const sri_encoder *enc,
                                      const specreg_table *t, int64_t *column)
{
    const bool alone = t->n_columns == enc->n_features, whole = t->n_columns == enc->table_columns;
    if (!alone && !whole && t->n_columns != enc->table_columns - enc->aside.count)
        return fail_count(ctx, enc, t, t->n_columns);
    for (int64_t j = 0; j < enc->n_features; j++) {
        const int64_t position =
            enc->sparse ? enc->table_columns - enc->n_features + j : enc->feature[j].position;
        column[j] = alone ? j : whole ? position : sri_aside_place(&enc->aside, position);
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
        if (enc->feature[j].is_text)
            return sri_fail(ctx, SPECREG_E_SHAPE,
                            "%s: column '%s' held text in training, sparse data hold numbers only",
                            t->source, enc->feature[j].name);
    const int64_t more = t->sparse->cols - enc->n_features;
    if (more > 0 && !enc->by_number)
        return fail_count(ctx, enc, t, t->sparse->cols);
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
        const bool text = !enc->sparse && enc->feature[j].is_text;
        SRI_REQUIRE(ctx, text || !t->column[column[j]].is_text, SPECREG_E_SHAPE,
                    "%s: column '%s' holds text, it held numbers in training", t->source,
                    sri_encoder_name(enc, j, number));
    }
    *out = column;
    column = NULL;
done:
    sri_free(column);
    return st;
}

/* How one feature is read from a table. */
typedef struct reader {
    const sri_feature *feature;
    const sri_column *column;
    sri_labels labels; /* texts: the feature's categories                                 */
    int32_t *category; /* texts: the column's code -> the feature's category, -1: unknown */
    double fill;       /* numbers: what a gap becomes, scaled                             */
} reader;

static specreg_status readers_make(specreg_context *ctx, sri_arena *scratch, const sri_encoder *enc,
                                   const specreg_table *t, const int64_t *column, reader *r)
{
    specreg_status st = SPECREG_OK;
    for (int64_t j = 0; j < enc->n_features; j++) {
        const sri_column *c = column ? &t->column[column[j]] : NULL;
        r[j].feature = &enc->feature[j];
        r[j].column = c;
        r[j].fill = sri_feature_scale(&enc->feature[j], enc->feature[j].fill);
        if (!enc->feature[j].is_text)
            continue;
        SRI_TRY(sri_labels_make(ctx, scratch, &enc->feature[j].category, &r[j].labels));
        SRI_SCRATCH(ctx, scratch, r[j].category, c->texts.count, 1);
        for (int64_t k = 0; k < c->texts.count; k++)
            r[j].category[k] = sri_labels_find_text(&r[j].labels, c->texts.text[k]);
    }
done:
    return st;
}

static specreg_status read_number(specreg_context *ctx, const specreg_table *t, int64_t row,
                                  const reader *r, double x, double *out)
{
    char number[32], text[96];
    *out = isnan(x) ? r->fill : sri_feature_scale(r->feature, x);
    if (isfinite(*out))
        return SPECREG_OK;
    if (isinf(x))
        snprintf(text, sizeof text, "value is infinite");
    else
        snprintf(text, sizeof text, "%s is too far from the training data to be scaled",
                 sri_format_double(x, number));
    return sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, t, row, r->feature->name, text);
}

/* A text, or a number where training had text, as 0 and 1; `out` holds zeros. */
static specreg_status read_category(specreg_context *ctx, const specreg_table *t, int64_t row,
                                    const reader *r, double *out)
{
    const sri_feature *f = r->feature;
    const sri_column *c = r->column;
    char number[32], place[1024];
    const char *text = NULL;
    int32_t category = -1;
    if (c->is_text && c->code[row] >= 0) {
        text = c->texts.text[c->code[row]];
        category = r->category[c->code[row]];
    } else if (!c->is_text && !sri_table_gap(t, row, c - t->column)) {
        const double x = t->numbers[row * t->n_numbers + c->number];
        category = sri_labels_find_number(&r->labels, x);
        text = category < 0 ? sri_format_double(x, number) : NULL;
    }
    if (category >= 0)
        out[category] = 1;
    else if (text)
        return sri_fail(ctx, SPECREG_E_SHAPE,
                        "%s: column '%s': category '%s' was not seen in training",
                        sri_table_place(t, row, place, sizeof place), f->name, text);
    else if (f->share)
        memcpy(out, f->share, (size_t)f->category.count * sizeof *out);
    return SPECREG_OK;
}

static specreg_status read_row(specreg_context *ctx, const sri_encoder *enc, const specreg_table *t,
                               int64_t row, const reader *r, double *out)
{
    specreg_status st = SPECREG_OK;
    const double *x = t->numbers + row * t->n_numbers;
    for (int64_t j = 0; j < enc->n_features && st == SPECREG_OK; j++) {
        const sri_feature *f = r[j].feature;
        if (f->is_text) {
            st = read_category(ctx, t, row, &r[j], out + f->at);
            continue;
        }
        out[f->at] = sri_feature_scale(f, x[r[j].column->number]);
        if (!isfinite(out[f->at])) /* a gap, or out of range */
            st = read_number(ctx, t, row, &r[j], x[r[j].column->number], out + f->at);
    }
    return st;
}

/* `zero` is what a row of zeros becomes. */
static specreg_status read_sparse_row(specreg_context *ctx, const sri_encoder *enc,
                                      const specreg_table *t, int64_t row, const reader *r,
                                      const double *zero, double *out)
{
    specreg_status st = SPECREG_OK;
    memcpy(out, zero, (size_t)enc->p * sizeof *out);
    for (int64_t k = t->sparse->start[row]; k < t->sparse->start[row + 1] && st == SPECREG_OK;
         k++) {
        const int64_t j = t->sparse->index[k];
        if (j < enc->n_features)
            st = read_number(ctx, t, row, &r[j], t->sparse->value[k], out + j);
    }
    return st;
}

static specreg_status check_budget(specreg_context *ctx, const sri_encoder *enc,
                                   const specreg_table *t, int64_t n_keep, int64_t memory_budget)
{
    char need[32], have[32];
    const double bytes = (double)n_keep * (double)enc->p * sizeof(double);
    if (memory_budget <= 0 || bytes <= (double)memory_budget)
        return SPECREG_OK;
    return sri_fail(
        ctx, SPECREG_E_NOMEM,
        "%s: %lld rows x %lld columns as dense numbers need %s, the memory budget is %s", t->source,
        (long long)n_keep, (long long)enc->p, sri_bytes_text(bytes, need),
        sri_bytes_text((double)memory_budget, have));
}

specreg_status sri_encoder_apply(specreg_context *ctx, const sri_encoder *enc,
                                 const specreg_table *t, const int64_t *keep, int64_t n_keep,
                                 int64_t memory_budget, double **X)
{
    specreg_status st = SPECREG_OK;
    int64_t *column = NULL;
    reader *r;
    double *zero, *x = NULL;
    sri_arena scratch = {0};
    *X = NULL;
    SRI_TRY(check_budget(ctx, enc, t, n_keep, memory_budget));
    SRI_TRY(sri_encoder_match(ctx, enc, t, &column));
    SRI_SCRATCH_ZERO(ctx, &scratch, r, enc->n_features, 1);
    SRI_TRY(readers_make(ctx, &scratch, enc, t, column, r));
    SRI_SCRATCH_ZERO(ctx, &scratch, zero, enc->p, 1);
    for (int64_t j = 0; j < enc->n_features && t->sparse; j++)
        SRI_TRY(read_number(ctx, t, 0, &r[j], 0, &zero[j]));
    SRI_CALLOC(ctx, x, n_keep, enc->p);
    for (int64_t i = 0; i < n_keep; i++)
        SRI_TRY(t->sparse ? read_sparse_row(ctx, enc, t, keep[i], r, zero, x + i * enc->p)
                          : read_row(ctx, enc, t, keep[i], r, x + i * enc->p));
    *X = x;
    x = NULL;
done:
    sri_free(x);
    sri_arena_free(&scratch);
    sri_free(column);
    return st;
}
