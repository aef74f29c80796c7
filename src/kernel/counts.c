/* Kernels of counts, histograms and categories:
 *     cosine        <x, z> / (|x| |z|)
 *     chi2          exp(-gamma sum_k (x_k - z_k)^2 / (x_k + z_k))
 *     intersection  sum_k min(x_k, z_k)
 *     hamming       exp(-h / sigma), where h coordinates differ */
#include "kernel/kernel.h"

static sri_map chi2_map(const sri_kernel_term *self)
{
    return (sri_map){.kind = SRI_MAP_EXP, .c = -self->param[0]};
}

static sri_map hamming_map(const sri_kernel_term *self)
{
    return (sri_map){.kind = SRI_MAP_EXP, .c = -1 / self->param[0]};
}

/* The least number of a row in a span, at most 0. */
static double least_number(const sri_matrix *m, int64_t i, sri_span span)
{
    const double *x = m->start ? m->value : m->x + i * m->p;
    int64_t from = span.first, to = span.end;
    double least = 0;
    if (m->start)
        sri_picked_entries(m, i, span, &from, &to);
    for (int64_t k = from; k < to; k++)
        least = x[k] < least ? x[k] : least;
    return least;
}

specreg_status sri_kernel_check_counts(specreg_context *ctx, const sri_kernel_term *self,
                                       const sri_points *points)
{
    const sri_matrix *m = &points->rows.x;
    int64_t spans;
    sri_span all;
    const sri_span *span = sri_picked_spans(self->columns, points->p, &all, &spans);
    for (int64_t i = 0; i < m->n; i++)
        for (int64_t s = 0; s < spans; s++) {
            const double least = least_number(m, i, span[s]);
            if (least < 0)
                return sri_fail(ctx, SPECREG_E_NUMERIC,
                                "kernel %s needs numbers of 0 or more, there is a %g (use --scale "
                                "none for counts, or minmax)",
                                self->ops->name, least);
        }
    return SPECREG_OK;
}

static const sri_param rate[] = {{.name = "gamma", .value = 1, .least = 0, .open = true}};
static const sri_param width[] = {{.name = "sigma", .value = 1, .least = 0, .open = true}};

const sri_kernel_ops sri_kernel_cosine = {
    .name = "cosine",
    .formula = "<x,z> / (|x| |z|)",
    .pair = SRI_PAIR_COSINE,
    .scale = "none",
};

const sri_kernel_ops sri_kernel_chi2 = {
    .name = "chi2",
    .formula = "exp(-gamma sum_k (x_k-z_k)^2 / (x_k+z_k))",
    .params = rate,
    .n_params = 1,
    .pair = SRI_PAIR_CHI2,
    .map = chi2_map,
    .check = sri_kernel_check_counts,
    .scale = "none",
};

const sri_kernel_ops sri_kernel_intersection = {
    .name = "intersection",
    .formula = "sum_k min(x_k, z_k)",
    .pair = SRI_PAIR_LEAST,
    .check = sri_kernel_check_counts,
    .scale = "none",
};

const sri_kernel_ops sri_kernel_hamming = {
    .name = "hamming",
    .formula = "exp(-h / sigma), h coordinates differ",
    .params = width,
    .n_params = 1,
    .pair = SRI_PAIR_DIFFER,
    .map = hamming_map,
    .scale = "none",
};
