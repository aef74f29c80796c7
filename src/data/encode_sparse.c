/* Encoders of sparse tables: the features are columns by number, and zeros stay zeros. */
#include <math.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/encode.h"

bool sri_table_stays_sparse(const specreg_table *t)
{
    if (!t->sparse)
        return false;
    const double entry = sizeof *t->sparse->index + sizeof *t->sparse->value;
    const double dense = (double)t->rows * (double)t->sparse->p * sizeof(double);
    return entry * (double)t->sparse->start[t->rows] < dense;
}

const char *sri_encoder_name(const sri_encoder *enc, int64_t feature, char *buffer)
{
    return enc->sparse ? sri_format_double((double)feature + 1, buffer)
                       : enc->feature[feature].name;
}

/* The sums are of values divided by the largest of their column, which neither overflow nor
 * vanish. */
typedef struct column_sums {
    double largest, sum, square;
} column_sums;

static void add_entries(const sri_rows *rows, bool sizes, column_sums *s)
{
    const sri_matrix *sparse = rows->table->sparse;
    for (int64_t i = 0; i < rows->count; i++)
        for (int64_t k = sparse->start[rows->row[i]]; k < sparse->start[rows->row[i] + 1]; k++) {
            column_sums *c = &s[sparse->index[k]];
            const double x = sparse->value[k], v = x / c->largest;
            if (sizes) {
                c->largest = fmax(c->largest, fabs(x));
            } else if (x != 0) {
                c->sum += v;
                c->square += v * v;
            }
        }
}

/* 1 / deviation of the column, zeros included, or 1 / its largest magnitude; a constant column,
 * and one whose factor leaves the range of a double, stays as it is. */
static double factor_of(const column_sums *s, int64_t n, sri_scale scale)
{
    const double mean = s->sum / (double)n, variance = s->square / (double)n - mean * mean;
    const double size = scale == SRI_SCALE_STANDARD ? sqrt(fmax(0, variance)) : 1;
    const double factor = 1 / size / s->largest;
    const bool constant = size * size <= 1e-14; /* the rounding of the sums */
    return constant || !isfinite(factor) ? 1 : factor;
}

static specreg_status learn_factors(specreg_context *ctx, const sri_rows *rows, sri_encoder *enc)
{
    specreg_status st = SPECREG_OK;
    column_sums *s = NULL;
    SRI_CALLOC(ctx, s, enc->n_features, 1);
    SRI_ALLOC(ctx, enc->factor, enc->n_features, 1);
    add_entries(rows, true, s);
    add_entries(rows, false, s);
    for (int64_t j = 0; j < enc->n_features; j++)
        enc->factor[j] = factor_of(&s[j], rows->count, enc->scale);
done:
    sri_free(s);
    return st;
}

specreg_status sri_encoder_check_sparse(specreg_context *ctx, const specreg_table *t,
                                        const int64_t *skip, int64_t n_skip)
{
    for (int64_t c = 0; c < t->n_columns; c++)
        if (!sri_lists(skip, n_skip, c))
            return sri_fail(ctx, SPECREG_E_SHAPE,
                            "%s: column '%s' stands beside the sparse columns, which cannot be "
                            "used together",
                            t->source, t->column[c].name);
    return SPECREG_OK;
}

specreg_status sri_encoder_fit_sparse(specreg_context *ctx, const sri_rows *rows,
                                      const int64_t *skip, int64_t n_skip, sri_scale scale,
                                      sri_encoder **out)
{
    specreg_status st = SPECREG_OK;
    const specreg_table *t = rows->table;
    sri_encoder *enc = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, enc, 1, 1);
    enc->n_features = enc->p = t->sparse->p;
    enc->scale = scale;
    enc->sparse = enc->by_number = true;
    enc->table_columns = t->n_columns + enc->p;
    SRI_TRY(sri_encoder_check_sparse(ctx, t, skip, n_skip));
    if (scale != SRI_SCALE_NONE)
        SRI_TRY(learn_factors(ctx, rows, enc));
    SRI_MOVE(*out, enc);
