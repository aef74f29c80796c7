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
        if (!kernel->term[t].ops->linear || kernel->term[t].times || kernel->term[t].columns)
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

/* Lists of entries, one for each row of the result, as diag(outer) L diag(inner):
 *     out_i = factor outer_i sum_k value_k inner[place_k] in[place_k]. */
typedef struct lists {
    int64_t count, rows; /* of the result and of `in` */
    const int64_t *start;
    const int32_t *place;        /* of entry k: place[k - start[0]]; `rows` stands for zeros */
    const double *value;         /* likewise                                                 */
    const double *inner, *outer; /* NULL: 1 */
    double factor;
} lists;

/* Columns c .. c + width - 1 of a matrix with t of them; the last ones may lie beyond it. */
typedef struct column_group {
    int64_t t, c;
    int width;
} column_group;

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

/* Those columns of out, from `in` (rows of `width` numbers). */
static void sum_lists(const lists *l, column_group s, const double *in, double *out)
{
    const int64_t few = s.t - s.c < s.width ? s.t - s.c : s.width;
    const sri_vec *vec = sri_vec_best();
#pragma omp parallel for schedule(dynamic, 64) if (l->start[l->count] - l->start[0] > SERIAL)
    for (int64_t i = 0; i < l->count; i++) {
        const double share = l->outer ? l->factor * l->outer[i] : l->factor;
        double sum[SRI_GATHER];
        sum_one(l, vec, i, s.width, in, sum);
        for (int64_t k = 0; k < few; k++)
            out[i * s.t + s.c + k] = share * sum[k];
    }
}

/* Those columns of `in`, times inner, with zeros where there are fewer. */
static void pack(const lists *l, column_group s, const double *in, double *packed)
{
    const int64_t few = s.t - s.c < s.width ? s.t - s.c : s.width;
    const double *inner = l->inner;
#pragma omp parallel for schedule(static) if (l->rows * s.width > SERIAL)
    for (int64_t i = 0; i < l->rows; i++)
        for (int64_t k = 0; k < s.width; k++)
            packed[i * s.width + k] = k < few ? (inner ? inner[i] : 1) * in[i * s.t + s.c + k] : 0;
}

/* out (count x t) = the lists times `in`. */
static specreg_status times(specreg_context *ctx, const lists *l, int64_t t, const double *in,
                            double *out)
{
    specreg_status st = SPECREG_OK;
    column_group s = {t, 0, together(t)};
    double *packed = NULL;
    SRI_ALLOC(ctx, packed, l->rows + 1, s.width);
    for (; s.c < t; s.c += s.width) {
        s.width = together(t - s.c);
        memset(packed + l->rows * s.width, 0, (size_t)s.width * sizeof *packed);
        pack(l, s, in, packed);
        sum_lists(l, s, packed, out);
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

/* A, and A'. */
static lists by_rows(const sri_linear_map *map)
{
    const sri_matrix *m = &map->points->rows.x;
    return (lists){.count = m->n,
                   .rows = map->p,
                   .start = m->start,
                   .place = map->points->columns->place,
                   .value = m->value + m->start[0],
                   .outer = map->root,
                   .factor = sqrt(map->scale)};
}

static lists by_columns(const sri_linear_map *map)
{
    const sri_columns *c = map->points->columns;
    return (lists){.count = c->used,
                   .rows = map->n,
                   .start = c->start,
                   .place = c->row,
                   .value = c->value,
                   .inner = map->root,
                   .factor = sqrt(map->scale)};
}

specreg_status sri_linear_forward(specreg_context *ctx, const sri_linear_map *map, int64_t t,
                                  const double *W, double *F)
{
    const sri_points *pts = map->points;
    const double factor = sqrt(map->scale);
    if (pts->columns) {
        const lists l = by_rows(map);
        return times(ctx, &l, t, W, F);
    }
    const specreg_status st =
        sri_product(ctx, (sri_dense){map->n, map->p, pts->rows.x.x, map->p}, t, W, F);
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
        const lists l = by_columns(map);
        return times(ctx, &l, t, F, W);
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

specreg_status sri_linear_back_rows(specreg_context *ctx, const sri_linear_map *map, int64_t l,
                                    const double *F, double *W)
{
    specreg_status st = SPECREG_OK;
    double *columns = NULL;
    SRI_ALLOC(ctx, columns, map->n, l);
    for (int64_t i = 0; i < map->n; i++)
        for (int64_t j = 0; j < l; j++)
            columns[i * l + j] = F[j * map->n + i];
    SRI_TRY(sri_linear_back(ctx, map, l, columns, W));
done:
    sri_free(columns);
    return st;
}

/* Sparse: the columns stay packed from one product to the next, and the scale comes last. */
static specreg_status sparse_square(specreg_context *ctx, const sri_linear_map *map, int64_t t,
                                    const double *X, double *Y)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    lists rows = by_rows(map), by = by_columns(map);
    column_group s = {t, 0, together(t)};
    double *packed, *W;
    by.factor = 1;
    rows.factor = map->scale;
    SRI_SCRATCH(ctx, &scratch, packed, map->n, s.width);
    SRI_SCRATCH(ctx, &scratch, W, map->p, s.width);
    for (; s.c < t; s.c += s.width) {
        s.width = together(t - s.c);
        pack(&by, s, X, packed);
        sum_lists(&by, (column_group){s.width, 0, s.width}, packed, W);
        sum_lists(&rows, s, W, Y);
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

specreg_status sri_rows_times(specreg_context *ctx, const sri_matrix *rows,
                              const sri_columns *columns, int64_t t, const double *W, double *F)
{
    specreg_status st = SPECREG_OK;
    int32_t *place = NULL;
    if (rows->x)
        return sri_product(ctx, (sri_dense){rows->n, rows->p, rows->x, rows->p}, t, W, F);
    const int64_t first = rows->start[0], used = columns->used;
    const int32_t *column = columns->column;
    SRI_ALLOC(ctx, place, sri_matrix_entries(rows), 1);
#pragma omp parallel for schedule(static) if (rows->start[rows->n] - first > SERIAL)
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t at = 0;
        for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
            const int32_t j = rows->index[k];
            at = column ? sri_columns_find(columns, at, j) : j;
            place[k - first] =
                at < used && (!column || column[at] == j) ? (int32_t)at : (int32_t)used;
        }
    }
    const lists l = {.count = rows->n,
                     .rows = used,
                     .start = rows->start,
                     .place = place,
                     .value = rows->value + first,
                     .factor = 1};
    SRI_TRY(times(ctx, &l, t, W, F));
done:
    sri_free(place);
    return st;
}
