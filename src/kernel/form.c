/* What may stand in a sum, in a product, and look at some columns only. */
#include "kernel/kernel.h"
#include "kernel/registry.h"

/* A kernel of all columns, and, where they are kernel values, in no sum or product. */
static specreg_status check_alone(specreg_context *ctx, const sri_kernel *kernel,
                                  const sri_kernel_term *term)
{
    const sri_kernel_ops *ops = term->ops;
    SRI_CHECK(ctx, !term->columns, SPECREG_E_ARG,
              ops->indexed ? "kernel %s takes no columns=: its columns are kernel values"
                           : "kernel %s takes no columns=: a field has a component for each",
              ops->name);
    SRI_CHECK(ctx, !ops->indexed || kernel->n_terms == 1, SPECREG_E_ARG,
              "kernel precomputed cannot be part of a sum or product: make one matrix beforehand");
    return SPECREG_OK;
}

/* Fields may be added to each other, and to scalar kernels times I that are positive definite. */
static specreg_status check_fields(specreg_context *ctx, const sri_kernel *kernel, int t)
{
    const sri_kernel_term *term = &kernel->term[t];
    if (term->ops->field)
        SRI_CHECK(ctx, !term->times && sri_product_ends(kernel, t), SPECREG_E_ARG,
                  "kernel %s cannot be part of a product: its values are matrices",
                  term->ops->name);
    SRI_CHECK(ctx, !sri_term_is_matrix(term) || !sri_kernel_is_field(kernel), SPECREG_E_ARG,
              "kernel %s cannot be added to a field: its values are matrices of your own",
              term->user->name);
    SRI_CHECK(ctx, !term->ops->polynomial || !sri_kernel_is_field(kernel), SPECREG_E_ARG,
              "kernel %s cannot be added to a field: it is positive definite only beside "
              "polynomials",
              term->ops->name);
    return SPECREG_OK;
}

specreg_status sri_kernel_form_check(specreg_context *ctx, const sri_kernel *kernel)
{
    SRI_CHECK(ctx, kernel->n_terms > 0 && !kernel->term[0].times, SPECREG_E_ARG,
              "kernel: the first factor has nothing before it");
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_kernel_term *term = &kernel->term[t];
        if (term->ops->indexed || term->ops->field)
            SRI_CALL(check_alone(ctx, kernel, term));
        SRI_CALL(check_fields(ctx, kernel, t));
        SRI_CHECK(ctx, !term->ops->polynomial || (!term->times && sri_product_ends(kernel, t)),
                  SPECREG_E_ARG,
                  "kernel %s cannot be part of a product: it is positive definite only beside "
                  "polynomials, and its products are not",
                  term->ops->name);
    }
    return SPECREG_OK;
}

static bool fits(const sri_picked *picked, int64_t p)
{
    int64_t before = 0, count = 0;
    for (int64_t s = 0; s < picked->spans; s++) {
        const sri_span span = picked->span[s];
        if (span.first < before || span.end <= span.first || span.end > p)
            return false;
        before = span.end;
        count += span.end - span.first;
    }
    return count > 0 && count == picked->count;
}

specreg_status sri_kernel_columns_check(specreg_context *ctx, const sri_kernel *kernel, int64_t p)
{
    const bool field = sri_kernel_is_field(kernel); /* by pairs, too */
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_kernel_term *term = &kernel->term[t];
        const sri_picked *picked = term->columns;
        if (!picked)
            continue;
        SRI_CHECK(ctx, fits(picked, p), SPECREG_E_SHAPE,
                  "kernel %s: its columns do not fit the data, which have %lld",
                  sri_kernel_term_name(term), (long long)p);
        SRI_CHECK(ctx,
                  (sri_term_pair(term) != SRI_PAIR_EACH && !field) || picked->spans == 1 ||
                      picked->count <= SRI_PICKED_APART,
                  SPECREG_E_ARG,
                  "kernel %s takes at most %d columns that do not follow each other, not %lld",
                  sri_kernel_term_name(term), (int)SRI_PICKED_APART, (long long)picked->count);
    }
    return SPECREG_OK;
}
