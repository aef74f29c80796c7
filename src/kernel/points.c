#include "kernel/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/vec.h"
#include "core/memory.h"
#include "core/rng.h"
#include "kernel/sparse.h"

/* panel[k * SRI_PANEL + c] = coordinate k of centre c. */
static specreg_status pack(specreg_context *ctx, sri_points *pts)
{
    specreg_status st = SPECREG_OK;
    const int64_t panels = (pts->n + SRI_PANEL - 1) / SRI_PANEL;
    SRI_CALLOC(ctx, pts->panels, panels * SRI_PANEL, pts->q);
    for (int64_t i = 0; i < pts->n; i++) {
        double *panel = pts->panels + i / SRI_PANEL * SRI_PANEL * pts->q;
        for (int64_t k = 0; k < pts->q; k++)
            panel[k * SRI_PANEL + i % SRI_PANEL] = pts->z[i * pts->q + k];
    }
done:
    return st;
}

/* Packs, and frees everything when that fails. */
static specreg_status finish(specreg_context *ctx, sri_points *pts, sri_points **out)
{
    const specreg_status st = pack(ctx, pts);
    *out = st == SPECREG_OK ? pts : NULL;
    if (st != SPECREG_OK)
        sri_points_free(pts);
    return st;
}

specreg_status sri_points_new(specreg_context *ctx, const double *x, int64_t n, int64_t p,
                              bool indexed, sri_points **out)
{
    *out = NULL;
    sri_points *pts = sri_calloc(ctx, 1, 1, sizeof *pts);
    if (!pts)
        return SPECREG_E_NOMEM;
    *pts = (sri_points){.n = n, .p = p, .x = x, .q = p, .z = x};
    if (indexed) {
        pts->own_z = sri_alloc(ctx, n, 1, sizeof *pts->own_z);
        if (!pts->own_z) {
            sri_points_free(pts);
            return SPECREG_E_NOMEM;
        }
        for (int64_t i = 0; i < n; i++)
            pts->own_z[i] = (double)i;
        pts->z = pts->own_z;
        pts->q = 1;
    }
    return finish(ctx, pts, out);
}

