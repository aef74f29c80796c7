/* Learning an encoder: categories of texts, statistics of numbers.  encode_apply.c uses it. */
#include "data/encode.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

enum { MAX_CATEGORIES = 10000 };

static const char *const scale_names[] = {[SRI_SCALE_STANDARD] = "standard",
                                          [SRI_SCALE_MINMAX] = "minmax",
                                          [SRI_SCALE_NONE] = "none",
                                          [SRI_SCALE_MAXABS] = "maxabs",
                                          [SRI_SCALE_INNER] = "inner"};
static const char *const missing_names[] = {"error", "mean", "drop", "indicator"};

const char *sri_scale_name(sri_scale scale)
{
    return scale_names[scale];
}

specreg_status sri_scale_parse(specreg_context *ctx, const char *text, sri_scale *out)
{
    return sri_choose_known(ctx, "scale", text, scale_names, 5, (int *)out);
}

specreg_status sri_missing_parse(specreg_context *ctx, const char *text, sri_missing *out)
{
    return sri_choose_known(ctx, "treatment of missing values", text, missing_names, 4, (int *)out);
}

const char *sri_missing_name(sri_missing missing)
{
    return missing_names[missing];
}

typedef struct counted {
    const char *text;
    int64_t count;
} counted;

static int by_text(const void *a, const void *b)
{
    return strcmp(((const counted *)a)->text, ((const counted *)b)->text);
}

/* The distinct texts of some rows with their counts, sorted by strcmp so that the order of the
 * rows does not matter; returns how many texts the rows have in all. */
static int64_t count_categories(const sri_column *c, const sri_rows *rows, counted *list,
                                int64_t *n_used)
{
    int64_t n_texts = 0;
    *n_used = 0;
    for (int64_t i = 0; i < rows->count; i++)
        if (c->code[rows->row[i]] >= 0)
            list[c->code[rows->row[i]]].count++;
    for (int64_t k = 0; k < c->texts.count; k++)
        if (list[k].count > 0) {
            n_texts += list[k].count;
            list[(*n_used)++] = (counted){c->texts.text[k], list[k].count};
        }
    qsort(list, (size_t)*n_used, sizeof *list, by_text);
    return n_texts;
}

static specreg_status learn_categories(specreg_context *ctx, const sri_rows *rows, sri_feature *f)
{
    specreg_status st = SPECREG_OK;
    const char *source = rows->table->source;
    const sri_column *c = &rows->table->column[f->position];
    counted *list = NULL;
    int64_t n_used;
    SRI_CALLOC(ctx, list, c->texts.count, 1);
    const int64_t n_texts = count_categories(c, rows, list, &n_used);
    SRI_REQUIRE(ctx, n_used > 0, SPECREG_E_NUMERIC,
                "%s: column '%s' has no values: leave it out with --drop", source, f->name);
    SRI_REQUIRE(ctx, n_used <= MAX_CATEGORIES, SPECREG_E_NUMERIC,
                "%s: column '%s' has %lld different texts, at most %d can be encoded: leave it "
                "out with --drop",
                source, f->name, (long long)n_used, MAX_CATEGORIES);
    SRI_ALLOC(ctx, f->share, n_used, 1);
    for (int64_t k = 0; k < n_used; k++) {
        int32_t code;
        SRI_TRY(sri_texts_code(ctx, &f->category, list[k].text, strlen(list[k].text), &code));
        f->share[k] = (double)list[k].count / (double)n_texts;
    }
done:
    sri_free(list);
    return st;
}

/* Of the numbers of one feature.  Sums are of values times `unit`, a power of two that brings the
 * largest magnitude below 1, so that numbers of 1e300 and of 1e-300 have a mean and a deviation
 * too. */
typedef struct statistic {
    double count, low, high;
    int exponent; /* unit = 2^-exponent */
    double unit, mean;
    double sum;           /* of x unit             */
    double drift, square; /* of x unit - mean      */
    int64_t stored;       /* entries of a sparse column */
} statistic;

static void pass_range(statistic *s, double x, double weight)
{
    s->count += weight;
    s->low = x < s->low ? x : s->low;
    s->high = x > s->high ? x : s->high;
}

static void pass_sum(statistic *s, double x, double weight)
{
    s->sum += weight * (x * s->unit);
}

static void pass_square(statistic *s, double x, double weight)
{
    const double d = x * s->unit - s->mean;
    s->drift += weight * d;
    s->square += weight * d * d;
}

