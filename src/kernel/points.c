#include "kernel/points.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "backend/vec.h"
#include "core/arena.h"
#include "core/rng.h"
#include "kernel/sparse.h"

sri_rows_view sri_view_dense(const double *x, int64_t n, int64_t p)
{
    return (sri_rows_view){.n = n, .x = {.n = n, .p = p, .x = (double *)x}};
}

/* Whether points are all T components of vectors 0, 1, ..., in order. */
static bool are_whole(const int64_t *vector, const int32_t *label, int64_t n, int64_t T)
{
    for (int64_t i = 0; i < n; i++)
        if (label[i] != i % T || vector[i] != i / T)
            return false;
    return n % T == 0;
}

sri_rows_view sri_view_field(const sri_matrix *x, const int64_t *vector, const int32_t *label,
                             int64_t n)
{
    if (are_whole(vector, label, n, x->p))
        return (sri_rows_view){.n = n, .x = *x, .components = x->p};
    return (sri_rows_view){.n = n, .x = *x, .label = label, .vector = vector};
}

sri_rows_view sri_view_slice(const sri_rows_view *view, int64_t first, int64_t count)
{
    sri_rows_view part = *view;
    part.first += first;
    part.n = count;
    return part;
}

/* Components of vectors: a vector is copied once for all of its components that follow each
 * other. */
static specreg_status gather_components(specreg_context *ctx, const sri_rows_view *view,
                                        const int64_t *points, int64_t count, sri_rows_view *out)
{
    specreg_status st = SPECREG_OK;
    int32_t *label = NULL;
    int64_t *vector = NULL, *from = NULL, vectors = 0;
    sri_matrix x = {0};
    SRI_ALLOC(ctx, label, count, 1);
    SRI_ALLOC(ctx, vector, count, 1);
    SRI_ALLOC(ctx, from, count, 1);
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = sri_view_row(view, points[i]);
        if (!vectors || from[vectors - 1] != row)
            from[vectors++] = row;
        vector[i] = vectors - 1;
        label[i] = sri_view_label(view, points[i]);
    }
    SRI_TRY(sri_matrix_gather(ctx, &view->x, from, vectors, &x));
    *out = sri_view_field(&x, vector, label, count);
done:
    sri_free(from);
    if (!out->vector) {
        sri_free(vector);
        sri_free(label);
    }
    return st;
}

specreg_status sri_view_gather(specreg_context *ctx, const sri_rows_view *view,
                               const int64_t *points, int64_t count, sri_rows_view *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_rows_view){.n = count};
    if (view->components || view->vector)
        return gather_components(ctx, view, points, count, out);
    const sri_matrix x = sri_view_matrix(view);
    const int32_t *label = view->label ? view->label + view->first : NULL;
    SRI_TRY(sri_matrix_gather(ctx, &x, points, count, &out->x));
    SRI_TRY(sri_gather(ctx, label, sizeof *label, points, count, (void **)&out->label));
done:
    if (st != SPECREG_OK)
        sri_view_free(out);
    return st;
}

void sri_view_free(sri_rows_view *view)
{
    sri_free((int64_t *)view->vector);
    sri_free((int32_t *)view->label);
    sri_matrix_free(&view->x);
    *view = (sri_rows_view){0};
}

/* panel[k * SRI_PANEL + c] = coordinate k of centre c. */
static void fill_panels(const sri_points *pts, double *panels)
{
    const int64_t p = pts->p;
    for (int64_t i = 0; i < pts->n; i++) {
        double *panel = panels + i / SRI_PANEL * SRI_PANEL * p;
        for (int64_t k = 0; k < p; k++)
            panel[k * SRI_PANEL + i % SRI_PANEL] = pts->rows.x.x[i * p + k];
    }
}

/* Components of vectors need nothing: kernels of fields take the vectors as they are (field.h), or
 * evaluate pair by pair. */
specreg_status sri_points_pack(specreg_context *ctx, const sri_points *points)
{
    sri_points *cache = (sri_points *)points; /* what is packed is no part of their value */
    const int64_t panels = (points->n + SRI_PANEL - 1) / SRI_PANEL;
    double *made, *nobody = NULL;
    if (points->stored != SRI_STORED_DENSE || points->rows.components || points->rows.vector ||
        atomic_load(&cache->panels))
        return SPECREG_OK;
    SRI_NEW_ZERO(ctx, made, panels * SRI_PANEL, points->p);
    fill_panels(points, made);
    if (!atomic_compare_exchange_strong(&cache->panels, &nobody, made))
        sri_free(made); /* another thread was quicker */
    return SPECREG_OK;
}