static specreg_status index_sparse(specreg_context *ctx, sri_points *pts)
{
    specreg_status st = SPECREG_OK;
    const sri_matrix *m = &pts->sparse;
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

specreg_status sri_points_of(specreg_context *ctx, const sri_matrix *rows, bool indexed,
                             sri_points **out)
{
    *out = NULL;
    if (rows->x)
        return sri_points_new(ctx, rows->x, rows->n, rows->p, indexed, out);
    sri_points *pts = sri_calloc(ctx, 1, 1, sizeof *pts);
    if (!pts)
        return SPECREG_E_NOMEM;
    *pts = (sri_points){.n = rows->n, .p = rows->p, .q = rows->p, .sparse = *rows};
    const specreg_status st = index_sparse(ctx, pts);
    *out = st == SPECREG_OK ? pts : NULL;
    if (st != SPECREG_OK)
        sri_points_free(pts);
    return st;
}

sri_matrix sri_points_rows(const sri_points *points, int64_t first, int64_t count)
{
    const sri_matrix all =
        points->sparse.start
            ? points->sparse
            : (sri_matrix){.n = points->n, .p = points->p, .x = (double *)points->x};
    return sri_matrix_slice(&all, first, count);
}

specreg_status sri_points_centres(specreg_context *ctx, const double *z, int64_t n, int64_t q,
                                  sri_points **out)
{
    *out = NULL;
    sri_points *pts = sri_calloc(ctx, 1, 1, sizeof *pts);
    if (!pts)
        return SPECREG_E_NOMEM;
    *pts = (sri_points){.n = n, .q = q, .z = z};
    return finish(ctx, pts, out);
}

static double *gather(specreg_context *ctx, const double *from, int64_t cols, const int64_t *rows,
                      int64_t count)
{
    double *to = sri_alloc(ctx, count, cols, sizeof *to);
    for (int64_t i = 0; to && i < count; i++)
        memcpy(to + i * cols, from + rows[i] * cols, (size_t)cols * sizeof *to);
    return to;
}

static specreg_status sparse_subset(specreg_context *ctx, const sri_points *all,
                                    const int64_t *rows, int64_t count, sri_points **out)
{
    sri_matrix own;
    specreg_status st = sri_matrix_gather(ctx, &all->sparse, rows, count, &own);
    if (st == SPECREG_OK)
        st = sri_points_of(ctx, &own, false, out);
    if (st == SPECREG_OK)
        (*out)->own_rows = own;
    else
        sri_matrix_free(&own);
    return st;
}

specreg_status sri_points_subset(specreg_context *ctx, const sri_points *all, const int64_t *rows,
                                 int64_t count, sri_points **out)
{
    *out = NULL;
    if (all->sparse.start)
        return sparse_subset(ctx, all, rows, count, out);
    sri_points *pts = sri_calloc(ctx, 1, 1, sizeof *pts);
    if (!pts)
        return SPECREG_E_NOMEM;
    *pts = (sri_points){.n = count, .p = all->p, .q = all->q, .labelled = all->labelled};
    pts->x = pts->own_x = gather(ctx, all->x, all->p, rows, count);
    pts->z = pts->x;
    if (pts->x && all->z != all->x)
        pts->z = pts->own_z = gather(ctx, all->z, all->q, rows, count);
    if (all->share)
        pts->share = pts->own_share = gather(ctx, all->share, 1, rows, count);
    if (!pts->x || !pts->z || (all->share && !pts->share)) {
        sri_points_free(pts);
        return SPECREG_E_NOMEM;
    }
    return finish(ctx, pts, out);
}

void sri_points_free(sri_points *points)
{
    if (!points)
        return;
    free(points->panels);
    free(points->own_share);
    free(points->norm2);
    free(points->norm1);
    sri_columns_free(points->columns);
    sri_matrix_free(&points->own_rows);
    free(points->own_z);
    free(points->own_x);
    free(points);
}

bool sri_rows_are_vectors(const double *x, int64_t n, int64_t p)
{
    for (int64_t i = 0; i < n; i++)
        if (x[i * (p + 1) + p] != (double)(i % p) ||
            memcmp(x + i * (p + 1), x + i / p * p * (p + 1), (size_t)p * sizeof *x) != 0)
            return false;
    return n % p == 0;
}

specreg_status sri_rows_vectors(specreg_context *ctx, const double *x, int64_t n, int64_t p,
                                double **out)
{
    specreg_status st = SPECREG_OK;
    SRI_ALLOC(ctx, *out, n / p, p);
    for (int64_t i = 0; i < n / p; i++)
        memcpy(*out + i * p, x + i * p * (p + 1), (size_t)p * sizeof *x);
done:
    return st;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double distance(const sri_points *pts, int64_t i, int64_t j, bool norm1)
{
    if (pts->sparse.start) {
        const sri_matrix a = sri_points_rows(pts, i, 1), b = sri_points_rows(pts, j, 1);
        return norm1 ? sri_sparse_distance(&a, &b, true) : sqrt(sri_sparse_distance(&a, &b, false));
    }
    const double *a = pts->x + i * pts->p, *b = pts->x + j * pts->p;
    double sum = 0;
    for (int64_t k = 0; k < sri_points_features(pts); k++)
        sum += norm1 ? fabs(a[k] - b[k]) : (a[k] - b[k]) * (a[k] - b[k]);
    return norm1 ? sum : sqrt(sum);
}

specreg_status sri_points_median(specreg_context *ctx, const sri_points *points, bool norm1,
                                 uint64_t seed, double *median)
{
    enum { SAMPLE = 500 };
    specreg_status st = SPECREG_OK;
    int64_t *row = NULL;
    double *d = NULL;
    const int64_t n = points->n, m = n < SAMPLE ? n : SAMPLE;
    *median = 1;
    SRI_ALLOC(ctx, row, n, 1);
    SRI_ALLOC(ctx, d, m * (m - 1) / 2, 1);
    for (int64_t i = 0; i < n; i++)
        row[i] = i;
    if (m < n) {
        sri_rng rng = sri_rng_make(seed, SRI_STREAM_DISTANCES);
        sri_rng_shuffle(&rng, row, n);
    }
    int64_t count = 0; /* equal rows say nothing about the scale */
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < i; j++) {
            const double v = distance(points, row[i], row[j], norm1);
            if (v > 0 && isfinite(v))
                d[count++] = v;
        }
    if (count) {
        qsort(d, (size_t)count, sizeof *d, compare_doubles);
        *median = d[count / 2];
    }
done:
    free(d);
    free(row);
    return st;
}