/* Hands every number of some rows to `pass`; the zeros of a sparse column come at once. */
static void each_number(const sri_rows *rows, const sri_encoder *enc, const sri_source *source,
                        void (*pass)(statistic *, double, double), statistic *s)
{
    const specreg_table *t = rows->table;
    const int64_t n = enc->n_features;
    for (int64_t i = 0; i < rows->count && !t->sparse; i++)
        for (int64_t j = 0; j < n; j++) {
            if (enc->feature[j].is_text)
                continue;
            const double x = sri_source_number(t, rows->row[i], &source[j]);
            if (!isnan(x))
                pass(&s[j], x, 1);
        }
    if (!t->sparse)
        return;
    for (int64_t i = 0; i < rows->count; i++)
        for (int64_t k = t->sparse->start[rows->row[i]]; k < t->sparse->start[rows->row[i] + 1];
             k++)
            if (!isnan(t->sparse->value[k]))
                pass(&s[t->sparse->index[k]], t->sparse->value[k], 1);
    for (int64_t j = 0; j < n; j++)
        if (s[j].stored < rows->count)
            pass(&s[j], 0, (double)(rows->count - s[j].stored));
}

static void count_stored(const sri_rows *rows, statistic *s)
{
    const sri_matrix *sparse = rows->table->sparse;
    for (int64_t i = 0; sparse && i < rows->count; i++)
        for (int64_t k = sparse->start[rows->row[i]]; k < sparse->start[rows->row[i] + 1]; k++)
            s[sparse->index[k]].stored++;
}

/* The first row with an infinite number in a feature. */
static int64_t find_infinite(const sri_rows *rows, const sri_feature *f)
{
    int64_t i = 0;
    while (!isinf(specreg_table_number(rows->table, rows->row[i], f->position)))
        i++;
    return rows->row[i];
}

/* After the ranges are known: are they usable, and what is the unit? */
static specreg_status choose_unit(specreg_context *ctx, const sri_rows *rows, const sri_feature *f,
                                  statistic *s)
{
    if (s->count == 0)
        return sri_fail(ctx, SPECREG_E_NUMERIC,
                        "%s: column '%s' has no values: leave it out with --drop",
                        rows->table->source, sri_feature_column(f));
    const double largest = fmax(fabs(s->low), fabs(s->high));
    if (isinf(largest))
        return sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, rows->table, find_infinite(rows, f),
                                f->name, "value is infinite");
    frexp(largest, &s->exponent);
    if (s->exponent < -1022)
        s->exponent = -1022; /* 2^1023 and more: the unit itself must stay finite */
    s->unit = ldexp(1, -s->exponent);
    return SPECREG_OK;
}

static const double MARGIN = 0.05; /* of SRI_SCALE_INNER */

/* Shift and factor from the sums.  The deviation is that of the population, as in scikit-learn; the
 * drift corrects the rounding of the mean.  Between 2^-400 and 2^400 all is done in the numbers'
 * own unit; beyond, in the statistic's. */
static void finish_number(const statistic *s, sri_scale scale, sri_feature *f)
{
    const double mean = s->mean + s->drift / s->count;
    const double variance = (s->square - s->drift * s->drift / s->count) / s->count;
    const bool extreme = s->exponent < -400 || s->exponent > 400;
    const double unit = extreme ? s->unit : 1;
    const double back = extreme ? 1 : ldexp(1, s->exponent); /* from s->unit to `unit` */
    f->fill = ldexp(mean, s->exponent);
    f->shift = 0;
    f->factor = 1;
    f->exponent = 0;
    if (f->part == SRI_PART_DAYS)
        f->shift = s->low;
    if (scale == SRI_SCALE_NONE || f->part == SRI_PART_MISSING)
        return;
    const double largest = fmax(fabs(s->low), fabs(s->high));
    if (scale == SRI_SCALE_MAXABS && largest > 0) {
        f->exponent = extreme ? -s->exponent : 0;
        f->factor = 1 / (largest * unit);
        return;
    }
    if (s->low == s->high || !(variance > 0)) {
        f->fill = f->shift = s->low;
        return;
    }
    f->exponent = extreme ? -s->exponent : 0;
    f->shift = scale == SRI_SCALE_STANDARD ? mean * back : s->low * unit;
    f->factor = scale == SRI_SCALE_STANDARD ? 1 / (sqrt(variance) * back)
                                            : 1 / (s->high * unit - s->low * unit);
    if (scale == SRI_SCALE_INNER) {
        f->factor *= 1 - 2 * MARGIN;
        f->shift -= MARGIN / f->factor;
    }
}

