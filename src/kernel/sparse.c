#include "kernel/sparse.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/openmp.h"

double sri_sparse_distance(const sri_matrix *a, const sri_matrix *b, bool norm1)
{
    int64_t i = a->start[0], j = b->start[0];
    double sum = 0;
    while (i < a->start[1] || j < b->start[1]) {
        const bool left = j == b->start[1] || (i < a->start[1] && a->index[i] <= b->index[j]);
        const bool right = i == a->start[1] || (j < b->start[1] && b->index[j] <= a->index[i]);
        const double d = (left ? a->value[i] : 0) - (right ? b->value[j] : 0);
        sum += norm1 ? fabs(d) : d * d;
        i += left;
        j += right;
    }
    return sum;
}

/* What an entry adds that both have: a product, the lesser one, or what the pair quantity is less
 * |x| + |z|, the 1-norms of those that only one has. */
static inline double common_entry(sri_pair pair, double x, double z)
{
    switch (pair) {
    case SRI_PAIR_DIST1:
        return fabs(x - z) - fabs(x) - fabs(z);
    case SRI_PAIR_LEAST:
        return x < z ? x : z;
    case SRI_PAIR_CHI2:
        return (x - z) * (x - z) / (fabs(x) + fabs(z) + 1e-300) - fabs(x) - fabs(z);
    default:
        return x * z;
    }
}

/* One row and all centres, as a term sees them. */
typedef struct sparse_row {
    const sri_matrix *row;
    const sri_points *centres;
    const sri_span *span; /* of the term's columns, among all that a row may have */
    int64_t spans, cols;
    double norm1, norm2;
    const double *norms1, *norms2; /* of the centres */
} sparse_row;

/* Entries from .. to - 1 of a row that meet the first centres: adds what they have in
 * common. */
static void common(const sparse_row *s, sri_pair pair, int64_t from, int64_t to, double *v)
{
    const sri_matrix *row = s->row;
    const sri_columns *c = s->centres->columns;
    int64_t place = 0;
    for (int64_t k = from; k < to; k++) {
        const double x = row->value[k];
        place = sri_columns_find(c, place, row->index[k]);
        if (place == c->used)
            return;
        if (c->column[place] != row->index[k])
            continue;
        const int64_t end = c->start[place + 1];
        for (int64_t e = c->start[place]; e < end && c->row[e] < s->cols; e++) {
            const double z = c->value[e];
            v[c->row[e]] += common_entry(pair, x, z);
        }
    }
}

static double squared_distance(const sparse_row *s, int64_t centre)
{
    double sum = 0;
    for (int64_t k = 0; k < s->spans; k++) {
        int64_t here[2], there[2];
        const sri_matrix x = sri_picked_row(s->row, 0, s->span[k], here);
        const sri_matrix z = sri_picked_row(&s->centres->rows.x, centre, s->span[k], there);
        sum += sri_sparse_distance(&x, &z, false);
    }
    return sum;
}

/* |x|^2 + |z|^2 - 2 <x, z>; those that lie close together, where too much cancels, from
 * differences. */
static void squared_distances(const sparse_row *s, double *v)
{
    static const double NEAR = 1e-4;
    for (int64_t j = 0; j < s->cols; j++) {
        const double sizes = s->norm2 + s->norms2[j];
        v[j] = sizes - 2 * v[j];
        if (!(v[j] >= NEAR * sizes))
            v[j] = squared_distance(s, j);
    }
}

static void pairs_of_row(sparse_row *s, sri_pair pair, double *v)
{
    memset(v, 0, (size_t)s->cols * sizeof *v);
    for (int64_t i = 0; i < s->spans; i++) {
        int64_t from, to;
        sri_picked_entries(s->row, 0, s->span[i], &from, &to);
        for (int64_t k = from; k < to; k++) {
            s->norm1 += fabs(s->row->value[k]);
            s->norm2 += s->row->value[k] * s->row->value[k];
        }
        common(s, pair, from, to, v);
    }
    if (pair == SRI_PAIR_DIST2)
        squared_distances(s, v);
    for (int64_t j = 0; (pair == SRI_PAIR_DIST1 || pair == SRI_PAIR_CHI2) && j < s->cols; j++)
        v[j] = fmax(0, v[j] + s->norm1 + s->norms1[j]);
    for (int64_t j = 0; pair == SRI_PAIR_COSINE && j < s->cols; j++) {
        const double sizes = s->norm2 * s->norms2[j];
        v[j] = sizes > 0 ? v[j] / sqrt(sizes) : 0;
    }
}

