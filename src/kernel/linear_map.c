#include "kernel/linear_map.h"

#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "core/arena.h"

enum {
    LINE = 8,      /* numbers in a cache line, of which columns come in multiples  */
    SERIAL = 20000 /* entries below which one thread is faster               */
};

bool sri_kernel_is_linear(const sri_kernel *kernel, double *scale)
{
    *scale = 0;
    for (int t = 0; t < kernel->n_terms; t++) {
        if (!kernel->term[t].ops->linear)
            return false;
        *scale += kernel->term[t].weight;
    }
    return true;
}

sri_linear_map sri_linear_map_make(const sri_points *points, double scale, const double *root)
{
    return (sri_linear_map){.points = points,
                            .n = points->n,
                            .p = points->columns ? points->columns->used : points->p,
                            .scale = scale,
                            .root = root};
}

/* Lists of entries, one for each row of the result: out_i = factor_i sum_k value_k in[place_k]. */
typedef struct lists {
    int64_t count;
    const int64_t *start;
    const int32_t *place; /* of entry k: place[k - start[0]] */
    const double *value;  /* likewise                        */
} lists;

static inline void sum_few(const lists *l, int64_t i, int width, const double *in, double *out)
{
    const int64_t first = l->start[0];
    double sum[4] = {0};
    for (int64_t k = l->start[i] - first; k < l->start[i + 1] - first; k++) {
        const double *x = in + (int64_t)l->place[k] * width, v = l->value[k];
#pragma omp simd
        for (int c = 0; c < width; c++)
            sum[c] += v * x[c];
    }
    memcpy(out, sum, (size_t)width * sizeof *out);
}

/* How many of t columns go together now: full cache lines, in about equal shares; those
 * that are left then never take more. */
static int together(int64_t t)
{
    if (t < 5)
        return t < 3 ? (int)t : 4;
    const int64_t lines = (t + LINE - 1) / LINE, most = SRI_GATHER / LINE;
    const int64_t passes = (lines + most - 1) / most;
    return (int)((lines + passes - 1) / passes * LINE);
}

/* The width as a constant, for loops without a count. */
static void sum_one(const lists *l, const sri_vec *vec, int64_t i, int width, const double *in,
                    double *out)
{
    const int64_t at = l->start[i] - l->start[0];
    if (width >= LINE)
        vec->gather(l->start[i + 1] - l->start[i], l->place + at, l->value + at, width, in, out);
    else if (width == 4)
        sum_few(l, i, 4, in, out);
    else if (width == 2)
        sum_few(l, i, 2, in, out);
    else
        sum_few(l, i, 1, in, out);
}

/* `width` columns of out, from `in` (rows of `width` numbers). */
static void sum_lists(const lists *l, int width, const double *in, double *out, int64_t t,
                      int64_t c, const double *root, double factor)
{
    const int64_t few = t - c < width ? t - c : width;
    const sri_vec *vec = sri_vec_best();
#pragma omp parallel for schedule(dynamic, 64) if (l->start[l->count] - l->start[0] > SERIAL)
    for (int64_t i = 0; i < l->count; i++) {
        const double share = root ? factor * root[i] : factor;
        double sum[SRI_GATHER];
        sum_one(l, vec, i, width, in, sum);
        for (int64_t k = 0; k < few; k++)
            out[i * t + c + k] = share * sum[k];
    }
}

/* `width` columns of `in` (rows x t) from column c on, times inner, with zeros where there are
 * fewer. */
static void pack(int64_t rows, int64_t t, int64_t c, int width, const double *inner,
                 const double *in, double *packed)
{
    const int64_t few = t - c < width ? t - c : width;
#pragma omp parallel for schedule(static) if (rows * width > SERIAL)
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < width; k++)
            packed[i * width + k] = k < few ? (inner ? inner[i] : 1) * in[i * t + c + k] : 0;
}

/* out (count x t) = diag(outer) L diag(inner) in, times factor; `in` has `rows` rows, and the place
 * after the last stands for zeros. */
static specreg_status times(specreg_context *ctx, const lists *l, int64_t rows, int64_t t,
                            const double *inner, const double *outer, double factor,
                            const double *in, double *out)
{
    specreg_status st = SPECREG_OK;
    int width = together(t);
    double *packed = NULL;
    SRI_ALLOC(ctx, packed, rows + 1, width);
    for (int64_t c = 0; c < t; c += width) {
        width = together(t - c);
        memset(packed + rows * width, 0, (size_t)width * sizeof *packed);
        pack(rows, t, c, width, inner, in, packed);
        sum_lists(l, width, packed, out, t, c, outer, factor);
    }
done:
    sri_free(packed);
    return st;
}

