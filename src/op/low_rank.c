/* Pivots come in blocks, so that most of the work are matrix products: the rows with the largest
 * residual diagonal are candidates together, and those whose residual diagonal became small by the
 * others are returned to the pool. */
#include "op/low_rank.h"

#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "backend/threads.h"
#include "backend/vec.h"
#include "core/memory.h"
#include "op/lanczos.h"

enum {
    BLOCK = SRI_LOW_RANK_BLOCK,
    SLAB = 1024,   /* columns that one thread works on: the same for any number of threads */
    SERIAL = 50000 /* numbers that one thread changes before others wake up */
};

typedef struct block {
    int64_t count;
    int64_t pivot[BLOCK]; /* the candidates' rows                   */
    bool used[BLOCK];     /* they are pivots now                    */
    double *C;            /* BLOCK x n: their rows of what is left  */
} block;

static double largest(const double *d, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, d[i]);
    return most;
}

/* The rows with the largest d, in order: insertion into a short list. */
static int64_t candidates(const sri_low_rank *f, int64_t most, int64_t *list)
{
    const double *d = f->d;
    int64_t count = 0;
    for (int64_t i = 0; i < f->n; i++) {
        if (!(d[i] > SRI_LOW_RANK_ROUNDING * f->diagonal[i]) ||
            (count == most && d[i] <= d[list[count - 1]]))
            continue;
        int64_t at = count < most ? count++ : count - 1;
        for (; at > 0 && d[list[at - 1]] < d[i]; at--)
            list[at] = list[at - 1];
        list[at] = i;
    }
    return count;
}

specreg_status sri_low_rank_reserve(specreg_context *ctx, sri_low_rank *f, int64_t columns)
{
    if (columns <= f->capacity)
        return SPECREG_OK;
    const int64_t capacity = columns + f->capacity / 2;
    SRI_CALL(sri_regrow(ctx, (void **)&f->pivot, f->rank, capacity, 1, sizeof *f->pivot));
    SRI_CALL(sri_regrow(ctx, (void **)&f->Lt, f->rank, capacity, f->n, sizeof *f->Lt));
    f->capacity = capacity;
    return SPECREG_OK;
}

/* Subtracts the candidates' rows of L L' from those of K; `at` has their rows of L. */
static void subtract_known(const sri_low_rank *f, const double *at, block *b)
{
    const int64_t n = f->n;
    const sri_region region = sri_region_enter();
#pragma omp parallel for schedule(static) num_threads(region.threads)
    for (int64_t j = 0; j < n; j += SLAB)
        sri_gemm(false, false, b->count, n - j < SLAB ? n - j : SLAB, f->rank, -1, at, f->rank,
                 f->Lt + j, n, 1, b->C + j, n);
    sri_region_leave(region);
}

/* Rows of what is left of K, for the candidates. */
static specreg_status candidate_rows(specreg_context *ctx, const sri_low_rank *f, block *b)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = f->n, count = b->count;
    double *at = NULL; /* their rows of L */
    sri_rows_view rows = {0};
    SRI_TRY(sri_view_gather(ctx, &f->points->rows, b->pivot, count, &rows));
    SRI_TRY(sri_kernel_block(ctx, f->kernel, &rows, f->points, b->C, n));
    if (f->rank) {
        SRI_ALLOC(ctx, at, count, f->rank);
        for (int64_t c = 0; c < count; c++)
            for (int64_t k = 0; k < f->rank; k++)
                at[c * f->rank + k] = f->Lt[k * n + b->pivot[c]];
        subtract_known(f, at, b);
    }
done:
    sri_free(at);
    sri_view_free(&rows);
    return st;
}

static int64_t largest_candidate(const sri_low_rank *f, const block *b)
{
    int64_t best = -1;
    for (int64_t c = 0; c < b->count; c++)
        if (!b->used[c] && (best < 0 || f->d[b->pivot[c]] > f->d[b->pivot[best]]))
            best = c;
    return best;
}

/* Whether there is more than rounding left of candidate c, whose row is up to date. */
static bool is_pivot(const sri_low_rank *f, const block *b, int64_t c)
{
    const int64_t row = b->pivot[c];
    return b->C[c * f->n + row] > SRI_LOW_RANK_ROUNDING * f->diagonal[row];
}

/* Makes candidate c the next pivot. */
static void eliminate(sri_low_rank *f, block *b, int64_t best)
{
    const int64_t n = f->n, row = b->pivot[best];
    double *l = f->Lt + f->rank * n;
    const double scale = 1 / sqrt(b->C[best * n + row]);
    f->pivot[f->rank++] = row;
    for (int64_t i = 0; i < n; i++) {
        l[i] = scale * b->C[best * n + i];
        const double d = f->d[i] - l[i] * l[i];
        f->d[i] = d > 0 ? d : 0;
    }
    b->used[best] = true;
    f->d[row] = 0;
#pragma omp parallel for schedule(static) if (b->count * n > SERIAL)
    for (int64_t c = 0; c < b->count; c++)
        if (!b->used[c])
            sri_vec_best()->subtract(n, l[b->pivot[c]], l, 0, l, b->C + c * n);
}

