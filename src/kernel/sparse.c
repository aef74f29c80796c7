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

/* The sums of these over the entries of a row and the first `cols` centres. */
static void common(const sri_matrix *row, const sri_columns *c, sri_pair pair, int64_t cols,
                   double *v)
{
    int64_t place = 0;
    memset(v, 0, (size_t)cols * sizeof *v);
    for (int64_t k = row->start[0]; k < row->start[1]; k++) {
        const double x = row->value[k];
        place = sri_columns_find(c, place, row->index[k]);
        if (place == c->used)
            return;
        if (c->column[place] != row->index[k])
            continue;
        const int64_t end = c->start[place + 1];
        for (int64_t e = c->start[place]; e < end && c->row[e] < cols; e++) {
            const double z = c->value[e];
            v[c->row[e]] += common_entry(pair, x, z);
        }
    }
}

/* |x|^2 + |z|^2 - 2 <x, z>; those that lie close together, where too much cancels, from
 * differences. */
static void squared_distances(const sri_matrix *row, double norm, const sri_points *centres,
                              int64_t cols, double *v)
{
    static const double NEAR = 1e-4;
    for (int64_t j = 0; j < cols; j++) {
        const double sizes = norm + centres->norm2[j];
        v[j] = sizes - 2 * v[j];
        if (!(v[j] >= NEAR * sizes)) {
            const sri_matrix z = sri_matrix_slice(&centres->rows.x, j, 1);
            v[j] = sri_sparse_distance(row, &z, false);
        }
    }
}

static void row_values(const sri_kernel_term *term, const sri_vec *vec, const sri_matrix *row,
                       const sri_points *centres, int64_t cols, double *v)
{
    const sri_pair pair = sri_term_pair(term);
    double norm1 = 0, norm2 = 0;
    for (int64_t k = row->start[0]; k < row->start[1]; k++) {
        norm1 += fabs(row->value[k]);
        norm2 += row->value[k] * row->value[k];
    }
    common(row, centres->columns, pair, cols, v);
    if (pair == SRI_PAIR_DIST2)
        squared_distances(row, norm2, centres, cols, v);
    for (int64_t j = 0; (pair == SRI_PAIR_DIST1 || pair == SRI_PAIR_CHI2) && j < cols; j++)
        v[j] = fmax(0, v[j] + norm1 + centres->norm1[j]);
    for (int64_t j = 0; pair == SRI_PAIR_COSINE && j < cols; j++) {
        const double sizes = norm2 * centres->norm2[j];
        v[j] = sizes > 0 ? v[j] / sqrt(sizes) : 0;
    }
    sri_term_values(term, vec, v, cols);
}

specreg_status sri_sparse_block(specreg_context *ctx, const sri_block *b)
{
    specreg_status st = SPECREG_OK;
    const sri_kernel *kernel = b->of.kernel;
    const sri_points *centres = b->of.centres;
    const sri_matrix rows = sri_view_matrix(b->of.rows);
    const sri_vec *vec = sri_vec_best();
    const int threads = omp_get_max_threads();
    double *spare = NULL; /* a row for each thread, for the terms after the first */
    SRI_ALLOC(ctx, spare, kernel->n_terms > 1 ? threads : 0, centres->n);
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads) if (rows.n > 1)
    for (int64_t i = rows.n - 1; i >= 0; i--) {
        const sri_matrix row = sri_matrix_slice(&rows, i, 1);
        const int64_t few = sri_block_cols(b, i);
        double *to = b->K + i * b->ld;
        row_values(&kernel->term[0], vec, &row, centres, few, to);
        for (int64_t j = 0; j < few && kernel->term[0].weight != 1; j++)
            to[j] *= kernel->term[0].weight;
        for (int t = 1; t < kernel->n_terms; t++) {
            double *v = spare + omp_get_thread_num() * centres->n;
            row_values(&kernel->term[t], vec, &row, centres, few, v);
            for (int64_t j = 0; j < few; j++)
                to[j] += kernel->term[t].weight * v[j];
        }
    }
done:
    sri_free(spare);
    return st;
}
