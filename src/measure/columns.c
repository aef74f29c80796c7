#include "measure/columns.h"

#include <math.h>

/* The targets that there are of columns from .. to-1, one after the other. */
typedef struct entries {
    const sri_comparison *p;
    int64_t from, to, i, t;
    double d, y, v; /* the prediction less the target, the target, the row's weight */
} entries;

static entries start(const sri_comparison *p, int64_t from, int64_t to)
{
    return (entries){.p = p, .from = from, .to = to, .t = from - 1};
}

static bool next(entries *e)
{
    do {
        e->i += ++e->t == e->to;
        e->t = e->t == e->to ? e->from : e->t;
        if (e->i >= e->p->n)
            return false;
        e->y = sri_row_targets(e->p, e->i)[e->t];
    } while (isnan(e->y) || sri_is_left_out(e->p, e->y));
    e->d = sri_row_outputs(e->p, e->i)[e->t] - e->y;
    e->v = sri_row_weight(e->p, e->i);
    return true;
}

/* Sums of squares are formed from values times 2^-e, with 2^e just above the largest magnitude, so
 * that they overflow or vanish only where the result itself does.  (An e
 * below -1022 would make 2^-e overflow.) */
static int exponent_of(double largest)
{
    int e = 0;
    if (isfinite(largest) && largest > 0)
        frexp(largest, &e);
    return e < -1022 ? -1022 : e;
}

static sri_column_errors errors_of(const sri_comparison *p, int64_t from, int64_t to)
{
    sri_column_errors m = {NAN, NAN, NAN, 0, 0};
    double largest_d = 0, largest_y = 0, low = INFINITY, high = -INFINITY;
    double square = 0, absolute = 0, mean = 0, variance = 0;
    for (entries e = start(p, from, to); next(&e); m.n++) {
        m.weight += e.v;
        largest_d = fmax(largest_d, fabs(e.d));
        largest_y = fmax(largest_y, fabs(e.y));
        low = fmin(low, e.y);
        high = fmax(high, e.y);
    }
    if (m.n == 0)
        return m;
    const int ed = exponent_of(largest_d), ey = exponent_of(largest_y);
    const double unit_d = ldexp(1, -ed), unit_y = ldexp(1, -ey);
    for (entries e = start(p, from, to); next(&e);) {
        square += e.v * (e.d * unit_d * (e.d * unit_d));
        absolute += e.v * fabs(e.d * unit_d);
        mean += e.v * (e.y * unit_y);
    }
    square /= m.weight;
    mean /= m.weight;
    for (entries e = start(p, from, to); next(&e);)
        variance += e.v * ((e.y * unit_y - mean) * (e.y * unit_y - mean));
    variance /= m.weight;
    m.mse = ldexp(square, 2 * ed);
    m.mae = ldexp(absolute / m.weight, ed);
    if (low < high)
        m.r2 = 1 - ldexp(square / variance, 2 * (ed - ey));
    return m;
}

sri_column_errors sri_errors_of_column(const sri_comparison *p, int64_t t)
{
    return errors_of(p, t, t + 1);
}

sri_column_errors sri_errors_pooled(const sri_comparison *p)
{
    return errors_of(p, 0, p->T);
}

sri_column_errors sri_errors_averaged(const sri_comparison *p)
{
    sri_column_errors sum = {0};
    int64_t varying = 0;
    for (entries e = start(p, 0, p->T); next(&e); sum.n++)
        sum.weight += e.v;
    for (int64_t t = 0; t < p->T; t++) {
        const sri_column_errors m = sri_errors_of_column(p, t);
        if (m.n == 0)
            continue;
        sum.mse += m.mse * (m.weight / sum.weight);
        sum.mae += m.mae * (m.weight / sum.weight);
        if (!isnan(m.r2)) {
            sum.r2 += m.r2;
            varying++;
        }
    }
    sum.r2 = varying ? sum.r2 / (double)varying : NAN;
    if (sum.n == 0)
        sum.mse = sum.mae = NAN;
    return sum;
}
