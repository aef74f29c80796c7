#include "model/expansion.h"

#include <string.h>

#include "backend/blas.h"
#include "core/memory.h"
#include "kernel/linear_map.h"
#include "kernel/tile.h"

static specreg_status dense_slopes(specreg_context *ctx, specreg_model *m)
{
    sri_expansion *e = &m->expansion;
    const sri_matrix *z = &e->points->rows.x;
    e->slopes = z->p;
    SRI_NEW(ctx, e->slope, e->slopes, m->T);
    sri_gemm(true, false, z->p, m->T, e->n, 1, z->x, z->p, e->alpha, m->T, 0, e->slope, m->T);
    return SPECREG_OK;
}

static specreg_status sparse_slopes(specreg_context *ctx, specreg_model *m)
{
    sri_expansion *e = &m->expansion;
    const sri_linear_map map = sri_linear_map_make(e->points, 1, NULL);
    e->slopes = map.p;
    SRI_NEW(ctx, e->slope, e->slopes, m->T);
    SRI_NEW(ctx, e->slope_column, e->slopes, 1);
    memcpy(e->slope_column, e->points->columns->column, (size_t)map.p * sizeof *e->slope_column);
    return sri_linear_back(ctx, &map, m->T, e->alpha, e->slope);
}

specreg_status sri_model_make_linear(specreg_context *ctx, const sri_kernel *kernel,
                                     specreg_model *m)
{
    enum { KEEP = 4096 }; /* rows that stay for intervals of a regression */
    sri_expansion *e = &m->expansion;
    double scale;
    if (!sri_kernel_is_linear(kernel, &scale))
        return SPECREG_OK;
    SRI_CALL(e->points->stored == SRI_STORED_SPARSE ? sparse_slopes(ctx, m) : dense_slopes(ctx, m));
    for (int64_t k = 0; k < e->slopes * m->T; k++)
        e->slope[k] *= scale;
    if (!m->encoding.coding && e->n <= KEEP)
        return SPECREG_OK;
    sri_points_free(e->points);
    sri_free(e->alpha);
    e->points = NULL;
    e->alpha = NULL;
    return SPECREG_OK;
}

specreg_status sri_model_pack(specreg_context *ctx, const sri_kernel *kernel,
                              const specreg_model *m)
{
    const sri_expansion *e = &m->expansion;
    bool tiles = false;
    for (int t = 0; t < kernel->n_terms && e->points && !e->slope; t++)
        tiles |= !sri_kernel_goes_wide(&(sri_kernel){.n_terms = 1, .term = {kernel->term[t]}},
                                       e->points);
    return tiles ? sri_points_pack(ctx, e->points) : SPECREG_OK;
}

/* One for all products, or one for each. */
static specreg_status copy_couplings(specreg_context *ctx, const sri_kernel *kernel,
                                     sri_expansion *out)
{
    const sri_coupling *all = sri_kernel_coupling(kernel);
    SRI_CALL(sri_coupling_copy(ctx, kernel->term[0].coupling, &out->coupling[0]));
    for (int i = 1; all && i < SRI_KERNEL_TERMS; i++)
        out->coupling[i] = out->coupling[0];
    for (int t = 1, i = 0; !all && t < kernel->n_terms; t++)
        if (!kernel->term[t].times)
            SRI_CALL(sri_coupling_copy(ctx, kernel->term[t].coupling, &out->coupling[++i]));
    out->layout.seen = out->coupling[0];
    return SPECREG_OK;
}

specreg_status sri_expansion_take(specreg_context *ctx, sri_dataset *data,
                                  sri_search_result *result, specreg_model *m)
{
    sri_expansion *e = &m->expansion;
    e->layout = data->points.layout;
    e->layout.seen = NULL;
    SRI_CALL(sri_coefficients_take(ctx, &data->points, &result->kernel, &result->fitted,
                                   &e->layout.kind));
    SRI_MOVE(e->alpha, result->fitted.alpha);
    SRI_CALL(sri_centres_take(ctx, &data->rows, &data->points, e->layout.kind, &e->points));
    e->n = e->points->n;
    if (e->layout.kind == SRI_LAYOUT_ROWS) {
        SRI_CALL(sri_model_make_linear(ctx, &result->kernel, m));
        if (e->slope && result->fitted.slope && result->fitted.n_slopes == e->slopes) {
            sri_free(e->slope);
            SRI_MOVE(e->slope, result->fitted.slope);
        }
        return SPECREG_OK;
    }
    SRI_MOVE(m->encoding.tasks, data->tasks);
    return copy_couplings(ctx, &result->kernel, e);
}
