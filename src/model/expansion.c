#include "model/expansion.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "model/linear_model.h"

specreg_status sri_fitted_values(specreg_context *ctx, const sri_prepared *p,
                                 const sri_search_result *result, double **out)
{
    specreg_status st = SPECREG_OK;
    const sri_dataset *data = &p->data;
    const sri_problem *points = &p->problem;
    const int64_t T = data->T;
    SRI_CALLOC(ctx, *out, data->n, T);
    for (int64_t k = 0; k < points->n * points->T; k++) {
        const int64_t at = data->flat.n ? data->flat.row[k] * T + data->flat.label[k] : k;
        (*out)[at] = points->Y[k] - result->residual[k];
    }
done:
    return st;
}

/* Coefficients of points for one output as those of rows: row i gets what its outputs have,
 * times A.
 */
static specreg_status gather_rows(specreg_context *ctx, const sri_dataset *data,
                                  const sri_search_result *result, double **alpha)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = data->T;
    SRI_CALLOC(ctx, *alpha, data->n, T);
    for (int64_t i = 0; i < data->flat.n; i++)
        (*alpha)[data->flat.row[i] * T + data->flat.label[i]] = result->alpha[i];
    SRI_TRY(sri_coupling_mix(ctx, sri_kernel_coupling(&result->kernel), data->n, *alpha));
done:
    return st;
}

/* One for all terms, or one for each. */
static specreg_status copy_couplings(specreg_context *ctx, const sri_kernel *kernel,
                                     sri_expansion *out)
{
    specreg_status st = SPECREG_OK;
    const sri_coupling *all = sri_kernel_coupling(kernel);
    SRI_TRY(sri_coupling_copy(ctx, kernel->term[0].coupling, &out->coupling[0]));
    for (int t = 1; t < SRI_KERNEL_TERMS; t++)
        if (all)
            out->coupling[t] = out->coupling[0];
        else if (t < kernel->n_terms)
            SRI_TRY(sri_coupling_copy(ctx, kernel->term[t].coupling, &out->coupling[t]));
    out->layout.seen = out->coupling[0];
done:
    return st;
}

/* Coefficients of rows, or of points that stay for one output or task. */
static specreg_status take_coefficients(specreg_context *ctx, const sri_dataset *data,
                                        sri_search_result *result, sri_expansion *e)
{
    specreg_status st = SPECREG_OK;
    const sri_coupling *coupling = sri_kernel_coupling(&result->kernel);
    const bool shared =
        e->layout.kind == SRI_LAYOUT_OUTPUTS && coupling && !sri_coupling_sees(coupling);
    if (shared || sri_kernel_is_field(&result->kernel)) {
        e->layout.kind = SRI_LAYOUT_ROWS;
        return gather_rows(ctx, data, result, &e->alpha);
    }
    if (e->layout.kind == SRI_LAYOUT_ROWS)
        SRI_TRY(sri_coupling_mix(ctx, coupling, data->n, result->alpha));
    e->alpha = result->alpha;
    result->alpha = NULL;
done:
    return st;
}

specreg_status sri_expansion_take(specreg_context *ctx, sri_dataset *data,
                                  sri_search_result *result, specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    sri_expansion *e = &m->expansion;
    e->layout = data->layout;
    e->layout.seen = NULL;
    SRI_TRY(take_coefficients(ctx, data, result, e));
    SRI_TRY(sri_dataset_centres(ctx, data, e->layout.kind, &e->points));
    e->n = e->points->n;
    if (e->layout.kind != SRI_LAYOUT_ROWS) {
        SRI_TRY(copy_couplings(ctx, &result->kernel, e));
        m->encoding.tasks = data->tasks;
        data->tasks = NULL;
    }
    if (e->layout.kind == SRI_LAYOUT_ROWS)
        SRI_TRY(sri_model_make_linear(ctx, &result->kernel, m));
done:
    return st;
}