static specreg_status index_sparse(specreg_context *ctx, sri_points *pts)
{
    specreg_status st = SPECREG_OK;
    const sri_matrix *m = &pts->rows.x;
    SRI_CALLOC(ctx, pts->norm1, pts->n, 1);
    SRI_CALLOC(ctx, pts->norm2, pts->n, 1);
#pragma omp parallel for schedule(static) if (sri_matrix_entries(m) > 100000)
    for (int64_t i = 0; i < m->n; i++)
        for (int64_t k = m->start[i]; k < m->start[i + 1]; k++) {
            pts->norm1[i] += fabs(m->value[k]);
            pts->norm2[i] += m->value[k] * m->value[k];
        }
    SRI_TRY(sri_columns_new(ctx, m, &pts->columns));
done:
    return st;
}

/* Frees what points own. */
static void release(sri_points *pts)
{
    sri_free(atomic_load(&pts->panels));
    sri_free(pts->norm2);
    sri_free(pts->norm1);
    sri_columns_free(pts->columns);
    if (!pts->owns)
        return;
    sri_free((double *)pts->share);
    sri_free((int64_t *)pts->index);
    sri_view_free(&pts->rows);
}

/* Prepares points as centres and moves them to memory of their own; frees what they own when that
 * fails. */
static specreg_status finish(specreg_context *ctx, sri_points *made, sri_points **out)
{
    specreg_status st = SPECREG_OK;
    *out = NULL;
    if (made->stored == SRI_STORED_SPARSE)
        SRI_TRY(index_sparse(ctx, made));
    SRI_ALLOC(ctx, *out, 1, 1);
    **out = *made;
done:
    if (st != SPECREG_OK)
        release(made);
    return st;
}

specreg_status sri_points_of_view(specreg_context *ctx, const sri_rows_view *view, sri_points **out)
{
    sri_points made = {.stored = view->x.start ? SRI_STORED_SPARSE : SRI_STORED_DENSE,
                       .n = view->n,
                       .p = view->x.p,
                       .rows = *view};
    return finish(ctx, &made, out);
}

specreg_status sri_points_of(specreg_context *ctx, const sri_matrix *rows, bool indexed,
                             sri_points **out)
{
    const sri_rows_view view = {.n = rows->n, .x = *rows};
    sri_points made = {.stored = SRI_STORED_INDEX, .n = rows->n, .p = rows->p, .rows = view};
    return indexed ? finish(ctx, &made, out) : sri_points_of_view(ctx, &view, out);
}

specreg_status sri_points_new(specreg_context *ctx, const double *x, int64_t n, int64_t p,
                              bool indexed, sri_points **out)
{
    const sri_rows_view view = sri_view_dense(x, n, p);
    return sri_points_of(ctx, &view.x, indexed, out);
}

specreg_status sri_points_of_index(specreg_context *ctx, int64_t *index, int64_t n, int64_t p,
                                   sri_points **out)
{
    sri_points made = {.stored = SRI_STORED_INDEX,
                       .n = n,
                       .p = p,
                       .rows = {.n = n, .x = {.p = p}},
                       .index = index,
                       .owns = true};
    return finish(ctx, &made, out);
}

/* The row numbers of a subset. */
static specreg_status gather_index(specreg_context *ctx, const sri_points *all, const int64_t *rows,
                                   int64_t count, const int64_t **out)
{
    int64_t *index = NULL;
    SRI_NEW(ctx, index, count, 1);
    for (int64_t i = 0; i < count; i++)
        index[i] = all->index ? all->index[rows[i]] : rows[i];
    *out = index;
    return SPECREG_OK;
}

specreg_status sri_points_subset(specreg_context *ctx, const sri_points *all, const int64_t *rows,
                                 int64_t count, sri_points **out)
{
    specreg_status st = SPECREG_OK;
    sri_points made = {.stored = all->stored, .n = count, .p = all->p, .owns = true};
    made.centres = all->centres;
    *out = NULL;
    SRI_TRY(sri_view_gather(ctx, &all->rows, rows, count, &made.rows));
    SRI_TRY(sri_gather(ctx, all->share, sizeof *all->share, rows, count, (void **)&made.share));
    if (all->stored == SRI_STORED_INDEX)
        SRI_TRY(gather_index(ctx, all, rows, count, &made.index));
    return finish(ctx, &made, out);
done:
    release(&made);
    return st;
}

void sri_points_free(sri_points *points)
{
    if (points)
        release(points);
    sri_free(points);
}
