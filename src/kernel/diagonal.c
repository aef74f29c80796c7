/* k(x, x) of all points, and k(x, z) of one pair. */
#include <math.h>

#include "kernel/tile.h"

/* The sum of a point's numbers in a span, or of their squares. */
static double size_in_span(const sri_points *points, int64_t i, sri_span span, bool plain)
{
    const sri_matrix *m = &points->rows.x;
    const double *v = m->value;
    int64_t from = span.first, to = span.end;
    double sum = 0;
    if (points->stored == SRI_STORED_SPARSE)
        sri_picked_entries(m, i, span, &from, &to);
    else
        v = sri_view_x(&points->rows, i);
    for (int64_t k = from; k < to; k++)
        sum += plain ? v[k] : v[k] * v[k];
    return sum;
}

/* The pair quantity of a point with itself. */
static double pair_with_itself(const sri_kernel_term *term, const sri_points *points, int64_t i)
{
    const sri_pair pair = sri_term_pair(term);
    sri_point x = sri_points_centre(points, i);
    double sum = 0, room[SRI_PICKED_APART];
    if (pair == SRI_PAIR_EACH) {
        x.x = x.x ? sri_picked_see(term->columns, x.x, room) : NULL;
        return term->ops->each(term, &x, &x, sri_picked_count(term->columns, points->p));
    }
    if (pair != SRI_PAIR_DOT && pair != SRI_PAIR_COSINE && pair != SRI_PAIR_LEAST)
        return 0;
    int64_t spans;
    sri_span all;
    const sri_span *span = sri_picked_spans(term->columns, points->p, &all, &spans);
    for (int64_t s = 0; s < spans; s++)
        sum += size_in_span(points, i, span[s], pair == SRI_PAIR_LEAST);
    return pair == SRI_PAIR_COSINE ? (double)(sum > 0) : sum;
}

specreg_status sri_kernel_diagonal(specreg_context *ctx, const sri_kernel *kernel,
                                   const sri_points *points, double *diagonal)
{
    specreg_status st = SPECREG_OK;
    const sri_vec *vec = sri_vec_best();
    const bool labelled = sri_points_labelled(points);
    double *v = NULL, *product = NULL;
    SRI_ALLOC(ctx, v, points->n, 1);
    SRI_ALLOC(ctx, product, points->n, 1);
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_kernel_term *term = &kernel->term[t];
        for (int64_t i = 0; i < points->n; i++)
            v[i] = pair_with_itself(term, points, i);
        if (sri_term_pair(term) != SRI_PAIR_EACH)
            sri_term_values(term, vec, v, points->n);
        const bool coupled =
            labelled && term->coupling && !term->times && !sri_product_is_matrix(kernel, t);
        for (int64_t i = 0; coupled && i < points->n; i++) {
            const int64_t s = sri_view_label(&points->rows, i);
            v[i] *= sri_coupling_at(term->coupling, s, s);
        }
        sri_factor_add(kernel, t, v, product, diagonal, points->n);
    }
done:
    sri_free(product);
    sri_free(v);
    return st;
}

/* What coordinate k adds to the pair quantity. */
static double coordinate_adds(sri_pair pair, double x, double z)
{
    switch (pair) {
    case SRI_PAIR_DIST2:
        return (x - z) * (x - z);
    case SRI_PAIR_DIST1:
        return fabs(x - z);
    case SRI_PAIR_LEAST:
        return x < z ? x : z;
    case SRI_PAIR_CHI2:
        return x == z ? 0 : (x - z) * (x - z) / (fabs(x) + fabs(z));
    case SRI_PAIR_DIFFER:
        return x != z;
    default:
        return x * z;
    }
}

double sri_term_value(const sri_kernel_term *term, const sri_point *x, const sri_point *z,
                      int64_t p)
{
    double here[SRI_PICKED_APART], there[SRI_PICKED_APART], sum = 0, xx = 0, zz = 0;
    const sri_pair pair = sri_term_pair(term);
    const int64_t count = sri_picked_count(term->columns, p);
    const sri_point a = {sri_picked_see(term->columns, x->x, here), x->index, x->label};
    const sri_point b = {sri_picked_see(term->columns, z->x, there), z->index, z->label};
    if (pair == SRI_PAIR_EACH)
        return term->ops->each(term, &a, &b, count);
    for (int64_t k = 0; k < count; k++) {
        sum += coordinate_adds(pair, a.x[k], b.x[k]);
        xx += a.x[k] * a.x[k];
        zz += b.x[k] * b.x[k];
    }
    if (pair == SRI_PAIR_COSINE)
        sum = xx > 0 && zz > 0 ? sum / sqrt(xx * zz) : 0;
    sri_term_values(term, sri_vec_best(), &sum, 1);
    return sum;
}
