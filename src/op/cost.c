#include "op/cost.h"

#include <math.h>

#include "backend/triangle.h"
#include "backend/vec.h"
#include "op/rounded.h"

sri_shape sri_shape_of_rows(const sri_shape *shape, int64_t rows)
{
    sri_shape out = *shape;
    const double share = (double)rows / (double)shape->n;
    out.n = rows;
    out.nonzeros *= share;
    out.row_pairs *= share;
    return out;
}

/* X is read twice; its entries count double where they are gathered. */
bool sri_shape_by_factors(const sri_shape *shape)
{
    enum { GATHER = 2 };
    const double n = (double)shape->n;
    return shape->nonzeros > 0 && 2 * shape->nonzeros * (shape->sparse ? GATHER : 1) < n * n;
}

double sri_matrix_stored_bytes(const sri_shape *shape)
{
    if (sri_shape_by_factors(shape))
        return 0;
    if (shape->single)
        return sri_rounded_bytes(shape->n);
    return shape->n < SRI_OP_WHOLE ? 8.0 * (double)shape->n * (double)shape->n
                                   : sri_triangle_bytes(shape->n, false);
}

/* A small K in full, eight columns at a time, at nine tenths of the speed of memory, or at 0.7
 * of that of a matrix product. */
static void whole_products(double n, double columns, double times, sri_cost *cost)
{
    cost->traffic += times * ceil(columns / 8) * 9 * n * n;
    cost->overlapped_flops += times * 2 * n * n * columns / 0.7;
    cost->working_set = fmax(cost->working_set, 8 * n * n);
    cost->regions += times * ceil(columns / 8);
}

/* One triangle of K for 32 columns, at 0.85 of the speed of memory, or, where it lies in a
 * cache, at a little more than half of that of a matrix product. */
static void triangle_products(double n, bool single, double columns, double times, sri_cost *cost)
{
    const double passes = times * ceil(columns / 32), fast = single ? 2 : 1;
    cost->traffic += passes * 4 * n * n / fast / 0.85;
    cost->overlapped_flops += times * 2 * n * n * columns / fast / 0.55;
    cost->working_set = fmax(cost->working_set, 4 * n * n / fast);
    cost->regions += 4 * passes;
}

/* Twice over the entries for every SRI_GATHER columns; each entry with the cache lines of its
 * row or column of numbers, the most frequent of which stay in a cache. */
static void sparse_products(const sri_shape *shape, double columns, double times, sri_cost *cost)
{
    enum { LINE = 64, ENTRY = 12 };
    const double lines = ceil(columns / 8), passes = times * ceil(8 * lines / SRI_GATHER);
    const double fewer = fmin((double)shape->n, shape->columns), entries = shape->nonzeros;
    cost->traffic += passes * 2 * ENTRY * entries;
    cost->working_set = fmax(cost->working_set, 2 * ENTRY * entries);
    cost->random_bytes += times * lines * 2 * LINE * entries;
    cost->random_working_set =
        fmax(cost->random_working_set, 8 * fmin(SRI_GATHER, columns) * fewer);
    cost->regions += 4 * passes;
}

/* Dense: twice over X for eight columns, at the speed of memory. */
static void factor_products(const sri_shape *shape, double columns, double times, sri_cost *cost)
{
    const double passes = times * ceil(columns / 8), together = fmin(columns, 8);
    if (shape->sparse) {
        sparse_products(shape, columns, times, cost);
        return;
    }
    cost->traffic += passes * 2 * shape->nonzeros * 9;
    cost->overlapped_flops += passes * 4 * shape->nonzeros * together / 0.7;
    cost->working_set = fmax(cost->working_set, 8 * shape->nonzeros);
    cost->regions += 4 * passes;
}

/* Kernel values of one triangle, a block at a time; a block in the cache is multiplied by few
 * columns at 0.4 of the speed of large products. */
static void unstored_products(double n, double columns, double times, sri_cost *cost)
{
    cost->values += times * n * n / 2;
    cost->flops += times * 2 * n * n * columns / 0.4;
    cost->regions += times * n / 256;
}

void sri_matrix_product_cost(const sri_shape *shape, bool stored, double columns, double times,
                             sri_cost *cost)
{
    const double n = (double)shape->n;
    if (sri_shape_by_factors(shape)) {
        factor_products(shape, columns, times, cost);
        return;
    }
    if (!stored)
        unstored_products(n, columns, times, cost);
    else if (shape->n < SRI_OP_WHOLE && !shape->single)
        whole_products(n, columns, times, cost);
    else
        triangle_products(n, shape->single, columns, times, cost);
}
