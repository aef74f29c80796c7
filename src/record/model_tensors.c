#include "record/model_tensors.h"

#include <math.h>
#include <string.h>

specreg_status sri_model_broken(specreg_context *ctx, const char *what)
{
    return sri_fail(ctx, SPECREG_E_FORMAT, "the model's %s is not as it should be", what);
}

void sri_tensor_list_add(sri_tensor_list *list, const char *name, const double *data, int64_t rows,
                         int64_t cols)
{
    list->tensor[list->count++] = (sri_tensor){name, data, rows, cols};
}

/* A list of whole numbers, of 4 or 8 bytes each. */
static specreg_status add_whole(specreg_context *ctx, sri_tensor_list *list, const char *name,
                                const int32_t *small, const int64_t *large, int64_t count)
{
    double *v;
    SRI_ARENA_NEW(ctx, &list->scratch, v, count, 1);
    for (int64_t i = 0; i < count; i++)
        v[i] = small ? (double)small[i] : (double)large[i];
    sri_tensor_list_add(list, name, v, count, 1);
    return SPECREG_OK;
}

/* Coordinates followed by a label, where points have one, or row numbers. */
static specreg_status add_dense_centres(specreg_context *ctx, const sri_points *z,
                                        sri_tensor_list *list)
{
    const bool indexed = z->stored == SRI_STORED_INDEX;
    const int64_t p = indexed ? 0 : z->p, q = p + 1;
    double *v;
    if (!indexed && !sri_points_labelled(z)) {
        sri_tensor_list_add(list, "centres", z->rows.x.x, z->n, p);
        return SPECREG_OK;
    }
    SRI_ARENA_NEW(ctx, &list->scratch, v, z->n, q);
    for (int64_t i = 0; i < z->n; i++) {
        const sri_point point = sri_points_centre(z, i);
        for (int64_t k = 0; k < p; k++)
            v[i * q + k] = point.x[k];
        v[i * q + p] = indexed ? (double)point.index : (double)point.label;
    }
    sri_tensor_list_add(list, "centres", v, z->n, q);
    return SPECREG_OK;
}

static specreg_status add_sparse_centres(specreg_context *ctx, const sri_matrix *z,
                                         sri_tensor_list *list)
{
    const int64_t entries = sri_matrix_entries(z);
    SRI_CALL(add_whole(ctx, list, "centre_start", NULL, z->start, z->n + 1));
    SRI_CALL(add_whole(ctx, list, "centre_column", z->index, NULL, entries));
    sri_tensor_list_add(list, "centre_value", z->value, entries, 1);
    return SPECREG_OK;
}

specreg_status sri_model_tensors_list(specreg_context *ctx, const specreg_model *m,
                                      sri_tensor_list *list)
{
    const sri_points *z = m->expansion.points;
    if (m->expansion.alpha)
        sri_tensor_list_add(list, "alpha", m->expansion.alpha, m->expansion.n,
                            m->expansion.layout.kind == SRI_LAYOUT_OUTPUTS ? 1 : m->T);
    if (z)
        SRI_CALL(z->stored == SRI_STORED_SPARSE ? add_sparse_centres(ctx, &z->rows.x, list)
                                                : add_dense_centres(ctx, z, list));
    if (m->expansion.slope)
        sri_tensor_list_add(list, "slope", m->expansion.slope, m->expansion.slopes, m->T);
    if (m->expansion.slope_column)
        SRI_CALL(add_whole(ctx, list, "slope_column", m->expansion.slope_column, NULL,
                           m->expansion.slopes));
    return SPECREG_OK;
}

/* The checksum has been checked, so what follows guards against files made by others. */

specreg_status sri_optional_tensor(specreg_context *ctx, const sri_container *c, const char *name,
                                   int64_t rows, int64_t cols, double **out)
{
    int64_t got_rows, got_cols;
    if (!sri_container_has(c, name))
        return SPECREG_OK;
    const specreg_status st = sri_container_tensor(ctx, c, name, out, &got_rows, &got_cols);
    if (st == SPECREG_OK && (got_rows != rows || got_cols != cols))
        return sri_model_broken(ctx, name);
    return st;
}

/* Whole numbers from 0 to below `limit`, which ascend from one start to the next, by 1 or more. */
static specreg_status read_columns(specreg_context *ctx, const sri_container *c, const char *name,
                                   double limit, int32_t **out, int64_t *count)
{
    specreg_status st = SPECREG_OK;
    double *v = NULL;
    int64_t cols;
    SRI_TRY(sri_container_tensor(ctx, c, name, &v, count, &cols));
    SRI_ALLOC(ctx, *out, *count, 1);
    for (int64_t i = 0; i < *count && st == SPECREG_OK; i++) {
        if (cols != 1 || !(v[i] >= 0 && v[i] < limit) || v[i] != floor(v[i]))
            st = sri_model_broken(ctx, name);
        else
            (*out)[i] = (int32_t)v[i];
    }
done:
    sri_free(v);
    return st;
}

static bool ascends(const int32_t *v, int64_t count)
{
    for (int64_t i = 1; i < count; i++)
        if (v[i] <= v[i - 1])
            return false;
    return true;
}