static void term_of_row(const sri_block *b, int t, const sri_sparse_norms *norms,
                        const sri_matrix *row, int64_t cols, double *v)
{
    const sri_kernel_term *term = &b->of.kernel->term[t];
    sparse_row s = {.row = row,
                    .centres = b->of.centres,
                    .cols = cols,
                    .norms1 = norms->norm1[t],
                    .norms2 = norms->norm2[t]};
    sri_span all;
    s.span = sri_picked_spans(term->columns, INT64_MAX, &all, &s.spans);
    pairs_of_row(&s, sri_term_pair(term), v);
    sri_term_values(term, sri_vec_best(), v, cols);
}

/* The norms of those columns that a term picks. */
static void picked_norms(const sri_points *centres, const sri_picked *columns, double *norm1,
                         double *norm2)
{
    const sri_matrix *m = &centres->rows.x;
#pragma omp parallel for schedule(static) if (sri_matrix_entries(m) > 100000)
    for (int64_t i = 0; i < m->n; i++)
        for (int64_t s = 0; s < columns->spans; s++) {
            int64_t from, to;
            sri_picked_entries(m, i, columns->span[s], &from, &to);
            for (int64_t k = from; k < to; k++) {
                norm1[i] += fabs(m->value[k]);
                norm2[i] += m->value[k] * m->value[k];
            }
        }
}

specreg_status sri_sparse_prepare(specreg_context *ctx, sri_arena *memory, const sri_kernel *kernel,
                                  const sri_points *centres, sri_sparse_norms *out)
{
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_picked *columns = kernel->term[t].columns;
        double *norm1 = centres->norm1, *norm2 = centres->norm2;
        if (columns) {
            SRI_ARENA_NEW_ZERO(ctx, memory, norm1, centres->n, 1);
            SRI_ARENA_NEW_ZERO(ctx, memory, norm2, centres->n, 1);
            picked_norms(centres, columns, norm1, norm2);
        }
        out->norm1[t] = norm1;
        out->norm2[t] = norm2;
    }
    return SPECREG_OK;
}

specreg_status sri_sparse_block(specreg_context *ctx, const sri_block *b,
                                const sri_sparse_norms *norms)
{
    specreg_status st = SPECREG_OK;
    const sri_kernel *kernel = b->of.kernel;
    const int64_t n = b->of.centres->n;
    const sri_matrix rows = sri_view_matrix(b->of.rows);
    const int threads = omp_get_max_threads();
    double *spare = NULL; /* two rows for each thread, where there are several terms */
    SRI_ALLOC(ctx, spare, kernel->n_terms > 1 ? 2 * threads : 0, n);
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads) if (rows.n > 1)
    for (int64_t i = rows.n - 1; i >= 0; i--) {
        const sri_matrix row = sri_matrix_slice(&rows, i, 1);
        const int64_t few = sri_block_cols(b, i);
        double *to = b->K + i * b->ld, *v = spare + 2 * omp_get_thread_num() * n;
        if (kernel->n_terms == 1) {
            term_of_row(b, 0, norms, &row, few, to);
            for (int64_t j = 0; j < few && kernel->term[0].weight != 1; j++)
                to[j] *= kernel->term[0].weight;
            continue;
        }
        for (int t = 0; t < kernel->n_terms; t++) {
            term_of_row(b, t, norms, &row, few, v);
            sri_factor_add(kernel, t, v, v + n, to, few);
        }
    }
done:
    sri_free(spare);
    return st;
}
