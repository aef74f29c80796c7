/* Intervals whose width follows the residuals nearby.
 *
 * With R_i the residual of row i without it, and s(x) the mean of |R_j| over the k rows nearest to
 * x in the kernel's distance, drawn a little to the mean of all, the interval is
 *     f(x) -+ q s(x),      q the quantile of |R_i| / s_{-i}(x_i) at the level,
 * where s_{-i} leaves row i out.  It is conformal as the one of constant width is: q is chosen so
 * that the intervals of the training rows, each without the row, hold the level. */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "kernel/kernel.h"
#include "model/predict.h"

enum { BLOCK = 256, FEWEST = 10 }; /* rows at a time; neighbours at least */
static const double PRIOR = 1;     /* neighbours that the mean of all residuals counts as */

typedef struct local {
    const specreg_model *model;
    const sri_kernel *kernel;
    const double *R; /* n x T                                    */
    int64_t n, T, neighbours;
    double *mean;            /* T: of |R|                                */
    double *diagonal;        /* n: k(x_j, x_j)                           */
    double *K;               /* BLOCK x n                                */
    double *distance, *copy; /* n: of one row, less k(x, x)              */
    double *quotient;        /* n x T: |R_i| / s_{-i}(x_i)               */
    sri_arena scratch;
} local;

static bool counts(const local *l, int64_t i)
{
    return !l->model->uncertainty.weight || l->model->uncertainty.weight[i] > 0;
}

static void find_means(local *l)
{
    for (int64_t t = 0; t < l->T; t++) {
        double sum = 0, count = 0;
        for (int64_t i = 0; i < l->n; i++)
            if (counts(l, i) && isfinite(l->R[i * l->T + t])) {
                sum += fabs(l->R[i * l->T + t]);
                count++;
            }
        l->mean[t] = sum / count;
    }
}

static specreg_status local_new(specreg_context *ctx, local *l)
{
    int64_t used = 0;
    SRI_ARENA_NEW(ctx, &l->scratch, l->mean, l->T, 1);
    SRI_ARENA_NEW(ctx, &l->scratch, l->diagonal, l->n, 1);
    SRI_ARENA_NEW(ctx, &l->scratch, l->K, BLOCK, l->n);
    SRI_ARENA_NEW(ctx, &l->scratch, l->distance, l->n, 1);
    SRI_ARENA_NEW(ctx, &l->scratch, l->copy, l->n, 1);
    SRI_ARENA_NEW(ctx, &l->scratch, l->quotient, l->n, l->T);
    for (int64_t i = 0; i < l->n; i++)
        used += counts(l, i);
    l->neighbours = (int64_t)ceil(sqrt((double)used));
    l->neighbours = l->neighbours < FEWEST ? FEWEST : l->neighbours;
    l->neighbours = l->neighbours < used - 1 ? l->neighbours : used - 1;
    find_means(l);
    return sri_kernel_diagonal(ctx, l->kernel, l->model->expansion.points, l->diagonal);
}

/* s (T) at the row with kernel values k; `self` is the training row that it is, or -1. */
static void sizes_near(const local *l, const double *k, int64_t self, double *s)
{
    for (int64_t j = 0; j < l->n; j++)
        l->distance[j] = j == self || !counts(l, j) ? INFINITY : l->diagonal[j] - 2 * k[j];
    memcpy(l->copy, l->distance, (size_t)l->n * sizeof *l->copy);
    const double radius =
        l->neighbours > 0 ? sri_kth_smallest(l->copy, l->n, l->neighbours) : -INFINITY;
    for (int64_t t = 0; t < l->T; t++) {
        double sum = PRIOR * l->mean[t], count = PRIOR;
        for (int64_t j = 0; j < l->n; j++)
            if (l->distance[j] <= radius && isfinite(l->R[j * l->T + t])) {
                sum += fabs(l->R[j * l->T + t]);
                count++;
            }
        s[t] = sum / count;
    }
}

/* Calls sizes_near for all rows of a view; s is n x T. */
static specreg_status sizes_of(specreg_context *ctx, const local *l, const sri_rows_view *rows,
                               bool training, double *s)
{
    SRI_CALL(sri_stage(ctx, "intervals", rows->n));
    for (int64_t i0 = 0; i0 < rows->n; i0 += BLOCK) {
        sri_rows_view part = *rows;
        part.first = rows->first + i0;
        part.n = rows->n - i0 < BLOCK ? rows->n - i0 : BLOCK;
        SRI_CALL(sri_kernel_block(ctx, l->kernel, &part, l->model->expansion.points, l->K, l->n));
        for (int64_t i = 0; i < part.n; i++)
            sizes_near(l, l->K + i * l->n, training ? i0 + i : -1, s + (i0 + i) * l->T);
        SRI_CALL(sri_progress(ctx, i0 + part.n));
    }
    return SPECREG_OK;
}

/* The quantile of the quotients of output t; infinite where the rows are too few. */
static double quantile_of(const local *l, int64_t t, double level)
{
    int64_t count = 0;
    for (int64_t i = 0; i < l->n; i++)
        if (counts(l, i) && isfinite(l->quotient[i * l->T + t]))
            l->copy[count++] = l->quotient[i * l->T + t];
    const int64_t rank = sri_level_rank(level, count);
    return rank <= count ? sri_kth_smallest(l->copy, count, rank) : INFINITY;
}

specreg_status sri_interval_local(specreg_context *ctx, const specreg_model *model,
                                  const sri_kernel *kernel, const double *R,
                                  const sri_intervals *wanted)
{
    specreg_status st = SPECREG_OK;
    const sri_points *centres = model->expansion.points;
    local l = {.model = model, .kernel = kernel, .R = R, .n = model->expansion.n, .T = model->T};
    const sri_rows_view rows = {.n = wanted->X->n, .x = *wanted->X};
    SRI_REQUIRE(ctx, centres && R, SPECREG_E_UNAVAILABLE,
                "interval: kind=local needs the training rows, which this model does not hold");
    for (int t = 0; t < kernel->n_terms; t++)
        SRI_REQUIRE(ctx, !kernel->term[t].ops->indexed, SPECREG_E_UNAVAILABLE,
                    "interval: kind=local is not for precomputed kernel matrices");
    SRI_TRY(local_new(ctx, &l));
    SRI_TRY(sizes_of(ctx, &l, &centres->rows, true, l.quotient));
    for (int64_t k = 0; k < l.n * l.T; k++)
        l.quotient[k] = l.quotient[k] > 0 ? fabs(R[k]) / l.quotient[k] : 0;
    SRI_TRY(sizes_of(ctx, &l, &rows, false, wanted->upper));
    for (int64_t t = 0; t < l.T; t++) {
        const double q = quantile_of(&l, t, wanted->level);
        for (int64_t k = t; k < rows.n * l.T; k += l.T) {
            const double half = isfinite(q) ? q * wanted->upper[k] : INFINITY;
            wanted->lower[k] = wanted->F[k] - half;
            wanted->upper[k] = wanted->F[k] + half;
        }
    }
done:
    sri_arena_free(&l.scratch);
    return st;
}