specreg_status sri_source_make(specreg_context *ctx, sri_arena *arena, const sri_feature *f,
                               const sri_column *column, sri_source *out)
{
    *out = (sri_source){.column = column, .part = f->part};
    if (f->part == SRI_PART_VALUE || f->part == SRI_PART_MISSING || !column->is_text)
        return SPECREG_OK;
    SRI_ARENA_NEW(ctx, arena, out->of_text, column->texts.count, 1);
    for (int64_t k = 0; k < column->texts.count; k++) {
        double days;
        const bool good = sri_date_read(column->texts.text[k], f->order, &days);
        out->of_text[k] = good ? sri_date_part(days, f->part) : NAN;
    }
    return SPECREG_OK;
}

static specreg_status make_sources(specreg_context *ctx, const specreg_table *t,
                                   const sri_encoder *enc, sri_arena *arena, sri_source **out)
{
    SRI_ARENA_NEW_ZERO(ctx, arena, *out, enc->n_features, 1);
    for (int64_t j = 0; j < enc->n_features && !t->sparse; j++)
        SRI_CALL(sri_source_make(ctx, arena, &enc->feature[j], &t->column[enc->feature[j].position],
                                 &(*out)[j]));
    return SPECREG_OK;
}

static specreg_status learn_numbers(specreg_context *ctx, const sri_rows *rows, sri_encoder *enc)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = enc->n_features;
    statistic *s = NULL;
    sri_source *source;
    sri_arena scratch = {0};
    SRI_CALLOC(ctx, s, n, 1);
    SRI_TRY(make_sources(ctx, rows->table, enc, &scratch, &source));
    for (int64_t j = 0; j < n; j++) {
        s[j].low = INFINITY;
        s[j].high = -INFINITY;
    }
    count_stored(rows, s);
    each_number(rows, enc, source, pass_range, s);
    for (int64_t j = 0; j < n; j++)
        if (!enc->feature[j].is_text)
            SRI_TRY(choose_unit(ctx, rows, &enc->feature[j], &s[j]));
    each_number(rows, enc, source, pass_sum, s);
    for (int64_t j = 0; j < n; j++)
        s[j].mean = s[j].count > 0 ? s[j].sum / s[j].count : 0;
    each_number(rows, enc, source, pass_square, s);
    for (int64_t j = 0; j < n; j++)
        if (!enc->feature[j].is_text)
            finish_number(&s[j], enc->scale, &enc->feature[j]);
done:
    sri_arena_free(&scratch);
    sri_free(s);
    return st;
}

void sri_encoder_free(sri_encoder *enc)
{
    if (!enc)
        return;
    for (int64_t j = 0; enc->feature && j < enc->n_features; j++) {
        sri_free(enc->feature[j].share);
        sri_texts_free(&enc->feature[j].category);
        sri_free(enc->feature[j].name);
        sri_free(enc->feature[j].column);
    }
    sri_free(enc->factor);
    sri_free(enc->feature);
    sri_free(enc);
}

/* The numbers of sparse columns come from the file: too many must not bring the machine down. */
static specreg_status check_sparse(specreg_context *ctx, const specreg_table *t)
{
    char need[32], have[32];
    if (!t->sparse)
        return SPECREG_OK;
    const double columns = (double)t->sparse->p;
    const double bytes =
        columns * (double)(sizeof(sri_feature) + sizeof(statistic) + sizeof(sri_source) + 32);
    if (bytes <= (double)sri_memory_available())
        return SPECREG_OK;
    return sri_fail(ctx, SPECREG_E_NOMEM, "%s: %.0f columns need %s to describe, %s are free",
                    t->source, columns, sri_bytes_text(bytes, need),
                    sri_bytes_text((double)sri_memory_available(), have));
}

/* Adds a feature to the encoder; the parts of a column are named COLUMN:PART. */
static specreg_status add_feature(specreg_context *ctx, const char *column, sri_part part,
                                  int64_t *capacity, sri_encoder *enc)
{
    specreg_status st = SPECREG_OK;
    sri_buffer name = {0};
    SRI_TRY(SRI_GROW(ctx, enc->feature, *capacity, enc->n_features + 1));
    sri_feature *f = &enc->feature[enc->n_features];
    *f = (sri_feature){.part = part};
    enc->n_features++;
    if (part == SRI_PART_VALUE) {
        SRI_STRDUP(ctx, f->name, column);
        return SPECREG_OK;
    }
    SRI_STRDUP(ctx, f->column, column);
    SRI_TRY(sri_buffer_print(ctx, &name, "%s:%s", column, sri_part_name(part)));
    f->name = name.data;
    return SPECREG_OK;
done:
    sri_buffer_free(&name);
    return st;
}