static double *scaled_rows(specreg_context *ctx, const double *F, int64_t n, int64_t t,
                           const double *root)
{
    double *to = sri_alloc(ctx, n, t, sizeof *to);
    for (int64_t i = 0; to && i < n; i++)
        for (int64_t c = 0; c < t; c++)
            to[i * t + c] = root[i] * F[i * t + c];
    return to;
}

static lists by_rows(const sri_points *pts)
{
    const sri_matrix *m = &pts->rows.x;
    return (lists){m->n, m->start, pts->columns->place, m->value + m->start[0]};
}

static lists by_columns(const sri_columns *c)
{
    return (lists){c->used, c->start, c->row, c->value};
}

specreg_status sri_linear_forward(specreg_context *ctx, const sri_linear_map *map, int64_t t,
                                  const double *W, double *F)
{
    const sri_points *pts = map->points;
    const double factor = sqrt(map->scale);
    if (pts->columns) {
        const lists l = by_rows(pts);
        return times(ctx, &l, map->p, t, NULL, map->root, factor, W, F);
    }
    const specreg_status st = sri_product(ctx, map->n, map->p, pts->rows.x.x, map->p, t, W, F);
    for (int64_t i = 0; st == SPECREG_OK && i < map->n && (map->root || factor != 1); i++)
        for (int64_t c = 0; c < t; c++)
            F[i * t + c] *= map->root ? factor * map->root[i] : factor;
    return st;
}

specreg_status sri_linear_back(specreg_context *ctx, const sri_linear_map *map, int64_t t,
                               const double *F, double *W)
{
    specreg_status st = SPECREG_OK;
    const sri_points *pts = map->points;
    const double factor = sqrt(map->scale);
    double *scaled = NULL;
    if (pts->columns) {
        const lists l = by_columns(pts->columns);
        return times(ctx, &l, map->n, t, map->root, NULL, factor, F, W);
    }
    if (map->root) {
        scaled = scaled_rows(ctx, F, map->n, t, map->root);
        if (!scaled)
            return SPECREG_E_NOMEM;
    }
    sri_gemm(true, false, map->p, t, map->n, factor, pts->rows.x.x, map->p, scaled ? scaled : F, t,
             0, W, t);
    sri_free(scaled);
    return st;
}

/* Sparse: the columns stay packed from one product to the next. */
static specreg_status sparse_square(specreg_context *ctx, const sri_linear_map *map, int64_t t,
                                    const double *X, double *Y)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const lists rows = by_rows(map->points), columns = by_columns(map->points->columns);
    int width = together(t);
    double *packed, *W;
    SRI_SCRATCH(ctx, &scratch, packed, map->n, width);
    SRI_SCRATCH(ctx, &scratch, W, map->p, width);
    for (int64_t c = 0; c < t; c += width) {
        width = together(t - c);
        pack(map->n, t, c, width, map->root, X, packed);
        sum_lists(&columns, width, packed, W, width, 0, NULL, 1);
        sum_lists(&rows, width, W, Y, t, c, map->root, map->scale);
    }
done:
    sri_arena_free(&scratch);
    return st;
}

specreg_status sri_linear_square(specreg_context *ctx, const sri_linear_map *map, int64_t t,
                                 const double *X, double *Y)
{
    specreg_status st = SPECREG_OK;
    double *W = NULL;
    if (map->points->columns)
        return sparse_square(ctx, map, t, X, Y);
    SRI_ALLOC(ctx, W, map->p, t);
    SRI_TRY(sri_linear_back(ctx, map, t, X, W));
    SRI_TRY(sri_linear_forward(ctx, map, t, W, Y));
done:
    sri_free(W);
    return st;
}

specreg_status sri_rows_times(specreg_context *ctx, const sri_matrix *rows, const int32_t *column,
                              int64_t used, int64_t t, const double *W, double *F)
{
    specreg_status st = SPECREG_OK;
    int32_t *place = NULL;
    if (rows->x)
        return sri_product(ctx, rows->n, rows->p, rows->x, rows->p, t, W, F);
    const int64_t first = rows->start[0];
    const sri_columns known = {.used = used, .column = (int32_t *)column};
    SRI_ALLOC(ctx, place, sri_matrix_entries(rows), 1);
#pragma omp parallel for schedule(static) if (rows->start[rows->n] - first > SERIAL)
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t at = 0;
        for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
            const int32_t j = rows->index[k];
            at = column ? sri_columns_find(&known, at, j) : j;
            place[k - first] =
                at < used && (!column || column[at] == j) ? (int32_t)at : (int32_t)used;
        }
    }
    const lists l = {rows->n, rows->start, place, rows->value + first};
    SRI_TRY(times(ctx, &l, used, t, NULL, NULL, 1, W, F));
done:
    sri_free(place);
    return st;
}
