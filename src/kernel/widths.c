/* Widths that the data suggest: typical distances within a random sample of points. */
#include "kernel/widths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/rng.h"
#include "core/text.h"
#include "kernel/sparse.h"

enum { SAMPLE = 500 };

specreg_status sri_width_parse(specreg_context *ctx, const char *what, const char *text,
                               sri_width *out)
{
    *out = (sri_width){.kind = SRI_WIDTH_GIVEN};
    if (strcmp(text, "median") == 0) {
        out->kind = SRI_WIDTH_MEDIAN;
    } else if (strcmp(text, "mean") == 0) {
        out->kind = SRI_WIDTH_MEAN;
    } else if (strcmp(text, "knn") == 0) {
        *out = (sri_width){SRI_WIDTH_NEAREST, SRI_WIDTH_SHARE};
    } else if (strncmp(text, "knn:", 4) == 0) {
        out->kind = SRI_WIDTH_NEAREST;
        SRI_CALL(sri_number_parse(ctx, what, text + 4, &out->share));
        if (!(out->share > 0 && out->share <= 1))
            return sri_fail(ctx, SPECREG_E_ARG,
                            "%s: knn takes a share of the rows, above 0 and at most 1, not %g",
                            what, out->share);
    }
    return SPECREG_OK;
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The sum of |x_k - z_k|, or of its squares, over a span of columns. */
static double span_distance(const sri_points *pts, int64_t i, int64_t j, sri_span span, bool norm1)
{
    if (pts->stored == SRI_STORED_SPARSE) {
        int64_t here[2], there[2];
        const sri_matrix a = sri_picked_row(&pts->rows.x, i, span, here);
        const sri_matrix b = sri_picked_row(&pts->rows.x, j, span, there);
        return sri_sparse_distance(&a, &b, norm1);
    }
    const double *a = sri_view_x(&pts->rows, i), *b = sri_view_x(&pts->rows, j);
    double sum = 0;
    for (int64_t k = span.first; k < span.end; k++)
        sum += norm1 ? fabs(a[k] - b[k]) : (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

static double distance(const sri_points *pts, int64_t i, int64_t j, sri_metric metric)
{
    sri_span all;
    int64_t spans;
    const sri_span *span = sri_picked_spans(metric.columns, pts->p, &all, &spans);
    double sum = 0;
    for (int64_t s = 0; s < spans; s++)
        sum += span_distance(pts, i, j, span[s], metric.norm1);
    return metric.norm1 ? sum : sqrt(sum);
}

/* The distances of point i of the sample to those before point `end` of it that differ: equal
 * rows say nothing about the scale. */
static int64_t distances(const sri_points *points, const int64_t *row, int64_t i, int64_t end,
                         sri_metric metric, double *out)
{
    int64_t count = 0;
    for (int64_t j = 0; j < end; j++) {
        const double v = j == i ? 0 : distance(points, row[i], row[j], metric);
        if (v > 0 && isfinite(v))
            out[count++] = v;
    }
    return count;
}

static double mean(const double *v, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += v[i];
    return sum / (double)count;
}

/* The mean over the sample of the mean distance to the nearest share of the others. */
static double mean_nearest(const sri_points *points, const int64_t *row, int64_t m,
                           sri_metric metric, double share, double *d)
{
    double sum = 0;
    int64_t points_with = 0;
    for (int64_t i = 0; i < m; i++) {
        const int64_t count = distances(points, row, i, m, metric, d);
        if (!count)
            continue;
        const int64_t k = (int64_t)ceil(share * (double)count - 1e-9);
        qsort(d, (size_t)count, sizeof *d, rising);
        sum += mean(d, k < 1 ? 1 : k);
        points_with++;
    }
    return points_with ? sum / (double)points_with : 1;
}

/* The median or mean over all pairs of the sample. */
static double typical(const sri_points *points, const int64_t *row, int64_t m, sri_metric metric,
                      bool median, double *d)
{
    int64_t count = 0;
    for (int64_t i = 0; i < m; i++)
        count += distances(points, row, i, i, metric, d + count);
    if (!count)
        return 1;
    if (!median)
        return mean(d, count);
    qsort(d, (size_t)count, sizeof *d, rising);
    return d[count / 2];
}

specreg_status sri_width_find(specreg_context *ctx, const sri_points *points, sri_metric metric,
                              uint64_t seed, sri_width width, double *out)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    int64_t *row;
    double *d;
    const int64_t n = points->n, m = n < SAMPLE ? n : SAMPLE;
    SRI_SCRATCH(ctx, &scratch, row, n, 1);
    SRI_SCRATCH(ctx, &scratch, d, m * m, 1);
    for (int64_t i = 0; i < n; i++)
        row[i] = i;
    if (m < n) {
        sri_rng rng = sri_rng_make(seed, SRI_STREAM_DISTANCES);
        sri_rng_shuffle(&rng, row, n);
    }
    *out = width.kind == SRI_WIDTH_NEAREST
               ? mean_nearest(points, row, m, metric, width.share, d)
               : typical(points, row, m, metric, width.kind == SRI_WIDTH_MEDIAN, d);
done:
    sri_arena_free(&scratch);
    return st;
}

specreg_status sri_points_median(specreg_context *ctx, const sri_points *points,
                                 const sri_picked *columns, bool norm1, uint64_t seed,
                                 double *median)
{
    return sri_width_find(ctx, points, (sri_metric){norm1, columns}, seed,
                          (sri_width){.kind = SRI_WIDTH_MEDIAN}, median);
}