static specreg_status read_sparse_centres(specreg_context *ctx, const sri_container *c,
                                          specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    sri_matrix z = {.p = m->encoding.encoder->p};
    double *start = NULL;
    int64_t places, cols, of_start, entries, values;
    SRI_TRY(sri_container_tensor(ctx, c, "centre_start", &start, &places, &of_start));
    SRI_TRY(read_columns(ctx, c, "centre_column", (double)z.p, &z.index, &entries));
    SRI_TRY(sri_container_tensor(ctx, c, "centre_value", &z.value, &values, &cols));
    SRI_ALLOC(ctx, z.start, places, 1);
    bool good = places > 1 && of_start == 1 && values == entries && cols == 1 && start[0] == 0 &&
                start[places - 1] == (double)entries;
    for (int64_t i = 0; i < places && good; i++) {
        good = start[i] >= 0 && start[i] <= (double)entries && start[i] == floor(start[i]);
        z.start[i] = good ? (int64_t)start[i] : 0;
        good = good && (!i || (z.start[i] >= z.start[i - 1] &&
                               ascends(z.index + z.start[i - 1], z.start[i] - z.start[i - 1])));
    }
    m->expansion.n = z.n = places - 1;
    if (!good)
        SRI_TRY(sri_model_broken(ctx, "list of centres"));
    SRI_TRY(sri_points_of(ctx, &z, false, &m->expansion.points));
    m->expansion.points->owns = true;
    z = (sri_matrix){0};
done:
    sri_matrix_free(&z);
    sri_free(start);
    return st;
}

static specreg_status read_slopes(specreg_context *ctx, const sri_container *c, specreg_model *m)
{
    int64_t count = 0;
    SRI_CALL(
        sri_container_tensor(ctx, c, "slope", &m->expansion.slope, &m->expansion.slopes, &m->T));
    if (sri_container_has(c, "slope_column"))
        SRI_CALL(read_columns(ctx, c, "slope_column", (double)m->encoding.encoder->p,
                              &m->expansion.slope_column, &count));
    if (m->expansion.slope_column
            ? count != m->expansion.slopes || !ascends(m->expansion.slope_column, count)
            : m->expansion.slopes != m->encoding.encoder->p)
        return sri_model_broken(ctx, "slope");
    return SPECREG_OK;
}

/* Takes the last column of centres away: it has their labels. */
static specreg_status take_labels(specreg_context *ctx, sri_matrix *centres, int32_t **label)
{
    const int64_t p = centres->p - 1;
    SRI_NEW(ctx, *label, centres->n, 1);
    for (int64_t i = 0; i < centres->n; i++) {
        const double *row = centres->x + i * (p + 1);
        (*label)[i] = (int32_t)row[p];
        memmove(centres->x + i * p, row, (size_t)p * sizeof *row);
    }
    centres->p = p;
    return SPECREG_OK;
}

static specreg_status take_row_numbers(specreg_context *ctx, specreg_model *m,
                                       const sri_matrix *centres)
{
    int64_t *index = NULL;
    SRI_NEW(ctx, index, m->expansion.n, 1);
    for (int64_t i = 0; i < m->expansion.n; i++)
        index[i] = (int64_t)centres->x[i];
    return sri_points_of_index(ctx, index, m->expansion.n, m->encoding.encoder->p,
                               &m->expansion.points);
}

specreg_status sri_model_take_centres(specreg_context *ctx, specreg_model *m, bool indexed,
                                      sri_matrix *centres)
{
    specreg_status st = SPECREG_OK;
    int32_t *label = NULL;
    if (indexed)
        return take_row_numbers(ctx, m, centres);
    if (m->expansion.layout.kind != SRI_LAYOUT_ROWS)
        SRI_TRY(take_labels(ctx, centres, &label));
    const sri_rows_view view = {.n = m->expansion.n, .x = *centres, .label = label};
    SRI_TRY(sri_points_of_view(ctx, &view, &m->expansion.points));
    m->expansion.points->owns = true;
    *centres = (sri_matrix){0};
    label = NULL;
    SRI_TRY(sri_points_pack(ctx, m->expansion.points));
done:
    sri_free(label);
    return st;
}

specreg_status sri_model_tensors_read(specreg_context *ctx, const sri_container *c,
                                      specreg_model *m, sri_matrix *centres)
{
    specreg_status st = SPECREG_OK;
    int64_t rows, cols, T;
    if (sri_container_has(c, "slope"))
        SRI_TRY(read_slopes(ctx, c, m));
    if (m->expansion.slope &&
        !sri_container_has(c, "alpha")) { /* held-out residuals tell how many rows there were */
        double *held = NULL;
        if (sri_container_has(c, "held_residual"))
            st = sri_container_tensor(ctx, c, "held_residual", &held, &m->expansion.n, &cols);
        sri_free(held);
        return st;
    }
    if (m->encoding.encoder->sparse) {
        SRI_TRY(read_sparse_centres(ctx, c, m));
    } else {
        SRI_TRY(sri_container_tensor(ctx, c, "centres", &centres->x, &m->expansion.n, &centres->p));
        centres->n = m->expansion.n;
    }
    SRI_TRY(sri_container_tensor(ctx, c, "alpha", &m->expansion.alpha, &rows, &T));
    if (rows != m->expansion.n || m->expansion.n < 1 || (m->expansion.slope && T != m->T))
        return sri_model_broken(ctx, "shape");
    m->T = T;
done:
    return st;
}
