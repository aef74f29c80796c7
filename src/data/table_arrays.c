/* Tables from arrays of the caller: the inputs, then targets or labels, weights, groups. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "data/table.h"

static specreg_status check_shape(specreg_context *ctx, const char *what, const specreg_view *v)
{
    SRI_CHECK(ctx,
              v->rows >= 0 && v->cols >= 0 && v->ld >= v->cols &&
                  v->ld <= INT64_MAX / (int64_t)sizeof(double),
              SPECREG_E_ARG, "%s: impossible shape: %lld rows, %lld columns, %lld from row to row",
              what, (long long)v->rows, (long long)v->cols, (long long)v->ld);
    SRI_CHECK(ctx, v->data || v->rows == 0 || v->cols == 0, SPECREG_E_ARG, "%s: no data", what);
    return SPECREG_OK;
}

static specreg_status check_csr(specreg_context *ctx, const specreg_csr_view *v)
{
    SRI_CHECK(ctx, v->rows >= 0 && v->cols >= 1 && v->cols <= INT32_MAX && v->start, SPECREG_E_ARG,
              "X_csr: impossible shape: %lld rows, %lld columns", (long long)v->rows,
              (long long)v->cols);
    SRI_CHECK(ctx, v->start[0] == 0, SPECREG_E_ARG, "X_csr: start[0] is not 0");
    for (int64_t i = 0; i < v->rows; i++) {
        SRI_CHECK(ctx, v->start[i + 1] >= v->start[i], SPECREG_E_ARG,
                  "X_csr: start[%lld] is less than the one before", (long long)i + 1);
        SRI_CHECK(ctx, v->start[i + 1] == 0 || (v->index && v->value), SPECREG_E_ARG,
                  "X_csr: no data");
        for (int64_t k = v->start[i], before = -1; k < v->start[i + 1]; before = v->index[k++])
            SRI_CHECK(ctx, v->index[k] > before && v->index[k] < v->cols && isfinite(v->value[k]),
                      SPECREG_E_ARG,
                      "X_csr: row %lld: entry %lld is not finite, or not of a column after the "
                      "one before",
                      (long long)i + 1, (long long)(k - v->start[i]) + 1);
    }
    return SPECREG_OK;
}

/* The view of the inputs that gives their shape; sparse ones are no ordinary columns. */
static specreg_view shape_of(const specreg_data *d)
{
    if (d->X)
        return *d->X;
    if (d->X_float)
        return (specreg_view){NULL, d->X_float->rows, d->X_float->cols, d->X_float->ld};
    if (d->X_strided)
        return (specreg_view){NULL, d->X_strided->rows, d->X_strided->cols, d->X_strided->cols};
    return (specreg_view){NULL, d->X_csr->rows, 0, 0};
}

/* Where the dense inputs lie. */
static const void *dense_data(const specreg_data *d)
{
    return d->X ? (const void *)d->X->data : d->X_float ? d->X_float->data : d->X_strided->data;
}

int64_t sri_data_rows(const specreg_data *d)
{
    return shape_of(d).rows;
}

int64_t sri_data_cols(const specreg_data *d)
{
    return d->X_csr ? d->X_csr->cols : shape_of(d).cols;
}

specreg_status sri_data_check(specreg_context *ctx, const specreg_data *d)
{
    SRI_CHECK(ctx, d->struct_size >= sizeof *d, SPECREG_E_ARG,
              "specreg_data: struct_size is not set");
    SRI_CHECK(ctx, !!d->X + !!d->X_float + !!d->X_csr + !!d->X_strided == 1, SPECREG_E_ARG,
              "specreg_data: one of X, X_float, X_csr and X_strided is needed");
    SRI_CHECK(ctx, !(d->Y && d->labels), SPECREG_E_ARG, "specreg_data: either Y or labels");
    const specreg_view X = shape_of(d), Y = d->Y ? *d->Y : (specreg_view){0};
    if (d->X_csr)
        SRI_CALL(check_csr(ctx, d->X_csr));
    else
        SRI_CALL(check_shape(ctx, "X", &(specreg_view){dense_data(d), X.rows, X.cols, X.ld}));
    SRI_CALL(check_shape(ctx, "Y", &Y));
    SRI_CHECK(ctx, !d->Y || Y.rows == X.rows, SPECREG_E_SHAPE, "X has %lld rows, Y has %lld",
              (long long)X.rows, (long long)Y.rows);
    return SPECREG_OK;
}

