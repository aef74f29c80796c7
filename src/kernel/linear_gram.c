/* A'A and rows of A, for engines that work with its columns. */
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "core/memory.h"
#include "kernel/linear_map.h"

enum { ROWS = 512 };

static double factor_of(const sri_linear_map *map, int64_t i)
{
    return sqrt(map->scale) * (map->root ? map->root[i] : 1);
}

void sri_linear_rows(const sri_linear_map *map, const int64_t *rows, int64_t count, double *out)
{
    const sri_points *pts = map->points;
    const int64_t p = map->p;
#pragma omp parallel for schedule(static) if (count * p > 100000)
    for (int64_t r = 0; r < count; r++) {
        const int64_t i = rows[r];
        const double f = factor_of(map, i);
        double *to = out + r * p;
        const sri_matrix *m = &pts->rows.x;
        for (int64_t j = 0; j < p; j++)
            to[j] = m->x ? f * m->x[i * p + j] : 0;
        if (m->x)
            continue;
        for (int64_t k = m->start[i]; k < m->start[i + 1]; k++)
            to[pts->columns->place[k - m->start[0]]] = f * m->value[k];
    }
}

static specreg_status dense_gram(specreg_context *ctx, const sri_linear_map *map,
                                 const int64_t *rows, int64_t count, double *C)
{
    specreg_status st = SPECREG_OK;
    const int64_t p = map->p;
    double *B = NULL;
    SRI_ALLOC(ctx, B, ROWS, p);
    for (int64_t i = 0; i < count; i += ROWS) {
        const int64_t few = count - i < ROWS ? count - i : ROWS;
        sri_linear_rows(map, rows + i, few, B);
        SRI_TRY(sri_add_square(ctx, few, p, B, C));
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_free(B);
    return st;
}

/* Column j of A meets in each of its rows the entries before it. */
static specreg_status sparse_gram(specreg_context *ctx, const sri_linear_map *map,
                                  const int64_t *rows, int64_t count, double *C)
{
    specreg_status st = SPECREG_OK;
    const sri_matrix *m = &map->points->rows.x;
    const sri_columns *c = map->points->columns;
    double *share = NULL; /* n: squares of the factors, 0 for rows that do not count */
    SRI_CALLOC(ctx, share, map->n, 1);
    for (int64_t r = 0; r < count; r++)
        share[rows[r]] = factor_of(map, rows[r]) * factor_of(map, rows[r]);
#pragma omp parallel for schedule(dynamic, 4)
    for (int64_t j = 0; j < c->used; j++)
        for (int64_t e = c->start[j]; e < c->start[j + 1]; e++) {
            const int64_t i = c->row[e];
            const double v = share[i] * c->value[e];
            for (int64_t k = m->start[i]; v != 0 && k < m->start[i + 1]; k++) {
                const int32_t l = c->place[k - m->start[0]];
                if (l > j)
                    break;
                C[j * map->p + l] += v * m->value[k];
            }
        }
    SRI_TRY(sri_poll(ctx));
done:
    sri_free(share);
    return st;
}

specreg_status sri_linear_gram(specreg_context *ctx, const sri_linear_map *map, const int64_t *rows,
                               int64_t count, double *C)
{
    memset(C, 0, (size_t)(map->p * map->p) * sizeof *C);
    return map->points->columns ? sparse_gram(ctx, map, rows, count, C)
                                : dense_gram(ctx, map, rows, count, C);
}
