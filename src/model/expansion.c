#include "model/expansion.h"

#include "model/linear_model.h"

/* One for all terms, or one for each. */
static specreg_status copy_couplings(specreg_context *ctx, const sri_kernel *kernel,
                                     sri_expansion *out)
{
    const sri_coupling *all = sri_kernel_coupling(kernel);
    SRI_CALL(sri_coupling_copy(ctx, kernel->term[0].coupling, &out->coupling[0]));
    for (int t = 1; t < SRI_KERNEL_TERMS; t++)
        if (all)
            out->coupling[t] = out->coupling[0];
        else if (t < kernel->n_terms)
            SRI_CALL(sri_coupling_copy(ctx, kernel->term[t].coupling, &out->coupling[t]));
    out->layout.seen = out->coupling[0];
    return SPECREG_OK;
}

specreg_status sri_expansion_take(specreg_context *ctx, sri_dataset *data,
                                  sri_search_result *result, specreg_model *m)
{
    sri_expansion *e = &m->expansion;
    e->layout = data->points.layout;
    e->layout.seen = NULL;
    SRI_CALL(sri_coefficients_take(ctx, &data->points, &result->kernel, &result->alpha,
                                   &e->layout.kind));
    e->alpha = result->alpha;
    result->alpha = NULL;
    SRI_CALL(sri_centres_take(ctx, &data->rows, &data->points, e->layout.kind, &e->points));
    e->n = e->points->n;
    if (e->layout.kind != SRI_LAYOUT_ROWS) {
        SRI_CALL(copy_couplings(ctx, &result->kernel, e));
        m->encoding.tasks = data->tasks;
        data->tasks = NULL;
    }
    if (e->layout.kind == SRI_LAYOUT_ROWS)
        SRI_CALL(sri_model_make_linear(ctx, &result->kernel, m));
    return SPECREG_OK;
}
