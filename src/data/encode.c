/* Learning an encoder: categories of texts, statistics of numbers.  encode_apply.c uses it. */
#include "data/encode.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

enum { MAX_CATEGORIES = 10000, ID_ROWS = 50 };

static const char *const scale_names[] = {"standard", "minmax", "none"};
static const char *const missing_names[] = {"error", "mean", "drop"};

const char *sri_scale_name(sri_scale scale)
{
    return scale_names[scale];
}

specreg_status sri_scale_parse(specreg_context *ctx, const char *text, sri_scale *out)
{
    return sri_choose_known(ctx, "scale", text, scale_names, 3, (int *)out);
}

specreg_status sri_missing_parse(specreg_context *ctx, const char *text, sri_missing *out)
{
    return sri_choose_known(ctx, "treatment of missing values", text, missing_names, 3, (int *)out);
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
    SRI_REQUIRE(ctx, n_used > 0, SPECREG_E_NUMERIC, "%s: column '%s' has no values", source,
                f->name);
    SRI_REQUIRE(ctx, n_used <= MAX_CATEGORIES, SPECREG_E_NUMERIC,
                "%s: column '%s' has %lld different texts, at most %d can be encoded: leave it out",
                source, f->name, (long long)n_used, MAX_CATEGORIES);
    if (n_used == rows->count && n_used > ID_ROWS)
        sri_log(ctx,
                "%s: column '%s' has a different text in every row: it looks like an identifier, "
                "from which nothing can be learned",
                source, f->name);
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
static void each_number(const sri_rows *rows, const sri_encoder *enc,
                        void (*pass)(statistic *, double, double), statistic *s)
{
    const specreg_table *t = rows->table;
    const int64_t n = enc->n_features;
    for (int64_t i = 0; i < rows->count && !t->sparse; i++) {
        const double *x = t->numbers + rows->row[i] * t->n_numbers;
        for (int64_t j = 0; j < n; j++) {
            const sri_column *c = &t->column[enc->feature[j].position];
            if (!c->is_text && !isnan(x[c->number]))
                pass(&s[j], x[c->number], 1);
        }
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
        return sri_fail(ctx, SPECREG_E_NUMERIC, "%s: column '%s' has no values",
                        rows->table->source, f->name);
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
    if (scale == SRI_SCALE_NONE)
        return;
    if (s->low == s->high || !(variance > 0)) {
        f->fill = f->shift = s->low;
        return;
    }
    f->exponent = extreme ? -s->exponent : 0;
    f->shift = scale == SRI_SCALE_STANDARD ? mean * back : s->low * unit;
    f->factor = scale == SRI_SCALE_STANDARD ? 1 / (sqrt(variance) * back)
                                            : 1 / (s->high * unit - s->low * unit);
}

static specreg_status learn_numbers(specreg_context *ctx, const sri_rows *rows, sri_encoder *enc)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = enc->n_features;
    statistic *s = NULL;
    SRI_CALLOC(ctx, s, n, 1);
    for (int64_t j = 0; j < n; j++) {
        s[j].low = INFINITY;
        s[j].high = -INFINITY;
    }
    count_stored(rows, s);
    each_number(rows, enc, pass_range, s);
    for (int64_t j = 0; j < n; j++)
        if (!enc->feature[j].is_text)
            SRI_TRY(choose_unit(ctx, rows, &enc->feature[j], &s[j]));
    each_number(rows, enc, pass_sum, s);
    for (int64_t j = 0; j < n; j++)
        s[j].mean = s[j].count > 0 ? s[j].sum / s[j].count : 0;
    each_number(rows, enc, pass_square, s);
    for (int64_t j = 0; j < n; j++)
        if (!enc->feature[j].is_text)
            finish_number(&s[j], enc->scale, &enc->feature[j]);
done:
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
    const double bytes = columns * (double)(sizeof(sri_feature) + sizeof(statistic) + 32);
    if (bytes <= (double)sri_memory_available())
        return SPECREG_OK;
    return sri_fail(ctx, SPECREG_E_NOMEM, "%s: %.0f columns need %s to describe, %s are free",
                    t->source, columns, sri_bytes_text(bytes, need),
                    sri_bytes_text((double)sri_memory_available(), have));
}

/* The features' names and positions: all ordinary columns but the skipped, or the sparse ones. */
static specreg_status list_features(specreg_context *ctx, const specreg_table *t,
                                    const int64_t *skip, int64_t n_skip, sri_encoder *enc)
{
    char number[32];
    const int64_t columns = t->sparse ? t->sparse->p : t->n_columns;
    SRI_CALL(check_sparse(ctx, t));
    SRI_NEW_ZERO(ctx, enc->feature, columns, 1);
    for (int64_t c = 0; c < columns; c++) {
        if (!t->sparse && sri_lists(skip, n_skip, c))
            continue;
        sri_feature *f = &enc->feature[enc->n_features++];
        f->position = t->sparse ? t->n_columns + c : c;
        f->is_text = !t->sparse && t->column[c].is_text;
        SRI_NEW_TEXT(ctx, f->name,
                     t->sparse ? sri_format_double((double)c + 1, number) : t->column[c].name);
    }
    SRI_CHECK(ctx, enc->n_features > 0, SPECREG_E_SHAPE, "%s has no feature columns", t->source);
    if (t->sparse)
        SRI_CALL(sri_encoder_check_sparse(ctx, t, skip, n_skip));
    return SPECREG_OK;
}

specreg_status sri_encoder_fit(specreg_context *ctx, const sri_rows *rows, const int64_t *skip,
                               int64_t n_skip, sri_scale scale, sri_encoder **out)
{
    specreg_status st = SPECREG_OK;
    const specreg_table *t = rows->table;
    sri_encoder *enc = NULL;
    int64_t repeated; /* names match columns only where each is different */
    *out = NULL;
    SRI_CALLOC(ctx, enc, 1, 1);
    SRI_TRY(sri_table_repeated_name(ctx, t, &repeated));
    enc->scale = scale;
    enc->by_number = t->sparse != NULL;
    enc->has_names = t->has_header && !t->sparse && repeated < 0;
    enc->table_columns = specreg_table_cols(t);
    SRI_TRY(list_features(ctx, t, skip, n_skip, enc));
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