static specreg_status list_sparse(specreg_context *ctx, const specreg_table *t, sri_encoder *enc)
{
    char number[32];
    SRI_CALL(check_sparse(ctx, t));
    SRI_NEW_ZERO(ctx, enc->feature, t->sparse->p, 1);
    for (int64_t c = 0; c < t->sparse->p; c++) {
        sri_feature *f = &enc->feature[enc->n_features++];
        f->position = t->n_columns + c;
        f->input = c;
        SRI_NEW_TEXT(ctx, f->name, sri_format_double((double)c + 1, number));
    }
    return SPECREG_OK;
}

static bool has_gap(const sri_rows *rows, int64_t column)
{
    int64_t i = 0;
    while (i < rows->count && !sri_table_gap(rows->table, rows->row[i], column))
        i++;
    return i < rows->count;
}

/* The features that a column becomes. */
static specreg_status list_column(specreg_context *ctx, const sri_rows *rows, int64_t column,
                                  const sri_encode_how *how, int64_t *capacity, sri_encoder *enc)
{
    const sri_column *c = &rows->table->column[column];
    const sri_date_order order = sri_column_dates(c, how->dates);
    const int64_t first = enc->n_features, inputs = sri_encoder_inputs(enc);
    if (order == SRI_DATES_NONE)
        SRI_CALL(add_feature(ctx, c->name, SRI_PART_VALUE, capacity, enc));
    for (int p = SRI_PART_YEAR; p <= SRI_PART_DAYS && order != SRI_DATES_NONE; p++)
        SRI_CALL(add_feature(ctx, c->name, (sri_part)p, capacity, enc));
    if (how->missing == SRI_MISSING_INDICATOR && has_gap(rows, column))
        SRI_CALL(add_feature(ctx, c->name, SRI_PART_MISSING, capacity, enc));
    for (int64_t j = first; j < enc->n_features; j++) {
        sri_feature *f = &enc->feature[j];
        f->is_text = c->is_text && f->part == SRI_PART_VALUE;
        f->order = order;
        f->position = column;
        f->input = inputs;
    }
    return SPECREG_OK;
}

/* The features of all ordinary columns but the skipped. */
static specreg_status list_features(specreg_context *ctx, const sri_rows *rows, const int64_t *skip,
                                    int64_t n_skip, const sri_encode_how *how, sri_encoder *enc)
{
    specreg_status st = SPECREG_OK;
    bool *skipped = NULL;
    int64_t capacity = 0;
    SRI_CALLOC(ctx, skipped, rows->table->n_columns, 1);
    for (int64_t k = 0; k < n_skip; k++)
        skipped[skip[k]] = true;
    for (int64_t c = 0; c < rows->table->n_columns; c++)
        if (!skipped[c])
            SRI_TRY(list_column(ctx, rows, c, how, &capacity, enc));
done:
    sri_free(skipped);
    return st;
}

int64_t sri_encoder_inputs(const sri_encoder *enc)
{
    if (enc->sparse)
        return enc->n_features;
    return enc->n_features ? enc->feature[enc->n_features - 1].input + 1 : 0;
}

specreg_status sri_encoder_fit(specreg_context *ctx, const sri_rows *rows, const int64_t *skip,
                               int64_t n_skip, const sri_encode_how *how, sri_encoder **out)
{
    specreg_status st = SPECREG_OK;
    const specreg_table *t = rows->table;
    sri_encoder *enc = NULL;
    int64_t repeated; /* names match columns only where each is different */
    *out = NULL;
    SRI_CALLOC(ctx, enc, 1, 1);
    SRI_TRY(sri_table_repeated_name(ctx, t, &repeated));
    enc->scale = how->scale;
    enc->missing = how->missing;
    enc->refuses_unseen = how->refuses_unseen;
    enc->by_number = t->sparse != NULL;
    enc->has_names = t->has_header && !t->sparse && repeated < 0;
    enc->table_columns = specreg_table_cols(t);
    SRI_TRY(t->sparse ? list_sparse(ctx, t, enc)
                      : list_features(ctx, rows, skip, n_skip, how, enc));
    SRI_REQUIRE(ctx, enc->n_features > 0, SPECREG_E_SHAPE, "%s has no feature columns", t->source);
    if (t->sparse)
        SRI_TRY(sri_encoder_check_sparse(ctx, t, skip, n_skip));
    for (int64_t j = 0; j < enc->n_features; j++)
        if (enc->feature[j].is_text)
            SRI_TRY(learn_categories(ctx, rows, &enc->feature[j]));
    SRI_TRY(learn_numbers(ctx, rows, enc));
    for (int64_t j = 0; j < enc->n_features; j++) {
        enc->feature[j].at = enc->p;
        enc->p += enc->feature[j].is_text ? enc->feature[j].category.count : 1;
    }
    SRI_MOVE(*out, enc);
done:
    sri_encoder_free(enc);
    return st;
}