static specreg_status given_names(specreg_context *ctx, specreg_table *t, int64_t first,
                                  const char *const *names, int64_t count)
{
    for (int64_t j = 0; names && j < count; j++) {
        SRI_CHECK(ctx, names[j], SPECREG_E_ARG, "column %lld has no name", (long long)j + 1);
        SRI_CALL(sri_table_set_name(ctx, t, first + j, names[j], strlen(names[j])));
    }
    return SPECREG_OK;
}

static specreg_status name_columns(specreg_context *ctx, const specreg_data *d, int64_t p,
                                   int64_t T, specreg_table *t)
{
    static const char *const weights = "weights", *const group = "group";
    int64_t repeated;
    SRI_CALL(sri_table_default_names(ctx, t, p, T));
    SRI_CALL(given_names(ctx, t, 0, d->x_names, p));
    SRI_CALL(given_names(ctx, t, p, d->y_names, T));
    if (d->weights)
        SRI_CALL(given_names(ctx, t, p + T, &weights, 1));
    if (d->groups)
        SRI_CALL(given_names(ctx, t, p + T + !!d->weights, &group, 1));
    SRI_CALL(sri_table_repeated_name(ctx, t, &repeated));
    SRI_CHECK(ctx, repeated < 0, SPECREG_E_ARG, "two columns are named '%s'",
              t->column[repeated].name);
    return SPECREG_OK;
}

/* Dense inputs as they lie. */
static specreg_strided_view strided(const specreg_data *d)
{
    const int64_t d8 = sizeof(double), f4 = sizeof(float);
    if (d->X)
        return (specreg_strided_view){d->X->data, d->X->rows, d->X->cols, d->X->ld * d8, d8, 0};
    if (d->X_float)
        return (specreg_strided_view){d->X_float->data,
                                      d->X_float->rows,
                                      d->X_float->cols,
                                      d->X_float->ld * f4,
                                      f4,
                                      1};
    return d->X_strided ? *d->X_strided : (specreg_strided_view){0};
}

/* The numbers of row i that the table owns: `p` inputs come first. */
static void copy_row(const specreg_data *d, const specreg_strided_view *X, int64_t i, int64_t p,
                     double *out)
{
    for (int64_t j = 0; j < p; j++)
        *out++ = sri_strided_number(X, i, j);
    for (int64_t j = 0; d->Y && j < d->Y->cols; j++)
        *out++ = d->Y->data[i * d->Y->ld + j];
    if (d->weights)
        *out++ = d->weights[i];
    if (d->groups)
        *out = (double)d->groups[i];
}

/* The first p columns are those of the caller. */
static void lend_dense(specreg_table *t, const specreg_strided_view *X)
{
    t->lent = *X;
    t->n_numbers -= X->cols;
    for (int64_t j = 0; j < t->n_columns; j++)
        t->column[j].number = j < X->cols ? -1 - j : j - X->cols;
}

static specreg_status lend_sparse(specreg_context *ctx, const specreg_csr_view *v, specreg_table *t)
{
    t->lent_sparse =
        (sri_matrix){v->rows,           v->cols, NULL, (int64_t *)v->start, (int32_t *)v->index,
                     (double *)v->value};
    t->sparse = &t->lent_sparse;
    return sri_table_name_sparse(ctx, t);
}

