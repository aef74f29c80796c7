#include "model/partial_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

/* A row by the value of its column: a number, the days of a date, or the code of a text. */
typedef struct keyed {
    double key;
    int64_t row;
} keyed;

/* Rows that have a value, sorted by it. */
typedef struct sorted_rows {
    keyed *of;
    int64_t count;
} sorted_rows;

/* Rows of the same value. */
typedef struct run {
    int64_t first, count; /* of the sorted rows */
    const char *label;    /* of texts           */
} run;

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The most frequent first. */
static int by_count(const void *a, const void *b)
{
    const run *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static int by_label(const void *a, const void *b)
{
    const run *x = a, *y = b;
    if (x->label && y->label)
        return strcmp(x->label, y->label);
    return (x->first > y->first) - (x->first < y->first);
}

/* Whether the values have an order in which quantiles mean something. */
static bool is_ordered(const sri_feature *f)
{
    return !f->is_text;
}

static specreg_status sort_rows(specreg_context *ctx, sri_arena *scratch, const specreg_table *t,
                                const sri_column *c, const sri_feature *f, sorted_rows *out)
{
    double *days = NULL;
    SRI_ARENA_NEW(ctx, scratch, out->of, t->rows, 1);
    if (c->is_text) {
        SRI_ARENA_NEW(ctx, scratch, days, c->texts.count, 1);
        for (int64_t k = 0; k < c->texts.count; k++)
            if (!is_ordered(f))
                days[k] = (double)k;
            else if (!sri_date_read(c->texts.text[k], f->order, &days[k]))
                days[k] = NAN;
    }
    for (int64_t i = 0; i < t->rows; i++) {
        const double key = !c->is_text       ? sri_cell_number(t, i, c)
                           : c->code[i] >= 0 ? days[c->code[i]]
                                             : NAN;
        if (!isnan(key))
            out->of[out->count++] = (keyed){key, i};
    }
    qsort(out->of, (size_t)out->count, sizeof *out->of, by_key);
    return SPECREG_OK;
}

static int64_t find_runs(const specreg_table *t, const sri_column *c, const sorted_rows *sorted,
                         run *runs)
{
    int64_t n = 0;
    for (int64_t i = 0; i < sorted->count; i++) {
        if (i == 0 || sorted->of[i].key != sorted->of[i - 1].key)
            runs[n++] =
                (run){i, 0,
                      c->is_text ? specreg_table_text(t, sorted->of[i].row, c - t->column) : NULL};
        runs[n - 1].count++;
    }
    return n;
}

/* Keeps the runs in which quantiles lie, and says how many. */
static int64_t keep_quantiles(run *runs, int64_t n, int64_t rows, int64_t points)
{
    int64_t kept = 0, at = 0;
    for (int64_t k = 0; k < points; k++) {
        const double level = 0.05 + 0.9 * (double)k / (double)(points - 1);
        const int64_t place = llround(level * (double)(rows - 1));
        while (at + 1 < n && runs[at + 1].first <= place)
            at++;
        if (kept == 0 || runs[kept - 1].first != runs[at].first)
            runs[kept++] = runs[at];
    }
    return kept;
}

static int64_t keep_frequent(run *runs, int64_t n, int64_t points)
{
    qsort(runs, (size_t)n, sizeof *runs, by_count);
    n = n < points ? n : points;
    qsort(runs, (size_t)n, sizeof *runs, by_label);
    return n;
}

/* Values, and labels where they are not numbers alone. */
static specreg_status fill(specreg_context *ctx, sri_arena *arena, const specreg_table *t,
                           const sorted_rows *sorted, const run *runs, sri_partial_axis *out)
{
    const sri_column *c = &t->column[out->column];
    const int64_t n = out->of.points;
    const char **label = NULL;
    char buffer[32];
    double *value;
    SRI_ARENA_NEW(ctx, arena, value, n, 1);
    SRI_ARENA_NEW(ctx, arena, out->row, n, 1);
    if (out->labelled)
        SRI_ARENA_NEW(ctx, arena, label, n, 1);
    for (int64_t k = 0; k < n; k++) {
        const int64_t row = sorted->of[runs[k].first].row;
        out->row[k] = row;
        value[k] = c->is_text ? NAN : sri_cell_number(t, row, c);
        if (out->labelled)
            SRI_CALL(sri_arena_text(ctx, arena, sri_cell_text(t, row, c, buffer), &label[k]));
    }
    out->of.value = value;
    out->of.label = label;
    return sri_arena_text(ctx, arena, c->name, &out->of.name);
}

specreg_status sri_partial_axis_make(specreg_context *ctx, sri_arena *arena, const sri_altered *a,
                                     const specreg_model *model, int64_t points,
                                     sri_partial_axis *out)
{
    specreg_status st = SPECREG_OK;
    const specreg_table *t = a->rows;
    const sri_column *c = &t->column[out->column];
    const sri_feature *f = sri_altered_feature(a, model, out->column);
    sri_arena scratch = {0};
    sorted_rows sorted = {0};
    run *runs;
    SRI_TRY(sort_rows(ctx, &scratch, t, c, f, &sorted));
    SRI_REQUIRE(ctx, sorted.count > 0, SPECREG_E_SHAPE, "%s: column '%s' has no value", t->source,
                c->name);
    SRI_SCRATCH(ctx, &scratch, runs, sorted.count, 1);
    const int64_t n = find_runs(t, c, &sorted, runs);
    if (!is_ordered(f))
        out->of.points = keep_frequent(runs, n, points);
    else
        out->of.points = n <= points ? n : keep_quantiles(runs, n, sorted.count, points);
    out->left_out = is_ordered(f) ? 0 : n - out->of.points;
    out->labelled = c->is_text || f->is_text;
    SRI_TRY(fill(ctx, arena, t, &sorted, runs, out));
done:
    sri_arena_free(&scratch);
    return st;
}