done:
    sri_encoder_free(enc);
    return st;
}

typedef struct writer {
    specreg_context *ctx;
    const sri_encoder *enc;
    const specreg_table *t;
    sri_matrix *out;
    int64_t at; /* entries so far */
} writer;

static specreg_status put(writer *w, int64_t row, int64_t j, double x)
{
    char name[32];
    const double v = w->enc->factor ? x * w->enc->factor[j] : x;
    if (isnan(x))
        return sri_fail_at_cell(w->ctx, SPECREG_E_NUMERIC, w->t, row,
                                sri_encoder_name(w->enc, j, name),
                                "value is missing, sparse data cannot fill it in");
    if (!isfinite(v))
        return sri_fail_number(w->ctx, w->t, row, sri_encoder_name(w->enc, j, name), x);
    if (v != 0) {
        w->out->index[w->at] = (int32_t)j;
        w->out->value[w->at++] = v;
    }
    return SPECREG_OK;
}

static specreg_status write_row(writer *w, int64_t row, const int64_t *column)
{
    specreg_status st = SPECREG_OK;
    const specreg_table *t = w->t;
    const sri_matrix *s = t->sparse;
    for (int64_t k = s ? s->start[row] : 0; s && k < s->start[row + 1] && st == SPECREG_OK; k++)
        if (s->index[k] < w->enc->n_features)
            st = put(w, row, s->index[k], s->value[k]);
    for (int64_t j = 0; !s && j < w->enc->n_features && st == SPECREG_OK; j++)
        st = put(w, row, j, sri_cell_number(t, row, &t->column[column[j]]));
    return st;
}

static int64_t count_entries(const sri_rows *rows, int64_t p)
{
    const sri_matrix *s = rows->table->sparse;
    int64_t entries = 0;
    for (int64_t i = 0; i < rows->count; i++)
        entries += s ? s->start[rows->row[i] + 1] - s->start[rows->row[i]] : p;
    return entries;
}

static specreg_status sparse_rows(specreg_context *ctx, const sri_encoder *enc,
                                  const sri_rows *rows, int64_t memory_budget, sri_matrix *out)
{
    specreg_status st = SPECREG_OK;
    int64_t *column = NULL;
    char need[32], have[32];
    const int64_t entries = count_entries(rows, enc->p);
    const double bytes = 12.0 * (double)entries + 8.0 * (double)rows->count;
    writer w = {.ctx = ctx, .enc = enc, .t = rows->table, .out = out};
    SRI_REQUIRE(ctx, memory_budget <= 0 || bytes <= (double)memory_budget, SPECREG_E_NOMEM,
                "%s: %lld entries of sparse rows need %s, the memory budget is %s", w.t->source,
                (long long)entries, sri_bytes_text(bytes, need),
                sri_bytes_text((double)memory_budget, have));
    SRI_TRY(sri_encoder_match(ctx, enc, w.t, &column));
    SRI_TRY(sri_matrix_new_sparse(ctx, rows->count, enc->p, entries, out));
    for (int64_t i = 0; i < rows->count; i++) {
        SRI_TRY(write_row(&w, rows->row[i], column));
        out->start[i + 1] = w.at;
    }
done:
    sri_free(column);
    if (st != SPECREG_OK)
        sri_matrix_free(out);
    return st;
}

specreg_status sri_encoder_rows(specreg_context *ctx, const sri_encoder *enc, const sri_rows *rows,
                                int64_t memory_budget, sri_matrix *out, sri_unseen *unseen)
{
    *out = (sri_matrix){.n = rows->count, .p = enc->p};
    return enc->sparse ? sparse_rows(ctx, enc, rows, memory_budget, out)
                       : sri_encoder_apply(ctx, enc, rows, memory_budget, &out->x, unseen);
}