static specreg_status copy_sparse(specreg_context *ctx, const specreg_csr_view *v, specreg_table *t)
{
    specreg_status st = SPECREG_OK;
    const int64_t entries = v->start[v->rows];
    SRI_CALLOC(ctx, t->sparse, 1, 1);
    SRI_TRY(sri_matrix_new_sparse(ctx, v->rows, v->cols, entries, t->sparse));
    memcpy(t->sparse->start, v->start, (size_t)(v->rows + 1) * sizeof *v->start);
    if (entries) {
        memcpy(t->sparse->index, v->index, (size_t)entries * sizeof *v->index);
        memcpy(t->sparse->value, v->value, (size_t)entries * sizeof *v->value);
    }
    SRI_TRY(sri_table_name_sparse(ctx, t));
done:
    return st;
}

/* All but the check that numbers are finite; `lend`: the inputs stay where they are. */
static specreg_status make_table(specreg_context *ctx, const specreg_data *d, bool lend,
                                 specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *t = NULL;
    SRI_TRY(sri_data_check(ctx, d));
    const int64_t rows = sri_data_rows(d), p = shape_of(d).cols, T = d->Y ? d->Y->cols : 0;
    const int64_t width = p + T + !!d->weights + !!d->groups;
    SRI_TRY(sri_table_new(ctx, "arrays", width, &t));
    t->format = "arrays";
    t->has_header = d->x_names != NULL;
    SRI_TRY(name_columns(ctx, d, p, T, t));
    const specreg_strided_view X = strided(d);
    if (lend && X.data)
        lend_dense(t, &X);
    SRI_ALLOC(ctx, t->numbers, rows, t->n_numbers);
    t->rows = rows;
    for (int64_t i = 0; i < rows; i++)
        copy_row(d, &X, i, t->lent.data ? 0 : p, t->numbers + i * t->n_numbers);
    if (d->X_csr)
        SRI_TRY((lend ? lend_sparse : copy_sparse)(ctx, d->X_csr, t));
    if (d->labels)
        SRI_TRY(specreg_table_insert_text(ctx, t, p, "label", d->labels));
    SRI_MOVE(*out, t);
done:
    specreg_table_free(t);
    return st;
}

specreg_status sri_table_any_arrays(specreg_context *ctx, const specreg_view *X,
                                    const char *const *x_names, const specreg_view *Y,
                                    const char *const *y_names, specreg_table **out)
{
    const specreg_data data = {sizeof data, .X = X, .Y = Y, .x_names = x_names, .y_names = y_names};
    *out = NULL;
    return make_table(ctx, &data, false, out);
}

/* The same, finite. */
static specreg_status make_finite(specreg_context *ctx, const specreg_data *data, bool lend,
                                  specreg_table **out)
{
    specreg_status st = make_table(ctx, data, lend, out);
    if (st == SPECREG_OK)
        st = sri_table_check_finite(ctx, *out, SPECREG_E_ARG);
    if (st != SPECREG_OK) {
        specreg_table_free(*out);
        *out = NULL;
    }
    return st;
}

specreg_status specreg_table_from_data(specreg_context *ctx, const specreg_data *data,
                                       specreg_table **out)
{
    SRI_MAKES(ctx, out, data);
    return make_finite(ctx, data, false, out);
}

specreg_status specreg_table_over_data(specreg_context *ctx, const specreg_data *data,
                                       specreg_table **out)
{
    SRI_MAKES(ctx, out, data);
    return make_finite(ctx, data, true, out);
}

specreg_status specreg_table_from_arrays(specreg_context *ctx, const specreg_view *X,
                                         const char *const *x_names, const specreg_view *Y,
                                         const char *const *y_names, specreg_table **out)
{
    SRI_MAKES(ctx, out, X);
    const specreg_data data = {sizeof data, .X = X, .Y = Y, .x_names = x_names, .y_names = y_names};
    return specreg_table_from_data(ctx, &data, out);
}