/* Takes pivots out of the candidates; says how many. */
static int64_t take_pivots(sri_low_rank *f, block *b, int64_t most)
{
    int64_t taken = 0;
    for (; taken < b->count && f->rank < most; taken++) {
        const int64_t best = largest_candidate(f, b);
        const double worth = taken ? f->worth * largest(f->d, f->n) : 0;
        if (f->d[b->pivot[best]] < worth || !is_pivot(f, b, best))
            break;
        eliminate(f, b, best);
    }
    return taken;
}

static double sum(const double *d, int64_t n)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++)
        total += d[i];
    return total;
}

static double known_rank(const sri_kernel *kernel, int64_t p)
{
    double rank = 0, product = 1;
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_kernel_term *term = &kernel->term[t];
        const int64_t seen = sri_picked_count(term->columns, p);
        product = term->times ? product : 1;
        product *= term->ops->rank ? term->ops->rank(term, seen < p ? seen : p) : INFINITY;
        rank += sri_product_ends(kernel, t) ? product : 0;
    }
    return rank;
}

specreg_status sri_low_rank_new(specreg_context *ctx, const sri_kernel *kernel,
                                const sri_points *points, sri_low_rank *f)
{
    specreg_status st = SPECREG_OK;
    *f = (sri_low_rank){.kernel = kernel,
                        .points = points,
                        .n = points->n,
                        .worth = SRI_LOW_RANK_WORTH};
    SRI_ALLOC(ctx, f->d, f->n, 1);
    SRI_ALLOC(ctx, f->diagonal, f->n, 1);
    SRI_TRY(sri_kernel_diagonal(ctx, kernel, points, f->d));
    f->trace = f->left = sum(f->d, f->n);
    f->known =
        known_rank(kernel, points->columns ? points->columns->used : sri_points_width(points));
    memcpy(f->diagonal, f->d, (size_t)f->n * sizeof *f->d);
done:
    if (st != SPECREG_OK)
        sri_low_rank_free(f);
    return st;
}

specreg_status sri_low_rank_extend(specreg_context *ctx, sri_low_rank *f, int64_t most,
                                   double share)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = f->n;
    block b = {0};
    most = most < n ? most : n;
    SRI_ALLOC(ctx, b.C, BLOCK, n);
    int64_t width = BLOCK;
    while (f->rank < most && f->left > share * f->trace) {
        b.count = candidates(f, most - f->rank < width ? most - f->rank : width, b.pivot);
        if (!b.count)
            break;
        memset(b.used, 0, sizeof b.used);
        SRI_TRY(sri_low_rank_reserve(ctx, f, f->rank + b.count));
        SRI_TRY(candidate_rows(ctx, f, &b));
        const int64_t taken = take_pivots(f, &b, most);
        if (!taken)
            break;
        width = 2 * taken + 2 < BLOCK ? 2 * taken + 2 : BLOCK; /* as many as seem of use */
        f->left = sum(f->d, n);
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_free(b.C);
    return st;
}

specreg_status sri_low_rank_take(specreg_context *ctx, sri_low_rank *f, const int64_t *row,
                                 int64_t count)
{
    specreg_status st = SPECREG_OK;
    block b = {.count = count};
    memcpy(b.pivot, row, (size_t)count * sizeof *row);
    SRI_ALLOC(ctx, b.C, count, f->n);
    SRI_TRY(sri_low_rank_reserve(ctx, f, f->rank + count));
    SRI_TRY(candidate_rows(ctx, f, &b));
    for (int64_t c = 0; c < count; c++)
        if (is_pivot(f, &b, c))
            eliminate(f, &b, c);
    f->left = sum(f->d, f->n);
done:
    sri_free(b.C);
    return st;
}

void sri_low_rank_free(sri_low_rank *f)
{
    sri_free(f->pivot);
    sri_free(f->diagonal);
    sri_free(f->d);
    sri_free(f->Lt);
    *f = (sri_low_rank){0};
}

specreg_status sri_low_rank_rows(specreg_context *ctx, const sri_low_rank *f, double **L)
{
    SRI_NEW(ctx, *L, f->n, f->rank);
    for (int64_t k = 0; k < f->rank; k++)
        for (int64_t i = 0; i < f->n; i++)
            (*L)[i * f->rank + k] = f->Lt[k * f->n + i];
    return SPECREG_OK;
}
